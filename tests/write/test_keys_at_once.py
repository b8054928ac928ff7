"""A key is chosen and given to its memory while nobody else writes (SW-30)."""

import pytest

from vademecum.adapters.stores.sqlite.rows import RowReader
from vademecum.domain.errors import Locked
from vademecum.domain.saved import SaveOptions
from vademecum.vault.lock import SpaceLock


@pytest.fixture
def another_process(memory, home, tmp_path, monkeypatch):
    """Keys that were looked for while another process could have written."""
    index, free = RowReader, []
    named = index.named

    def meanwhile(self, text):
        try:
            with SpaceLock(home, tmp_path / "data" / "locks", 0).held("save"):
                free.append(text)
        except Locked:
            pass
        return named(self, text)

    monkeypatch.setattr(index, "named", meanwhile)
    return free


def test_saved(memory, another_process):
    """SW-30: while one process chooses a key no other writes, so that no two memories get the same."""
    for name in ("zstd", "gzip"):
        memory.notes.save("decision", f"Use {name}", f"We pack with {name}.", SaveOptions(key="KD"))
    assert memory.notes.save("decision", "Use lz4", "We pack with lz4.", SaveOptions(key="KD07")).memory.aliases == ("KD07",)
    assert another_process == []
    assert sorted(one.aliases for one in memory.notes.list()) == [("KD01",), ("KD02",), ("KD07",)]


def test_events(memory, another_process):
    """HW-47: what an event keeps gets its key in the same way."""
    events = pytest.importorskip("vademecum.plugins.wiki.events")
    for title in ("Roll out", "Roll back"):
        events.take_event(memory.context, "plan_approved", {"title": title})
    assert another_process == []
    assert sorted(one.aliases for one in memory.notes.list()) == [("PLAN-01",), ("PLAN-02",)]

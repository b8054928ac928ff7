"""What every action goes through: the switch, a damaged index, and that nothing is written twice."""

from pathlib import Path

import pytest

from vademecum.api.runner import READS, WRITES, Needs, run
from vademecum.domain.errors import IndexDamaged, Refused


@pytest.fixture
def kept(opened):
    """A memory that was kept by an earlier process."""
    with opened() as memory:
        return memory.notes.save("fact", "Deploy box", "The deploy box is called heron.").memory


def damaged(opened, tmp_path: Path):
    """The memory opened on an index that is no database any more."""
    for file in (tmp_path / "data").glob("index.db*"):
        file.write_bytes(b"no database " * 800)
    return opened()


def test_off_refuses_writes(opened):
    memory = opened(enabled=False)
    done = []
    with pytest.raises(Refused, match="switched off; nothing was written") as told:
        run(memory.context, WRITES, lambda: done.append(1))
    assert "vade resume" in told.value.hint
    assert not done
    assert run(memory.context, READS, lambda: "read") == "read"


def test_damage_is_healed_and_read_again(opened, kept, tmp_path):
    memory = damaged(opened, tmp_path)
    assert run(memory.context, READS, memory.context.index.counts) == {("memory", "active"): 1}


def test_damage_is_told_when_not_healed(opened, kept, tmp_path):
    memory = damaged(opened, tmp_path)
    with pytest.raises(IndexDamaged):
        run(memory.context, Needs(heals=False), memory.context.index.counts)


def test_a_write_on_damage_is_made_once(opened, kept, tmp_path):
    memory = damaged(opened, tmp_path)
    assert run(memory.context, WRITES, lambda: memory.notes.confirm(kept.id)).confirmations == 1
    assert memory.notes.get(kept.id).confirmations == 1
    assert [item.title for item in memory.notes.list()] == ["Deploy box"]


def test_damage_found_behind_a_write(memory):
    """The change stands, so it is told and not made again."""
    kept = memory.notes.save("fact", "Deploy box", "The deploy box is called heron.").memory

    def work():
        memory.notes.confirm(kept.id)
        raise IndexDamaged("index.db cannot be trusted.")

    with pytest.raises(IndexDamaged, match="The change was made"):
        run(memory.context, WRITES, work)
    assert memory.notes.get(kept.id).confirmations == 1

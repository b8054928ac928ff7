"""A journal that cannot be read whole is told by sync, doctor and lint, and current versions are recorded anew (X-51)."""

import random
from pathlib import Path

import pytest


def random_bytes(path):
    path.write_bytes(random.Random(7).randbytes(100))


def cut_within_a_line(path):
    raw = path.read_bytes()
    start = raw.index(b"{") + 40
    path.write_bytes(raw[:start] + raw[start + 30 :])


def merge_marks(path):
    raw = path.read_bytes()
    start = raw.index(b"{")
    path.write_bytes(raw[:start] + b"<<<<<<< HEAD\n" + raw[start:] + b"=======\n>>>>>>> theirs\n")


def a_line_torn_apart(path):
    raw = path.read_bytes()
    start = raw.index(b"{") + 60
    path.write_bytes(raw[:start] + b"\n" + raw[start:])


@pytest.mark.parametrize("damage", [random_bytes, cut_within_a_line, merge_marks, a_line_torn_apart])
def test_damage_is_told(memory, home, damage):
    """Whatever was done to the file, sync and the look at all files name it, once the memory is read."""
    memory.notes.save("fact", "Kettle", "Descale the kettle.")
    memory.notes.save("fact", "Boat", "The boat is blue.")
    (journal,) = (path for path in home.rglob("_journal/*/*.md"))
    assert not [one for one in memory.maintenance.sync().problems if "journal" in one.message]
    damage(journal)
    told = [one.message for one in memory.maintenance.sync().problems if Path(one.path) == journal]
    assert len(told) == 1 and "cannot be read" in told[0] and "backup" in told[0]
    assert [one for one in memory.context.vault.problems() if Path(one.path) == journal]


def test_missing_segment_is_told(memory, home):
    """A part that is missing between two of one device is a hole, and is told."""
    memory.notes.save("fact", "Kettle", "Descale the kettle.")
    (journal,) = (path for path in home.rglob("_journal/*/*.md"))
    journal.with_name(f"{journal.name[:8]}009.md").write_bytes(journal.read_bytes())
    assert [one for one in memory.maintenance.sync().problems if "missing" in one.message]


def test_what_stands_is_recorded_anew(memory, home):
    """After a journal is overwritten every memory has a first record again, so its later changes can be undone."""
    kettle = memory.notes.save("fact", "Kettle", "Descale the kettle.").memory
    (journal,) = (path for path in home.rglob("_journal/*/*.md"))
    random_bytes(journal)
    memory.maintenance.sync()
    assert [version.op for version in memory.notes.history(kettle.id)] == ["adopt"]
    memory.notes.edit(kettle.id, body="Descale it weekly.\n")
    memory.notes.undo(kettle.id)
    assert memory.notes.get(kettle.id).body.strip() == "Descale the kettle."


def test_whole_journal_is_silent(memory):
    """Nothing is told of a journal that is as we wrote it."""
    for number in range(5):
        memory.notes.save("fact", f"Note {number}", f"Text {number}, with ``` and --- in it.\n---\njournal: x\n")
    assert memory.maintenance.sync().problems == ()
    assert not [one for one in memory.context.vault.problems() if "journal" in one.message]

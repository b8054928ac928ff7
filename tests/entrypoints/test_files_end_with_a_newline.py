"""Each file that a verb writes ends with a newline, whatever text it was given; what a person wrote themselves stays as it is.

Of every verb of the table this is shown in test_each_verb.py.
"""

import pytest

from vademecum.domain.memory import By
from vademecum.domain.saved import SaveOptions


def bare(folder):
    """Notes, lists and pages below a folder that do not end with a newline."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in (".md", ".jsonl", ".canvas", ".base", ".json") and path.is_file()
        and ".obsidian" not in path.parts and not path.read_bytes().endswith((b"\n",))
    )  # fmt: skip


DEEDS = {
    "save": lambda memory: memory.notes.save("fact", "Boat", "Blue."),
    "edit": lambda memory: memory.notes.edit("Kettle", body="Weekly."),
    "evolve": lambda memory: memory.notes.evolve("Kettle", "changed", "Weekly."),
    "handoff": lambda memory: memory.notes.save("handoff", "Where we stopped", "- the boat", SaveOptions(unique=True)),
    "proposal": lambda memory: memory.notes.save("fact", "Boat", "Blue.", by=By("extraction", "capture"), wait=True),
    "idea": lambda memory: memory.notes.save("idea", "Sail", "Red."),
}


@pytest.mark.parametrize("deed", DEEDS.values(), ids=DEEDS)
def test_texts_without_an_end(memory, home, deed):
    """A text that was given without a newline at its end gets one in its file, and undo and sync find nothing to do about it."""
    memory.notes.save("fact", "Kettle", "Monthly.")
    deed(memory)
    assert bare(home) == []
    report = memory.maintenance.sync()
    assert (report.problems, bare(home)) == ((), [])


def test_line_ends_of_windows(memory, home):
    """A note with the line ends of Windows ends with one of them."""
    kept = memory.notes.save("fact", "Kettle", "Monthly.").memory
    file = home / kept.path
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    memory.maintenance.sync()
    memory.notes.edit(kept.id, body="Weekly.")
    assert file.read_bytes().endswith(b"Weekly.\r\n") and b"\n\n" not in file.read_bytes().replace(b"\r\n", b"\r")


def test_the_same_text_is_no_change(memory):
    """Who gives the same text without the newline at its end changes nothing."""
    memory.notes.save("fact", "Kettle", "Monthly.")
    memory.notes.edit("Kettle", body="Monthly.")
    assert [one.op for one in memory.notes.history("Kettle")] == ["save"]


def test_what_the_person_wrote_stays(memory, home):
    """The last line that a person wrote without a newline stays so when only a property is set; notes that are theirs are not touched."""
    kept = memory.notes.save("fact", "Kettle", "Monthly.").memory
    own = home.parent / "Own.md"
    own.write_bytes(b"My own note.")
    (home / kept.path).write_bytes((home / kept.path).read_bytes().removesuffix(b"\n") + b"\nBy hand.")
    memory.maintenance.sync()
    memory.notes.tag(kept.id, add=("kitchen",))
    assert (home / kept.path).read_bytes().endswith(b"\nBy hand.")
    assert own.read_bytes() == b"My own note."


def test_last_line_that_had_a_newline(memory, home):
    """A new text whose last line is the old one's gets the newline that the old one had."""
    memory.notes.save("fact", "Kettle", "Monthly.\nBlue.\n")
    memory.notes.edit("Kettle", body="Weekly.\nBlue.")
    assert bare(home) == []

"""Open tasks close when the work says so: sure ones by themselves, likely ones by the person's word (SW-43)."""

from datetime import timedelta

import pytest

from vademecum.domain.saved import SaveOptions
from vademecum.plugins.threads.threads import threads

DAY = timedelta(days=1)


@pytest.fixture
def handed_over(memory, clock):
    """Writes the handoff of a session in which this was done."""

    def written(*done, project="shop", section="Done"):
        clock.advance(timedelta(minutes=1))
        lines = "".join(f"- {line}\n" for line in done)
        return memory.notes.save(
            "handoff", f"Session {clock.now():%H:%M}", f"Facts.\n\n## {section}\n\n{lines}", project=project
        )

    return written


def tend(memory):
    return memory.jobs.run(("threads",))[0].result


def test_sw43_listed(memory):
    """SW-43: `vade list --threads` tells what is open, the most important first, with its key."""
    memory.notes.save("task", "Water the ferns", "Every week.", SaveOptions(key="OT"), project="shop")
    memory.notes.save("task", "Mend the till drawer", "It jams.", priority=3, project="shop")
    memory.notes.save("task", "Sweep the yard", "Leaves.", project="yard")
    memory.notes.resolve("Sweep the yard")
    found = threads(memory.context, "")
    assert [(one.title, one.key) for one in found] == [("Mend the till drawer", ""), ("Water the ferns", "OT01")]
    assert threads(memory.context, "yard") == ()


def test_sw43_named_by_its_key(memory, handed_over):
    """SW-43: a session that names the key of a task as done resolves it, with the line as reason, and one undo opens it again for good."""
    task = memory.notes.save("task", "Water the ferns", "Every week.", SaveOptions(key="OT"), project="shop").memory
    handed_over("1a2b3c watered them, closes OT01", section="Commits")
    assert tend(memory) == "resolved: 1; may be done: 0; put away: 0"
    assert memory.notes.get(task.id).status == "resolved"
    assert "closes OT01" in memory.notes.history(task.id)[-1].reason
    memory.jobs.undo("threads")
    assert tend(memory) == ""
    assert memory.notes.get(task.id).status == "active"


def test_sw43_likely_waits_for_a_word(memory, handed_over):
    """SW-43: where only the words fit the task stays open, marked with the line; what nothing proves and other projects mark nothing."""
    task = memory.notes.save("task", "Mend the till drawer", "It jams.", project="shop").memory
    handed_over("[UNVERIFIED] Mended the till drawer.")
    handed_over("Mended the till drawer.", project="yard")
    handed_over("Looked at the till.")
    assert tend(memory) == ""
    handed_over("Mended the drawer of the till, it slides again.")
    assert tend(memory) == "resolved: 0; may be done: 1; put away: 0"
    (one,) = threads(memory.context, "")
    assert one.maybe_done == "Mended the drawer of the till, it slides again."
    assert memory.notes.get(task.id).status == "active"
    assert tend(memory) == ""


def test_sw43_done_before_it_was_asked(memory, handed_over):
    """SW-43: what was done before the task was written down does not close it."""
    handed_over("Mended the till drawer.")
    memory.notes.save("task", "Mend the till drawer", "It jams again.", project="shop")
    assert tend(memory) in ("", "resolved: 0; may be done: 1; put away: 0")


def test_sw43_put_away_after_a_week(memory, clock):
    """SW-43: what was resolved goes to the archive a week later, whole; brought back, it stays."""
    task = memory.notes.save("task", "Sweep the yard", "Leaves.").memory
    memory.notes.resolve(task.id)
    clock.advance(7 * DAY - timedelta(seconds=1))
    assert tend(memory) == ""
    clock.advance(timedelta(seconds=1))
    assert tend(memory) == "resolved: 0; may be done: 0; put away: 1"
    assert memory.notes.get(task.id).path.startswith("_archive/")
    memory.jobs.undo("threads")
    clock.advance(DAY)
    assert tend(memory) == ""
    assert memory.notes.get(task.id).status == "resolved"


def test_sw43_of_no_project(memory, handed_over):
    """SW-43: a task of no project is shown in every project, so a session in one of them that names its key resolves it."""
    task = memory.notes.save("task", "Oil the gate", "It squeaks.", SaveOptions(key="OT", personal=True)).memory
    assert task.project == ""
    handed_over("4d5e6f oiled it, closes OT01", section="Commits")
    assert tend(memory) == "resolved: 1; may be done: 0; put away: 0"
    assert memory.notes.get(task.id).status == "resolved"

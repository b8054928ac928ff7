"""Where there is much of one sort: caps are told, or put the least used away, whole and back by one word (SW-42)."""

from datetime import timedelta

import pytest

from vademecum.domain.errors import UnknownWord
from vademecum.domain.kinds import KINDS

DAY = timedelta(days=1)
CAP = KINDS["lesson"].cap


@pytest.fixture
def filled(opened, clock):
    """Opens a memory with four lessons of one project more than their cap, one saved a minute; `lessons` are their titles."""

    def fill(kind="lesson", **settings):
        memory = opened(**settings)
        for number in range((KINDS[kind].cap or 0) + 4):
            clock.advance(timedelta(minutes=1))
            memory.notes.save(kind, f"Kettle {number}", f"Kettle number {number} whistles at hob {number}.", project="kitchen")
        return memory

    return fill


def titles(memory, status="active", kind="lesson"):
    return [item.title for item in memory.notes.list(limit=100, kind=(kind,), status=(status,))]


def test_sw42_only_told_unless_chosen(filled, clock):
    """SW-42: nothing goes by itself; `vade jobs` says which section holds more than its cap."""
    memory = filled()
    (done,) = memory.jobs.run(("caps",))
    assert done.result == f"lesson (kitchen): {CAP + 4} of {CAP}"
    assert titles(memory, "archived") == []


def test_sw42_least_used_go_whole(filled, clock, home):
    """SW-42: with `section_caps = archive` what was used least goes, the oldest of equals first, each file whole; what is pinned,
    always loaded or was used stays. One word brings it back, and what came back stays.
    """
    memory = filled(section_caps="archive")
    memory.notes.edit("Kettle 0", properties={"pin": True})
    memory.notes.edit("Kettle 1", properties={"always_load": True})
    used = memory.notes.get("Kettle 2")
    memory.context.state.usage.note("used", [used.uri], clock.now())
    before = memory.notes.get("Kettle 3").body
    (done,) = memory.jobs.run(("caps",))
    assert done.result.endswith("archived: 4")
    assert sorted(titles(memory, "archived")) == [f"Kettle {number}" for number in (3, 4, 5, 6)]
    gone = memory.notes.get("Kettle 3")
    assert (gone.body, gone.path.startswith("_archive/")) == (before, True)
    assert f"more than {CAP} lesson entries" in memory.notes.history(gone.id)[-1].reason
    assert len(memory.jobs.undo("caps").titles) == 1
    clock.advance(DAY)
    (done,) = [one for one in memory.jobs.run() if one.name == "caps"]
    assert done.result == f"lesson (kitchen): {CAP + 4} of {CAP}"
    assert titles(memory, "archived") == []


@pytest.mark.parametrize("kind", ["decision", "incident", "task"])
def test_sw42_only_warned(filled, kind):
    """SW-42: decisions, incidents and open tasks are never put away because there are many."""
    memory = filled(kind, section_caps="archive")
    (done,) = memory.jobs.run(("caps",))
    assert "archived" not in done.result
    assert done.result.startswith(f"{kind} (kitchen): ")
    assert len(titles(memory, kind=kind)) == KINDS[kind].cap + 4


def test_in38_unknown_kind(memory):
    """IN-38: a kind that there is not is said so."""
    with pytest.raises(UnknownWord):
        memory.jobs.digest("teapot")

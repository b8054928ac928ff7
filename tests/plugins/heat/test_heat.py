"""What is used is loaded always, what is not no more; nothing without being asked (MV-31)."""

from datetime import timedelta

import pytest

from vademecum.domain.host import HookEvent
from vademecum.plugins.heat.heat import ALWAYS_LEAST, SESSIONS, heat


@pytest.fixture
def lived(memory, clock):
    """A memory after ten sessions: six memories are always loaded, of which only the first was ever used; "Lens" was used often."""
    titles = [f"Rule {number}" for number in range(ALWAYS_LEAST + 1)]
    rules = [memory.notes.save("preference", title, f"{title} holds.", always_load=True).memory.uri for title in titles]
    lens = memory.notes.save("fact", "Lens", "It lies in the drawer.", project="attic").memory.uri
    told, usage = memory.context.state.shown, memory.context.state.usage
    for number in range(SESSIONS):
        told.record(f"session://plain/{number}", [*rules, lens], clock.now())
        usage.note("told", rules, clock.now())
        if number < 3:
            usage.note("told", [lens], clock.now())
            usage.note("used", [lens, rules[0]], clock.now())
    usage.note("used", [rules[0]], clock.now())
    return memory


def test_mv31_nothing_before_ten_sessions(memory):
    """MV-31: of a young memory nothing is said but how much was ever told."""
    memory.notes.save("fact", "Lens", "It lies in the drawer.")
    said = heat(memory.context, apply=True)
    assert (said.memories, said.shown, said.hot, said.cold, said.applied) == (1, 0, (), (), False)


def test_mv31_only_says_so(lived):
    """MV-31: what would change is told, with the share of memory that was ever told; never fewer than five stay."""
    said = heat(lived.context)
    assert (said.memories, said.shown, said.used) == (7, 7, 2)
    assert said.hot == ("Lens",)
    assert len(said.cold) == 2
    assert "Rule 0" not in said.cold
    assert not lived.notes.get("Lens").always_load


def test_mv31_applied_and_taken_back(lived):
    """MV-31: applied, hot ones are loaded always and cold ones no more, each in its place; one undo takes all of it back."""
    lived.notes.edit("Rule 5", properties={"pin": True})
    done = heat(lived.context, apply=True)
    assert done.applied
    assert lived.notes.get("Lens").path == "projects/attic/_always-load/lens.md"
    assert [lived.notes.get(title).path for title in done.cold] == [
        f"personal/preference/{title.lower().replace(' ', '-')}.md" for title in done.cold
    ]
    assert lived.notes.get("Rule 5").always_load
    assert sum(item.always_load for item in lived.notes.list()) == ALWAYS_LEAST
    lived.notes.undo()
    assert not lived.notes.get("Lens").always_load
    assert all(lived.notes.get(title).always_load for title in done.cold)


def test_mv31_what_starts_deliver_counts(memory, clock):
    """MV-31: what is told at every start and never used is found cold by the starts themselves, and is loaded no more."""
    titles = [f"Rule {number}" for number in range(ALWAYS_LEAST + 3)]
    for title in titles:
        memory.notes.save("preference", title, f"{title} holds.", always_load=True)
    for number in range(SESSIONS + 2):
        event = HookEvent("plain", "start", "E", f"s{number}", cause="startup")
        assert "**Rule 7** holds" in memory.recall.deliver(event).text
        clock.advance(timedelta(hours=1))
    said = heat(memory.context, apply=True)
    assert said.shown == len(titles)
    assert len(said.cold) == 3
    assert sum(item.always_load for item in memory.notes.list()) == ALWAYS_LEAST

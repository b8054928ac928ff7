"""What a host's hooks are given when they come in another order than usual, or from another process."""

from datetime import timedelta

import pytest

from vademecum.domain.host import HookEvent
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Hit
from vademecum.inject.at_prompt import with_sources
from vademecum.wiring import open_memory


@pytest.fixture
def memory(settings, clock):
    with open_memory(settings(), clock=clock) as memory:
        memory.notes.save("preference", "Tea", "The user drinks green tea.")
        yield memory


def started(memory, cause, later_s=0.0):
    memory.context.clock.advance(timedelta(seconds=later_s))
    return memory.recall.deliver(HookEvent("host", "start", "start", "s", cause=cause)).verdict


def asked(memory, later_s=0.0):
    memory.context.clock.advance(timedelta(seconds=later_s))
    prompt = f"Did the {memory.context.clock.now():%S %f} parcel reach Lisbon?"
    return memory.recall.deliver(HookEvent("host", "prompt", "prompt", "s", prompt=prompt)).verdict


def test_start_then_prompt(memory):
    assert (started(memory, "startup"), asked(memory, 1)) == ("told", "nothing known")


def test_x46_prompt_before_the_start(memory):
    """X-46: a host may run both hooks at once; whichever comes first delivers the briefing, and the other does not."""
    assert (asked(memory), started(memory, "startup", 0.1)) == ("told", "already told")
    assert asked(memory, 1) == "nothing known"


@pytest.mark.parametrize("cause", ["resume", "fork"])
def test_carried_on(memory, cause):
    """A conversation that goes on still has its briefing."""
    started(memory, "startup")
    assert started(memory, cause, 60) == "already told"


@pytest.mark.parametrize("cause", ["compact", "clear", "restart"])
def test_emptied(memory, cause):
    """A session whose context was emptied, or that goes on in a new process, is briefed again, each time that happens."""
    started(memory, "startup")
    assert started(memory, cause, 60) == "told"
    assert started(memory, cause, 60) == "told"


def test_restarted_quickly(memory):
    """A script that continues a conversation again and again needs the briefing in each of its processes."""
    started(memory, "startup")
    assert [started(memory, "restart", 2) for _ in range(2)] == ["told", "told"]
    assert started(memory, "compact", 2) == "told"
    assert started(memory, "compact", 1) == "already told"  # the same event, reported by two hooks


def test_not_needed(memory):
    """Matches that a prompt does not need were not delivered before; the words that it asks to save are pointed out all the same."""
    memory.notes.save("fact", "Kiln", "The old kiln stands in the yard behind the mill.")
    memory.notes.save("fact", "Yard", "The yard behind the mill is swept on Mondays.")
    ask = {
        prompt: memory.recall.deliver(HookEvent("host", "prompt", "prompt", "", prompt=prompt))
        for prompt in ("Sweep the yard.", "Always sweep the yard.")
    }
    assert [delivery.verdict for delivery in ask.values()] == ["not needed", "told"]
    assert all("Monday" not in delivery.text for delivery in ask.values())
    assert "save_to_memory" in ask["Always sweep the yard."].text


def test_at_most_so_many(settings, clock):
    """The setting `prompt_limit` is the most that is shown, also where the answer holds more."""
    with open_memory(settings(prompt_limit=2), clock=clock) as memory:
        for number in range(5):
            memory.notes.save("fact", f"Kiln {number}", f"Kiln number {number} stands in the yard.")
        started(memory, "startup")
        memory.context.state.shown.forget("session://host/s")
        prompt = "Which kilns stand in the yard?"
        delivery = memory.recall.deliver(HookEvent("host", "prompt", "prompt", "", prompt=prompt))
        assert 0 < delivery.text.count("stands in the yard") <= 2


def hit(name, via=""):
    item = Item(f"memory://{name}", "memory", "", f"{name}.md", name, "", "", "fact", summary=name)
    return Hit(item, Passage(f"What {name} says.", ref="1"), 0, 1.0, via=via)


def test_what_came_along_goes_too():
    """What came along with a hit is not shown without it."""
    hits = [hit("two"), hit("three", via="related of memory://one"), hit("four", via="related of memory://two")]
    assert [hit.item.title for hit in with_sources(hits)] == ["two", "four"]

"""What a host's hooks are told when they come in another order than usual, or from another process."""

from datetime import UTC, datetime, timedelta

import pytest

from vademecum.adapters.stores.state import SqliteState
from vademecum.domain.host import HookEvent
from vademecum.domain.item import Item, Passage
from vademecum.domain.query import Bundle, Hit, Query, Recall
from vademecum.inject.delivery import Moment, PromptSources, deliver_at_prompt, deliver_at_start
from vademecum.inject.lottery import Lottery

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
BRIEFING = Bundle("the briefing", 3, 0, keys=("memory://one",), loaded=("One",))


@pytest.fixture
def state(tmp_path):
    return SqliteState(tmp_path / "device.db")


def no_lots(state):
    return Lottery(state.lots, "", "", str, on=False)


def started(state, cause, seconds=0.0):
    event = HookEvent("host", "start", "start", "s", cause=cause)
    moment = Moment(state, NOW + timedelta(seconds=seconds), no_lots(state))
    return deliver_at_start(event, lambda: BRIEFING, moment).verdict


def asked(state, seconds=0.0):
    event = HookEvent("host", "prompt", "prompt", "s", prompt=f"after {seconds} s")
    empty = lambda query: Recall(query, (), "nothing known")  # noqa: E731
    moment = Moment(state, NOW + timedelta(seconds=seconds), no_lots(state))
    return deliver_at_prompt(event, PromptSources(Query("x"), empty, lambda: BRIEFING, 100), moment).verdict


def test_start_then_prompt(state):
    assert (started(state, "startup"), asked(state, 1)) == ("told", "nothing known")


def test_x46_prompt_before_the_start(state):
    """X-46: a host may run both hooks at once; whichever comes first briefs, and it is done once."""
    assert (asked(state), started(state, "startup", 0.1)) == ("told", "already told")
    assert asked(state, 1) == "nothing known"


@pytest.mark.parametrize("cause", ["resume", "fork"])
def test_carried_on(state, cause):
    """A conversation that goes on still has its briefing."""
    started(state, "startup")
    assert started(state, cause, 60) == "already told"


@pytest.mark.parametrize("cause", ["compact", "clear", "restart"])
def test_emptied(state, cause):
    """One that was emptied, or goes on in a process that has forgotten, is briefed anew, each time that happens."""
    started(state, "startup")
    assert started(state, cause, 60) == "told"
    assert started(state, cause, 120) == "told"


def test_restarted_quickly(state):
    """A script that goes on with a conversation again and again needs the briefing in each of its processes."""
    started(state, "startup")
    assert [started(state, "restart", seconds) for seconds in (2, 4)] == ["told", "told"]
    assert started(state, "compact", 6) == "told"
    assert started(state, "compact", 7) == "already told"  # the same moment, told by two hooks


def hit(name, via=""):
    one = Item(f"memory://{name}", "memory", "", f"{name}.md", name, "", "", "fact", summary=name, updated=NOW)
    return Hit(one, Passage(f"What {name} says.", ref="1"), 0, 1.0, via=via)


def prompted(state, hits, limit=5, opened=tuple):
    recall = lambda query: Recall(query, tuple(hits), "found")  # noqa: E731
    query = Query("x", limit=limit)
    event = HookEvent("host", "prompt", "prompt", "s", prompt="which of them?")
    sources = PromptSources(query, recall, lambda: Bundle("", 0, 0), 10_000, opened)
    return deliver_at_prompt(event, sources, Moment(state, NOW, no_lots(state))).keys


def test_at_most_so_many(state):
    """At most five lines means five, also where a list was asked for and the answer holds twice as many."""
    assert prompted(state, [hit(f"m{number}") for number in range(9)]) == tuple(f"memory://m{number}#1" for number in range(5))


def test_what_came_along_goes_too(state):
    """What came along with a hit is not shown without it."""
    hits = [hit("one"), hit("two"), hit("three", via="related of memory://one"), hit("four", via="related of memory://two")]
    opened = lambda hits: [one for one in hits if one.item.title != "one"]  # noqa: E731
    assert prompted(state, hits, opened=opened) == ("memory://two#1", "memory://four#1")

"""The life of a session: whatever order its events come in, nothing that happened is forgotten and nothing owed is dropped."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from vademecum.domain.host import HookEvent
from vademecum.domain.lifecycle import (
    KEPT,
    RETRY_AFTER,
    SILENCE,
    TRIES_MAX,
    begun,
    ended,
    failed,
    fare,
    is_due,
    is_spent,
    noted,
    orphaned,
    settled,
)

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def event(moment="prompt", **more):
    return HookEvent("claude-code", moment, "E", "s1", **more)


def test_a_whole_life():
    """Started, active, ended, processed: each by the event that says so."""
    marker = begun(None, event("start", cwd="/work", transcript="/t.jsonl"), NINE)
    assert (marker.stage, marker.session, marker.host) == ("started", "session://claude-code/s1", "claude-code")
    marker = noted(marker, event(), NINE + MINUTE)
    assert marker.stage == "active"
    marker = ended(marker, event("end"), NINE + 2 * MINUTE)
    assert (marker.stage, marker.cwd, marker.transcript) == ("ended", "/work", "/t.jsonl")
    assert is_due(marker, NINE + 2 * MINUTE, 100, None)
    marker = settled(marker, NINE + 3 * MINUTE, NINE + 4 * MINUTE, bytes_read=100, spoken=2)
    assert marker.stage == "processed"
    assert not is_due(marker, NINE + 5 * MINUTE, 100, NINE)


def test_nothing_said():
    """A session in which nobody spoke is empty, which is no failure."""
    marker = ended(None, event("end"), NINE)
    assert settled(marker, NINE, NINE, bytes_read=10, spoken=0).stage == "empty"


def test_late_events():
    """An event from before the end that arrives after it adds what it knows and reopens nothing."""
    marker = ended(begun(None, event("start"), NINE), event("end"), NINE + 5 * MINUTE)
    late = noted(marker, event(cwd="/work"), NINE + MINUTE)
    assert (late.stage, late.cwd, late.seen) == ("ended", "/work", NINE + 5 * MINUTE)
    assert ended(noted(None, event(), NINE + 9 * MINUTE), event("end"), NINE).stage == "active"


def test_taken_up_again():
    """A session that is resumed is active again, and its failures are forgotten."""
    marker = failed(ended(None, event("end"), NINE), NINE + MINUTE, "no file")
    again = begun(marker, event("start", cause="resume"), NINE + 9 * MINUTE)
    assert (again.stage, again.tries, again.error) == ("active", 0, "")


def test_spoken_while_processed():
    """Who speaks while the session is being processed keeps it open; it is processed again when it ends."""
    marker = ended(None, event("end"), NINE)
    spoken = noted(marker, event(), NINE + 2 * MINUTE)
    after = settled(spoken, NINE + MINUTE, NINE + 3 * MINUTE, bytes_read=10, spoken=4)
    assert after.stage == "active"
    assert ended(after, event("end"), NINE + 4 * MINUTE).stage == "ended"


def test_orphans():
    """A session that nobody ended has ended after an hour of silence, not a minute before."""
    marker = begun(None, event("start"), NINE)
    assert orphaned(marker, NINE + SILENCE - MINUTE) == marker
    gone = orphaned(marker, NINE + SILENCE)
    assert (gone.stage, gone.orphaned, gone.ended) == ("ended", True, NINE)


def test_retries():
    """Each failure waits twice as long as the one before; after the last a person is told."""
    marker, now = ended(None, event("end"), NINE), NINE
    waits = []
    for _ in range(TRIES_MAX):
        marker = failed(marker, now, "disk full")
        waits.append(
            next(n for n in range(1, 200) if is_due(replace(marker, tries=min(marker.tries, 4)), now + n * MINUTE, 1, None))
        )
        now += timedelta(hours=3)
    assert waits[:4] == [5, 10, 20, 40] and waits[0] * MINUTE == RETRY_AFTER
    assert not is_due(marker, now + timedelta(days=9), 1, None)
    told = fare([marker], now)[0]
    assert (told.given_up, told.errors) == (1, ("disk full",))


def test_grown_again():
    """X-11: a processed session whose transcript grew is due again once it is silent."""
    marker = settled(ended(None, event("end"), NINE), NINE, NINE, bytes_read=100, spoken=4)
    later = NINE + timedelta(days=2)
    assert is_due(marker, later, 140, later - SILENCE)
    assert not is_due(marker, later, 140, later - MINUTE), "somebody is still speaking"
    assert not is_due(marker, later, None, None), "the host deleted it: nothing grew"


def test_collected():
    """Markers of settled sessions go after thirty days; what is owed something never goes."""
    done = settled(ended(None, event("end"), NINE), NINE, NINE, bytes_read=1, spoken=4)
    assert not is_spent(done, NINE + KEPT - MINUTE)
    assert is_spent(done, NINE + KEPT)
    assert not is_spent(failed(done, NINE, "x"), NINE + 99 * KEPT)


def test_x17_fares():
    """X-17: sessions that started and were never processed are seen, host by host."""
    orphan = orphaned(begun(None, event("start"), NINE), NINE + SILENCE)
    fine = settled(ended(None, HookEvent("codex", "end", "E", "c"), NINE), NINE, NINE, bytes_read=1, spoken=4)
    claude, codex = fare([orphan] * 200 + [fine], NINE + timedelta(days=57))
    assert (claude.host, claude.seen, claude.processed, claude.overdue) == ("claude-code", 200, 0, 200)
    assert (codex.seen, codex.processed, codex.overdue, codex.given_up) == (1, 1, 0, 0)


STEPS = st.lists(
    st.tuples(st.sampled_from(["start", "prompt", "pause", "end"]), st.integers(0, 30)), min_size=1, max_size=12, unique=True
)


@given(steps=STEPS, order=st.randoms(use_true_random=False))
def test_any_order(steps, order):
    """Events in any order, some of them twice: when it was first and last heard of is always right, and an end that nobody
    contradicted holds."""
    shuffled = [*steps, *steps[: len(steps) // 2]]
    order.shuffle(shuffled)
    marker = None
    for moment, minute in shuffled:
        step = {"start": begun, "end": ended}.get(moment, noted)
        marker = step(marker, event(moment), NINE + minute * MINUTE)
    assert marker.started == NINE + min(minute for _, minute in steps) * MINUTE
    assert marker.seen == NINE + max(minute for _, minute in steps) * MINUTE
    last = max(minute for _, minute in steps)
    if {moment for moment, minute in steps if minute == last} == {"end"}:
        assert marker.stage == "ended"


@pytest.mark.parametrize("stage", ["started", "active"])
def test_failure_of_an_open_session(stage):
    """A failure while somebody speaks does not close the session."""
    marker = replace(begun(None, event("start"), NINE), stage=stage)
    assert failed(marker, NINE, "x").stage == stage

"""What was said in a pause is found by time, by the turn before, or by its place; and its bytes can be taken out."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.domain.pause import Pause
from vademecum.domain.session import Session, Turn
from vademecum.ingest.paused_turns import bytes_to_keep, without_paused

NINE = datetime(2026, 3, 2, 9, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
SIZE = 10  # bytes of each turn here


def turn(number, minute=None, *, start=None):
    at = SIZE * number if start is None else start
    time = None if minute is None else NINE + minute * MINUTE
    return Turn(str(number), "user", f"turn {number}", time=time, start=at, end=at + SIZE)


def talk(*turns, title="Turn 0"):
    times = [one.time for one in turns if one.time]
    return Session("plain", "a", "/a.jsonl", turns, title=title, started=min(times, default=None))


def kept(session, *pauses, **more):
    return [one.ref for one in without_paused(session, pauses, **more).turns]


def minutes(first, last=None, **more):
    return Pause(NINE + first * MINUTE, None if last is None else NINE + last * MINUTE, **more)


def test_by_time():
    """The first moment of a pause is left out, that of its end is kept; one that goes on leaves out all that follows."""
    session = talk(*(turn(number, number) for number in range(6)))
    assert kept(session, minutes(2, 4)) == ["0", "1", "4", "5"]
    assert kept(session, minutes(2, 3), minutes(5)) == ["0", "1", "3", "4"]
    assert kept(session, minutes(1, session="session://plain/b")) == ["0", "1", "2", "3", "4", "5"]
    assert kept(session, minutes(1, session="session://plain/a")) == ["0"]


def test_without_a_time():
    """What has no time was said when the turn before was."""
    assert kept(talk(turn(0, 0), turn(1), turn(2, 2), turn(3), turn(4, 4)), minutes(2, 3)) == ["0", "1", "4"]


def test_by_place():
    """A transcript without any time: what was written to it meanwhile is left out; from another place it cannot be told."""
    session = talk(*(turn(number) for number in range(4)))
    pause = minutes(0, 9, written={"/a.jsonl": (SIZE, 3 * SIZE), "/b.jsonl": (0, 99)})
    assert kept(session, pause) == ["0", "3"]
    assert kept(session, pause, placed=False) == ["0", "1", "2", "3"]


def test_title_goes_along():
    """A title is made of what was said first: with that it goes; that of one which began before stays."""
    session = talk(turn(0, 0), turn(1, 5))
    assert without_paused(session, [minutes(0, 2)]).title == ""
    assert without_paused(session, [minutes(4)]).title == "Turn 0"
    assert without_paused(session, []) is session


def test_bytes():
    """Parts of the transcript around a pause: its head stays, and what hosts write between two turns goes with the pause."""
    lines = [turn(n, n, start=100 + 30 * n) for n in range(5)]
    session = talk(*lines)
    assert bytes_to_keep(session, [minutes(9)], 300, ()) == [(0, 300)]
    assert bytes_to_keep(session, [minutes(1, 3)], 300, ()) == [(0, 110), (190, 300)]
    assert bytes_to_keep(session, [minutes(0, 1)], 300, ()) == [(0, 100), (130, 300)]
    assert bytes_to_keep(session, [minutes(4)], 300, ()) == [(0, 200)]
    assert bytes_to_keep(session, [minutes(0)], 300, ()) == [(0, 100)]


def test_one_record_for_both():
    """A document that is one record cannot be divided."""
    session = talk(turn(0, 0, start=0), turn(1, 1, start=0))
    assert bytes_to_keep(session, [minutes(1)], 10, ()) is None
    assert bytes_to_keep(session, [minutes(0, 1)], 10, ()) is None


@given(st.lists(st.integers(0, 20), min_size=1, max_size=12), st.integers(0, 20), st.integers(1, 20))
def test_every_kept_turn_keeps_its_bytes(times, first, length):
    """No byte of a turn in the pause is kept, every byte of the others is, and the parts are in order."""
    session = talk(*(turn(number, minute) for number, minute in enumerate(sorted(times))))
    pause = minutes(first, first + length)
    spans = bytes_to_keep(session, [pause], SIZE * len(times), ())
    held = {byte for begin, end in spans for byte in range(begin, end)}
    assert spans == sorted(spans)
    for one in session.turns:
        place = set(range(one.start, one.end))
        assert (place & held == set()) if pause.covers(one.time) else place <= held


@pytest.mark.parametrize("turns", [(), (turn(0, 0),)])
def test_nothing_to_leave_out(turns):
    assert bytes_to_keep(talk(*turns), [minutes(3)], 50, ()) == [(0, 50)]

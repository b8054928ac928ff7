"""The queue of a language model: one row for each conversation to read, with the progress, or for two memories to compare.

A conversation waits until it has been quiet for a while, so that it is read once rather than at every answer. It counts as
failed from the start of the work until its end, so that a conversation on which the process crashes is parked like one that
fails.
"""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Wait = Literal["waiting", "parked", "done"]

#: Quiet time after which a conversation is read, and the longest wait after it was queued.
SETTLED, LONGEST = timedelta(minutes=10), timedelta(hours=2)
#: Minimum time between two readings of a conversation, unless one is requested (VO-37).
THROTTLE = timedelta(seconds=60)
#: Number of failures in a row after which it is parked; before that, it waits WAIT times their number.
FAILURES_MAX, WAIT = 3, timedelta(seconds=60)
#: Seconds between two conversations.
APART_S = 2.0
#: Most waiting rows; a further conversation is queued when something new is said in it.
ACTIVE_MAX = 200
MENTIONS_KEPT = 30
CUT_SHORT = "the work on it was cut short"


class Extraction(Struct, frozen=True):
    """One conversation in the queue, or one memory that is to be compared with another.

    Attributes:
        session: URI of the conversation or memory. path: of its transcript. rival: id of the memory to compare with; "": a
            conversation.
        queued: when it was queued. due: earliest start. last: when it was last read; None: never. All aware, UTC.
        turns_read: spoken turns that were read. summary: summary of them by the model. about: the last reading in a sentence.
        mentions: addresses that were named in it, in order, the last MENTIONS_KEPT.
        forced: requested explicitly, so it does not wait.
        failures: in a row. error: reason of the last one.
        answer: the model's answer if it was not yet processed (JSON), so that the question need not be repeated.
        calls, kept, rejected: totals of all its readings (`kept`: memories saved); `reasons`: why the last ones were rejected.
    """

    session: str
    path: str
    stage: Wait
    queued: datetime
    due: datetime
    last: datetime | None = None
    turns_read: int = 0
    summary: str = ""
    forced: bool = False
    failures: int = 0
    error: str = ""
    answer: str = ""
    calls: int = 0
    kept: int = 0
    rejected: int = 0
    reasons: tuple[str, ...] = ()
    rival: str = ""
    about: str = ""
    mentions: tuple[str, ...] = ()


class Stop(Struct, frozen=True):
    """Why no model is asked any more.

    Attributes:
        mark: of the settings that led to the stop; with other settings it does not apply. since: aware, UTC.
    """

    mark: str
    reason: str
    since: datetime


class Trial(Struct, frozen=True):
    """Whether a reader is approved for reading.

    Attributes:
        llm: as the setting names it. shown: when the person could see which text would be sent; None: not yet. tried: when it
            was last tested on the built-in samples; None: not yet. fault: its error in that test, "" for none. Both times
            aware, UTC.
    """

    llm: str
    shown: datetime | None = None
    tried: datetime | None = None
    fault: str = ""


def queued(
    known: Extraction | None, session: str, path: str, now: datetime, *, spoken: datetime | None = None, forced: bool = False
) -> Extraction:
    """Queue a conversation that grew or is requested. A parked one stays parked until it is requested.

    Args:
        spoken: time of the last turn in it; None: now. A conversation that ended long ago does not wait for quiet.
    """
    if known is None:
        known = Extraction(session, path, "done", now, now)
    known = replace(known, path=path or known.path)
    if forced:
        return replace(known, stage="waiting", queued=now, due=now, forced=True, failures=0, error="")
    if known.stage == "parked" or known.forced:
        return known
    begun = known.queued if known.stage == "waiting" else now
    due = min(min(spoken or now, now) + SETTLED, begun + LONGEST)
    due = max(due, known.last + THROTTLE) if known.last else due
    return replace(known, stage="waiting", queued=begun, due=due)


def ended(known: Extraction, now: datetime) -> Extraction:
    """Record that the conversation is over: it waits only for the throttle."""
    if known.stage != "waiting" or known.failures:
        return known
    return replace(known, due=max(now, known.last + THROTTLE) if known.last else now)


def taken_up(known: Extraction, now: datetime) -> Extraction:
    """Record that the work on it begins; until it ends, it counts as failed."""
    return failed(known, now, CUT_SHORT)


def failed(known: Extraction, now: datetime, why: str) -> Extraction:
    """Record a failure: retry after a growing delay, and park it after the last attempt."""
    failures = known.failures + 1
    if failures >= FAILURES_MAX:
        return replace(known, stage="parked", failures=failures, error=why)
    return replace(known, stage="waiting", failures=failures, error=why, due=now + WAIT * failures)


def read(known: Extraction, now: datetime, turns_read: int, *, more: bool) -> Extraction:
    """Record how much of it was read. `more`: part of it is still unread."""
    stage: Wait = "waiting" if more else "done"
    return replace(
        known, stage=stage, last=now, due=now, turns_read=turns_read, forced=known.forced and more, failures=0, error="",
        answer="",
    )  # fmt: skip

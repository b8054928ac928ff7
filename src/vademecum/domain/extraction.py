"""What a language model is to read: one row for each conversation, with how far it came, or for two memories that words cannot tell apart.

A conversation waits until nobody says anything for a while, so that it is read once rather than at every answer. It counts as failed
from the moment at which it is taken up until it is done, so that one on which the process dies is parked like one that fails.
"""

from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

Wait = Literal["waiting", "parked", "done"]

#: A conversation is read when nothing was said for so long, at the latest so long after it was queued.
SETTLED, LONGEST = timedelta(minutes=10), timedelta(hours=2)
#: No conversation is read twice within this time, unless somebody asks for it (VO-37).
THROTTLE = timedelta(seconds=60)
#: After so many failures in a row it is parked; before, it waits this long times their number.
FAILURES_MAX, WAIT = 3, timedelta(seconds=60)
#: Seconds between two conversations.
APART_S = 2.0
#: So many wait at most; what comes beyond is not queued before the next thing is said in it.
ACTIVE_MAX = 200
MENTIONS_KEPT = 30
CUT_SHORT = "the work on it was cut short"


class Extraction(Struct, frozen=True):
    """One conversation in the queue, or one memory that is to be compared with another.

    Attributes:
        session: its URI, or that of the memory. path: of its transcript. rival: id of the memory to compare with; "": a conversation.
        queued: when it was put there. due: not before. last: when it was last read; None: never. All aware, UTC.
        turns_read: spoken turns that were read. summary: of those, in the model's words. about: the last reading in a sentence.
        mentions: addresses that were named in it, in order, the last MENTIONS_KEPT.
        forced: somebody asked for it, so it waits for nothing.
        failures: in a row. error: why the last one.
        answer: what the model gave and nobody kept yet (JSON), so that it need not be asked again.
        calls, kept, rejected: of all its readings; `reasons`: why the last ones were rejected.
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
        mark: of the settings it was met with; with others it does not hold. since: aware, UTC.
    """

    mark: str
    reason: str
    since: datetime


class Trial(Struct, frozen=True):
    """How a reader stands before it may read.

    Attributes:
        llm: as the setting names it. shown: when the person could see what would leave; None: not yet. tried: when it was last tried on
            the built-in samples; None: not yet. fault: what it did wrong there, "" for nothing. Both aware, UTC.
    """

    llm: str
    shown: datetime | None = None
    tried: datetime | None = None
    fault: str = ""


def queued(
    known: Extraction | None, session: str, path: str, now: datetime, *, spoken: datetime | None = None, forced: bool = False
) -> Extraction:
    """Queue a conversation that grew, or that somebody asks for. What is parked stays so until somebody asks.

    Args:
        spoken: when something was last said in it; None: now. What was over long ago is settled.
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
    """Note that the conversation is over: nothing is waited for any more but the throttle."""
    if known.stage != "waiting" or known.failures:
        return known
    return replace(known, due=max(now, known.last + THROTTLE) if known.last else now)


def taken_up(known: Extraction, now: datetime) -> Extraction:
    """Note that somebody begins with it."""
    return failed(known, now, CUT_SHORT)


def failed(known: Extraction, now: datetime, why: str) -> Extraction:
    """Note a failure; it is tried again after a while that grows, and parked in the end."""
    failures = known.failures + 1
    if failures >= FAILURES_MAX:
        return replace(known, stage="parked", failures=failures, error=why)
    return replace(known, stage="waiting", failures=failures, error=why, due=now + WAIT * failures)


def read(known: Extraction, now: datetime, turns_read: int, *, more: bool) -> Extraction:
    """Note how much of it is read. `more`: some of it is still to be read."""
    stage: Wait = "waiting" if more else "done"
    return replace(
        known, stage=stage, last=now, due=now, turns_read=turns_read, forced=known.forced and more, failures=0, error="",
        answer="",
    )  # fmt: skip

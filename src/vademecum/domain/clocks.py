"""Conversations whose times are wrong because the clock of their device was ahead, and when they really ended."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct

#: Tolerated difference between a time and that of its file, or the current time: clocks of two machines differ.
AHEAD = timedelta(minutes=15)
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


class ClockAhead(Struct, frozen=True):
    """Bounds on the real time of a conversation whose last time is later than its file's, or than its capture.

    Attributes:
        latest: upper bound: when it was captured or its file was written, whichever came first. Aware, UTC.
        after: lower bound: end of the last conversation that was known before it was captured; None: none was known.
    """

    latest: datetime
    after: datetime | None = None


def stopped_at(session: str, ended: datetime | None, ahead: Mapping[str, ClockAhead], now: datetime) -> tuple[datetime, bool]:
    """Return a sort key by which the conversation that ended last has the greatest key.

    A conversation whose clock was ahead sorts directly after those that were known before it was captured. A conversation whose
    end is in the future, because this computer's clock was ahead when it was captured, sorts before all others.

    Args:
        session: its URI. ended: its end as recorded here. ahead: conversations whose clocks were ahead, by URI.
    """
    known = ahead.get(session)
    if known is not None:
        return known.after or _FIRST, True
    if ended is None or ended > now + AHEAD:
        return _FIRST, False
    return ended, False

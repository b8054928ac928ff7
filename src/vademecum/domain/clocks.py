"""Conversations whose times cannot be true, because the clock of whoever wrote them was ahead, and when those stopped."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from msgspec import Struct

#: A time may be so much later than its file's, or than now: clocks of two machines differ.
AHEAD = timedelta(minutes=15)
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


class ClockAhead(Struct, frozen=True):
    """What is known of when a conversation was held whose last time is later than its file's, or than the time of its capture.

    Attributes:
        latest: when it was captured or its file was written, whichever came first; it was held before. Aware, UTC.
        after: end of the last conversation that was known before it was captured; None: none was known.
    """

    latest: datetime
    after: datetime | None = None


def stopped_at(session: str, ended: datetime | None, ahead: Mapping[str, ClockAhead], now: datetime) -> tuple[datetime, bool]:
    """Return what conversations are sorted by, to find the one that stopped last: the greatest.

    A conversation whose clock was ahead stopped behind those that were known before it was captured, and before all others. One
    whose end is still to come, because this computer's clock was ahead when it was captured, stopped before all others.

    Args:
        session: its URI. ended: its end as it is known here. ahead: those whose clocks were ahead.
    """
    known = ahead.get(session)
    if known is not None:
        return known.after or _FIRST, True
    if ended is None or ended > now + AHEAD:
        return _FIRST, False
    return ended, False

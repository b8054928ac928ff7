"""Measures whether showing memories helps, by a randomised hold-out.

A memory that would be shown in a session is held out of that session with probability SHARE. An event is counted when a memory
was needed in the session all the same. If showing has no effect, each event falls on a held-out memory with probability SHARE,
whatever the days, projects and models are like. So only events are counted, and the result may be checked as often as one
likes.
"""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Literal, get_args

from msgspec import Struct

#: Probability that a memory is held out of one session.
SHARE = 0.2
#: E-value that shows an effect: at most one of this many observers would be misled, however often they look.
SHOWN_AT = 20
#: Odds ratio for which the number of needed events is estimated.
USUAL_ODDS = 3.0
#: Prior of the share of events that fall on held-out memories, as Beta(a, b): mean above SHARE, and vague.
_A, _B = 1.2, 2.0

#: How a memory was needed in a session in which it may have been shown.
Need = Literal["said again", "corrected", "asked for", "looked up"]
NEEDS: tuple[Need, ...] = get_args(Need)


class Lot(Struct, frozen=True):
    """The random draw for a memory in a session, and its outcome.

    Attributes:
        session, key: URIs. at: when it was drawn. delivered: it was shown, not held out.
        needed: how it was needed there; "": not at all. needed_at: when the need was detected.
    """

    session: str
    key: str
    at: datetime
    delivered: bool
    needed: Need | Literal[""] = ""
    needed_at: datetime | None = None


class Benefit(Struct, frozen=True):
    """Statistics on the benefit of showing memories.

    Attributes:
        on: draws are made now. since: time of the first draw; None: none yet.
        delivered, left_out: numbers of draws (a memory in a session) that were shown, and held out. delivered_needed, left_out_needed:
            how many of them were needed.
        ways: kind of need -> count. delivered_wrong, left_out_wrong: memories that were contradicted in that session.
        odds: how many times as often a memory was needed when it was held out; None: no events yet. low, high: 95 % confidence
            bounds that hold at every look; high None: no upper bound yet.
        p_value: exact, for a single look. e_value: valid at every look. shown: when it first reached SHOWN_AT; None: not yet.
        enough: approximate number of events that show an effect of USUAL_ODDS.
    """

    on: bool
    since: datetime | None
    delivered: int
    left_out: int
    delivered_needed: int
    left_out_needed: int
    ways: dict[str, int]
    delivered_wrong: int
    left_out_wrong: int
    odds: float | None
    low: float
    high: float | None
    p_value: float
    e_value: float
    shown: datetime | None
    enough: int

    @property
    def events(self) -> int:
        """Number of memories that were needed."""
        return self.delivered_needed + self.left_out_needed


def falls_out(seed: str, key: str) -> bool:
    """Return whether a memory is held out, with probability SHARE. The seed must be unpredictable."""
    import hashlib  # noqa: PLC0415 -- the import takes 3 ms and is rarely needed

    drawn = hashlib.blake2b(f"{seed} {key}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "big") < SHARE * 2**64


def benefit_of(lots: Sequence[Lot], is_wrong: Callable[[Lot], bool], *, on: bool) -> Benefit:
    """Return the statistics of all draws.

    Args:
        is_wrong: whether the session of a draw contradicted the memory.
    """
    events = sorted((lot for lot in lots if lot.needed_at is not None), key=lambda lot: (lot.needed_at, lot.session, lot.key))
    wrong = [lot for lot in lots if is_wrong(lot)]
    left_out, number = (sum(lot.delivered is side for lot in lots) for side in (False, True))
    missed = sum(not lot.delivered for lot in events)
    low, high = interval(missed, len(events))
    return Benefit(
        on,
        min((lot.at for lot in lots), default=None),
        number,
        left_out,
        len(events) - missed,
        missed,
        {need: count for need in NEEDS if (count := sum(lot.needed == need for lot in events))},
        sum(lot.delivered for lot in wrong),
        sum(not lot.delivered for lot in wrong),
        odds_of((missed + 0.5) / (len(events) + 1)) if events else None,
        low,
        high,
        p_value(missed, len(events)),
        e_value(missed, len(events)),
        _shown(events),
        events_needed(),
    )


def _shown(events: Sequence[Lot]) -> datetime | None:
    """Return when it was first shown that held-out memories are needed more often.

    Once shown, the result stays (Ville's inequality).
    """
    missed = 0
    for count, lot in enumerate(events, 1):
        missed += not lot.delivered
        if missed > SHARE * count and e_value(missed, count) >= SHOWN_AT:
            return lot.needed_at
    return None


def p_value(missed: int, events: int) -> float:
    """Compute the exact binomial p-value: at least `missed` events fall on held-out memories if showing has no effect."""
    return sum(math.comb(events, k) * SHARE**k * (1 - SHARE) ** (events - k) for k in range(missed, events + 1))


def e_value(missed: int, events: int, share: float = SHARE) -> float:
    """Compute the likelihood ratio of the events: a vague prior against "held out with probability `share`"."""
    return math.exp(_log_e(missed, events, share))


def _log_e(missed: int, events: int, share: float) -> float:
    count = events - missed
    prior = _log_beta(_A + missed, _B + count) - _log_beta(_A, _B)
    return prior - missed * math.log(share) - count * math.log(1 - share)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def odds_of(share: float) -> float:
    """Return how many times as often a held-out memory is needed, if `share` of the events falls on held-out memories."""
    return share / (1 - share) * (1 - SHARE) / SHARE


def interval(missed: int, events: int) -> tuple[float, float | None]:
    """Return the odds that no look can rule out, where the e-value is below SHOWN_AT; high None: no upper bound."""
    low = 0.0 if not missed else odds_of(_edge(missed, events, 1e-9))
    high = None if missed == events else odds_of(_edge(missed, events, 1 - 1e-9))
    return low, high


def _edge(missed: int, events: int, outside: float) -> float:
    """Return the share at which the e-value reaches SHOWN_AT, by bisection between the observed share and `outside`."""
    inside = missed / events
    for _ in range(60):
        middle = (inside + outside) / 2
        if _log_e(missed, events, middle) < math.log(SHOWN_AT):
            inside = middle
        else:
            outside = middle
    return inside


@cache
def events_needed() -> int:
    """Return about how many events show an effect of USUAL_ODDS."""
    share = USUAL_ODDS * SHARE / (USUAL_ODDS * SHARE + 1 - SHARE)
    return next(count for count in range(1, 1000) if e_value(round(share * count), count) >= SHOWN_AT)

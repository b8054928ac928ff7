"""Does being told help? What counted events say, by statistics whose only assumption is that lots were drawn.

A memory that would be told in a session is left out of that session with probability SHARE, and whether it was needed there all the
same is counted. If telling does nothing, each such event falls on one that was left out with probability SHARE, whatever days, projects
and models are like; so only events are counted, and one may look as often as one likes.
"""

import math
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Literal, get_args

from msgspec import Struct

#: Of the memories that would be told so many are left out of one session.
SHARE = 0.2
#: An e-value of so much shows an effect; then at most one of so many who look would be misled, whenever they look.
SHOWN_AT = 20
#: "About so many events" are told as needed for an effect of this size.
USUAL_ODDS = 3.0
#: Prior of the share of events that fall on what was left out, as Beta(a, b): above SHARE, and vague.
_A, _B = 1.2, 2.0

#: How a memory was needed in a session in which it may have been told.
Need = Literal["said again", "corrected", "asked for", "looked up"]
NEEDS: tuple[Need, ...] = get_args(Need)


class Lot(Struct, frozen=True):
    """What was drawn for a memory in a session, and what came of it there.

    Attributes:
        session, key: URIs. at: when it was drawn. needed: how it was needed there; "" not at all. needed_at: when that was found.
    """

    session: str
    key: str
    at: datetime
    told: bool
    needed: Need | Literal[""] = ""
    needed_at: datetime | None = None


class Benefit(Struct, frozen=True):
    """What can be said of the benefit of being told.

    Attributes:
        on: lots are drawn now. since: when the first was; None: none yet.
        told, left_out: memories in sessions. told_needed, left_out_needed: those of them that were needed all the same.
        ways: how they were needed -> how often. told_wrong, left_out_wrong: those that were said to be otherwise in that session.
        odds: how many times as often one was needed when it was left out; None: nothing was needed yet. low, high: with 95 % certainty
            at every look; None: no upper bound yet. p_value: exact, for one look. e_value: valid at every look. shown: when it first
            reached SHOWN_AT; None: it did not yet.
        enough: about so many events show an effect of USUAL_ODDS.
    """

    on: bool
    since: datetime | None
    told: int
    left_out: int
    told_needed: int
    left_out_needed: int
    ways: dict[str, int]
    told_wrong: int
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
        """How many were needed."""
        return self.told_needed + self.left_out_needed


def falls_out(seed: str, key: str) -> bool:
    """Return whether a memory is left out: a lot of probability SHARE, drawn by an unpredictable seed."""
    import hashlib  # noqa: PLC0415 -- 3 ms that hardly anybody needs

    drawn = hashlib.blake2b(f"{seed} {key}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "big") < SHARE * 2**64


def benefit_of(lots: Sequence[Lot], is_wrong: Callable[[Lot], bool], *, on: bool) -> Benefit:
    """Return what lots say together.

    Args:
        is_wrong: whether the session of a lot said otherwise than the memory.
    """
    events = sorted((lot for lot in lots if lot.needed_at is not None), key=lambda lot: (lot.needed_at, lot.session, lot.key))
    wrong = [lot for lot in lots if is_wrong(lot)]
    left_out, number = (sum(lot.told is side for lot in lots) for side in (False, True))
    missed = sum(not lot.told for lot in events)
    low, high = interval(missed, len(events))
    return Benefit(
        on,
        min((lot.at for lot in lots), default=None),
        number,
        left_out,
        len(events) - missed,
        missed,
        {need: count for need in NEEDS if (count := sum(lot.needed == need for lot in events))},
        sum(lot.told for lot in wrong),
        sum(not lot.told for lot in wrong),
        odds_of((missed + 0.5) / (len(events) + 1)) if events else None,
        low,
        high,
        p_value(missed, len(events)),
        e_value(missed, len(events)),
        _shown(events),
        events_needed(),
    )


def _shown(events: Sequence[Lot]) -> datetime | None:
    """Return when it was first shown that what was left out is needed more often; what was shown once stays so (Ville)."""
    missed = 0
    for count, lot in enumerate(events, 1):
        missed += not lot.told
        if missed > SHARE * count and e_value(missed, count) >= SHOWN_AT:
            return lot.needed_at
    return None


def p_value(missed: int, events: int) -> float:
    """Compute how likely so many or more of the events fall on what was left out if telling does nothing: exact, binomial."""
    return sum(math.comb(events, k) * SHARE**k * (1 - SHARE) ** (events - k) for k in range(missed, events + 1))


def e_value(missed: int, events: int, share: float = SHARE) -> float:
    """Compute how much likelier the events are under a vague prior than if they fell on what was left out with probability `share`."""
    return math.exp(_log_e(missed, events, share))


def _log_e(missed: int, events: int, share: float) -> float:
    count = events - missed
    prior = _log_beta(_A + missed, _B + count) - _log_beta(_A, _B)
    return prior - missed * math.log(share) - count * math.log(1 - share)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def odds_of(share: float) -> float:
    """Return how many times as often a memory is needed that was left out, when so large a share of the events falls on those."""
    return share / (1 - share) * (1 - SHARE) / SHARE


def interval(missed: int, events: int) -> tuple[float, float | None]:
    """Return the odds that cannot be ruled out at any look: those at which the e-value stays below SHOWN_AT; None: no upper bound."""
    low = 0.0 if not missed else odds_of(_edge(missed, events, 1e-9))
    high = None if missed == events else odds_of(_edge(missed, events, 1 - 1e-9))
    return low, high


def _edge(missed: int, events: int, outside: float) -> float:
    """Return the share between that of the events and one far outside where the e-value reaches SHOWN_AT."""
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

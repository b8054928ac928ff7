"""How important a memory is now. Computed when read, from values that ageing never changes, so ageing daily for a year
equals ageing once (X-12)."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS

#: Below this no memory falls, however old.
FLOOR = 0.05
#: After so many confirmations a memory no longer ages; an event then ages over EVENT_CONFIRMED_DAYS.
CONFIRMED_OFTEN = 3
EVENT_CONFIRMED_DAYS = 30
#: Used within this many days: a little more important. Each use adds a little, up to a bound.
RECENT_USE_DAYS = 7
RECENT_USE_BOOST = 0.05
USE_BOOST = 0.01
USES_COUNTED = 20
#: Without a sign of life for so long, what ages is told as stale.
STALE_DAYS = 90
#: How much a source is worth by who stands behind it, and how many make a memory as sure as it gets.
QUALITY = {"user": 1.0, "extracted": 0.7, "agent": 0.5, "external": 0.3}
SOURCES_COUNTED = 3


class Life(Struct, frozen=True, kw_only=True):
    """How often a memory was confirmed and used, and when last."""

    last_confirmed: datetime | None = None
    confirmations: int = 0
    last_used: datetime | None = None
    uses: int = 0


NO_LIFE = Life()


def effective_importance(kind: str, base: float, born: datetime | None, now: datetime, life: Life = NO_LIFE) -> float:
    """Compute 0..1: `base` halved for each half-life since the last sign of life, raised a little by recent use.

    Args:
        kind: a name of KINDS; an unknown one does not age.
        born: when it was created; the last confirmation or use replaces it when later. None: does not age.
        now: aware, as are all times here.
    """
    signs = [moment for moment in (born, life.last_confirmed, life.last_used) if moment is not None]
    aged = base
    half_life = _half_life_days(kind, life.confirmations)
    if signs and half_life is not None:
        age_days = max(0.0, (now - max(signs)).total_seconds() / 86_400)
        aged = base * 0.5 ** (age_days / half_life)
    if life.last_used is not None and (now - life.last_used).days <= RECENT_USE_DAYS:
        aged += RECENT_USE_BOOST
    aged += USE_BOOST * min(life.uses, USES_COUNTED)
    return min(1.0, max(FLOOR, aged))


def importance_of(item: Item, now: datetime, last_used: datetime | None = None, uses: int = 0) -> float:
    """Return the effective importance of something found, as it counts now."""
    life = Life(last_confirmed=item.last_confirmed, confirmations=item.confirmations, last_used=last_used, uses=uses)
    return effective_importance(item.kind, item.importance, item.created, now, life)


def _half_life_days(kind: str, confirmations: int) -> int | None:
    half_life = KINDS[kind].half_life_days if kind in KINDS else None
    if half_life is None or confirmations < CONFIRMED_OFTEN:
        return half_life
    return EVENT_CONFIRMED_DAYS if kind == "event" else None


def is_stale(kind: str, last_sign: datetime | None, now: datetime, confirmations: int = 0) -> bool:
    """Return whether what ages was neither changed nor confirmed for STALE_DAYS. Told when read, never written down.

    Args:
        last_sign: when it was last confirmed, else changed; None: never stale.
    """
    ages = _half_life_days(kind, confirmations) is not None
    return ages and last_sign is not None and (now - last_sign).days >= STALE_DAYS


def confidence_by_sources(trust: str, sources: int) -> float:
    """Compute 0..1: half for how many sources say so, up to three, half for how good they are (HW-36).

    Args:
        trust: of the memory, for want of that of each source. sources: its own and every confirmation.
    """
    return 0.5 * min(sources / SOURCES_COUNTED, 1.0) + 0.5 * QUALITY.get(trust, min(QUALITY.values()))

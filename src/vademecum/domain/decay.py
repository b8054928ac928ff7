"""The current importance of a memory. It is computed when read, from base values that ageing never changes, so the result does
not depend on how often it is computed (X-12)."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.item import Item

#: Kind -> days without confirmation or use after which the importance of a memory is halved. Memories of other kinds do not age.
HALF_LIFE_DAYS = {"preference": 90, "identity": 180, "fact": 90, "event": 14}
#: Minimum importance, however old a memory is.
FLOOR = 0.05
#: Number of confirmations after which a memory no longer ages; an event then ages over EVENT_CONFIRMED_DAYS.
CONFIRMED_OFTEN = 3
EVENT_CONFIRMED_DAYS = 30
#: A use within the last RECENT_USE_DAYS raises importance. Each use adds USE_BOOST, for at most USES_COUNTED uses.
RECENT_USE_DAYS = 7
RECENT_USE_BOOST = 0.05
USE_BOOST = 0.01
USES_COUNTED = 20
#: Days without change or confirmation after which a memory of a kind that ages is shown as stale.
STALE_DAYS = 90
#: Quality of a source by its trust, and the number of sources for full confidence.
QUALITY = {"user": 1.0, "extracted": 0.7, "agent": 0.5, "external": 0.3}
SOURCES_COUNTED = 3


class Life(Struct, frozen=True, kw_only=True):
    """Numbers and last times of a memory's confirmations and uses."""

    last_confirmed: datetime | None = None
    confirmations: int = 0
    last_used: datetime | None = None
    uses: int = 0


NO_LIFE = Life()


def effective_importance(kind: str, base: float, born: datetime | None, now: datetime, life: Life = NO_LIFE) -> float:
    """Compute 0..1: `base` halved for each half-life since the last confirmation or use, slightly raised by recent use.

    Args:
        born: when it was created; a later confirmation or use replaces it. None: does not age.
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
    """Return the current effective importance of an item."""
    life = Life(last_confirmed=item.last_confirmed, confirmations=item.confirmations, last_used=last_used, uses=uses)
    return effective_importance(item.kind, item.importance, item.created, now, life)


def _half_life_days(kind: str, confirmations: int) -> int | None:
    half_life = HALF_LIFE_DAYS.get(kind)
    if half_life is None or confirmations < CONFIRMED_OFTEN:
        return half_life
    return EVENT_CONFIRMED_DAYS if kind == "event" else None


def is_stale(kind: str, last_sign: datetime | None, now: datetime, confirmations: int = 0) -> bool:
    """Return whether a memory of a kind that ages was neither changed nor confirmed for STALE_DAYS. Computed when read, never
    stored.

    Args:
        last_sign: when it was last confirmed, else changed; None: never stale.
    """
    ages = _half_life_days(kind, confirmations) is not None
    return ages and last_sign is not None and (now - last_sign).days >= STALE_DAYS


def confidence_by_sources(trust: str, sources: int) -> float:
    """Compute 0..1: half from the number of sources, up to three, half from their quality (HW-36).

    Args:
        trust: of the memory; the trust of each single source is not known. sources: its own source and every confirmation.
    """
    return 0.5 * min(sources / SOURCES_COUNTED, 1.0) + 0.5 * QUALITY.get(trust, min(QUALITY.values()))

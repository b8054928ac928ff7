"""What was told in a project and not taken up rests there: a session of next day is not told it again unless somebody asks."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from vademecum.domain.item import Item
from vademecum.ports.state import Unused, Usage
from vademecum.recall.eligibility import asks_outright

#: It rests so long after it was told once without being taken up, and twice as long each time it happens again, up to the last.
FIRST_REST, LONGEST_REST = timedelta(days=7), timedelta(days=56)
#: What somebody had to correct, and had to say again, is told as often as it fits.
NEVER_RESTS = "correction"


def resting(usage: Usage, project: str, prompt: str, items: Sequence[Item], now: datetime) -> frozenset[str]:
    """Return the keys of those items that rest in a project ("": in none).

    Args:
        items: what would be told, best first; a question that is asked outright wakes the first. now: aware, UTC.
    """
    items = items[1:] if asks_outright(prompt) else items
    unused = usage.unused(project, [item.key for item in items if not _never_rests(item)])
    return frozenset(key for key, one in unused.items() if now - one.last < rest_of(one))


def rest_of(unused: Unused) -> timedelta:
    """Return how long something rests after it was last told."""
    return min(FIRST_REST * (1 << min(unused.times - 1, 10)), LONGEST_REST)


def _never_rests(item: Item) -> bool:
    return item.pin or item.always_load or NEVER_RESTS in (item.facet, *item.tags)

"""What is not shown for a while: memories that were shown in the project and not taken up, at starts and at prompts that ask nothing."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.ports.state import Unused, Usage
from vademecum.recall.eligibility import asks_outright

#: It rests so long after it was shown once without being taken up, and twice as long each time it happens again, up to the last.
FIRST_REST, LONGEST_REST = timedelta(days=7), timedelta(days=56)
#: What somebody had to correct, and had to say again, is shown as often as it fits.
NEVER_RESTS = "correction"
#: A start shows no more what was shown so often in vain, of these kinds.
IN_VAIN = 3
WEARING = frozenset({"decision", "spec", "lesson", "fix", "incident", "procedure", "fact"})


def resting(usage: Usage, project: str, prompt: str, items: Sequence[Item], now: datetime) -> frozenset[str]:
    """Return the keys of those items that rest in a project ("": in none).

    Nothing rests for a question, and no conversation ever does: of those it is not known whether they were taken up.

    Args:
        items: what would be shown. now: aware, UTC.
    """
    if asks_outright(prompt):
        return frozenset()
    keys = [item.key for item in items if item.source in ("memory", "document") and not _never_rests(item)]
    return frozenset(key for key, one in usage.unused(project, keys).items() if now - one.last < rest_of(one))


def rests_at_start(usage: Usage, project: str, items: Sequence[Item], now: datetime) -> frozenset[str]:
    """Return the keys of those memories that no start shows for a while: they were shown in the project so often, and nothing took them up.

    What holds at all times does not rest: orders and preferences, corrections, what is pinned or always shown; nor what is to be done.
    """
    keys = [item.key for item in items if item.kind in WEARING and not _never_rests(item)]
    unused = usage.unused(project, keys)
    tired = {key: replace(one, times=one.times - IN_VAIN + 1) for key, one in unused.items() if one.times >= IN_VAIN}
    return frozenset(key for key, one in tired.items() if now - one.last < rest_of(one))


def rest_of(unused: Unused) -> timedelta:
    """Return how long something rests after it was last shown."""
    return min(FIRST_REST * (1 << min(unused.times - 1, 10)), LONGEST_REST)


def _never_rests(item: Item) -> bool:
    return item.pin or item.always_load or NEVER_RESTS in (item.facet, *item.tags)

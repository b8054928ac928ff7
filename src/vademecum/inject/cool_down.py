"""What is not shown for a while: memories that were shown in the project and not taken up, at starts and at prompts that ask nothing."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.inject.briefing_text import came_up_again, is_standing
from vademecum.inject.numbers import FIRST_COOL_DOWN, LONGEST_COOL_DOWN
from vademecum.ports.state import Unused, Usage
from vademecum.recall.eligibility import asks_outright

#: What somebody had to correct, and had to say again, is shown as often as it fits.
NEVER_RESTS = "correction"
#: A start shows no more, of these kinds, what was shown so often in vain. A preference that was only read out of a conversation lasts
#: longer: who heeds it need not name it.
IN_VAIN = {
    **dict.fromkeys(("decision", "spec", "lesson", "fix", "incident", "procedure", "fact", "task", "plan"), 3),
    "preference": 6,
}


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

    What holds at all times does not rest: orders that are meant to last, corrections, preferences that the person confirmed, lessons that
    came up in several sessions, what is pinned or always shown; nor what is due.
    """
    of_kind = {item.key: item for item in items if item.kind in IN_VAIN}
    unused = usage.unused(project, list(of_kind))
    over = {key: replace(one, times=one.times - IN_VAIN[of_kind[key].kind] + 1) for key, one in unused.items()}
    resting = [key for key, one in over.items() if one.times > 0 and now - one.last < rest_of(one)]
    return frozenset(key for key in resting if not _lasts(of_kind[key]))


def _lasts(item: Item) -> bool:
    stated = item.kind == "preference" and (item.trust == "user" or item.last_confirmed is not None)
    return stated or item.valid_until is not None or came_up_again(item) or _never_rests(item) or is_standing(item)


def rest_of(unused: Unused) -> timedelta:
    """Return how long something rests after it was last shown."""
    return min(FIRST_COOL_DOWN * (1 << min(unused.times - 1, 10)), LONGEST_COOL_DOWN)


def _never_rests(item: Item) -> bool:
    return item.pin or item.always_load or NEVER_RESTS in (item.facet, *item.tags)

"""Cool-down: memories that were shown in a project but not used are hidden for a while, at starts and at prompts without a question."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.inject.briefing_text import came_up_again, is_standing
from vademecum.inject.numbers import FIRST_COOL_DOWN, LONGEST_COOL_DOWN
from vademecum.ports.state import Unused, Usage
from vademecum.recall.eligibility import asks_outright

#: Memories with this facet or tag never cool down: the person had to correct an agent, and does not want to repeat it.
NEVER_RESTS = "correction"
#: Kind -> number of times a memory may be shown unused before starts stop showing it. An extracted preference gets more, because
#: an agent can follow it without naming it.
IN_VAIN = {
    **dict.fromkeys(("decision", "spec", "lesson", "fix", "incident", "procedure", "fact", "task", "plan"), 3),
    "preference": 6,
}
#: Factor on that number for a lesson that came up in several sessions.
IN_VAIN_AGAIN = 2
#: Kinds of which one showing is enough if the memory was only read from a conversation: prompts still find it. Starts showed such a task
#: ten times, and never to any use (docs/measurements/delivered.md).
SHOWN_ONCE = ("task", "plan")


def resting(usage: Usage, project: str, prompt: str, items: Sequence[Item], now: datetime) -> frozenset[str]:
    """Return the keys of the items that are in cool-down in a project ("": in none).

    Nothing is in cool-down for a question. Sessions never are, because their use cannot be detected.

    Args:
        items: items that would be shown. now: aware, UTC.
    """
    if asks_outright(prompt):
        return frozenset()
    keys = [item.key for item in items if item.source in ("memory", "document") and not _never_rests(item)]
    return frozenset(key for key, one in usage.unused(project, keys).items() if now - one.last < rest_of(one))


def rests_at_start(
    usage: Usage, project: str, items: Sequence[Item], now: datetime, text_of: Callable[[str], str]
) -> frozenset[str]:
    """Return the keys of memories that starts do not show for a while: they were shown in the project too often without being used.

    Exempt are orders meant to last, corrections, preferences that the person confirmed, pinned or always loaded memories, and memories
    with an end date.

    Args:
        text_of: item key -> text of the memory, called for memories that would rest: an order may stand in the text alone.
    """
    of_kind = {item.key: item for item in items if item.kind in IN_VAIN and not _lasts(item)}
    unused = usage.unused(project, list(of_kind))
    resting = [of_kind[key] for key, shown in unused.items() if _rests_at_start(of_kind[key], shown, now)]
    return frozenset(item.key for item in resting if not is_standing(replace(item, summary=text_of(item.key))))


def _rests_at_start(item: Item, shown: Unused, now: datetime) -> bool:
    in_vain = shown.times - _most_in_vain(item) + 1
    is_needed = item.last_confirmed is not None and item.last_confirmed > shown.last  # it came up again since
    return in_vain > 0 and not is_needed and now - shown.last < rest_of(replace(shown, times=in_vain))


def _most_in_vain(item: Item) -> int:
    """Return how often starts may show a memory without its being used."""
    if item.kind in SHOWN_ONCE and item.trust == "extracted" and item.status == "active" and item.last_confirmed is None:
        return 1
    return IN_VAIN[item.kind] * (IN_VAIN_AGAIN if came_up_again(item) else 1)


def _lasts(item: Item) -> bool:
    stated = item.kind == "preference" and (item.trust == "user" or item.last_confirmed is not None)
    return stated or item.valid_until is not None or _never_rests(item) or is_standing(item)


def rest_of(unused: Unused) -> timedelta:
    """Return how long an item stays hidden after it was last shown."""
    return min(FIRST_COOL_DOWN * (1 << min(unused.times - 1, 10)), LONGEST_COOL_DOWN)


def _never_rests(item: Item) -> bool:
    return item.pin or item.always_load or NEVER_RESTS in (item.facet, *item.tags)

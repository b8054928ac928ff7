"""What a prompt that asks nothing is not told: memories that were shown in the project and not taken up, for a while; and what a short
prompt ("go on", "commit it") only happens to resemble.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from vademecum.domain.item import Item
from vademecum.language.text import is_unspaced, language_of, tokens
from vademecum.ports.state import Unused, Usage
from vademecum.recall.eligibility import asks_outright
from vademecum.recall.names import asks_for_name, named_items

#: It rests so long after it was shown once without being taken up, and twice as long each time it happens again, up to the last.
FIRST_REST, LONGEST_REST = timedelta(days=7), timedelta(days=56)
#: What somebody had to correct, and had to say again, is shown as often as it fits.
NEVER_RESTS = "correction"
#: A prompt of fewer words says too little to tell what of the past it touches: of 253 lines that were shown at 150 prompts of real work all
#: 16 useful ones stood at longer prompts. Of fewer words still it goes on with what is in hand.
SHORT_WORDS, GOING_ON_WORDS = 15, 5
#: Two signs of a script without spaces count as one word.
SIGNS_OF_A_WORD = 2
#: What was said within this time belongs to the work that goes on.
FRESH = timedelta(days=1)


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


def beside_the_point(prompt: str, items: Sequence[Item], now: datetime) -> frozenset[str]:
    """Return the keys of those items that a short prompt does not open: it asks for nothing, and does not name them.

    Memories are opened by a prompt of `GOING_ON_WORDS`, conversations of the last day too; older ones and notes only by a longer prompt,
    by a question or by their name.

    Args:
        items: what would be shown. now: aware, UTC.
    """
    words = _words(prompt)
    if words >= SHORT_WORDS or asks_outright(prompt) or asks_for_name(prompt):
        return frozenset()
    named = named_items(prompt, {item.key: item for item in items}, language_of(prompt), loosely=False).shown
    return frozenset(
        item.key
        for item in items
        if item.key not in named and (words < GOING_ON_WORDS or not (item.source == "memory" or _is_fresh(item, now)))
    )


def _words(prompt: str) -> int:
    text = prompt[:2_000]
    return len("".join(text.split())) // SIGNS_OF_A_WORD if is_unspaced(text) else len(tokens(text))


def _is_fresh(item: Item, now: datetime) -> bool:
    return item.source == "session" and item.updated is not None and now - item.updated < FRESH


def rest_of(unused: Unused) -> timedelta:
    """Return how long something rests after it was last shown."""
    return min(FIRST_REST * (1 << min(unused.times - 1, 10)), LONGEST_REST)


def _never_rests(item: Item) -> bool:
    return item.pin or item.always_load or NEVER_RESTS in (item.facet, *item.tags)

"""What the first prompts of a session are shown of the memories that its start held back.

Nothing known at a start foretells what the session will be about, so a start shows what binds any work (orders, preferences, the
handoff, conflicts) and keeps decisions, lessons and tasks that were only read from a conversation.
"""

from typing import NamedTuple

from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.domain.query import HELD_BACK, Hit
from vademecum.inject.numbers import FIRST_PROMPTS, HELD_MOST, HELD_TOUCH, SAYS_NOTHING_WORDS, TEXT_CHARS
from vademecum.inject.render import flat
from vademecum.inject.touch import prompt_words, terms_in
from vademecum.ports.index import Index


class HeldBack(NamedTuple):
    """Keys of memories that a start held back, and the number of this prompt among the first ones, from 1; 0: it is none of them."""

    keys: frozenset[str]
    nth: int


NONE_HELD_BACK = HeldBack(frozenset(), 0)


def chosen_for(index: Index, project: str, prompt: str, held_back: HeldBack) -> tuple[Hit, ...]:
    """Return the held back memories that one of the first prompts touches, best first.

    All are returned if the very first prompt does not say what it is about ("go on"): it means the last work.

    Args:
        project: slug of the project of the prompt; "" for none.
    """
    if not (held_back.keys and 0 < held_back.nth <= FIRST_PROMPTS):
        return ()
    words = prompt_words(index, project, prompt)
    hits = []
    touched = []
    for item in index.items(list(held_back.keys)).values():
        if hit := _hit(index, item):
            terms = terms_in(index, "\n".join((item.title, *item.aliases, *item.tags, hit.passage.text)))
            touch = words.touch(terms)
            hits.append(hit)
            if touch >= HELD_TOUCH and words.shares_rare(terms):
                touched.append(replace(hit, signals={HELD_BACK: touch}))
    if not touched and held_back.nth == 1 and len(words.weights) <= SAYS_NOTHING_WORDS:
        return tuple(hits)
    return tuple(sorted(touched, key=lambda hit: -hit.signals[HELD_BACK])[:HELD_MOST])


def _hit(index: Index, item: Item) -> Hit | None:
    """Return a memory as a hit with its first passage, cut as in a briefing; None if it is not to be shown any more."""
    stored = next(iter(index.passages_of(item.key, 0, 1)), None)
    if item.status != "active" or stored is None:
        return None
    return Hit(item, replace(stored.passage, text=flat(stored.passage.text, TEXT_CHARS)), stored.number, 0.0, {HELD_BACK: 0.0})

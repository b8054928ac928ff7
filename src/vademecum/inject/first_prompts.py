"""What the first prompts of a session are shown of the memories that its start held back.

Nothing known at a start foretells what the session will be about, and its first prompt reaches the model together with what the start
shows. So a start shows what binds any work (orders, preferences, conflicts), and keeps what was only read from a conversation: where the
last session stopped, decisions, lessons and tasks.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from vademecum.domain.query import HELD_BACK, Hit
from vademecum.inject.briefing_text import texts_of
from vademecum.inject.memory_text import text_of_memory
from vademecum.inject.numbers import (
    FIRST_PROMPTS,
    HANDOFF_TOUCH,
    HELD_MOST,
    HELD_TOUCH,
    SAYS_NOTHING_WORDS,
    SHORT_WORDS,
    TEXT_CHARS,
)
from vademecum.inject.render import flat
from vademecum.inject.touch import PromptWords, prompt_words, terms_in
from vademecum.inject.worth_showing import words_in
from vademecum.language.load import languages
from vademecum.ports.index import Index


class HeldBack(NamedTuple):
    """Keys of memories that a start held back, and the number of this prompt among the first ones, from 1; 0: it is none of them."""

    keys: frozenset[str]
    nth: int


NONE_HELD_BACK = HeldBack(frozenset(), 0)


def chosen_for(index: Index, project: str, prompt: str, held_back: HeldBack) -> tuple[Hit, ...]:
    """Return the held back memories that one of the first prompts touches, best first; before them the handoff, if it goes on with that.

    All are returned if the very first prompt does not say what it is about ("go on"): it means the last work.

    Args:
        project: slug of the project of the prompt; "" for none.
    """
    if not (held_back.keys and 0 < held_back.nth <= FIRST_PROMPTS):
        return ()
    words = prompt_words(index, project, prompt)
    hits = sorted(_hits(index, words, held_back.keys), key=lambda hit: -hit.signals[HELD_BACK])
    stopped = [hit for hit in hits if hit.item.kind == "handoff"]
    others = [hit for hit in hits if hit.item.kind != "handoff"]
    touched = [hit for hit in others if hit.signals[HELD_BACK] >= HELD_TOUCH][:HELD_MOST]
    if not touched and held_back.nth == 1 and len(words.weights) <= SAYS_NOTHING_WORDS:
        return (*stopped, *others)
    goes_on = bool(stopped) and _asks_to_go_on(prompt)
    return (*(hit for hit in stopped if goes_on or hit.signals[HELD_BACK] >= HANDOFF_TOUCH), *touched)


def _hits(index: Index, words: PromptWords, keys: Iterable[str]) -> Iterator[Hit]:
    """Yield the memories that may still be shown, with the text of a briefing, and how closely each relates to the prompt."""
    for item in index.items(list(keys)).values():
        stored = next(iter(index.passages_of(item.key, 0, 1)), None)
        if item.status != "active" or stored is None:
            continue
        whole = text_of_memory(index, None, item.key) if item.kind == "handoff" else stored.passage.text
        terms = terms_in(index, "\n".join((item.title, *item.aliases, *item.tags, whole)))
        touch = words.touch(terms) if words.shares_rare(terms) else 0.0
        _, text, _ = texts_of(item, whole)
        text = text if item.kind == "handoff" else flat(text, TEXT_CHARS)
        yield Hit(item, replace(stored.passage, text=text), stored.number, 0.0, {HELD_BACK: touch})


def _asks_to_go_on(prompt: str) -> bool:
    """Return whether a short prompt asks to go on with the last work, or where it stopped."""
    return words_in(prompt) < SHORT_WORDS and languages().sign("reports", "going_on").search(prompt) is not None

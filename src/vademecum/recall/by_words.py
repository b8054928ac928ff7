"""Find memories that answer a question by words alone, for a hook without a helper, which has no time for arrays and models.

It returns less than the full search, and only certain matches: a memory that the question names, or one that contains most of the
question's word weight. The fewer passages contain a word, the more it weighs; a word in no passage weighs most.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

from vademecum.domain.item import StoredPassage
from vademecum.domain.query import Hit, Scope
from vademecum.domain.scope import item_fits
from vademecum.domain.validity import validity
from vademecum.language.text import language_of, stop_words
from vademecum.ports.clock import Clock
from vademecum.ports.index import Term
from vademecum.recall.conflicts import Linked, marked
from vademecum.recall.names import full_names, is_of_another, named_within
from vademecum.recall.numbers import (
    BY_WORDS_COMMON,
    BY_WORDS_FEW,
    BY_WORDS_LEAST,
    BY_WORDS_READ,
    BY_WORDS_READ_OF_WORD,
    BY_WORDS_SHARE,
)


class Words(Linked, Protocol):
    """The part of the index used here; methods as in :mod:`vademecum.ports.index`."""

    def terms(self, text: str, stop: frozenset[str]) -> tuple[Term, ...]: ...

    def holders(self, term: Term, scope: Scope) -> tuple[tuple[str, int], ...]: ...

    def passages_in_all(self) -> int: ...

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]: ...


def hits_by_words(index: Words, question: str, scope: Scope, limit: int, clock: Clock) -> tuple[Hit, ...]:
    """Return the memories in scope that certainly answer, best first; a memory that another may have replaced is marked.

    Args:
        scope: its times, speakers and roles are ignored.
    """
    language = language_of(question)
    shares, places = _shares(index, index.terms(question, stop_words(language)), scope)
    likely = sorted(shares, key=lambda key: (-shares[key], key))[:BY_WORDS_READ]
    items = {
        key: item for key, item in index.items(likely).items() if item_fits(item, scope) and not validity(item, clock.now())
    }
    named = named_within(question, items, language)
    sure = [key for key in dict.fromkeys((*sorted(named), *likely)) if key in items]
    others = full_names(question)
    hits = [
        Hit(items[key], stored.passage, stored.number, shares.get(key, 1.0))
        for key in sure
        if (key in named or shares[key] >= BY_WORDS_SHARE)
        for stored in index.passages_of(key, places.get(key, 0), places.get(key, 0) + 1)
        if not is_of_another(f"{items[key].title}\n{stored.passage.text}", others)
    ][:limit]
    return marked(index, hits)


def _shares(index: Words, terms: Sequence[Term], scope: Scope) -> tuple[dict[str, float], dict[str, int]]:
    """Return (item key -> share of the question's word weight in its best passage, item key -> ordinal of that passage).

    Only passages count that contain several of the words, at least one of them rare.
    """
    passages = max(index.passages_in_all(), 1)
    worth = {term.code: math.log((passages + 1) / (term.passages + 0.5)) for term in terms}
    whole = sum(value for value in worth.values() if value > 0) or 1.0
    few = max(BY_WORDS_FEW, BY_WORDS_COMMON * passages)
    held: dict[tuple[str, int], set[int]] = defaultdict(set)
    rare: set[int] = {term.code for term in terms if term.passages <= few}
    for term in terms:
        if 0 < term.passages <= BY_WORDS_READ_OF_WORD:
            for place in index.holders(term, scope):
                held[place].add(term.code)
    shares: dict[str, float] = {}
    places: dict[str, int] = {}
    for (key, ordinal), codes in held.items():
        share = sum(max(worth[code], 0.0) for code in codes) / whole
        if len(codes) >= BY_WORDS_LEAST and codes & rare and share > shares.get(key, 0.0):
            shares[key], places[key] = share, ordinal
    return shares, places

"""Score how closely a text relates to a prompt: the words they share, each weighted by how rare it is in the project's prompts.

A word that occurs in many prompts of a project ("hook" where hooks are built) says nothing about any one of them.
"""

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.query import Scope
from vademecum.inject.numbers import (
    COMMON_LEAST,
    COMMON_SHARE,
    COUNTED_PASSAGES,
    ENOUGH_PROMPTS,
    LEAST_PROMPTS,
    RARE_MOST,
    WORDS_MOST,
    WORDS_OF_TEXT,
)
from vademecum.language.text import common_words
from vademecum.ports.index import SearchIndex, Term
from vademecum.recall.query_parsing import spoken


class PromptWords(Struct, frozen=True):
    """The words of a prompt by code: their weights, 0..1, and which of them are not common in the project's prompts."""

    weights: Mapping[int, float]
    rare: frozenset[int]

    def touch(self, terms: Iterable[Term]) -> float:
        """Return how closely a text with these terms relates to the prompt: 0 without a shared word, about 1 for one rare shared word."""
        shared = self.weights.keys() & {term.code for term in terms}
        return sum(self.weights[code] for code in shared) / math.sqrt(sum(self.weights.values()) or 1.0)

    def touch_of(self, terms: Sequence[Term]) -> float:
        """Return how closely a short text with these terms relates to this one: 0 without a shared rare word, 1 at most."""
        shared = self.weights.keys() & {term.code for term in terms}
        return sum(self.weights[code] for code in shared) / len(terms) if shared & self.rare else 0.0

    def share(self, terms: Iterable[Term]) -> float:
        """Return the share of the prompt's total word weight that a text with these terms contains, 0..1."""
        shared = self.weights.keys() & {term.code for term in terms}
        return sum(self.weights[code] for code in shared) / (sum(self.weights.values()) or 1.0)

    def shares_rare(self, terms: Iterable[Term]) -> bool:
        """Return whether a text with these terms contains a word of the prompt that is not common in the project."""
        return not self.rare.isdisjoint(term.code for term in terms)


def prompt_words(index: SearchIndex, project: str, prompt: str) -> PromptWords:
    """Return the words of a prompt, weighted by the prompts of its project ("": of no project)."""
    return _weighed(index, project, spoken(prompt), common_words(prompt), WORDS_MOST)


def text_words(index: SearchIndex, project: str, text: str) -> PromptWords:
    """Return the words of a longer text, such as a description of the last sessions, weighted in the same way."""
    return _weighed(index, project, text, common_words(text), WORDS_OF_TEXT)


def _weighed(index: SearchIndex, project: str, text: str, stop: frozenset[str], most_words: int) -> PromptWords:
    words = [term.word for term in index.terms(text, stop, counted=0)]
    kept = [place for place, word in enumerate(words) if not (word.isdigit() and len(word) <= 2)][:most_words]
    counted = index.terms(text, stop, counted=kept[-1] + 1 if kept else 0)
    terms = [counted[place] for place in kept]
    every = Scope(sources=("session",), statuses=None, roles=("user",), branches=None)
    own = replace(every, projects=(project,))
    scope = own if index.size(own)[0] >= ENOUGH_PROMPTS else every
    prompts = max(index.size(scope)[0], LEAST_PROMPTS)
    few = [term for term in terms if term.passages <= COUNTED_PASSAGES]
    by_key: dict[int, float] = {term.code: float(count) for term, count in zip(few, index.frequencies(few, scope), strict=True)}
    total = max(index.stats().passages, 1)
    counts = by_key | {term.code: term.passages * prompts / total for term in terms if term.passages > COUNTED_PASSAGES}
    most = math.log((prompts + 1) / RARE_MOST)
    weights = {code: max(0.0, math.log((prompts + 1) / max(count, RARE_MOST)) / most) for code, count in counts.items()}
    common_from = max(COMMON_LEAST, COMMON_SHARE * prompts)
    return PromptWords(weights, frozenset(code for code, count in counts.items() if count <= common_from))


def terms_in(index: SearchIndex, text: str) -> tuple[Term, ...]:
    """Return the words of a text in the form that :meth:`PromptWords.touch` takes: their passages are not counted."""
    return index.terms(text, common_words(text), counted=0)

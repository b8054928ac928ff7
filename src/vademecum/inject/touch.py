"""How much a text touches what a prompt is about: the words that both hold, each worth the more the rarer it is in prompts of the project.

A word that stands in many prompts of a project ("hook" where hooks are built) tells nothing about any one of them.
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
    """The words of a prompt by their code: what each is worth, 0..1, and which of them are not common in the project's prompts."""

    weights: Mapping[int, float]
    rare: frozenset[int]

    def touch(self, terms: Iterable[Term]) -> float:
        """Return how much a text of those terms touches the prompt: 0 without a word in common, 1 about for a rare word of one."""
        shared = self.weights.keys() & {term.code for term in terms}
        return sum(self.weights[code] for code in shared) / math.sqrt(sum(self.weights.values()) or 1.0)

    def touch_of(self, terms: Sequence[Term]) -> float:
        """Return how much a short text of those terms is about this one: 0 without a word that is not common, 1 at most."""
        shared = self.weights.keys() & {term.code for term in terms}
        return sum(self.weights[code] for code in shared) / len(terms) if shared & self.rare else 0.0

    def share(self, terms: Iterable[Term]) -> float:
        """Return which share of what the prompt's words are worth a text of those terms holds, 0..1."""
        shared = self.weights.keys() & {term.code for term in terms}
        return sum(self.weights[code] for code in shared) / (sum(self.weights.values()) or 1.0)

    def shares_rare(self, terms: Iterable[Term]) -> bool:
        """Return whether a text of those terms holds a word of the prompt that is not common in the project."""
        return not self.rare.isdisjoint(term.code for term in terms)


def prompt_words(index: SearchIndex, project: str, prompt: str) -> PromptWords:
    """Return the words of a prompt, weighed by the prompts of its project ("": of none)."""
    return _weighed(index, project, index.terms(spoken(prompt), common_words(prompt)), WORDS_MOST)


def text_words(index: SearchIndex, project: str, text: str) -> PromptWords:
    """Return the words of a longer text, such as what the last sessions were about, weighed likewise."""
    return _weighed(index, project, terms_in(index, text), WORDS_OF_TEXT)


def _weighed(index: SearchIndex, project: str, terms: Sequence[Term], most_words: int) -> PromptWords:
    terms = [term for term in terms if not _is_small_number(term.word)][:most_words]
    every = Scope(sources=("session",), statuses=None, roles=("user",), branches=None)
    own = replace(every, projects=(project,))
    scope = own if index.size(own)[0] >= ENOUGH_PROMPTS else every
    prompts = max(index.size(scope)[0], LEAST_PROMPTS)
    counts = _counts(index, terms, scope, prompts)
    most = math.log((prompts + 1) / RARE_MOST)
    weights = {code: max(0.0, math.log((prompts + 1) / max(count, RARE_MOST)) / most) for code, count in counts.items()}
    common_from = max(COMMON_LEAST, COMMON_SHARE * prompts)
    return PromptWords(weights, frozenset(code for code, count in counts.items() if count <= common_from))


def _counts(index: SearchIndex, terms: Sequence[Term], scope: Scope, prompts: int) -> dict[int, float]:
    """Return code of a word -> how many prompts in scope hold it."""
    counted = [term for term in terms if term.passages <= COUNTED_PASSAGES]
    by_key: dict[int, float] = {
        term.code: float(count) for term, count in zip(counted, index.frequencies(counted, scope), strict=True)
    }
    total = max(index.stats().passages, 1)
    return by_key | {term.code: term.passages * prompts / total for term in terms if term.passages > COUNTED_PASSAGES}


def _is_small_number(word: str) -> bool:
    """Return whether a word is a number that stands everywhere."""
    return word.isdigit() and len(word) <= 2


def terms_in(index: SearchIndex, text: str) -> tuple[Term, ...]:
    """Return the words of a text as :meth:`PromptWords.touch` takes them."""
    return index.terms(text, common_words(text))

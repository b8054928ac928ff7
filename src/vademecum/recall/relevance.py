"""Relevance of a memory's title and aliases to a question: a cheap measure for choosing among curated memories.

Reproduces a published formula: (words of the title + 1.5 x words of the aliases) / words of the question, at most 1.
"""

from collections.abc import Mapping, Sequence

from vademecum.domain.item import Item
from vademecum.language.text import common_words
from vademecum.language.text import tokens as text_tokens
from vademecum.recall.numbers import ALIAS_WEIGHT, ENOUGH, ENOUGH_BY_NAME, NAME, RELEVANCE_MEANING


def tokens(text: str) -> tuple[str, ...]:
    """Return the distinct tokens without stop words."""
    common = common_words(text)
    return tuple(dict.fromkeys(word for word in text_tokens(text) if word not in common))


def name_relevance(asked: Sequence[str], title: str, aliases: Sequence[str]) -> float:
    """Return the relevance of a title and its aliases to a question's tokens, 0..1."""
    if not asked:
        return 0.0
    of_title, of_aliases = set(tokens(title)), {word for alias in aliases for word in tokens(alias)}
    hits = sum(word in of_title for word in asked) + ALIAS_WEIGHT * sum(word in of_aliases for word in asked)
    return min(1.0, hits / len(asked))


def relevant(question: str, items: Sequence[Item], cosines: Mapping[str, float] | None) -> dict[str, float]:
    """Return item key -> relevance, for the items that are relevant enough.

    Args:
        cosines: item key -> cosine with the question; None: there are no vectors, so names alone decide.
    """
    asked = tokens(question)
    names = {item.key: name_relevance(asked, item.title, item.aliases) for item in items}
    if cosines is None:
        return {key: score for key, score in names.items() if score >= ENOUGH_BY_NAME}
    both = {key: RELEVANCE_MEANING * max(cosines.get(key, 0.0), 0.0) + NAME * score for key, score in names.items()}
    return {key: round(score, 4) for key, score in both.items() if score >= ENOUGH}

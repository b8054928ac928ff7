"""How much the name of a memory has to do with a question: a cheap look at titles and aliases, for choosing among curated entries.

Reproduces a published formula: (words of the title + 1.5 x words of the aliases) / words of the question, at most 1.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from vademecum.model.item import Item
from vademecum.recall.shape import STOP

ALIAS_WEIGHT = 1.5
#: Shares of meaning and of the name, and from where on an entry is chosen: by both, or by its name alone.
MEANING, NAME = 0.6, 0.4
ENOUGH, ENOUGH_BY_NAME = 0.10, 0.15

_WORD = re.compile(r"\w+")
_SPACELESS = re.compile("[\u0e01-\u0eff\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")


def tokens(text: str) -> tuple[str, ...]:
    """Distinct lower-case words without stop-words; runs of a script without spaces as overlapping pairs."""
    found: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        runs = _SPACELESS.findall(word)
        found += [run[at : at + 2] for run in runs for at in range(len(run) - 1)] if runs else [word]
    return tuple(dict.fromkeys(word for word in found if word not in STOP))


def name_relevance(asked: Sequence[str], title: str, aliases: Sequence[str]) -> float:
    """0..1, of a question's tokens against a title and its aliases."""
    if not asked:
        return 0.0
    of_title, of_aliases = set(tokens(title)), {word for alias in aliases for word in tokens(alias)}
    hits = sum(word in of_title for word in asked) + ALIAS_WEIGHT * sum(word in of_aliases for word in asked)
    return min(1.0, hits / len(asked))


def relevant(question: str, items: Sequence[Item], cosines: Mapping[str, float] | None) -> dict[str, float]:
    """Item key -> relevance, of the items that have enough of it.

    Args:
        cosines: item key -> cosine with the question; None: there are no vectors, and the name alone decides.
    """
    asked = tokens(question)
    names = {item.key: name_relevance(asked, item.title, item.aliases) for item in items}
    if cosines is None:
        return {key: score for key, score in names.items() if score >= ENOUGH_BY_NAME}
    both = {key: MEANING * max(cosines.get(key, 0.0), 0.0) + NAME * score for key, score in names.items()}
    return {key: round(score, 4) for key, score in both.items() if score >= ENOUGH}

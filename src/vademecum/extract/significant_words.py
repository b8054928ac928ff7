"""Compare texts by their significant words: those of at least four letters, and numbers, in any form."""

from collections.abc import Iterator

from vademecum.language.load import languages
from vademecum.language.patterns import speech
from vademecum.language.text import is_unspaced, tokens


def share(text: str, held: frozenset[str]) -> float:
    """Return the share (0..1) of significant words of `text` that occur in `held` in any form; 1 when it has none."""
    words = significant(text)
    return sum(holds(held, word) for word in words) / len(words) if words else 1.0


def holds(held: frozenset[str], word: str) -> bool:
    """Return whether a word occurs in `held` in any form."""
    return word in held or any(_are_forms(word, other) for other in held)


def significant(text: str) -> frozenset[str]:
    """Return the significant words of a text."""
    return frozenset(significant_in(text))


def significant_in(text: str) -> Iterator[str]:
    """Yield words of at least four letters and numbers, in order; pairs of characters in scripts without spaces."""
    about_them = languages().words("speech", "about_them")
    for word in tokens(speech("them_unspaced").sub(" ", text)):
        if word not in about_them and (len(word) > 3 or word.isdecimal() or is_unspaced(word)):
            yield word


def _are_forms(word: str, other: str) -> bool:
    """Return whether two words are likely forms of one word: they share most of their beginning."""
    need = max(4, round(0.75 * min(len(word), len(other))))
    return len(word) >= need <= len(other) and word[:need] == other[:need]

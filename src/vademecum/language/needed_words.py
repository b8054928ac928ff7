"""Rules out patterns that cannot match a text, because it lacks the words that they need, before they are compiled.

Compiling the patterns for statements takes 250 ms, and a statement leaves some ten of 318. The words were found by
`tools/needed_words.py`; a pattern that the file does not know is never ruled out.
"""

import json
import zlib
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from typing import Generic, Protocol, TypeVar

from vademecum.language.load import DATA

FILE = DATA / "needed_words.json"


class _HasPattern(Protocol):
    @property
    def pattern(self) -> str: ...


T = TypeVar("T", bound=_HasPattern)


class Possible(Generic[T]):
    """Rows with case-insensitive patterns, by the words that these need."""

    def __init__(self, rows: Sequence[T]) -> None:
        self._rows = rows
        self._always: list[int] = []
        self._by_word: defaultdict[str, list[int]] = defaultdict(list)
        for number, row in enumerate(rows):
            words = _known().get(key_of(row.pattern), ())
            for word in words:
                self._by_word[word].append(number)
            if not words:
                self._always.append(number)

    def within(self, text: str) -> list[T]:
        """Return the rows that may match the text or a part of it, in their order."""
        lower = _lower(text)
        numbers = set(self._always)
        for word, needing in self._by_word.items():
            if word in lower:
                numbers.update(needing)
        return [self._rows[number] for number in sorted(numbers)]


def key_of(pattern: str) -> str:
    """Return the key of a pattern in the file."""
    return f"{zlib.crc32(pattern.encode()):08x}{len(pattern)}"


def _lower(text: str) -> str:
    """Return the text as patterns that ignore case compare it."""
    lower = text.lower()
    return lower if text.isascii() else lower.replace("i\u0307", "i").replace("ı", "i").replace("ſ", "s")


@cache
def _known() -> dict[str, list[str]]:
    found: dict[str, list[str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found

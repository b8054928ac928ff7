"""Prepares and stems text, in the same way for the word index and for queries, so that they match.

The tokenizer is FTS5's own (`TOKENIZER`): Unicode words, folded, English stems. Two steps that it cannot do come before it.
Scripts written without spaces are split into overlapping pairs of characters; Chinese characters and Korean syllables are also
indexed alone. And the parts of `camelCase` are added after it; `snake_case` and paths are split by the tokenizer itself.

This module uses no arrays, because a hook without the helper has no time to load them: see
:mod:`vademecum.adapters.stores.analysis`.
"""

import re
import unicodedata
import zlib
from datetime import datetime
from functools import cache
from typing import Any

import apsw

from vademecum.adapters.stores.texts import TOKENIZER, clean
from vademecum.domain.item import Passage
from vademecum.domain.late_pattern import late_pattern

_ALONE = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\uac00-\ud7af"
#: Han and Hangul; Kana, Thai, Lao, Burmese, Khmer.
_SPACELESS = f"{_ALONE}\u0e01-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_HUMP = late_pattern(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HUMPED = late_pattern(r"(?<![A-Za-z0-9])[A-Za-z0-9]*(?:[a-z0-9][A-Z]|[A-Z][A-Z][a-z])[A-Za-z0-9]*")
#: Tested first: most texts have no hump, and this test is cheap.
_ANY_HUMP = late_pattern(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")

#: Most stems whose codes are cached, about 4 MB; a clear costs little, since the frequent ones are back at once.
CODES_KEPT = 20_000

_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def prepare(text: str) -> str:
    """Return `text` in the form in which the tokenizer gets it."""
    if not text.isascii():
        text = _spaceless_run().sub(_pairs, unicodedata.normalize("NFKC", clean(text)))
    return _HUMPED.sub(_parts, text) if _ANY_HUMP.search(text) else text


@cache
def _spaceless_run() -> re.Pattern[str]:
    """Return the pattern of scripts without spaces, compiled at first use: large character sets take milliseconds."""
    return re.compile(f"[{_SPACELESS}]+")


@cache
def _stands_alone() -> re.Pattern[str]:
    return re.compile(f"[{_ALONE}]")


def _pairs(run: re.Match[str]) -> str:
    letters = run[0]
    if len(letters) == 1:
        return f" {letters} "
    texts = []
    for start, letter in enumerate(letters):
        if _stands_alone().match(letter):
            texts.append(letter)
        if start + 1 < len(letters):
            texts.append(letters[start : start + 2])
    return f" {' '.join(texts)} "


def _parts(name: re.Match[str]) -> str:
    parts = [part for part in _HUMP.split(name[0]) if len(part) > 1]
    return f"{name[0]} {' '.join(parts)}" if len(parts) > 1 else name[0]


def date_words(time: datetime | None) -> str:
    """Return the words by which a date is searched: "8 May 2023 Monday"; "" for None."""
    if time is None:
        return ""
    return f"{time.day} {_MONTHS[time.month - 1]} {time.year} {_WEEKDAYS[time.weekday()]}"


def own_words(passage: Passage) -> str:
    """Return the searchable words of a passage without its date, prepared for the tokenizer."""
    return prepare(f"{passage.speaker}\n{passage.heading}\n{passage.text}")


class CodeOf(dict[str, int]):
    """Stem -> its code, computed at first use. It holds at most :data:`CODES_KEPT`: new words never end in a long-running process."""

    def __missing__(self, stem: str) -> int:
        if len(self) >= CODES_KEPT:
            self.clear()
        code = self[stem] = zlib.crc32(stem.encode())
        return code


class Stemmer:
    """Splits prepared text into tokens and stems. One for each connection; not thread-safe."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._stemmer = connection.fts5_tokenizer(TOKENIZER[0], list(TOKENIZER[1:]))
        self._splitter = connection.fts5_tokenizer(TOKENIZER[1], list(TOKENIZER[2:]))
        self.code_of = CodeOf()

    def stems(self, prepared: str) -> list[str]:
        """Return stems in order, with repeats."""
        return _run(self._stemmer, prepared)

    def asked(self, text: str, stop: frozenset[str]) -> dict[str, str]:
        """Return distinct stems of a query in order -> their words, without `stop` unless no others remain."""
        prepared = prepare(text)
        words = zip(self.stems(prepared), _run(self._splitter, prepared), strict=True)
        pairs = [pair for pair in words if all(pair)]  # an accent that stands alone is a word without letters
        kept = [pair for pair in pairs if pair[1] not in stop] or pairs
        fields: dict[str, str] = {}
        for stem, word in kept:
            fields.setdefault(stem, word)
        return fields


def _run(tokenizer: apsw.FTS5Tokenizer, prepared: str) -> list[str]:
    how = apsw.FTS5_TOKENIZE_DOCUMENT
    result: Any = tokenizer(prepared.encode(), how, None, include_offsets=False, include_colocated=False)
    return list(result)

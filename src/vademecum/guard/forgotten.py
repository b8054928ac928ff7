"""Find forgotten words by keyed hashes of word sequences, without storing them. Case, markup and spacing do not matter.

A tombstone must recognise its text wherever it occurs again, and must not reveal it. Whoever has the vault can still test
guesses against it, as with any hash of a short text (docs/security.md).
"""

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from vademecum.domain.forgotten import Digest, Tombstone
from vademecum.domain.late_pattern import late_pattern

#: Replaces a forgotten sentence.
FORGOTTEN = "[FORGOTTEN]"
#: Maximum words per hash; a longer sentence has several hashes.
WORDS_AT_ONCE = 12
#: Minimum words of a sentence; shorter ones are too common to identify.
WORDS_MIN = 4

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
_WORD = late_pattern(rf"[{_CJK}]|(?:(?![{_CJK}])[^\W_])+")
_ENDS = late_pattern(r"\n+|(?<=[.!?…])[ \t]+|(?<=[。！？])")


class Forgotten:
    """Recognises the texts of tombstones.

    Attributes:
        memories: ids of forgotten memories.
        sources: URIs of forgotten sources.
    """

    def __init__(self, tombstones: Iterable[Tombstone]) -> None:
        stones = tuple(tombstones)
        self.memories = frozenset(identity for stone in stones for identity in stone.memories)
        self.sources = frozenset(uri for stone in stones for uri in stone.sources)
        self._sought: dict[str, dict[int, dict[int, set[str]]]] = {}
        self._alone = set[str]()
        within = set[str]()
        for stone in stones:
            for digest in stone.digests:
                by_words = self._sought.setdefault(stone.salt, {}).setdefault(digest.gate, {})
                by_words.setdefault(digest.words, set()).add(digest.value)
                (self._alone if digest.alone else within).add(digest.value)
        self._alone -= within

    def __bool__(self) -> bool:
        return bool(self.memories or self.sources or self._sought)

    def holds(self, text: str) -> bool:
        """Return whether `text` contains something forgotten."""
        return next(self._found(text), None) is not None

    def is_all_of(self, text: str) -> bool:
        """Return whether `text` contains nothing but forgotten text."""
        return self.holds(text) and not _words(self.blank(text).replace(FORGOTTEN, " "))

    def blank(self, text: str) -> str:
        """Return `text` with :data:`FORGOTTEN` in place of every sentence that contains something forgotten."""
        spans = list(self._found(text)) if self._sought else []
        if not spans:
            return text
        ends = [match.span() for match in _ENDS.finditer(text)]
        parts, done = list[str](), 0
        for start, end in sorted(spans):
            first = max((stop for begin, stop in ends if stop <= start), default=0)
            last = min((begin for begin, stop in ends if begin >= end), default=len(text))
            if first >= done:
                parts += [text[done:first], FORGOTTEN]
            done = max(done, last)
        return "".join([*parts, text[done:]])

    def _found(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of every forgotten word sequence."""
        if not self._sought:
            return
        words = [(match[0].casefold(), match.start(), match.end()) for match in _WORD.finditer(text)]
        for salt, gates in self._sought.items():
            for at, (word, start, _) in enumerate(words):
                for count, values in gates.get(_gate(salt, word), {}).items():
                    some = words[at : at + count]
                    if len(some) < count or (value := _value(salt, [row[0] for row in some])) not in values:
                        continue
                    if value not in self._alone or _stand_alone(text, words, at, count):
                        yield start, some[-1][2]


def _stand_alone(text: str, words: Sequence[tuple[str, int, int]], at: int, count: int) -> bool:
    """Return whether a sentence begins at the word `at`, and one ends `count` words later."""
    after = at + count
    begins = at == 0 or _ENDS.search(text, words[at - 1][2], words[at][1]) is not None
    return begins and (after == len(words) or _ENDS.search(text, words[after - 1][2], words[after][1]) is not None)


def digests_of(salt: str, texts: Iterable[str], *, shortest: int = WORDS_MIN) -> tuple[Digest, ...]:
    """Return digests of the sentences of texts.

    If all sentences of a text are shorter than `shortest` words, the whole text is hashed. It counts within a longer sentence, too, if
    it holds a digit, as a password or a port does.
    """
    by_key: dict[Digest, None] = {}
    for text in texts:
        sentences = [words for part in _ENDS.split(text) if (words := _words(part))]
        chosen = [words for words in sentences if len(words) >= shortest] or [_words(text)]
        for words in chosen:
            for first in range(0, len(words), WORDS_AT_ONCE):
                some = words[first : first + WORDS_AT_ONCE]
                if some and (len(some) >= shortest or first == 0):
                    alone = len(words) < shortest and not any(char.isdigit() for word in words for char in word)
                    by_key[Digest(len(some), _gate(salt, some[0]), _value(salt, some), alone)] = None
    return tuple(by_key)


def sentences(text: str) -> list[str]:
    """Return the sentences and lines of a text that contain words."""
    return [part for part in _ENDS.split(text) if _words(part)]


def words_of(text: str) -> frozenset[str]:
    """Return the distinct words of a text, case-folded."""
    return frozenset(_words(text))


def _words(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(text)]


@lru_cache(maxsize=50_000)
def _gate(salt: str, word: str) -> int:
    return zlib.crc32(f"{salt}\0{word}".encode("utf-8", "surrogatepass")) & 0xFFFF


def _value(salt: str, words: list[str]) -> str:
    joined = "\0".join(words).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=16, key=salt.encode()).hexdigest()

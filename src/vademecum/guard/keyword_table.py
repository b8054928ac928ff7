"""Finds where any of many keywords may begin in a long text, in one pass.

Four consecutive letters are encoded as a number, and a table says for each number whether a keyword begins with them.
"""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from vademecum.guard.rule_matching import DENSE_MIN_CHARS
from vademecum.guard.screen import LOOSE, SPACES, WITHIN, WORD_CHARS, Candidate

#: Letters of a keyword that are encoded, and bits per letter.
_LETTERS, _BITS = 4, 5
_WORD = b"abcdefghijklmnopqrstuvwxyz"

Places = NDArray[np.int64]


class KeywordTable:
    """The keywords as a table."""

    def __init__(self, flags: Mapping[bytes, int]) -> None:
        """`flags`: keyword -> its flags."""
        self._flags = flags
        self._letters = [word for word in flags if len(word) == 1]
        self._classes = bytes(map(_class_of, range(256)))
        self._ranges = {word: self._range(word) for word in flags if len(word) > 1}
        self._table = np.zeros(1 << _LETTERS * _BITS, np.uint8)
        for word, (low, high) in self._ranges.items():
            self._table[low:high] |= flags[word]
        self._beginning: dict[int, tuple[bytes, ...]] = {}

    def _range(self, word: bytes) -> tuple[int, int]:
        """Return the range of codes of four letters that begin with the keyword."""
        code = 0
        for letter in word[:_LETTERS]:
            code = code << _BITS | self._classes[letter]
        rest = _BITS * max(_LETTERS - len(word), 0)
        return code << rest, code + 1 << rest

    def candidates(self, data: bytes, unfolded: bytes) -> Iterator[Candidate]:
        """Yield the keywords in `data` at which a rule may match. `unfolded` is the text as rules see it."""
        letters = np.frombuffer(data, np.uint8)
        word_before = np.concatenate([[False], _IN_WORD[np.frombuffer(unfolded, np.uint8)[:-1]]])
        spaces = np.concatenate([[-1], np.flatnonzero(_IS_SPACE[letters]), [len(data)]])
        for letter in self._letters:
            at = np.flatnonzero(letters == letter[0])
            at, dense = self._worth(at, np.full(len(at), self._flags[letter], np.uint8), word_before, spaces)
            yield from ((place, is_dense, letter) for place, is_dense in zip(at.tolist(), dense.tolist(), strict=True))
        classes = np.frombuffer(data.translate(self._classes) + bytes(_LETTERS - 1), np.uint8).astype(np.uint16)
        pairs = classes[:-1] << _BITS | classes[1:]
        codes = pairs[:-2].astype(np.uint32) << 2 * _BITS | pairs[2:]
        at = np.flatnonzero(self._table[codes])
        kept, dense = self._worth(at, self._table[codes[at]], word_before, spaces)
        for place, is_dense, code in zip(kept.tolist(), dense.tolist(), codes[kept].tolist(), strict=True):
            yield from ((place, is_dense, word) for word in self._beginning_so(code) if data.startswith(word, place))

    def _worth(
        self, at: Places, flags: NDArray[np.uint8], word_before: NDArray[np.bool_], spaces: Places
    ) -> tuple[Places, NDArray[np.bool_]]:
        """Return (positions where a rule can match, whether dense rules can)."""
        inside = ((flags & WITHIN) > 0) | ~word_before[at]
        at, flags = at[inside], flags[inside]
        following = np.searchsorted(spaces, at)
        ahead = spaces[following] - at
        around = spaces[following] - spaces[following - 1] - 1
        dense = np.where(flags & WITHIN, around, ahead) >= DENSE_MIN_CHARS
        worth = dense | ((flags & LOOSE) > 0)
        return at[worth], dense[worth]

    def _beginning_so(self, code: int) -> tuple[bytes, ...]:
        if code not in self._beginning:
            self._beginning[code] = tuple(word for word, (low, high) in self._ranges.items() if low <= code < high)
        return self._beginning[code]


def _class_of(letter: int) -> int:
    """Return the five-bit class of a character: lower-case letters have their own, the others share the rest."""
    if letter in _WORD:
        return letter - _WORD[0] + 1
    if chr(letter).isdigit() and letter < 128:
        return 27
    return {ord("_"): 28, ord("-"): 29, ord("."): 30, ord(":"): 30, ord("/"): 30}.get(letter, 31 if letter > 32 else 0)


_IN_WORD = np.array([letter in WORD_CHARS for letter in range(256)])
_IS_SPACE = np.array([letter in SPACES for letter in range(256)])

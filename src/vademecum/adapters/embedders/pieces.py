"""Splits a text into the pieces of a unigram vocabulary, as SentencePiece does (Kudo 2018, arXiv:1804.10959): of all splits,
the one whose pieces have the largest sum of log probabilities."""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any

from numpy.typing import NDArray

#: Represents a space, including the one before the first word.
SPACE = "▁"
#: Penalty in log probability of an unknown character, compared with the rarest piece.
UNKNOWN_PENALTY = 10.0


class Unigram:
    """A vocabulary of pieces with scores. The index of a piece is its number; the first three are unknown, begin and end.

    It is a trie in arrays, searched directly in the mapped file: reading all pieces into a dictionary first took longer than
    answering a prompt. The children of node n, sorted, are the nodes from `first[n]` up to `first[n + 1]`.
    """

    UNKNOWN, BEGIN, END = 0, 1, 2

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """`arrays`: at least those that `tools/weights.py::vocabulary` creates."""
        self._scores, self._label, self._first, self._end = (
            arrays[f"pieces.{name}"].data for name in ("score", "label", "first", "end")
        )
        self._unknown = float(arrays["pieces.score"].min()) - UNKNOWN_PENALTY

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the pieces, between begin and end."""
        words = unicodedata.normalize("NFKC", text).replace("\u200b", " ").split()
        result = [number for word in words for number in self._cut(SPACE + word)]
        return [self.BEGIN, *result, self.END]

    def _cut(self, word: str) -> list[int]:
        """Return the best pieces of one word: no piece of the vocabulary contains an inner space."""
        characters = [ord(character) for character in word]
        best = [0.0] + [float("-inf")] * len(word)
        came = [(0, self.UNKNOWN)] * (len(word) + 1)
        for start in range(len(word)):
            for end, number in self._beginning(characters, start):
                reached = best[start] + (self._scores[number] if number else self._unknown)
                if reached > best[end]:
                    best[end], came[end] = reached, (start, number)
        numbers, at = [], len(word)
        while at:
            at, number = came[at]
            numbers.append(number)
        return numbers[::-1]

    def _beginning(self, characters: list[int], start: int) -> Iterator[tuple[int, int]]:
        """Yield (end, number) of the pieces that begin at `start`, shortest first; UNKNOWN for a character that is no piece."""
        node = 0
        for end in range(start, len(characters)):
            limit = self._first[node + 1]
            node = bisect_left(self._label, characters[end], self._first[node], limit)
            known = node < limit and self._label[node] == characters[end]
            number = self._end[node] if known else self.UNKNOWN
            if number or end == start:
                yield end + 1, number
            if not known:
                return

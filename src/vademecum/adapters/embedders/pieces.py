"""Cuts a text into the pieces of a unigram vocabulary, as SentencePiece does (Kudo 2018, arXiv:1804.10959): of all ways to cut it, the one
whose pieces have the largest sum of log probabilities."""

import unicodedata
from array import array
from collections.abc import Iterable

#: Stands for a space, also the one before the first word.
SPACE = "▁"
#: A character that no piece holds costs so much more than the rarest piece.
UNKNOWN_PENALTY = 10.0


class Unigram:
    """A vocabulary of pieces with scores. The place of a piece is its number; the first three are unknown, begin and end."""

    UNKNOWN, BEGIN, END = 0, 1, 2

    def __init__(self, pieces: Iterable[tuple[str, float]]) -> None:
        """Take pieces with their log probabilities, in the order of their numbers."""
        self._numbers = dict[str, int]()
        self._scores = array("f")
        for number, (piece, score) in enumerate(pieces):
            self._scores.append(score)
            if number > self.END:
                self._numbers[piece] = number
        self._unknown = min(self._scores) - UNKNOWN_PENALTY
        self._longest = max(map(len, self._numbers))

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the pieces, between begin and end."""
        words = unicodedata.normalize("NFKC", text).replace("\u200b", " ").split()
        found = [number for word in words for number in self._cut(SPACE + word)]
        return [self.BEGIN, *found, self.END]

    def _cut(self, word: str) -> list[int]:
        """Return the best pieces of one word: no piece of the vocabulary reaches over a space."""
        best = [0.0] + [float("-inf")] * len(word)
        came = [(0, self.UNKNOWN)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._numbers.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                reached = best[start] + (self._unknown if number is None else self._scores[number])
                if reached > best[end]:
                    best[end], came[end] = reached, (start, self.UNKNOWN if number is None else number)
        numbers, at = [], len(word)
        while at:
            at, number = came[at]
            numbers.append(number)
        return numbers[::-1]

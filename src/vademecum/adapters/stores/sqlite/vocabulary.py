"""All stems of the index as arrays, to search for stems with nearly the same spelling as a given one.

A search among 200,000 stems takes a few milliseconds: length and letters leave some hundred, whose edit distances are computed
all at once. The stems are in a table that only grows (until the index is compacted), so a copy is updated by reading its end.
"""

import apsw
import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.stores.sqlite.schema import state

#: Separator between stems that are read as one text; no stem contains it.
_GAP = "\n"
#: Most stems with the same prefix that are read; the shortest have the largest weight.
_LONGER_READ = 200


class Vocabulary:
    """The stems, kept equal to the database."""

    def __init__(self) -> None:
        self._identity = ""
        self._clear()

    def _clear(self) -> None:
        self._last = 0
        self._letters = np.zeros(0, np.uint32)
        self._starts = np.zeros(0, np.int64)
        self._lengths = np.zeros(0, np.int64)
        self._signs = np.zeros(0, np.uint64)

    def follow(self, db: apsw.Connection) -> None:
        """Add all new stems that this transaction sees."""
        identity, _ = state(db)
        if identity != self._identity:
            self._identity = identity
            self._clear()
        last, text = db.execute(
            "SELECT max(number), group_concat(stem, char(10)) FROM stems WHERE number > ?", (self._last,)
        ).get
        if text:
            self._last = last
            self._add(text)

    def _add(self, text: str) -> None:
        letters = np.frombuffer(f"{text}{_GAP}".encode("utf-32-le"), np.uint32)
        ends = np.flatnonzero(letters == ord(_GAP))
        starts = np.concatenate([[0], ends[:-1] + 1])
        bits = np.left_shift(np.uint64(1), letters.astype(np.uint64) % np.uint64(64))
        bits[ends] = 0
        self._starts = np.concatenate([self._starts, starts + len(self._letters)])
        self._lengths = np.concatenate([self._lengths, ends - starts])
        self._signs = np.concatenate([self._signs, np.bitwise_or.reduceat(bits, starts)])
        self._letters = np.concatenate([self._letters, letters])

    def almost(self, stem: str, most: int) -> dict[str, int]:
        """Return stems within an edit distance of `most` from `stem` -> distance."""
        if most < 1 or not len(self._starts):
            return {}
        asked = np.frombuffer(stem.encode("utf-32-le"), np.uint32)
        sign = np.bitwise_or.reduce(np.left_shift(np.uint64(1), asked.astype(np.uint64) % np.uint64(64)))
        likely = np.abs(self._lengths - len(asked)) <= most
        likely &= np.bitwise_count(self._signs & ~sign) <= most  # an edit adds at most one letter, and removes at most one
        likely &= np.bitwise_count(~self._signs & sign) <= most
        at = np.flatnonzero(likely)
        edits = self._edits(at, asked)
        near = edits <= most
        spans = [(self._starts[row], self._starts[row] + self._lengths[row]) for row in at[near]]
        stems = [self._letters[start:end].tobytes().decode("utf-32-le") for start, end in spans]
        return dict(zip(stems, edits[near].tolist(), strict=True))

    def _edits(self, at: NDArray[np.int64], asked: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the Levenshtein distance of each stem from `asked`, computing one table column for all stems at a time."""
        lengths = self._lengths[at]
        widest = int(lengths.max(initial=0))
        places = self._starts[at][:, None] + np.minimum(np.arange(widest), np.maximum(lengths - 1, 0)[:, None])
        letters = self._letters[places]
        steps = np.arange(len(asked) + 1)
        column = np.broadcast_to(steps, (len(at), len(asked) + 1)).copy()
        values = column[:, -1].copy()
        for number in range(widest):
            replaced = column[:, :-1] + (letters[:, number, None] != asked)
            fresh = np.empty_like(column)
            fresh[:, 0] = number + 1
            np.minimum(replaced, column[:, 1:] + 1, out=fresh[:, 1:])
            # insertion: each cell is at most one more than the one before it
            column = np.minimum.accumulate(fresh - steps, axis=1) + steps
            done = lengths == number + 1
            values[done] = column[done, -1]
        return values


def longer(db: apsw.Connection, stem: str) -> set[str]:
    """Return the shortest stems that begin with `stem`."""
    rows = db.execute(
        "SELECT stem FROM stems WHERE stem > ?1 AND stem < ?1 || char(1114111) ORDER BY length(stem), stem LIMIT ?2",
        (stem, _LONGER_READ),
    )
    return {row[0] for row in rows}

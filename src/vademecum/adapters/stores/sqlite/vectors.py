"""Vectors of one model: 8 bits per dimension, stored in the database, searched in a memory-mapped copy.

A search first compares signs (one bit per dimension) to select some thousand candidates, then scores those with all 8 bits.
Recall@10 of the selection was .99 over 100,000 vectors. The copy consists of a snapshot file for most of the numbers and arrays
for the rest; changes after the snapshot are read from the database.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.stores.sqlite import snapshot
from vademecum.adapters.stores.sqlite.follow import Numbers, touched_since
from vademecum.adapters.stores.sqlite.schema import state
from vademecum.adapters.stores.sqlite.scope import Mask

Floats = NDArray[np.float32]

#: Number of candidates by signs for each requested result, and the minimum number.
_CANDIDATES_EACH, _CANDIDATES = 10, 1000
#: Up to this many vectors in scope, all are scored exactly.
_EXACT = 4000
#: Sample size from which the distance threshold is estimated, if there are more rows.
_SAMPLED = 131_072

#: A snapshot is rewritten when this many rows, or this share of all, have changed since.
_STALE_ROWS, _STALE_SHARE = 2000, 0.1

_MISSING = -1.0
#: Rows in a file are memory-mapped up to this size in bytes; of a larger one they are read one by one.
_MAPPED_BYTES = 64 << 20
#: Rows whose signs are compared at a time: as fast as all at once, with less memory.
_COMPARED_AT_ONCE = 65_536
_READ_AT_ONCE = 20_000
_ADDED_AT_ONCE = 4096


def quantise(rows: Floats) -> tuple[NDArray[np.int8], Floats]:
    """Return 8-bit rows, and the factor that scales each back to a unit vector; 0 for a row of zeros."""
    peak = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    small = np.round(rows * np.divide(127, peak, out=np.zeros_like(peak), where=peak > 0)).astype(np.int8)
    length = np.linalg.norm(small.astype(np.float32), axis=1)
    return small, np.divide(1, length, out=np.zeros_like(length), where=length > 0)


@dataclass(slots=True)
class _Part:
    """Vectors of consecutive passage numbers from `first`.

    Attributes:
        signs: packed into 64-bit words, one array row for each word, so that comparisons read memory sequentially.
        rows: 8-bit rows. scales: factor of each row; _MISSING: no vector.
        file: the mapped snapshot; None: the arrays are in memory only. changed: mask of positions that may differ from the
            file.
    """

    first: int
    signs: NDArray[np.uint64]
    rows: NDArray[np.int8]
    scales: Floats
    file: snapshot.Snapshot | None = None
    changed: Mask = field(default_factory=lambda: np.zeros(0, np.bool_))

    @classmethod
    def empty(cls, first: int, size: int, dim: int) -> "_Part":
        """Return a part without vectors."""
        words = -(-dim // 64)
        scales = np.full(size, _MISSING, np.float32)
        return cls(first, np.zeros((words, size), np.uint64), np.zeros((size, dim), np.int8), scales)

    @property
    def end(self) -> int:
        """One more than the last number."""
        return self.first + len(self.scales)

    def set(self, at: Numbers, rows: NDArray[np.int8], scales: Floats) -> None:
        """Set vectors at positions counted from `first`."""
        self.rows[at] = rows
        self.scales[at] = scales
        self.signs[:, at] = _signs(rows).T
        self._note(at)

    def forget(self, at: Numbers) -> None:
        """Delete the vectors at those positions."""
        self.scales[at], self.rows[at], self.signs[:, at] = _MISSING, 0, 0
        self._note(at)

    def _note(self, at: Numbers) -> None:
        if self.file is not None:
            self.changed[at] = True

    def let_go(self) -> None:
        """Return the read pages of rows to the system; signs stay, because every search reads them all."""
        if self.file is not None:
            changed = np.flatnonzero(self.changed)
            kept = self.rows[changed]
            self.file.let_go("rows")
            self.rows[changed] = kept

    def distances(self, signs: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """Return for each row the number of different signs."""
        values = np.zeros(len(self.scales), np.uint16)
        for first in range(0, len(values), _COMPARED_AT_ONCE):
            rows = slice(first, first + _COMPARED_AT_ONCE)
            for word, asked in enumerate(signs):
                values[rows] += np.bitwise_count(self.signs[word, rows] ^ asked)
        return values

    def taken(self, at: Numbers) -> NDArray[np.int8]:
        """Return the rows at those positions."""
        if self.file is None or self.rows.nbytes <= _MAPPED_BYTES:
            return self.rows[at]
        values: NDArray[np.int8] = self.file.rows("rows", at)
        changed = self.changed[at]
        if changed.any():
            values = values.copy()
            values[changed] = self.rows[at[changed]]
        return values

    def cosines(self, at: Numbers, vector: Floats) -> Floats:
        """Return the cosine of the rows at those positions with a unit vector."""
        if len(at) and at[-1] - at[0] == len(at) - 1 and (np.diff(at) == 1).all():
            rows = self.rows[at[0] : at[-1] + 1]  # consecutive rows need no gathering
        else:
            rows = self.taken(at)
        scores: Floats = (rows.astype(np.float32) @ vector) * self.scales[at]
        return scores


class Vectors:
    """The searchable copy of one model's vectors, kept equal to the database."""

    def __init__(self, path: Path, model: int, dim: int) -> None:
        self._path = path
        self._model = model
        self._dim = dim
        self._identity = ""
        self._generation = -1
        self._base = self._tail = _Part.empty(0, 0, dim)
        self._unsaved = 0
        self._compared: tuple[bytes, list[NDArray[np.uint16]]] | None = None
        self._embedded: list[Mask] | None = None

    def follow(self, db: apsw.Connection) -> None:
        """Update the copy to the database as this transaction sees it."""
        identity, generation = state(db)
        if (identity, generation) == (self._identity, self._generation):
            return
        self._compared = self._embedded = None
        if identity != self._identity:
            self._start(identity)
        known = self._base.end + len(self._tail.scales)
        touched = touched_since(db, self._generation, self._model, known // 2 + _STALE_ROWS)
        if touched is None or self._generation > generation:
            self._reset(_Part.empty(0, 0, self._dim))
            self._unsaved += self._read(db, None)
        else:
            for part in (self._base, self._tail):
                part.forget(touched[(touched >= part.first) & (touched < part.end)] - part.first)
            self._unsaved += self._read(db, touched)
        self._generation = generation
        if self._unsaved > _STALE_ROWS + _STALE_SHARE * self._tail.end:
            self._save()

    def _start(self, identity: str) -> None:
        self._identity, self._generation, self._unsaved = identity, -1, 0
        self._reset(_Part.empty(0, 0, self._dim))
        matching_snapshot = snapshot.load(self._path, identity)
        if matching_snapshot is not None and self._fits(matching_snapshot):
            self._map(matching_snapshot)
            self._generation = matching_snapshot.generation

    def _fits(self, matching_snapshot: snapshot.Snapshot) -> bool:
        """Return whether a snapshot has the current layout, not an earlier one."""
        rows = matching_snapshot.arrays["rows"]
        return rows.shape[1] == self._dim and matching_snapshot.arrays["signs"].shape == (-(-self._dim // 64), len(rows))

    def _reset(self, base: _Part) -> None:
        self._base = base
        self._tail = _Part.empty(base.end, 0, self._dim)

    def _map(self, matching_snapshot: snapshot.Snapshot) -> None:
        rows = matching_snapshot.arrays["rows"]
        signs, scales = matching_snapshot.arrays["signs"], matching_snapshot.arrays["scales"]
        self._reset(_Part(0, signs, rows, scales, matching_snapshot, np.zeros(len(rows), np.bool_)))

    def let_go(self) -> None:
        """Free memory that can be read again from the file."""
        self._base.let_go()
        self._compared = None

    def _read(self, db: apsw.Connection, numbers: Numbers | None) -> int:
        """Load the vectors of those passages, or of all; return their number."""
        query = "SELECT number, scale, row FROM vectors WHERE model = ?"
        given: tuple[Any, ...] = (self._model,)
        if numbers is not None:
            if not len(numbers):
                return 0
            query, given = f"{query} AND number IN carray(?)", (self._model, apsw.carray(numbers))
        else:
            self._grow(db.execute("SELECT max(number) FROM vectors WHERE model = ?", given).get or 0)
        cursor = db.execute(query, given)
        count = 0
        while rows := [row for row, _ in zip(cursor, range(_READ_AT_ONCE), strict=False)]:
            count += len(rows)
            values = np.array([row[0] for row in rows], np.int64)
            scales = np.array([row[1] for row in rows], np.float32)
            small = np.frombuffer(b"".join(row[2] for row in rows), np.int8).reshape(-1, self._dim)
            self._grow(int(values.max()))
            early = values < self._base.end
            self._base.set(values[early], small[early], scales[early])
            self._tail.set(values[~early] - self._tail.first, small[~early], scales[~early])
        return count

    def _grow(self, last: int) -> None:
        old = self._tail
        if last >= old.end:
            size = max(last + 1 - old.first, len(old.scales) * 3 // 2)
            self._tail = _Part.empty(old.first, size, self._dim)
            kept = len(old.scales)
            self._tail.signs[:, :kept], self._tail.rows[:kept], self._tail.scales[:kept] = old.signs, old.rows, old.scales

    def _save(self) -> None:
        """Write everything as the next snapshot and map it, so that only accessed pages use memory."""
        parts = (self._base, self._tail)
        arrays = {name: [getattr(part, name) for part in parts] for name in ("rows", "scales")}
        arrays["signs"] = [np.concatenate([part.signs for part in parts], axis=1)]
        snapshot.save(self._path, self._identity, self._generation, arrays)
        self._unsaved = 0
        matching_snapshot = snapshot.load(self._path, self._identity)
        if matching_snapshot is not None and matching_snapshot.generation == self._generation:
            self._map(matching_snapshot)

    def having(self, size: int, least: float = _MISSING) -> Mask:
        """Return a mask of the passage numbers below `size` that have a vector; with `least` 0, one that is not zero."""
        mask = np.zeros(max(size, self._tail.end), np.bool_)
        for part in (self._base, self._tail):
            mask[part.first : part.end] = part.scales > least
        return mask[:size]

    def touched_since(self, db: apsw.Connection, generation: int, most: int) -> Numbers | None:
        """Return passages whose vectors may have changed after `generation`; None: too many, or too long ago."""
        return touched_since(db, generation, self._model, most)

    def mean(self, numbers: Numbers) -> Floats:
        """Return the mean of the vectors of those passages; each must have one. An empty array for no passages."""
        total = np.zeros(self._dim, np.float32)
        for part in (self._base, self._tail):
            inside = numbers[(numbers >= part.first) & (numbers < part.end)] - part.first
            for first in range(0, len(inside), _ADDED_AT_ONCE):
                at = inside[first : first + _ADDED_AT_ONCE]
                total += part.scales[at] @ part.rows[at].astype(np.float32)
            if len(inside) > _ADDED_AT_ONCE:
                part.let_go()
        return total / np.float32(len(numbers)) if len(numbers) else np.zeros(0, np.float32)

    def nearest(self, vector: Floats, inside: Mask, limit: int) -> tuple[Numbers, Floats]:
        """Return passage numbers nearest to `vector`, best first (ties by number), and their cosines.

        Args:
            inside: mask by passage number of those that may be returned.
        """
        parts = (self._base, self._tail)
        masks = [self._open(part, mask, inside) for part, mask in zip(parts, self._with_vector(), strict=True)]
        if sum(int(np.count_nonzero(mask)) for mask in masks) > max(_EXACT, limit):
            chosen = self._likely(vector, masks, max(_CANDIDATES, _CANDIDATES_EACH * limit))
        else:
            chosen = [np.flatnonzero(mask) for mask in masks]
        numbers = [at + part.first for part, at in zip(parts, chosen, strict=True)]
        scores = [part.cosines(at, vector) for part, at in zip(parts, chosen, strict=True)]
        return best(np.concatenate(numbers), np.concatenate(scores), limit)

    def _with_vector(self) -> list[Mask]:
        """Return for both parts a mask of the rows with a non-zero vector."""
        if self._embedded is None:
            self._embedded = [part.scales > 0 for part in (self._base, self._tail)]
        return self._embedded

    @staticmethod
    def _open(part: _Part, values: Mask, inside: Mask) -> Mask:
        allowed = inside[part.first : part.end]
        mask = np.zeros(len(values), np.bool_)
        np.logical_and(values[: len(allowed)], allowed, out=mask[: len(allowed)])
        return mask

    def _likely(self, vector: Floats, masks: list[Mask], wanted: int) -> list[Numbers]:
        """Return, within the masks, positions of about `wanted` rows with the nearest signs, ties with the last included."""
        asked = _signs(np.sign(vector).astype(np.int8)[None])[0]
        distances = self._distances(asked)
        step = max(1, self._tail.end // _SAMPLED)  # a sample determines the threshold as well as all rows do
        counts = sum(
            np.bincount(values[::step][mask[::step]], minlength=self._dim + 1)
            for values, mask in zip(distances, masks, strict=True)
        )
        farthest = int(np.searchsorted(np.cumsum(counts) * step, wanted))
        near = [np.flatnonzero(values <= farthest) for values in distances]
        return [at[mask[at]] for at, mask in zip(near, masks, strict=True)]

    def _distances(self, asked: NDArray[np.uint64]) -> list[NDArray[np.uint16]]:
        """Return the number of different signs for each row of both parts. Cached, since one query searches several pools."""
        if self._compared is None or self._compared[0] != asked.tobytes():
            self._compared = asked.tobytes(), [part.distances(asked) for part in (self._base, self._tail)]
        return self._compared[1]

    def of(self, numbers: Numbers) -> Floats:
        """Return the vector of each passage; zeros for those without one."""
        values = np.zeros((len(numbers), self._dim), np.float32)
        for part in (self._base, self._tail):
            rows = np.flatnonzero((numbers >= part.first) & (numbers < part.end))
            rows = rows[part.scales[numbers[rows] - part.first] != _MISSING]
            at = numbers[rows] - part.first
            values[rows] = part.taken(at).astype(np.float32) * part.scales[at][:, None]
        return values

    def cosines(self, vector: Floats, numbers: Numbers) -> Floats:
        """Return the cosine of each passage; NaN for those without a vector."""
        values = np.full(len(numbers), np.nan, np.float32)
        for part in (self._base, self._tail):
            rows = np.flatnonzero((numbers >= part.first) & (numbers < part.end))
            rows = rows[part.scales[numbers[rows] - part.first] != _MISSING]
            values[rows] = part.cosines(numbers[rows] - part.first, vector)
        return values


def best(numbers: Numbers, scores: NDArray[Any], limit: int) -> tuple[Numbers, NDArray[Any]]:
    """Return the `limit` highest scores, best first; ties in the given order."""
    if limit <= 0:
        return numbers[:0], scores[:0]
    if len(scores) > limit:
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        kept = np.flatnonzero(scores >= least)
        numbers, scores = numbers[kept], scores[kept]
    order = np.argsort(-scores, kind="stable")[:limit]
    return numbers[order], scores[order]


def _signs(rows: NDArray[np.int8]) -> NDArray[np.uint64]:
    packed = np.packbits(rows > 0, axis=1)
    padded = np.zeros((len(rows), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    return padded.view(np.uint64)

"""Columns that every query reads of every passage, as arrays by passage number: item, turn, length, time, speaker.

Row 0 and the rows of deleted passages have item 0, which does not exist.
"""

from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from vademecum.adapters.stores.sqlite import snapshot
from vademecum.adapters.stores.sqlite.follow import PASSAGES, Numbers, touched_since
from vademecum.adapters.stores.sqlite.schema import MOST_PARTS, MOST_TURNS, state

#: Time of a passage without a time.
NO_TIME = np.iinfo(np.int64).min

_TYPES = {"place": np.int64, "stems": np.int32, "time": np.int64, "speaker": np.int32}
_QUERY = f"SELECT number, place, stems, coalesce(time, {NO_TIME}), speaker FROM marks"

#: A snapshot is rewritten when this many rows, or this share of all, have changed since.
_STALE_ROWS, _STALE_SHARE = 2000, 0.05


class Columns:
    """The arrays, kept equal to the database. Rows beyond `size` are reserved for growth."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._arrays = _room(0)
        self._unsaved = 0
        self.size = 0
        self.identity = ""
        self.generation = -1

    def follow(self, db: apsw.Connection) -> None:
        """Update the arrays to the database as this transaction sees it."""
        identity, generation = state(db)
        if (identity, generation) == (self.identity, self.generation):
            return
        if identity != self.identity:
            self._start(identity)
        touched = (
            touched_since(db, self.generation, PASSAGES, self.size // 2 + _STALE_ROWS)
            if self.generation <= generation
            else None
        )
        if touched is None:
            self._arrays, self.size = _room(0), 0
            rows = db.execute(_QUERY).fetchall()
        else:
            self._grow(int(touched.max(initial=0)) + 1)
            self._arrays["place"][touched] = 0
            rows = db.execute(f"{_QUERY} WHERE number IN carray(?)", (apsw.carray(touched),)).fetchall() if len(touched) else []
        self._set(rows)
        self.generation = generation
        self._unsaved += len(rows) if touched is None else len(touched)
        if self._unsaved > _STALE_ROWS + _STALE_SHARE * self.size:
            snapshot.save(self.path, self.identity, self.generation, {name: [getattr(self, name)] for name in _TYPES})
            self._unsaved = 0

    def _start(self, identity: str) -> None:
        self.identity, self.generation, self._unsaved = identity, -1, 0
        self._arrays, self.size = _room(0), 0
        matching_snapshot = snapshot.load(self.path, identity)
        if matching_snapshot is not None and matching_snapshot.arrays.keys() == _TYPES.keys():
            self._arrays = {name: np.asarray(matching_snapshot.arrays[name], dtype) for name, dtype in _TYPES.items()}
            self.size = len(self._arrays["place"])
            self.generation = matching_snapshot.generation

    def _set(self, rows: list[tuple[Any, ...]]) -> None:
        if not rows:
            return
        values = np.array(rows, np.int64)
        numbers = values[:, 0]
        self._grow(int(numbers.max()) + 1)
        for column, name in enumerate(_TYPES, 1):
            self._arrays[name][numbers] = values[:, column]

    def _grow(self, size: int) -> None:
        self.size = max(self.size, size)
        room = len(self._arrays["place"])
        if self.size > room:
            bigger = _room(max(self.size, room * 3 // 2))
            for name, array in self._arrays.items():
                bigger[name][:room] = array
            self._arrays = bigger

    @property
    def place(self) -> NDArray[np.int64]:
        """Places as the schema encodes them; 0 where there is no passage."""
        return self._arrays["place"][: self.size]

    @property
    def stems(self) -> NDArray[np.int32]:
        """Number of searchable stems of each passage, date included, with repeats."""
        return self._arrays["stems"][: self.size]

    @property
    def time(self) -> NDArray[np.int64]:
        """Microseconds since 1970 of the passage or NO_TIME."""
        return self._arrays["time"][: self.size]

    @property
    def speaker(self) -> NDArray[np.int32]:
        """Row of the speakers table."""
        return self._arrays["speaker"][: self.size]

    def items(self, numbers: Numbers | slice = slice(None)) -> Numbers:
        """Return the item of each passage."""
        return self.place[numbers] // (MOST_TURNS * MOST_PARTS)

    def turns(self, numbers: Numbers) -> Numbers:
        """Return the turn of each passage."""
        return self.place[numbers] // MOST_PARTS % MOST_TURNS

    def parts(self, numbers: Numbers) -> Numbers:
        """Return the index of each passage within its turn."""
        return self.place[numbers] % MOST_PARTS


def _room(rows: int) -> dict[str, NDArray[Any]]:
    return {name: np.zeros(rows, dtype) for name, dtype in _TYPES.items()}

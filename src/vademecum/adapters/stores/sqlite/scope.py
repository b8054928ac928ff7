"""A scope as a boolean mask over passages. Must agree with `domain/scope.py`."""

from array import array
from collections.abc import Callable, Iterable, Mapping

import apsw
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from vademecum.adapters.stores.sqlite.columns import NO_TIME, Columns
from vademecum.adapters.stores.sqlite.conditions import condition, marks, micros
from vademecum.adapters.stores.sqlite.follow import Numbers, distinct
from vademecum.adapters.stores.sqlite.schema import place
from vademecum.domain.query import Scope

Mask = NDArray[np.bool_]

#: Most scopes whose masks are cached while the index does not change.
_KEPT = 16
#: Most items that are queried individually rather than by a mask of all items.
_MANY = 1000


def numbers_of(listed: str | None) -> Numbers:
    """Return the numbers of SQL's group_concat: an order of magnitude faster than rows."""
    return np.fromstring(listed or "", np.int64, sep=",")


_NUMBERS_OF_ITEMS = (
    "SELECT group_concat(m.number) FROM carray(?) a CROSS JOIN marks m ON m.place >= a.value AND m.place < a.value + ?"
)


class Masks:
    """Computes which items and passages are inside a scope."""

    def __init__(self, columns: Columns, ids_of: Callable[[Iterable[str]], Mapping[str, int]]) -> None:
        """`ids_of`: function that returns key -> item id for existing items."""
        self._columns = columns
        self._ids_of = ids_of
        self._kept: dict[Scope, Mask] = {}
        self._all: dict[Scope, Mask] = {}
        self._asked: set[Scope] = set()
        self._updates: Numbers | None = None
        self._made_for = ("", -1)

    def _renew(self) -> None:
        now = (self._columns.identity, self._columns.generation)
        if now != self._made_for:
            self._kept.clear()
            self._all.clear()
            self._asked.clear()
            self._updates = None
            self._made_for = now

    def items(self, db: apsw.Connection, scope: Scope) -> Mask:
        """Return a mask by item id; False for ids of no item, 0 included."""
        self._renew()
        wide = replace(scope, without=frozenset())  # `without` differs between sessions, the rest hardly ever
        if wide not in self._kept:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            self._kept[wide] = _item_mask(db, wide)
        if not scope.without:
            return self._kept[wide]
        mask = self._kept[wide].copy()
        mask[list(self._ids_of(scope.without).values())] = False
        return mask

    def times(self, db: apsw.Connection, numbers: Numbers | slice = slice(None)) -> Numbers:
        """Return the time of each passage: its own, or else its item's update, or NO_TIME."""
        own = self._columns.time[numbers]
        if not (own == NO_TIME).any():
            return own
        self._renew()
        if self._updates is None:
            self._updates = _updates(db)
        return np.where(own == NO_TIME, self._updates[self._columns.items(numbers)], own)

    def _of_items(self, db: apsw.Connection, scope: Scope, numbers: Numbers | slice) -> Mask:
        """Return a mask by the items of the passages.

        The mask of all passages is cached, because computing it from a million numbers takes milliseconds.
        """
        if not isinstance(numbers, slice):
            return self._of_some(db, scope, self._columns.items(numbers))
        self._renew()
        wide = replace(scope, without=frozenset())
        if wide not in self._all:
            if len(self._all) >= _KEPT:
                self._all.clear()
            self._all[wide] = self.items(db, wide)[self._columns.items(slice(None))]
        inside = self._all[wide].copy()
        if left_out := array("q", (place(item) for item in self._ids_of(scope.without).values())):
            inside[numbers_of(db.execute(_NUMBERS_OF_ITEMS, (apsw.carray(left_out), place(1))).get)] = False
        return inside

    def _of_some(self, db: apsw.Connection, scope: Scope, ids: Numbers) -> Mask:
        """Return whether each of these items is in scope.

        The first query for a scope checks only these items. Otherwise a process that writes between queries, such as a reading
        of many conversations, would compute a mask of all items for each query.
        """
        self._renew()
        wide = replace(scope, without=frozenset())
        wanted = distinct(ids)
        if wide in self._kept or wide in self._asked or not 0 < len(wanted) <= _MANY:
            return self.items(db, scope)[ids]
        if len(self._asked) >= _KEPT:
            self._asked.clear()
        self._asked.add(wide)
        sql, values = condition(wide)
        given = (apsw.carray(wanted), *values)
        listed = db.execute(f"SELECT group_concat(id) FROM carray(?) a CROSS JOIN items ON id = a.value WHERE {sql}", given).get
        inside: Mask = np.isin(ids, numbers_of(listed))
        if scope.without:
            inside &= ~np.isin(ids, list(self._ids_of(scope.without).values()))
        return inside

    def passages(self, db: apsw.Connection, scope: Scope, numbers: Numbers | slice = slice(None)) -> Mask:
        """Return for each of the given passages whether it is in scope."""
        inside = self._of_items(db, scope, numbers)
        if scope.since is not None or scope.until is not None:
            inside &= _in_time(self.times(db, numbers), scope)
        for column, wanted in (("name", scope.speakers), ("role", scope.roles)):
            if wanted is not None:
                listed = db.execute(f"SELECT group_concat(id) FROM speakers WHERE {column} IN ({marks(wanted)})", wanted).get
                inside &= np.isin(self._columns.speaker[numbers], numbers_of(listed))
        return inside


def _updates(db: apsw.Connection) -> Numbers:
    """Return the update time of each item, by id."""
    pairs = db.execute("SELECT group_concat(id || ',' || updated) FROM items WHERE updated IS NOT NULL").get
    ids, times = numbers_of(pairs).reshape(-1, 2).T
    values = np.full((db.execute("SELECT max(id) FROM items").get or 0) + 1, NO_TIME, np.int64)
    values[ids] = times
    return values


def _item_mask(db: apsw.Connection, scope: Scope) -> Mask:
    """Return a mask of all items, ignoring `without`. It is computed from the items outside the scope, which are fewer."""
    mask = np.ones((db.execute("SELECT max(id) FROM items").get or 0) + 1, np.bool_)
    mask[0] = False
    sql, values = condition(scope)
    if sql != "1":
        mask[numbers_of(db.execute(f"SELECT group_concat(id) FROM items WHERE NOT ({sql})", values).get)] = False
    return mask


def _in_time(times: Numbers, scope: Scope) -> Mask:
    inside: Mask = times != NO_TIME
    if scope.since is not None:
        inside &= times >= (micros(scope.since) or 0)
    if scope.until is not None:
        inside &= times < (micros(scope.until) or 0)
    return inside

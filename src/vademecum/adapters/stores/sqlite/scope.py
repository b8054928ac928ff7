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

#: Most scopes whose masks of passages, and of items, are cached while the index does not change.
_KEPT, _ITEMS_KEPT = 16, 64
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
        self._of_no_project: Mask | None = None
        self._of_projects: dict[tuple[str, ...], Numbers] = {}
        self._items_hold: tuple[Numbers, Numbers] | None = None
        self._updates: Numbers | None = None
        self._made_for = ("", -1)

    def _renew(self) -> None:
        now = (self._columns.identity, self._columns.generation)
        if now != self._made_for:
            self._kept.clear()
            self._all.clear()
            self._asked.clear()
            self._of_no_project = self._items_hold = None
            self._of_projects.clear()
            self._updates = None
            self._made_for = now

    def items(self, db: apsw.Connection, scope: Scope) -> Mask:
        """Return a mask by item id; False for ids of no item, 0 included."""
        self._renew()
        wide = _of_items(scope)
        if wide not in self._kept:
            if len(self._kept) >= _ITEMS_KEPT:
                self._kept.clear()
            self._kept[wide] = self._mask(db, wide)
        if not scope.without:
            return self._kept[wide]
        mask = self._kept[wide].copy()
        mask[list(self._ids_of(scope.without).values())] = False
        return mask

    def _mask(self, db: apsw.Connection, scope: Scope) -> Mask:
        """Return a mask of all items, ignoring `without`. What a scope has beside its projects is the same in all of them."""
        if scope.projects is None:
            return _item_mask(db, scope)
        if self._of_no_project is None:
            self._of_no_project = _of_no_project(db)
        if scope.projects not in self._of_projects:
            if len(self._of_projects) >= _ITEMS_KEPT:
                self._of_projects.clear()
            self._of_projects[scope.projects] = _of_projects(db, scope.projects)
        mask = self._of_no_project.copy()
        mask[self._of_projects[scope.projects]] = True
        mask &= self.items(db, replace(scope, projects=None))
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
        wide = _of_items(scope)
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
        wide = _of_items(scope)
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

    def size(self, db: apsw.Connection, scope: Scope) -> tuple[int, float]:
        """Return the number of passages in scope, and their mean number of stems."""
        if (scope.since, scope.until, scope.speakers, scope.roles, scope.without) == (None, None, None, None, frozenset()):
            mask = self.items(db, scope)
            passages, stems = (int(counts[: len(mask)][mask[: len(counts)]].sum()) for counts in self._counts())
            return passages, stems / passages if passages else 0.0
        inside = self._columns.stems[self.passages(db, scope)]
        return len(inside), float(inside.mean()) if len(inside) else 0.0

    def _counts(self) -> tuple[Numbers, Numbers]:
        """Return the number of passages of each item, by id, and of their stems."""
        self._renew()
        if self._items_hold is None:
            items = self._columns.items()
            stems = np.bincount(items, self._columns.stems).astype(np.int64)
            passages = np.bincount(items)
            passages[:1] = stems[:1] = 0
            self._items_hold = passages, stems
        return self._items_hold

    def passages(self, db: apsw.Connection, scope: Scope, numbers: Numbers | slice = slice(None)) -> Mask:
        """Return for each of the given passages whether it is in scope."""
        inside = self._of_items(db, scope, numbers)
        if scope.since is not None or scope.until is not None:
            inside &= _in_time(self.times(db, numbers), scope)
        for column, wanted in (("name", scope.speakers), ("role", scope.roles)):
            if wanted is not None:
                listed = db.execute(f"SELECT group_concat(id) FROM speakers WHERE {column} IN ({marks(wanted)})", wanted).get
                inside[inside] = np.isin(self._columns.speaker[numbers][inside], numbers_of(listed))
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


def _of_items(scope: Scope) -> Scope:
    """Return what a scope says of items, without `without`, which differs between sessions."""
    return replace(scope, without=frozenset(), since=None, until=None, speakers=None, roles=None)


def _of_projects(db: apsw.Connection, projects: tuple[str, ...]) -> Numbers:
    """Return the ids of the items that belong to one of these projects; "" for none."""
    text = f"SELECT group_concat(id) FROM items WHERE project IN ({marks(projects)})"
    return numbers_of(db.execute(text, projects).get)


def _of_no_project(db: apsw.Connection) -> Mask:
    """Return a mask of the items without a project, from those or from the others, whichever are fewer."""
    rows, there, last = db.execute("SELECT count(*), ifnull(sum(project = ''), 0), ifnull(max(id), 0) FROM items").get
    if 2 * there <= rows:
        mask = np.zeros(last + 1, np.bool_)
        mask[_of_projects(db, ("",))] = True
    else:
        mask = np.ones(last + 1, np.bool_)
        mask[numbers_of(db.execute("SELECT group_concat(id) FROM items WHERE project <> ''").get)] = False
    return mask


def _in_time(times: Numbers, scope: Scope) -> Mask:
    inside: Mask = times != NO_TIME
    if scope.since is not None:
        inside &= times >= (micros(scope.since) or 0)
    if scope.until is not None:
        inside &= times < (micros(scope.until) or 0)
    return inside

"""Items and passages as rows, and readers of rows that need no numpy, which is slow to load: a briefing needs no arithmetic."""

import contextlib
import json
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import apsw

from vademecum.adapters.stores.device_file import file_id, transaction
from vademecum.adapters.stores.sqlite import schema
from vademecum.adapters.stores.sqlite.conditions import BRANCHES, Values, condition, marks, micros, moment, touched
from vademecum.adapters.stores.sqlite.faults import deleted, explained
from vademecum.adapters.stores.sqlite.link_rows import edges_of, named, with_edge
from vademecum.adapters.stores.sqlite.schema import state
from vademecum.adapters.stores.texts import clean
from vademecum.domain.item import Edge, Fingerprint, Item, Passage, StoredPassage, Touch
from vademecum.domain.query import Scope
from vademecum.ports.index import Facet

Row = tuple[Any, ...]
#: `updated` and key of an item; None: before all.
Place = tuple[datetime, str] | None

#: Fields of an item with columns of their own, because scopes and orders use them.
COLUMNS = (
    "key", "source", "space", "path", "kind", "status", "project", "agent", "profile", "host", "visibility", "importance",
    "priority", "always_load", "created", "updated", "valid_from", "valid_until", "last_confirmed", "stat", "digest",
)  # fmt: skip
#: Those of them that are times, in microseconds.
TIMES = ("created", "updated", "valid_from", "valid_until", "last_confirmed")

#: SQL of facets that are no column of items.
_FACETS = {
    "tag": "ifnull(tag, '')",
    "quarter": "ifnull(updated / 900000000, '')",
    "created_day": "ifnull(created / 86400000000, '')",
    "size": "CAST(stat AS INTEGER)",
}

#: Default wait for another process that writes.
BUSY_TIMEOUT_S = 5.0

#: SELECT before a WHERE; gives rows for :func:`stored_of_row`.
PASSAGE = (
    "SELECT m.number, i.key, m.ordinal, t.text, m.place, t.heading, t.speaker, m.ref, t.time, s.role"
    " FROM marks m JOIN texts t ON t.place = m.place JOIN items i ON i.id = m.place >> 36 JOIN speakers s ON s.id = m.speaker"
)
_ORDERS = {
    "recent": "updated DESC NULLS LAST", "importance": "importance DESC",
    "priority": "priority DESC, importance DESC, updated DESC NULLS LAST",
    "confirmed": "ifnull(last_confirmed, created) DESC NULLS LAST",
}  # fmt: skip

#: Most item ids, and items, cached while the index does not change. An item takes about two kilobytes.
_IDS_KEPT, _ITEMS_KEPT = 20_000, 5_000
#: Largest page of a list, in items.
_PAGE = 500
#: Most selections whose item ids are cached likewise: every query needs the items that must not be shown.
_CHOSEN_KEPT = 32
#: Up to so many items of a project are looked at one by one; SQLite itself would look at all of a kind, of every project.
_FEW_OF_PROJECTS = 5_000


class _Known:
    """Rows read since the index changed. One query needs the same items three times, and the next one most of them again."""

    def __init__(self, state: tuple[str, int] = ("", -1)) -> None:
        self.state = state
        self.ids: dict[str, int] = {}
        self.keys: dict[int, str] = {}
        self.chosen: dict[tuple[Scope, str, int, Place], list[int]] = {}
        self.items: dict[int, Item] = {}
        self.of_projects: dict[frozenset[str], array[int] | None] = {}
        self.counts: dict[tuple[str, str], int] | None = None
        self.facets: dict[tuple[Scope, tuple[Facet, ...]], dict[tuple[str, ...], int]] = {}


#: Parser for our own JSON, which has no surrounding white space to skip: a query reads some hundred items.
_decode = json.JSONDecoder().raw_decode

#: Columns and tables after a SELECT.
ITEM_FIELDS = f"{', '.join(COLUMNS)}, fields FROM items JOIN details ON item = id"


def item_of_row(row: Row) -> Item:
    """Return the item of a row of ITEM_FIELDS, without passages and edges."""
    values: dict[str, Any] = _decode(row[-1])[0]
    for name, value in values.items():
        if isinstance(value, list):
            values[name] = tuple(value)
    values.update(zip(COLUMNS, row, strict=False))
    for name in TIMES:
        values[name] = moment(values[name])
    values["always_load"] = bool(values["always_load"])
    return Item(**values)


def stored_of_row(row: Row) -> StoredPassage:
    """Return the passage of a row of PASSAGE."""
    number, key, ordinal, text, place, heading, speaker, ref, time, role = row
    return StoredPassage(number, key, ordinal, Passage(text, schema.turn_of(place), heading, speaker, ref, moment(time), role))


class OpenedRows:
    """An open file, and rows read from it since it changed."""

    def __init__(self, path: Path, db: apsw.Connection) -> None:
        self._path = path
        self.db = db
        self.file = file_id(path)
        self._kept = _Known()

    def ids_of(self, keys: Iterable[str]) -> dict[str, int]:
        """Return key -> item id for the existing items, in the given order."""
        wanted, known = list(keys), self._known().ids
        missing = {key for key in wanted if key not in known}
        if missing:
            given = (apsw.carray(tuple(sorted(missing)), flags=apsw.SQLITE_CARRAY_TEXT),)
            self._remember(self.db.execute("SELECT key, id FROM items WHERE key IN carray(?)", given))
        return {key: known[key] for key in wanted if key in known}

    def keys_of(self, ids: Iterable[int]) -> dict[int, str]:
        """Return item id -> key for the existing items."""
        wanted, known = set(ids), self._known().keys
        if missing := array("q", sorted(wanted - known.keys())):
            self._remember(self.db.execute("SELECT key, id FROM items WHERE id IN carray(?)", (apsw.carray(missing),)))
        return {count: known[count] for count in wanted if count in known}

    def _remember(self, pairs: Iterable[tuple[Any, ...]]) -> None:
        """Cache rows of (key, item id) for the next query."""
        for key, item in pairs:
            self._kept.ids[key] = item
            self._kept.keys[item] = key

    def items(self, ids: Sequence[int]) -> list[Item]:
        """Return the items with these ids, without passages and edges, in the given order; missing ones are omitted."""
        known = self._known().items
        if missing := array("q", sorted(set(ids) - known.keys())):
            rows = self.db.execute(f"SELECT id, {ITEM_FIELDS} WHERE id IN carray(?)", (apsw.carray(missing),))
            read = {row[0]: item_of_row(row[1:]) for row in rows}
            if len(known) + len(read) <= _ITEMS_KEPT:
                known |= read
            else:
                self._kept.items = read if len(read) <= _ITEMS_KEPT else {}  # reading all items must not fill memory
                known = known | read
        return [known[identity] for identity in ids if identity in known]

    def counts(self) -> dict[tuple[str, str], int]:
        """Return (source, status) -> number of items."""
        known = self._known()
        if known.counts is None:
            rows = self.db.execute("SELECT source, status, count(*) FROM items GROUP BY source, status")
            known.counts = {(source, status): count for source, status, count in rows}
        return known.counts

    def facets(self, scope: Scope, fields: Sequence[Facet]) -> dict[tuple[str, ...], int]:
        """Return (a value of each field) -> number of items in scope with these values."""
        known, asked = self._known().facets, (scope, tuple(fields))
        if asked not in known:
            if len(known) >= _CHOSEN_KEPT:
                known.clear()
            known[asked] = _counted(self.db, scope, fields)
        return known[asked]

    def chosen(self, scope: Scope, order: str, limit: int, after: Place = None) -> list[int]:
        """Return ids of at most `limit` items in scope, in an order of :data:`_ORDERS`."""
        known = self._known().chosen
        asked = scope, order, limit, after
        if asked not in known:
            if len(known) >= _CHOSEN_KEPT:
                known.clear()
            known[asked] = _chosen(self.db, scope, order, (limit, after), self._of_projects(scope))
        return known[asked]

    def _of_projects(self, scope: Scope) -> "array[int] | None":
        """Return the ids of the items that belong to a project of the scope or to none; None if they are many or all."""
        if scope.projects is None or scope.keys is not None:
            return None
        known, asked = self._known().of_projects, frozenset(("", *scope.projects))
        if asked not in known:
            if len(known) >= _CHOSEN_KEPT:
                known.clear()
            text = f"SELECT id FROM items WHERE project IN ({marks(sorted(asked))}) LIMIT ?"
            ids = array("q", (row[0] for row in self.db.execute(text, (*sorted(asked), _FEW_OF_PROJECTS + 1))))
            known[asked] = ids if len(ids) <= _FEW_OF_PROJECTS else None
        return known[asked]

    def _known(self) -> _Known:
        now = state(self.db)
        if now != self._kept.state:
            self._kept = _Known(now)
        if len(self._kept.ids) > _IDS_KEPT:
            self._kept.ids, self._kept.keys = {}, {}
        return self._kept


def _chosen(db: apsw.Connection, scope: Scope, order: str, page: tuple[int, Place], among: "array[int] | None") -> list[int]:
    """Return ids of a page of the items in scope, in an order. `among`: the only items that can be, where they are few."""
    sql, values = _within(scope)
    limit, after = page
    if after is not None:  # items without a time come last
        at = micros(after[0]) or 0
        sql += " AND (updated < ? OR updated IS NULL OR (updated = ? AND key > ?))"
        values += [at, at, after[1]]
    tables = "items INDEXED BY items_by_update" if order == "recent" and _is_wide(scope, limit) else "items"
    given: list[Any] = [*values, limit]
    if among is not None and not among:
        return []
    if among is not None:
        tables, given = "carray(?) a CROSS JOIN items ON items.id = a.value", [apsw.carray(among), *given]
    cursor = db.execute(f"SELECT id FROM {tables} WHERE {sql} ORDER BY {_ORDERS[order]}, key LIMIT ?", tuple(given))
    return [row[0] for row in cursor]


def _is_wide(scope: Scope, limit: int) -> bool:
    """Return whether scanning items by time fills a page of the newest quickly; SQLite itself would sort all matching items."""
    narrow = scope.kinds, scope.keys, scope.tags, scope.topics, scope.origins, scope.paths, scope.tools, scope.files
    stands = scope.statuses is None or "active" in scope.statuses
    return stands and limit <= _PAGE and not any(values is not None for values in narrow)


def _counted(db: apsw.Connection, scope: Scope, fields: Sequence[Facet]) -> dict[tuple[str, ...], int]:
    sql, values = _within(scope)
    columns = ", ".join(_FACETS.get(field, field) for field in fields)
    tables = "items INDEXED BY items_by_update" if scope.since else "items"  # SQLite itself would read every row of a source
    tables += " LEFT JOIN tags ON tags.item = items.id" if "tag" in fields else ""
    cursor = db.execute(f"SELECT {columns}, count(*) FROM {tables} WHERE {sql} GROUP BY {columns}", tuple(values))
    return {tuple(map(str, row[:-1])): row[-1] for row in cursor}


def _within(scope: Scope) -> tuple[str, list[Values]]:
    """Return SQL that is true exactly for items inside the scope, including its times and `without`, and its values."""
    sql, values = condition(scope)
    for bound, comparison in ((scope.since, ">="), (scope.until, "<")):
        if bound is not None:
            sql += f" AND updated {comparison} ?"
            values.append(micros(bound) or 0)
    if scope.without:
        sql += f" AND key NOT IN ({', '.join('?' * len(scope.without))})"
        values += sorted(scope.without)
    return sql, values


T = TypeVar("T", bound=OpenedRows)


class RowReader(Generic[T]):
    """Reads of the index that need no arithmetic, from the file `path`, opened at first use."""

    def __init__(self, path: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self._path = path
        self._busy_timeout_s = busy_timeout_s
        self._lock = threading.RLock()
        self._lost = False
        self._open: T | None = None

    def _opened(self, db: apsw.Connection) -> T:
        """Return the object with the caches of an open file."""
        raise NotImplementedError

    def _connect(self) -> apsw.Connection:
        return schema.connect(self._path, self._busy_timeout_s)

    def _is_frozen(self, db: apsw.Connection) -> bool:
        """Return whether a connection does not see later changes, so that it must be used for one query only."""
        return schema.is_frozen(db)

    def _connected(self) -> T:
        """Return the open file, reopened when another process replaced it."""
        if self._open is not None and self._is_frozen(self._open.db):
            self._release()
        if self._open is not None and self._open.file != file_id(self._path):
            self._release()
            self._lost = True
        if self._lost and not self._path.exists():
            raise deleted(self._path)
        if self._open is None:
            self._open = self._opened(self._connect())
            self._lost = False
        return self._open

    @contextlib.contextmanager
    def _reading(self) -> Iterator[T]:
        """Run the block's reads on one consistent state."""
        with self._lock, explained(self._path):
            opened = self._connected()
            with transaction(opened.db, "BEGIN"):
                yield opened

    def _release(self) -> None:
        if self._open is not None:
            opened, self._open = self._open, None
            opened.db.close(True)

    def take_over(self, reader: "RowReader[Any]") -> None:
        """Close a reader of the same file, and miss the file like that reader if it is deleted meanwhile."""
        self._lost = reader._lost or reader._open is not None
        reader.close()

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]:
        with self._reading() as opened:
            item = opened.db.execute("SELECT id FROM items WHERE key = ?", (clean(key),)).get
            if item is None:
                return ()
            rows = opened.db.execute(
                f"{PASSAGE} WHERE m.place >= ? AND m.place < ? AND m.ordinal >= ? AND m.ordinal < ? ORDER BY m.place",
                (schema.place(item), schema.place(item + 1), start, 1 << 62 if stop is None else stop),
            ).fetchall()
        return tuple(map(stored_of_row, rows))

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]:
        wanted = dict.fromkeys(map(clean, keys))
        with self._reading() as opened:
            all_items = opened.items(list(opened.ids_of(wanted).values()))
        return {item.key: item for item in all_items}

    def select(
        self,
        scope: Scope,
        *,
        order: Literal["priority", "recent", "importance", "confirmed"] = "recent",
        limit: int = 100,
        after: Place = None,
    ) -> tuple[Item, ...]:
        with self._reading() as opened:
            return tuple(opened.items(opened.chosen(scope, order, max(limit, 0), after)))

    def counts(self) -> Mapping[tuple[str, str], int]:
        with self._reading() as opened:
            return dict(opened.counts())

    def facets(self, scope: Scope, fields: Sequence[Facet]) -> Mapping[tuple[str, ...], int]:
        with self._reading() as opened:
            return opened.facets(scope, fields)

    def fingerprints(self, space: str | None = None, *, begins: str = "") -> Mapping[str, Fingerprint]:
        where = "substr(key, 1, ?) = ?" if space is None else "substr(key, 1, ?) = ? AND space = ?"
        values = (len(begins), begins, *(() if space is None else (space,)))
        with self._reading() as opened:
            fields = "SELECT key, space, path, stat, digest FROM items"
            rows: list[Any] = opened.db.execute(f"{fields} WHERE {where}", values).fetchall()
        return {row[0]: Fingerprint(*row[1:]) for row in rows}

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]:
        with self._reading() as opened:
            return edges_of(opened.db, [clean(key) for key in keys])

    def with_edge(self, kind: str) -> tuple[str, ...]:
        with self._reading() as opened:
            return with_edge(opened.db, clean(kind))

    def named(self, text: str) -> tuple[str, ...]:
        with self._reading() as opened:
            return named(opened.db, clean(text))

    def touches(self, scope: Scope, limit: int) -> tuple[tuple[str, Touch], ...]:
        of_items, values = condition(scope)
        of_touches, more = touched(scope, "t.")
        times = [(bound, sign) for bound, sign in ((scope.since, ">="), (scope.until, "<")) if bound is not None]
        in_time = "".join(f" AND ifnull(coalesce(t.time, updated) {sign} ?, 0)" for _, sign in times)
        bounds = [micros(bound) or 0 for bound, _ in times]
        without = f" AND key NOT IN ({', '.join('?' * len(scope.without))})" if scope.without else ""
        with self._reading() as opened:
            rows: list[Any] = opened.db.execute(
                "SELECT key, u.name, f.file, t.turn, t.time, t.ref FROM touches t JOIN items ON items.id = t.item"
                " JOIN tools u ON u.id = t.tool JOIN files f ON f.id = t.file"
                f" WHERE source = 'session' AND {of_items} AND {of_touches}{in_time}{without}"
                " ORDER BY t.time DESC NULLS LAST, key, t.rowid LIMIT ?",
                (*values, *more, *bounds, *sorted(scope.without), max(limit, 0)),
            ).fetchall()
        return tuple((key, Touch(tool, file, turn, moment(time), ref)) for key, tool, file, turn, time, ref in rows)

    def is_complete(self) -> bool:
        with self._reading() as opened:
            return bool(opened.db.execute("SELECT count(*) FROM meta WHERE name = 'complete'").get)

    def held(self) -> Mapping[str, str]:
        with self._reading() as opened:
            items = f"SELECT item, json_extract(fields, '$.branch') AS branch {BRANCHES}"
            return dict(opened.db.execute(f"SELECT key, branch FROM ({items}) CROSS JOIN items ON id = item ORDER BY key"))

    def close(self) -> None:
        with self._lock, explained(self._path):
            self._release()

"""Links between items, resolved at query time. Must agree with `stores/links.py`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import apsw

from vademecum.adapters.stores import links
from vademecum.domain.item import Edge


def edges_of(db: apsw.Connection, keys: Sequence[str]) -> dict[str, tuple[Edge, ...]]:
    """Return edges from and to each existing item, outgoing ones first."""
    by_key = {}
    for key in keys:
        row = db.execute("SELECT id, space FROM items WHERE key = ?", (key,)).get
        if row:
            out = [Edge(kind, target) for kind, target in _out(db, row[0], row[1]) if target != key]
            into = [Edge(kind, source) for kind, source in _into(db, row[0], key)]
            by_key[key] = tuple(dict.fromkeys(out + into))
    return by_key


def with_edge(db: apsw.Connection, kind: str) -> tuple[str, ...]:
    """Return keys of the items that have an edge of that type, sorted.

    The index of types excludes plain links, which are numerous.
    """
    few = "" if kind == "links" else " AND type <> 'links'"
    rows: list[Any] = db.execute(
        f"SELECT DISTINCT key FROM edges JOIN items ON id = item WHERE type = ?{few} ORDER BY key", (kind,)
    ).fetchall()
    return tuple(key for (key,) in rows)


def named(db: apsw.Connection, text: str) -> tuple[str, ...]:
    """Return keys of the items that a name may mean, best match first."""
    folded = links.fold(text)
    rows: list[Any] = db.execute(
        "SELECT key, space, path, sureness FROM names JOIN items ON id = item WHERE name = ?", (links.last_part(folded),)
    ).fetchall()
    return links.ordered(folded, (links.Named(*row) for row in rows))


def _out(db: apsw.Connection, item: int, space: str) -> Iterator[tuple[str, str]]:
    rows: list[Any] = db.execute("SELECT type, target, part FROM edges WHERE item = ? ORDER BY ordinal", (item,)).fetchall()
    for kind, target, part in rows:
        key = _resolve(db, links.fold(target), part, space)
        if key:
            yield kind, key


def _into(db: apsw.Connection, item: int, key: str) -> Iterator[tuple[str, str]]:
    rows: list[Any] = db.execute(
        "SELECT e.type, e.target, e.part, i.key, i.space"
        " FROM names n JOIN edges e ON e.part = n.name JOIN items i ON i.id = e.item"
        " WHERE n.item = ? AND e.item <> n.item ORDER BY i.key, e.ordinal",
        (item,),
    ).fetchall()
    for kind, target, part, source, space in rows:
        if _resolve(db, links.fold(target), part, space) == key:
            yield kind, source


def _resolve(db: apsw.Connection, link: str, part: str, space: str) -> str | None:
    named: Iterable[Any] = db.execute(
        "SELECT key, space, path, sureness FROM names JOIN items ON id = item WHERE name = ?", (part,)
    )
    return links.choose(link, space, (links.Named(*row) for row in named))

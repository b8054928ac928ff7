"""A scope as SQL over items, and times as numbers. Must agree with `domain/scope.py`."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from vademecum.domain.query import Scope
from vademecum.domain.scope import folded_label, folded_path

Values = str | int | bytes

#: FROM clause of the items that hold only on a branch. There are few, and they have an index of their own.
BRANCHES = "FROM details WHERE json_extract(fields, '$.branch') IS NOT NULL"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime | None) -> int | None:
    """Return microseconds since 1970, UTC."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment(micros: int | None) -> datetime | None:
    """Return the time of such microseconds: the inverse of :func:`micros`."""
    return None if micros is None else _EPOCH + timedelta(microseconds=micros)


def condition(scope: Scope) -> tuple[str, list[Values]]:
    """Return SQL that is true for an item inside the scope, never NULL, and its values.

    `without` and times are not included.
    """
    parts: list[str] = []
    values: list[Values] = []
    for sql, given in _conditions(scope):
        parts.append(sql)
        values += given
    return " AND ".join(parts) or "1", values


def _conditions(scope: Scope) -> Iterator[tuple[str, list[Values]]]:
    allowed = {
        "space": scope.spaces, "source": scope.sources, "kind": scope.kinds, "status": scope.statuses,
        "profile": scope.profiles, "agent": scope.agents, "host": scope.hosts, "visibility": scope.visibilities,
        "project": None if scope.projects is None else ("", *scope.projects), "key": scope.keys,
    }  # fmt: skip
    for column, given in allowed.items():
        if given is not None:
            yield f"{column} IN ({marks(given)})", list(given)
    if scope.always_load is not None:
        yield ("always_load" if scope.always_load else "NOT always_load"), []
    for column, labels in (("tag", scope.tags), ("topic", scope.topics)):
        if labels is not None:
            folded = [folded_label(label) for label in labels]
            within = f"{column} IN ({marks(folded)})"
            nested = folded if column == "tag" else []  # `craft` means `craft/glaze` too
            within = " OR ".join([within, *(f"({column} >= ? AND {column} < ?)" for _ in nested)])
            below = [bound for label in nested for bound in (f"{label}/", f"{label}0")]  # 0 is the character after /
            yield f"items.id IN (SELECT item FROM {column}s WHERE {within})", [*folded, *below]
    if scope.origins is not None:
        text = f"SELECT item FROM details WHERE json_extract(fields, '$.origin') IN ({marks(scope.origins)})"
        yield f"items.id IN ({text})", list(scope.origins)
    yield from _places(scope)
    if scope.tools is not None or scope.files is not None:
        sql, given_touches = touched(scope)
        yield f"items.id IN (SELECT item FROM touches WHERE {sql})", given_touches
    if scope.as_of is not None:
        at = micros(scope.as_of) or 0
        yield "ifnull(created <= ?, 1) AND ifnull(valid_from <= ?, 1) AND ifnull(? < valid_until, 1)", [at, at, at]


def _places(scope: Scope) -> Iterator[tuple[str, list[Values]]]:
    if scope.branches is not None:
        elsewhere = f"{BRANCHES} AND json_extract(fields, '$.branch') NOT IN ({marks(scope.branches)})"
        yield f"items.id NOT IN (SELECT item {elsewhere})", list(scope.branches)
    if scope.paths is not None:
        starts = " OR ".join("substr(path, 1, ?) = ?" for _ in scope.paths) or "0"
        yield f"({starts})", [value for path in scope.paths for value in (len(path), path)]


def touched(scope: Scope, table: str = "") -> tuple[str, list[Values]]:
    """Return SQL that is true for a tool use in scope, and its values; `table`: prefix of columns, including a dot."""
    parts: list[str] = []
    values: list[Values] = []
    if scope.tools is not None:
        parts.append(f"{table}tool IN (SELECT id FROM tools WHERE name COLLATE NOCASE IN ({marks(scope.tools)}))")
        values += scope.tools
    if scope.files is not None:
        ends = [end for end in map(folded_path, scope.files) if end]
        named = " OR ".join("(name = ? AND (folded = ? OR substr(folded, -?) = ?))" for _ in ends) or "0"
        parts.append(f"{table}file IN (SELECT id FROM files WHERE {named})")
        for end in ends:
            tail = f"/{end.lstrip('/')}"
            values += [last_part(end), end, len(tail), tail]
    return " AND ".join(parts) or "1", values


def last_part(path: str) -> str:
    """Return the name of a file without its folders."""
    return path.rpartition("/")[2]


def marks(values: tuple[str, ...] | list[str]) -> str:
    """Return as many SQL placeholders, separated by commas."""
    return ", ".join("?" * len(values))

"""What the small SQLite files of this device have in common: how they are opened and changed, and values kept as one column of JSON."""

import contextlib
import json
from collections.abc import Collection, Iterator
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def opened(path: Path | None, schema: str, busy_ms: int) -> apsw.Connection:
    """A connection to a file with these tables; `path` None keeps it in memory. A damaged file is set aside and started anew.

    What was acknowledged is in the file's log before a call returns, so kill -9 takes nothing back.
    """
    if path is None:
        return _prepared(":memory:", schema, busy_ms)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _prepared(str(path), schema, busy_ms)
    except (apsw.NotADBError, apsw.CorruptError):
        path.replace(path.with_suffix(".damaged"))
        return _prepared(str(path), schema, busy_ms)


def _prepared(name: str, schema: str, busy_ms: int) -> apsw.Connection:
    base = apsw.Connection(name)
    base.set_busy_timeout(busy_ms)
    if base.db_filename("main"):
        base.pragma("journal_mode", "wal")
    base.pragma("synchronous", "normal")
    base.execute(schema)
    return base


@contextlib.contextmanager
def transaction(base: apsw.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[apsw.Connection]:
    """All or nothing of what is done inside; `begin` says with which lock, usually that nobody else changes anything meanwhile."""
    base.execute(begin)
    try:
        yield base
        base.execute("COMMIT")
    finally:
        if base.in_transaction:
            base.execute("ROLLBACK")


def micros(moment: datetime) -> int:
    """Microseconds since 1970, for columns that are compared."""
    return (moment - _EPOCH) // _MICROSECOND


def moment_of(count: int) -> datetime:
    """The moment so many microseconds after 1970; aware, UTC."""
    return _EPOCH + count * _MICROSECOND


def to_column(value: Any, apart: Collection[str], times: Collection[str]) -> str:
    """A dataclass as JSON, without what is empty and without the fields that have columns of their own (`apart`)."""
    given: dict[str, Any] = {}
    for row in fields(value):
        held = getattr(value, row.name)
        if row.name not in apart and held not in (None, "", 0, False, ()):
            given[row.name] = micros(held) if row.name in times else held
    return safe(json.dumps(given, ensure_ascii=False))


def from_column(text: str, times: Collection[str]) -> dict[str, Any]:
    """The fields that such a column holds, by name; those in `times` as moments."""
    given: dict[str, Any] = json.loads(text)
    return {name: moment_of(held) if name in times else held for name, held in given.items()}


def safe(text: str) -> str:
    """Without lone surrogates, which SQLite's text cannot hold (X-49)."""
    return text.encode("utf-8", "replace").decode("utf-8")

"""The log of tool calls, in a SQLite file of its own.

It grows with every conversation, and forgetting rewrites the complete file.
"""

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from vademecum.adapters.stores.device_file import DeviceFile, micros, moment_of, safe
from vademecum.domain.action import LoggedCall

#: Name of the file.
NAME = "actions.db"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS call(
    number INTEGER PRIMARY KEY, session TEXT NOT NULL, call TEXT NOT NULL, id TEXT NOT NULL, project TEXT NOT NULL, at INTEGER,
    tool TEXT NOT NULL, target TEXT NOT NULL, outcome TEXT NOT NULL, says TEXT NOT NULL, words TEXT NOT NULL, UNIQUE(session, call)
);
CREATE INDEX IF NOT EXISTS call_by_outcome ON call(outcome, project, tool);
CREATE TABLE IF NOT EXISTS proposed(project TEXT NOT NULL, pattern TEXT NOT NULL, PRIMARY KEY(project, pattern)) WITHOUT ROWID;
"""
_COLUMNS = "session, call, id, project, at, tool, target, outcome, says, words"
_PUT = (
    f"INSERT INTO call({_COLUMNS}) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT(session, call) DO UPDATE SET id = excluded.id,"
    " project = excluded.project, at = excluded.at, tool = excluded.tool, target = excluded.target,"
    " says = CASE WHEN excluded.outcome = '' THEN says ELSE excluded.says END,"
    " words = CASE WHEN excluded.outcome = '' THEN words ELSE excluded.words END,"
    " outcome = CASE WHEN excluded.outcome = '' THEN outcome ELSE excluded.outcome END"
)
_TARGET = _COLUMNS.split(", ").index("target")
_SINCE = "(?1 IS NULL OR at IS NULL OR at >= ?1)"
_LATEST = f"SELECT {_COLUMNS} FROM call WHERE ?1 IS NULL OR project = ?1 ORDER BY number DESC LIMIT ?2"
_FAILED = (
    f"SELECT {_COLUMNS} FROM call WHERE outcome IN ('failed', 'refused') AND {_SINCE} AND (?2 IS NULL OR project = ?2)"
    " ORDER BY at, number"
)
_SUCCEEDED = f"SELECT {_COLUMNS} FROM call WHERE outcome = 'ok' AND {_SINCE} AND project = ?2 AND tool = ?3 ORDER BY at, number"


class SqliteCallLog:
    """The CallLog port over a file; `path` None: in memory. A damaged file is set aside and replaced by a new one.

    Args:
        changed: called after calls were logged or erased, before the operation returns.
    """

    def __init__(self, path: Path | None, changed: Callable[[], None] = lambda: None) -> None:
        self._base = DeviceFile(path, _SCHEMA)
        self._changed = changed

    def put(self, calls: Iterable[LoggedCall]) -> None:
        rows = [_row(call) for call in calls]
        if rows:
            with self._base.transaction():
                self._base.executemany(_PUT, rows)
            self._changed()

    def replace(self, session: str, calls: Iterable[LoggedCall]) -> None:
        rows = [_row(call) for call in calls]
        with self._base.transaction():
            self._base.execute("DELETE FROM call WHERE session = ?", (safe(session),))
            self._base.executemany(_PUT, rows)
        self._changed()

    def of(self, session: str) -> tuple[LoggedCall, ...]:
        rows = self._base.execute(f"SELECT {_COLUMNS} FROM call WHERE session = ? ORDER BY number", (safe(session),))
        return tuple(map(_call, rows))

    def failed(self, project: str | None, since: datetime | None) -> tuple[LoggedCall, ...]:
        return tuple(map(_call, self._base.execute(_FAILED, (_micros(since), project))))

    def succeeded(
        self, project: str, tool: str, since: datetime | None, holds: Callable[[str], bool]
    ) -> tuple[LoggedCall, ...]:
        rows = self._base.execute(_SUCCEEDED, (_micros(since), project, tool))
        return tuple(_call(row) for row in rows if holds(row[_TARGET]))

    def latest(self, project: str | None, limit: int) -> tuple[LoggedCall, ...]:
        return tuple(map(_call, self._base.execute(_LATEST, (project, limit))))

    def propose(self, project: str, pattern: str) -> bool:
        with self._base.transaction():
            self._base.execute("INSERT OR IGNORE INTO proposed VALUES(?, ?)", (safe(project), safe(pattern)))
            return self._base.changes() > 0

    def erase(self, holds: Callable[[str], bool], sessions: Collection[str]) -> int:
        removed = 0
        with self._base.transaction():
            for number, session, *texts in self._base.execute("SELECT number, session, target, says, words FROM call"):
                if session in sessions or any(text and holds(text) for text in texts):
                    self._base.execute("DELETE FROM call WHERE number = ?", (number,))
                    removed += 1
            for project, pattern in self._base.execute("SELECT project, pattern FROM proposed"):
                if holds(pattern):
                    self._base.execute("DELETE FROM proposed WHERE project = ? AND pattern = ?", (project, pattern))
                    removed += 1
        self._base.compact()
        self._changed()
        return removed

    def close(self) -> None:
        self._base.close()


def _micros(moment: datetime | None) -> int | None:
    return None if moment is None else micros(moment)


def _row(call: LoggedCall) -> tuple[Any, ...]:
    texts = (call.session, call.call, call.id, call.project)
    tool = (call.tool, call.target, call.outcome, call.says, call.words)
    return (*map(safe, texts), _micros(call.at), *map(safe, tool))


def _call(row: Any) -> LoggedCall:
    session, call, identity, project, at, tool, target, outcome, says, words = row
    moment = None if at is None else moment_of(at)
    return LoggedCall(session, call, project, moment, tool, target, outcome, says, words, identity)

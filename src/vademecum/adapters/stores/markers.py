"""Markers of sessions' lives: in a small SQLite file that survives being killed, and in memory as the reference.

What was acknowledged is in the file's log before the call returns, so kill -9 takes nothing back. A power failure may take the
last moments; they are found again by the silence of the session, so no disk flush is paid for at every hook.
"""

import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from vademecum.adapters.stores.device_file import from_column, micros, opened, safe, to_column, transaction
from vademecum.model.lifecycle import Marker, Stage

_BUSY_MS = 5000
_TIMES = frozenset({"started", "seen", "ended", "processed", "tried"})
_SCHEMA = """
CREATE TABLE IF NOT EXISTS marker(session TEXT PRIMARY KEY, stage TEXT NOT NULL, seen INTEGER NOT NULL, fields TEXT NOT NULL)
    WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS marker_by_stage ON marker(stage, seen);
"""

Change = Callable[[Marker | None], Marker | None]


class MemoryMarkers:
    """The Markers port as a dictionary: the reference."""

    def __init__(self) -> None:
        self._markers: dict[str, Marker] = {}

    def get(self, session: str) -> Marker | None:
        """See the port."""
        return self._markers.get(session)

    def change(self, session: str, change: Change) -> Marker | None:
        """See the port."""
        new = change(self._markers.get(session))
        if new is None:
            self._markers.pop(session, None)
        else:
            self._markers[session] = replace(new, session=session)
        return self._markers.get(session)

    def all(self, stages: Collection[Stage] | None = None) -> tuple[Marker, ...]:
        """See the port."""
        found = [one for one in self._markers.values() if stages is None or one.stage in stages]
        return tuple(sorted(found, key=lambda one: (one.seen, one.session)))

    def compact(self) -> None:
        """See the port."""

    def close(self) -> None:
        """See the port."""


class SqliteMarkers:
    """The Markers port over a file. A damaged one is set aside and started anew: transcripts tell again what they held."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._opened: apsw.Connection | None = None

    @property
    def _base(self) -> apsw.Connection:
        """Opened when first used: a question needs no markers."""
        if self._opened is None:
            self._opened = opened(self._path, _SCHEMA, _BUSY_MS)
        return self._opened

    def get(self, session: str) -> Marker | None:
        """See the port."""
        with self._lock:
            row = self._base.execute("SELECT session, stage, fields FROM marker WHERE session = ?", (safe(session),)).fetchone()
        return _marker(row) if row else None

    def change(self, session: str, change: Change) -> Marker | None:
        """See the port."""
        key = safe(session)
        with self._lock, transaction(self._base) as base:
            new = change(self.get(session))
            if new is None:
                base.execute("DELETE FROM marker WHERE session = ?", (key,))
            else:
                row = (key, new.stage, micros(new.seen), _fields(new))
                base.execute("INSERT OR REPLACE INTO marker VALUES(?, ?, ?, ?)", row)
            return replace(new, session=key) if new else None

    def all(self, stages: Collection[Stage] | None = None) -> tuple[Marker, ...]:
        """See the port."""
        where, values = ("", ()) if stages is None else (f" WHERE stage IN ({', '.join('?' * len(stages))})", tuple(stages))
        with self._lock:
            rows = self._base.execute(f"SELECT session, stage, fields FROM marker{where} ORDER BY seen, session", values)
            return tuple(map(_marker, rows))

    def compact(self) -> None:
        """See the port."""
        with self._lock:
            self._base.execute("VACUUM")
            self._base.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """See the port."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None


def _fields(marker: Marker) -> str:
    return to_column(marker, ("session", "stage"), _TIMES)


def _marker(row: Any) -> Marker:
    return Marker(row[0], row[1], **from_column(row[2], _TIMES))

"""Markers of sessions' life cycles, in the device's database.

Acknowledged changes are in the file's log before the call returns, so they survive kill -9. A power failure may lose the last
moments; they are detected later by the silence of the session, so hooks need not wait for a disk flush.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from vademecum.adapters.stores.device_file import DeviceFile, from_column, micros, safe, to_column
from vademecum.domain.lifecycle import Marker, Stage

_TIMES = frozenset({"started", "seen", "ended", "processed", "tried"})

Change = Callable[[Marker | None], Marker | None]


class SqliteMarkers:
    """The Markers port over a file.

    A damaged file is set aside and replaced by a new one; the transcripts still contain the data.
    """

    def __init__(self, path: Path) -> None:
        self._base = DeviceFile(path)

    def get(self, session: str) -> Marker | None:
        row = self._base.first("SELECT session, stage, fields FROM marker WHERE session = ?", (safe(session),))
        return _marker(row) if row else None

    def change(self, session: str, change: Change) -> Marker | None:
        key = safe(session)
        with self._base.transaction():
            new = change(self.get(session))
            if new is None:
                self._base.execute("DELETE FROM marker WHERE session = ?", (key,))
            else:
                row = (key, new.stage, micros(new.seen), _fields(new))
                self._base.execute("INSERT OR REPLACE INTO marker VALUES(?, ?, ?, ?)", row)
            return replace(new, session=key) if new else None

    def all(self, stages: Collection[Stage] | None = None) -> tuple[Marker, ...]:
        where, values = ("", ()) if stages is None else (f" WHERE stage IN ({', '.join('?' * len(stages))})", tuple(stages))
        rows = self._base.execute(f"SELECT session, stage, fields FROM marker{where} ORDER BY seen, session", values)
        return tuple(map(_marker, rows))

    def compact(self) -> None:
        self._base.compact()

    def close(self) -> None:
        self._base.close()


def _fields(marker: Marker) -> str:
    return to_column(marker, ("session", "stage"), _TIMES)


def _marker(row: Any) -> Marker:
    return Marker(row[0], row[1], **from_column(row[2], _TIMES))

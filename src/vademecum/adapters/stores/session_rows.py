"""Records of sessions in the device's database, one row each.

Acknowledged changes are in the file's log before the call returns, so they survive kill -9. A damaged file is set aside and
replaced by a new one; the transcripts still contain the data.
"""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from msgspec.structs import replace

from vademecum.adapters.stores.device_file import DeviceFile, from_column, micros, safe, to_column
from vademecum.domain.extraction import Extraction
from vademecum.domain.lifecycle import Marker

R = TypeVar("R", Marker, Extraction)


class SessionRows(Generic[R]):
    """A table with the columns session, stage, a time to sort by, and the other fields.

    Attributes:
        table: its name. order: the field to sort by. times: fields that are times.
    """

    table: ClassVar[str]
    order: ClassVar[str]
    times: ClassVar[frozenset[str]]

    def __init__(self, path: Path) -> None:
        self._base = DeviceFile(path)

    def record(self, session: str, stage: Any, fields: dict[str, Any]) -> R:
        """Return the record of a row."""
        raise NotImplementedError

    def get(self, session: str) -> R | None:
        row = self._base.first(f"SELECT session, stage, fields FROM {self.table} WHERE session = ?", (safe(session),))
        return self._read(row) if row else None

    def change(self, session: str, change: Callable[[R | None], R | None]) -> R | None:
        key = safe(session)
        with self._base.transaction():
            new = change(self.get(session))
            if new is None:
                self._base.execute(f"DELETE FROM {self.table} WHERE session = ?", (key,))
                return None
            row = (key, new.stage, micros(getattr(new, self.order)), to_column(new, ("session", "stage"), self.times))
            self._base.execute(f"INSERT OR REPLACE INTO {self.table} VALUES(?, ?, ?, ?)", row)
            return replace(new, session=key)

    def all(self, stages: Collection[str] | None = None) -> tuple[R, ...]:
        where, values = ("", ()) if stages is None else (f" WHERE stage IN ({', '.join('?' * len(stages))})", tuple(stages))
        sql = f"SELECT session, stage, fields FROM {self.table}{where} ORDER BY {self.order}, session"
        return tuple(map(self._read, self._base.execute(sql, values)))

    def compact(self) -> None:
        self._base.compact()

    def close(self) -> None:
        self._base.close()

    def _read(self, row: Any) -> R:
        return self.record(row[0], row[1], from_column(row[2], self.times))

"""The index of a process that may need no more than rows: searches and writes are loaded with the first of them."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import apsw

from vademecum.adapters.stores.sqlite.rows import OpenedRows, RowReader

if TYPE_CHECKING:
    from vademecum.adapters.stores.sqlite.store import SqliteIndex
    from vademecum.ports.index import Index

#: Reads of :class:`RowReader`.
_READS = frozenset(name for name in vars(RowReader) if not name.startswith("_") and name not in ("close", "take_over"))


class _Rows(RowReader[OpenedRows]):
    """Reads rows only."""

    def _opened(self, db: apsw.Connection) -> OpenedRows:
        return OpenedRows(self._path, db)


class _LateIndex:
    """An index that imports numpy, which takes longer than reading a page of memories, with the first call that needs it."""

    def __init__(self, path: Path, open_whole: Callable[[], "SqliteIndex"]) -> None:
        self._open_whole = open_whole
        self._lock = threading.Lock()
        self._rows = _Rows(path)
        self._whole: SqliteIndex | None = None

    def __getattr__(self, name: str) -> Any:
        if self._whole is None and name in _READS:
            return getattr(self._rows, name)
        return getattr(self._loaded(), name)

    def _loaded(self) -> "SqliteIndex":
        with self._lock:
            if self._whole is None:
                whole = self._open_whole()
                whole.take_over(self._rows)
                self._whole = whole
        return self._whole

    def close(self) -> None:
        self._rows.close()
        if self._whole is not None:
            self._whole.close()


def late_index(path: Path, open_whole: Callable[[], "SqliteIndex"]) -> "Index":
    """Return the index in the file `path`, opened at first use.

    Args:
        open_whole: imports and opens the whole index in the same file.
    """
    return cast("Index", _LateIndex(path, open_whole))

"""The index for a process that may be gone in a moment: as long as only items are asked for, nothing else of it is loaded."""

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.adapters.stores import sqlite
from vademecum.adapters.stores.sqlite.rows import ItemReader

if TYPE_CHECKING:
    from vademecum.adapters.stores.sqlite.store import SqliteIndex

#: What a reader of items answers by itself.
_BY_ITEMS = frozenset({"counts", "items", "passages_of", "select"})


class LightIndex:
    """An :class:`~vademecum.model.ports.Index` in the file `path`. Everything but items is asked of a whole one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._items = ItemReader(path)

    @cached_property
    def _whole(self) -> "SqliteIndex":
        return sqlite.SqliteIndex(self._path)

    def __getattr__(self, name: str) -> Any:
        by_items = name in _BY_ITEMS and "_whole" not in self.__dict__
        return getattr(self._items if by_items else self._whole, name)

    def close(self) -> None:
        """Let go of the file."""
        self._items.close()
        if "_whole" in self.__dict__:
            self._whole.close()

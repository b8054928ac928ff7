"""Notices that a data folder was cloned with a disk, so that two computers write one journal: this one then goes by a new name.

The data folder keeps the id of the last record that it wrote. When the journal of this device ends otherwise, somebody else wrote
there, or a sync tool put an older file in its place.
"""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from vademecum.vault.journal import Journal


class OwnRecords:
    """The last records that this data folder wrote, by space. Only under the lock.

    Args:
        folder: where that is kept. new_name: gives this device another name and keeps it; None: its name is not looked after.
    """

    def __init__(self, folder: Path, journals: Mapping[str, Journal], new_name: Callable[[], str] | None) -> None:
        self._folder, self._journals, self._new_name = folder, journals, new_name

    def note(self, space: str, record_id: str = "") -> None:
        """Keep which record is about to be written, "" for none, and which is the last until then: either may be found."""
        if self._new_name is not None:
            with contextlib.suppress(OSError):  # then a new name is taken, which costs nothing
                self._file(space).write_text(f"{record_id} {self._journals[space].last_id()}", encoding="utf-8")

    def wrote(self, space: str, record_id: str) -> None:
        """Keep that a record is the last one of this device: a journal that ends before it is not as it was left."""
        if self._new_name is not None:
            with contextlib.suppress(OSError):
                self._file(space).write_text(f"{record_id} {record_id}", encoding="utf-8")

    def other_name(self) -> str:
        """Return the new name of this device when somebody else wrote its journal, else ""."""
        if self._new_name is None or all(map(self._is_ours, self._journals)):
            return ""
        self.unread.touch()
        return self._new_name()

    @property
    def unread(self) -> Path:
        """Return a file that stands while the notes have not been compared with the journals since the name changed."""
        return self._folder / "unread"

    def _is_ours(self, space: str) -> bool:
        try:
            noted = self._file(space).read_text(encoding="utf-8", errors="replace").split(" ")
        except OSError:
            return True  # nothing was noted yet
        return self._journals[space].last_id() in noted

    def _file(self, space: str) -> Path:
        return self._folder / f"{space}.last"

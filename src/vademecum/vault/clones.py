"""Detect that a data folder was cloned with a disk, so that two computers write to one journal, and give this device a new name.

The data folder has the id of the last record that it wrote. If this device's journal ends with another one, another computer
wrote to it, or a sync tool replaced it by an older file.
"""

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path

from vademecum.vault.journal import Journal


class OwnRecords:
    """The last records that this data folder wrote, by space. The caller must hold the lock.

    Args:
        folder: where their ids are saved. new_name: gives this device another name and saves it; None: clones are not detected.
    """

    def __init__(self, folder: Path, journals: Mapping[str, Journal], new_name: Callable[[], str] | None) -> None:
        self._folder, self._journals, self._new_name = folder, journals, new_name

    def note(self, space: str, record_id: str = "") -> None:
        """Save the id of the record about to be written, "" for none, and of the last one so far: the journal may end with either."""
        if self._new_name is not None:
            with contextlib.suppress(OSError):  # then a new name is chosen, which does no harm
                self._file(space).write_text(f"{record_id} {self._journals[space].last_id()}", encoding="utf-8")

    def wrote(self, space: str, record_id: str) -> None:
        """Save the id of this device's last record. If the journal later ends before it, it was replaced."""
        if self._new_name is not None:
            with contextlib.suppress(OSError):
                self._file(space).write_text(f"{record_id} {record_id}", encoding="utf-8")

    def other_name(self) -> str:
        """Return the new name of this device if another computer wrote to its journal, else ""."""
        if self._new_name is None or all(self._is_ours(space) for space in self._journals if not self.are_lost(space)):
            return ""
        self.unread.touch()
        return self._new_name()

    def are_lost(self, space: str) -> bool:
        """Return whether this device wrote to the space, and no device has a journal there any more: a disk that is not mounted."""
        return not self._journals[space].is_there() and any(self._noted(space))

    def accept_loss(self) -> None:
        """Let this device write again where its journal is lost, as to a new space."""
        for space in self._journals:
            if self.are_lost(space):
                self._file(space).unlink(missing_ok=True)

    @property
    def unread(self) -> Path:
        """A file that exists until the notes have been compared with the journals after a change of name."""
        return self._folder / "unread"

    def _is_ours(self, space: str) -> bool:
        noted = self._noted(space)
        return not noted or self._journals[space].last_id() in noted

    def _noted(self, space: str) -> list[str]:
        """Return the ids of which the journal may end with any, "" for none; empty if nothing was saved yet."""
        try:
            return self._file(space).read_text(encoding="utf-8", errors="replace").split(" ")
        except OSError:
            return []

    def _file(self, space: str) -> Path:
        return self._folder / f"{space}.last"

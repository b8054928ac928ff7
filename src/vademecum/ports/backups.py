"""Backup files."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from msgspec import Struct

from vademecum.domain.backup import Contents, Member


class Writer(Protocol):
    """Writes files into a backup, one after the other."""

    members: list[Member]

    def add(self, name: str, path: Path) -> None:
        """Add a file under a name.

        Raises:
            BackupUnusable: it became shorter meanwhile. OSError: it cannot be read.
        """

    def add_text(self, name: str, text: str) -> None:
        """Add a text under a name."""

    def finish(self, contents: Contents) -> None:
        """Write the table of contents as the last entry."""


class BackupFiles(Struct, frozen=True):
    """Functions that write and read backups.

    Attributes:
        writing: (path, passphrase) -> writer of a new backup. The file gets its name only after it was written to disk and read
            back; with the passphrase "" it is not encrypted.
        unpack: (path, passphrase, empty folder) -> contents, after the files were written to the folder. Verified only when the
            call returns.
        read: (path, passphrase, take) -> contents, after `take` was called with the name and a stream of each file. Verified
            only when the call returns.
        contents_of: (path, passphrase) -> contents, after the whole file was read.
        snapshot: (database of ours, new file) -> None; copies the database's current state.
    """

    writing: Callable[[Path, str], AbstractContextManager[Writer]]
    unpack: Callable[[Path, str, Path], Contents]
    read: Callable[[Path, str, Callable[[str, BinaryIO], None]], Contents]
    contents_of: Callable[[Path, str], Contents]
    snapshot: Callable[[Path, Path], None]

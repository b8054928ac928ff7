"""The file that a backup is."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, Protocol

from msgspec import Struct

from vademecum.domain.backup import Contents, Member


class Writer(Protocol):
    """Puts files into a backup, one behind the other."""

    members: list[Member]

    def add(self, name: str, path: Path) -> None:
        """Put a file in, under a name.

        Raises:
            BackupUnusable: it became shorter meanwhile. OSError: it cannot be read.
        """

    def add_text(self, name: str, text: str) -> None:
        """Put a text in, under a name."""

    def finish(self, contents: Contents) -> None:
        """Put in the list of what is there; nothing comes behind it."""


class BackupFiles(Struct, frozen=True):
    """How backups are written and read.

    Attributes:
        writing: (path, passphrase) -> what a new one is written with. It has its name once it is on disk and was read back; a
            passphrase of "" leaves it readable to everybody.
        unpack: (path, passphrase, empty folder) -> what was put there; nothing is believed before all was read.
        read: (path, passphrase, take) -> what is in it, each file having been given to `take` as its name and what reads it; the same.
        contents_of: (path, passphrase) -> what is in it, all of it read.
        snapshot: (database of ours, new file) -> a copy of it as it is now.
    """

    writing: Callable[[Path, str], AbstractContextManager[Writer]]
    unpack: Callable[[Path, str, Path], Contents]
    read: Callable[[Path, str, Callable[[str, BinaryIO], None]], Contents]
    contents_of: Callable[[Path, str], Contents]
    snapshot: Callable[[Path, Path], None]

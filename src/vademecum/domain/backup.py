"""Contents of a backup, and the record of a backup that was made."""

from datetime import datetime

from msgspec import Struct

#: Files in a data folder: the device's name in journals, and the name of the device whose backup was restored there.
DEVICE_NAME, BEFORE_NAME = "device-id", "device-before"


class Member(Struct, frozen=True, array_like=True):
    """A file in a backup: its name there, its size in bytes, and the SHA-256 of its content."""

    name: str
    size: int
    sha256: str


class Contents(Struct, frozen=True):
    """The table of contents of a backup.

    Attributes:
        made: when. device: name of the computer in its journals. home: folder of the memories on that computer.
        members: its files, in order.
        space: name of the team space whose copies it contains, and `copies` their number; "": it contains a memory.
        left_out: files that the person may expect in it but that are not included, one sentence each.
        version: version of this format.
    """

    made: datetime
    device: str
    home: str
    members: tuple[Member, ...]
    left_out: tuple[str, ...] = ()
    version: int = 1
    space: str = ""
    copies: int = 0

    def notes(self) -> int:
        """Return the number of Markdown files of the memory in it, journals excluded."""
        names = (member.name for member in self.members)
        return sum(name.startswith("memory/") and name.endswith(".md") and "/_journal/" not in name for name in names)


class Backup(Struct, frozen=True):
    """A backup that was made.

    Attributes:
        file: where. made: when. bytes: its size. notes: number of Markdown files in it. sealed: it is encrypted with a
            passphrase.
        left_out: as in :class:`Contents`.
    """

    file: str
    made: datetime
    bytes: int
    notes: int
    sealed: bool
    left_out: tuple[str, ...] = ()

    def size(self) -> str:
        """Return its size for a person."""
        return f"{self.bytes / 1e6:.1f} MB" if self.bytes >= 1e6 else f"{self.bytes / 1e3:.0f} kB"

"""What a backup holds, and what became of it."""

from datetime import datetime

from msgspec import Struct

#: In a data folder: what the device is called in journals, and what the one was whose backup was restored there.
DEVICE_NAME, BEFORE_NAME = "device-id", "device-before"


class Member(Struct, frozen=True, array_like=True):
    """A file in a backup: its name there, its size in bytes, and the SHA-256 of what it says."""

    name: str
    size: int
    sha256: str


class Contents(Struct, frozen=True):
    """What is in a backup.

    Attributes:
        made: when. device: name of the computer in its journals. home: folder of the memories there.
        members: its files, in order.
        space: of a team whose copies are in it, `copies` of them; "": it holds a memory.
        left_out: what the person may look for in it and is not there, one sentence each.
        version: of this form.
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
        """Return how many Markdown files of the memory are in it, its journals apart."""
        names = (member.name for member in self.members)
        return sum(name.startswith("memory/") and name.endswith(".md") and "/_journal/" not in name for name in names)


class Backup(Struct, frozen=True):
    """A backup that was made.

    Attributes:
        file: where. made: when. bytes: its size. notes: Markdown files in it. sealed: a passphrase opens it.
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

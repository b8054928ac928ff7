"""Changes to a host's files by our registration, and the state of those files."""

import difflib
import os
from typing import Literal

from msgspec import Struct

from vademecum.domain.host import Reach


class FileChange(Struct, frozen=True):
    """A change of one file.

    Attributes:
        before, after: its bytes; None: the file does not exist.
        role: purpose of the file in the host.
        original: its bytes before our first change; None: the file did not exist.
    """

    path: str
    role: str
    before: bytes | None
    after: bytes | None
    original: bytes | None

    @property
    def changes(self) -> bool:
        """Whether the file is changed at all."""
        return self.before != self.after

    def diff(self) -> str:
        """Return a unified diff; "" when nothing changes."""
        old, new = ((data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (self.before, self.after))
        was, is_now = (self.path if data is not None else os.devnull for data in (self.before, self.after))
        lines = difflib.unified_diff(old, new, was, is_now)
        return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


class Plan(Struct, frozen=True):
    """The plan of an installation or removal. `target` is a host's name, or that of a piece."""

    target: str
    reach: Reach
    project: str
    changes: tuple[FileChange, ...]
    removes: bool = False


class Installed(Struct, frozen=True):
    """A file that should contain our entries.

    Attributes:
        state: "older": our entries, but not as they would be written now; "unreadable": the host could not read the file
            either.
        written_s: when anybody last wrote it (seconds since 1970); 0: the file does not exist.
    """

    path: str
    role: str
    state: Literal["whole", "older", "missing", "unreadable"]
    written_s: float = 0.0

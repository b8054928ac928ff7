"""What registering us with a host does to its files, and how they stand."""

import difflib
import os
from typing import Literal

from msgspec import Struct

from vademecum.domain.host import Reach


class FileChange(Struct, frozen=True):
    """What happens to one file.

    Attributes:
        before, after: its bytes; None: there is no file.
        role: what the file is to the host.
        original: its bytes before our first change; None: there was no file.
    """

    path: str
    role: str
    before: bytes | None
    after: bytes | None
    original: bytes | None

    @property
    def changes(self) -> bool:
        """Return whether anything happens."""
        return self.before != self.after

    def diff(self) -> str:
        """Return a unified diff; "" when nothing happens."""
        old, new = ((data or b"").decode("utf-8", "replace").splitlines(keepends=True) for data in (self.before, self.after))
        was, is_now = (self.path if data is not None else os.devnull for data in (self.before, self.after))
        lines = difflib.unified_diff(old, new, was, is_now)
        return "".join(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n" for line in lines)


class Plan(Struct, frozen=True):
    """What an installation, or its removal, would do. `target` is a host's name, or that of a piece."""

    target: str
    reach: Reach
    project: str
    changes: tuple[FileChange, ...]
    removes: bool = False


class Installed(Struct, frozen=True):
    """A file that should bear our entries.

    Attributes:
        state: "older" is ours, but not as it would be written now; "unreadable" is no file that the host could read either.
        written_s: when it was last written, by anybody (seconds since 1970); 0: there is no file.
    """

    path: str
    role: str
    state: Literal["whole", "older", "missing", "unreadable"]
    written_s: float = 0.0

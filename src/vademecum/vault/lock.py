"""One writer at a time, across processes. It is an operating system lock, so it is released when its owner dies.

The lock file is outside the synced folder: copied to another computer it would block nobody or everybody.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.domain.errors import Locked, WriteFailed

if TYPE_CHECKING:
    from filelock import BaseFileLock

#: Seconds between two attempts.
_POLL_S = 0.01
#: Size of the owner file in bytes, padded with blanks, so that each write covers the previous one.
_OWNER_BYTES = 512


def key_of(root: Path) -> str:
    """Return the key of a space in the lock folder: 16 hexadecimal digits derived from its real path."""
    return hashlib.blake2b(os.fsencode(os.path.realpath(root)), digest_size=8).hexdigest()


class SpaceLock:
    """Write lock of one space, reentrant within a thread."""

    def __init__(self, root: Path, lock_dir: Path, timeout_s: float = 10.0) -> None:
        self._root = root
        self._path = lock_dir / f"{key_of(root)}.lock"
        self._owner = lock_dir / f"{key_of(root)}.owner"
        self._timeout_s = timeout_s
        self._lock: BaseFileLock | None = None

    @contextlib.contextmanager
    def held(self, verb: str, *, wait: bool = True) -> Iterator[None]:
        """Hold the lock while `verb` works.

        Raises:
            Locked: another process did not release it in time, or at once when `wait` is off; the message names that process.
            WriteFailed: the lock folder cannot be written.
        """
        lock = self._acquired(wait)
        import platform  # noqa: PLC0415 -- as below

        try:
            with contextlib.suppress(OSError):  # only for the message to others, so a full disk must not stop us here
                self._name_owner({"pid": os.getpid(), "host": platform.node(), "verb": verb})
            yield
        finally:
            lock.release()

    def _name_owner(self, owner: dict[str, object]) -> None:
        """Overwrite the owner file in place. Some systems flush a truncated file to disk, which takes as long as a save."""
        handle = os.open(self._owner, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(handle, json.dumps(owner).encode().ljust(_OWNER_BYTES))
        finally:
            os.close(handle)

    def _acquired(self, wait: bool) -> "BaseFileLock":
        from filelock import FileLock, Timeout  # noqa: PLC0415 -- 17 ms that a command without writing saves

        try:
            if self._lock is None:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._lock = FileLock(self._path, timeout=self._timeout_s, poll_interval=_POLL_S)
            self._lock.acquire(timeout=None if wait else 0)
        except Timeout as error:
            hint = "Wait until it is done, or end that process, and try again."
            raise Locked(f"{self._root} is being written by {self._holder()}.", hint) from error
        except OSError as error:
            hint = "Check the folder's permissions and the disk."
            raise WriteFailed(f"The lock {self._path} cannot be taken: {error.strerror}. Nothing was written.", hint) from error
        return self._lock

    def _holder(self) -> str:
        try:
            owner = json.loads(self._owner.read_text())
            return f"process {owner['pid']} on {owner['host']} ({owner['verb']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"

"""One writer at a time, between processes. The lock is the operating system's, so it dies with its owner.

It lies outside the synced folder: a lock that travels to another computer would lock nobody or everybody.
"""

import contextlib
import hashlib
import json
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from vademecum.model.errors import Locked

#: Seconds between two tries.
_POLL_S = 0.01


def key_of(root: Path) -> str:
    """What a space is called in the lock folder: 16 hexadecimal digits made of its real path."""
    return hashlib.blake2b(os.fsencode(os.path.realpath(root)), digest_size=8).hexdigest()


class SpaceLock:
    """The right to write in one space; the same thread may take it again inside."""

    def __init__(self, root: Path, lock_dir: Path, timeout_s: float = 10.0) -> None:
        self._root = root
        self._path = lock_dir / f"{key_of(root)}.lock"
        self._owner = lock_dir / f"{key_of(root)}.owner"
        self._timeout_s = timeout_s
        self._lock: FileLock | None = None

    @contextlib.contextmanager
    def held(self, verb: str) -> Iterator[None]:
        """Hold the lock while `verb` works.

        Raises:
            Locked: another process did not let go in time; the message names it.
        """
        if self._lock is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = FileLock(self._path, timeout=self._timeout_s, poll_interval=_POLL_S)
        try:
            self._lock.acquire()
        except Timeout as error:
            raise Locked(
                f"{self._root} is being written by {self._holder()}.",
                "Wait until it is done, or end that process, and try again.",
            ) from error
        try:
            self._owner.write_text(json.dumps({"pid": os.getpid(), "host": platform.node(), "verb": verb}))
            yield
        finally:
            self._lock.release()

    def _holder(self) -> str:
        try:
            owner = json.loads(self._owner.read_text())
            return f"process {owner['pid']} on {owner['host']} ({owner['verb']})"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"

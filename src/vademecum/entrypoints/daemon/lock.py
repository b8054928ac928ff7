"""The lock that allows one helper at a time."""

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import IO

from vademecum.domain.errors import Locked
from vademecum.settings import Settings, socket_path

#: How long a helper may take to end after it has closed its socket, in seconds: its threads finish their work.
ENDING_S = 15.0
_LOOK_S = 0.02


@contextlib.contextmanager
def only_one(settings: Settings, within_s: float = ENDING_S) -> Iterator[None]:
    """Hold the lock of the helper. It is released when its process ends; a helper that is about to end is waited for.

    Raises:
        Locked: another process holds it.
    """
    place = socket_path(settings)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("ab") as lock:
        tries = int(within_s / _LOOK_S)
        while not _taken(lock):
            tries -= 1
            if place.exists() or not tries:
                raise Locked("A helper is running already.", "See: vade status. End it with: vade stop")
            time.sleep(_LOOK_S)
        yield


def _taken(lock: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the errors of Linux and of Windows
        return False
    return True

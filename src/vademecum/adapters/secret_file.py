"""A word in a file that is made once and is the same for every process: a secret that only its owner may read, or a name."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from vademecum.domain.errors import Refused

_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def kept_secret(path: Path, make: Callable[[], str]) -> str:
    """Return the secret at `path`; made when there is none.

    Raises:
        Refused: others may read it, so it is none any more; or it is empty.
    """
    secret = kept_word(path, make)
    if os.name != "nt" and path.stat().st_mode & _FOR_OTHERS:
        raise Refused(f"Others may read {path}.", f"Delete it, and a new one is made. Or: chmod 600 {path}")
    if not secret:
        raise Refused(f"{path} is empty.", "Delete it, and a new one is made.")
    return secret


def kept_word(path: Path, make: Callable[[], str]) -> str:
    """Return the word at `path`, without white space around it; made when there is no file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    if not path.exists():
        fresh.unlink(missing_ok=True)
        handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(make())
            file.flush()
            os.fsync(file.fileno())
        try:
            path.hardlink_to(fresh)  # whole or not at all, and never over one that another process made meanwhile
        except FileExistsError:
            pass
        finally:
            fresh.unlink(missing_ok=True)
    return path.read_bytes().decode(errors="replace").strip()

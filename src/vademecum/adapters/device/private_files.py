"""Folders and files that only their owner may read: confidential content, and words that all processes share."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from vademecum.domain.errors import Refused

_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_folder(path: Path) -> Path:
    """Return `path`; a missing folder is created for its owner alone. The permissions of an existing one are unchanged.

    Raises:
        OSError: it cannot be created.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def is_readable_by_others(path: Path) -> bool:
    """Return whether other users of this machine may read the file. False on systems without such permissions."""
    return os.name != "nt" and path.is_file() and bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def is_open_to_others(path: Path) -> bool:
    """Return whether other users of this machine may enter the folder. False on systems without such permissions."""
    return os.name != "nt" and path.is_dir() and bool(path.stat().st_mode & _FOR_OTHERS)


def kept_secret(path: Path, make: Callable[[], str]) -> str:
    """Return the secret at `path`; it is created when missing.

    Raises:
        Refused: others may read it, so it is no longer secret; or it is empty.
    """
    secret = kept_word(path, make)
    if os.name != "nt" and path.stat().st_mode & _FOR_OTHERS:
        raise Refused(f"Others may read {path}.", f"Delete it, and a new one is made. Or: chmod 600 {path}")
    if not secret:
        raise Refused(f"{path} is empty.", "Delete it, and a new one is made.")
    return secret


def kept_word(path: Path, make: Callable[[], str]) -> str:
    """Return the word at `path`, stripped; it is created when the file is missing."""
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
            path.hardlink_to(fresh)  # atomic, and never replaces a file that another process created meanwhile
        except FileExistsError:
            pass
        finally:
            fresh.unlink(missing_ok=True)
    return path.read_bytes().decode(errors="replace").strip()

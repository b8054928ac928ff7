"""A folder that only its owner may enter: what is in it was said in confidence."""

import os
import stat
from pathlib import Path

_FOR_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def private_folder(path: Path) -> Path:
    """Return `path`, made for its owner alone when it was not there. One that is there stays as its owner wants it.

    Raises:
        OSError: it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    return path


def is_readable_by_others(path: Path) -> bool:
    """Return whether other people who use this machine may read the file. False where permissions are not of that kind."""
    return os.name != "nt" and path.is_file() and bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))


def is_open_to_others(path: Path) -> bool:
    """Return whether other people who use this machine may enter the folder. False where permissions are not of that kind."""
    return os.name != "nt" and path.is_dir() and bool(path.stat().st_mode & _FOR_OTHERS)

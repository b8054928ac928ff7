"""Folders that only their owner may enter, for confidential content."""

import os
import stat
from pathlib import Path

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

"""STOP files in folders of projects: where they may lie. It loads nothing, because a hook without a helper asks."""

from pathlib import Path

#: A file of this name in a project's `.harness` folder: nothing said there is kept, and nothing is told there (MV-43).
STOP = "STOP"


def stop_marks(cwd: str) -> list[Path]:
    """Return where a STOP file is about this folder: in it and in each above it, in this order."""
    folder = Path(cwd)
    return [place / ".harness" / STOP for place in (folder, *folder.parents)] if folder.is_absolute() else []


def stop_above(cwd: str) -> Path | None:
    """Return the STOP file that is about this folder, the nearest when there are several; None when there is none."""
    return next((mark for mark in stop_marks(cwd) if mark.exists()), None)

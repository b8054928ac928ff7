"""Locate STOP files in project folders. This module imports almost nothing, because hooks without a helper use it."""

from pathlib import Path

#: A file with this name in a project's `.harness` folder: nothing said there is stored, and nothing is shown there (MV-43).
STOP = "STOP"


def stop_marks(cwd: str) -> list[Path]:
    """Return the possible paths of STOP files for a folder: in the folder itself, then in each of its parents."""
    folder = Path(cwd)
    return [place / ".harness" / STOP for place in (folder, *folder.parents)] if folder.is_absolute() else []


def stop_above(cwd: str) -> Path | None:
    """Return the nearest STOP file that applies to this folder; None when there is none."""
    return next((mark for mark in stop_marks(cwd) if mark.exists()), None)

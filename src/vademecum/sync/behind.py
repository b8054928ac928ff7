"""Marker file for writes that the index has not received yet. It is removed once the index has caught up."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vademecum.context.context import Context

#: Notice of a write that the index could not receive.
FOLLOWS = "The index is updated later: another process is using it, or its disk is full. Until then this is not found."


def is_behind(context: Context) -> bool:
    """Return whether the index lacks something that was written."""
    return _noted_at(context) > 0


def fall_behind(context: Context, error: Exception) -> None:
    """Mark the index as behind.

    Raises:
        The given error, if there is no place for the marker.
    """
    try:
        if not context.storage.data_dir:
            raise error
        _mark(context).touch()
    except OSError:
        raise error from None


@contextlib.contextmanager
def caught_up(context: Context) -> Iterator[None]:
    """Remove the marker after the context, unless it was set again meanwhile."""
    before = _noted_at(context)
    yield
    if before and _noted_at(context) == before:
        _mark(context).unlink(missing_ok=True)


def _noted_at(context: Context) -> int:
    """Return when the marker was last set, in nanoseconds; 0: it is not set."""
    try:
        return _mark(context).stat().st_mtime_ns if context.storage.data_dir else 0
    except OSError:
        return 0


def _mark(context: Context) -> Path:
    return Path(context.storage.data_dir) / "index.behind"

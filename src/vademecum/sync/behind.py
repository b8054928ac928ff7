"""Whether something was written that the index could not take in: an empty file says so, until the index has followed."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vademecum.context.context import Context

#: What a write says that the index could not take in.
FOLLOWS = "The index is updated later: another process is using it, or its disk is full. Until then this is not found."


def is_behind(context: Context) -> bool:
    """Return whether the index does not hold all that was written."""
    return _noted_at(context) > 0


def fall_behind(context: Context, error: Exception) -> None:
    """Note that the index could not be written.

    Raises:
        The error given: there is nowhere to note it.
    """
    try:
        if not context.storage.data_dir:
            raise error
        _mark(context).touch()
    except OSError:
        raise error from None


@contextlib.contextmanager
def caught_up(context: Context) -> Iterator[None]:
    """Note, after what is done inside, that the index holds all that was written before it."""
    before = _noted_at(context)
    yield
    if before and _noted_at(context) == before:
        _mark(context).unlink(missing_ok=True)


def _noted_at(context: Context) -> int:
    """Return when it was last noted, in nanoseconds; 0: it is not."""
    try:
        return _mark(context).stat().st_mtime_ns if context.storage.data_dir else 0
    except OSError:
        return 0


def _mark(context: Context) -> Path:
    return Path(context.storage.data_dir) / "index.behind"

"""Progress of long operations."""

from collections.abc import Callable

#: Called as (what, done, total) during a long operation.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Ignore progress."""

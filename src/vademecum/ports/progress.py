"""How far long work is, for whoever looks on."""

from collections.abc import Callable

#: Told as (what, done, total) while something takes long.
Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Show nothing: nobody looks on."""

"""Work that needs only a processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Worker(Protocol):
    """Does what needs only a processor, at the same time as its caller where the machine has one to spare."""

    @property
    def spare(self) -> bool:
        """Return whether somebody besides the caller is at it."""

    def begin(self, work: Callable[..., T], *given: object, soon: bool = False) -> Callable[[], T]:
        """Have `work(*given)` done; call what is returned, once, for its result.

        Args:
            work: a function of a module, that changes nothing and reads nothing but what it is given; it may be done twice.
            soon: before what waits.

        Returns:
            Gives the result, and raises what `work` raised; does the work itself when nobody began it.
        """

    def close(self) -> None:
        """Leave what was not begun, and release what it took."""

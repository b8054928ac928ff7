"""CPU-bound work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

T = TypeVar("T")


class Worker(Protocol):
    """Runs CPU-bound work in parallel with its caller, if the machine has a spare processor."""

    @property
    def spare(self) -> bool:
        """Whether work runs in parallel with the caller."""

    def begin(self, work: Callable[..., T], *given: object, soon: bool = False) -> Callable[[], T]:
        """Start `work(*given)`; the returned function, called once, gives its result.

        Args:
            work: a module-level function that changes nothing and reads only its arguments; it may run twice.
            soon: run before other waiting work.

        Returns:
            Function that returns the result or raises the exception of `work`; it runs the work itself if nobody has started
                it.
        """

    def close(self) -> None:
        """Cancel work that has not started, and release resources."""

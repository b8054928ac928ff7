"""Events that hooks left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vademecum.domain.host import Waiting


class EventQueue(Protocol):
    """Events that hooks left as files, so that nothing is lost, whoever was down."""

    def waiting(self) -> Iterator[Waiting]:
        """Return events in the order in which they were left. One stays until it is done or set aside."""

    def done(self, event: Waiting) -> None:
        """Remove an event that was dealt with. No error when another reader was faster."""

    def set_aside(self, event: Waiting) -> None:
        """Keep an event that cannot be understood where it is not met again; a newer version may understand it."""

    def count_aside(self) -> int:
        """Return how many events were set aside."""

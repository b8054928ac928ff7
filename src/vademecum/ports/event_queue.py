"""Queue of hook events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vademecum.domain.host import Waiting


class EventQueue(Protocol):
    """Events that hooks left as files, so that none is lost when the helper is down."""

    def waiting(self) -> Iterator[Waiting]:
        """Return events in the order in which they were queued. An event stays until it is done or set aside."""

    def done(self, event: Waiting) -> None:
        """Remove a processed event. No error when another reader removed it first."""

    def set_aside(self, event: Waiting) -> None:
        """Move an event that cannot be parsed out of the queue; a newer version may be able to parse it."""

    def count_aside(self) -> int:
        """Return how many events were set aside."""

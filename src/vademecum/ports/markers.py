"""Life cycles of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from vademecum.domain.lifecycle import Marker, Stage


class Markers(Protocol):
    """The life cycles of sessions (:mod:`vademecum.domain.lifecycle`), one marker each. Several processes may change them at
    once.

    A change survives kill -9 of the process once the call returned.
    """

    def get(self, session: str) -> Marker | None:
        """Return the marker of the session with this URI; None for an unknown session."""

    def change(self, session: str, change: Callable[[Marker | None], Marker | None]) -> Marker | None:
        """Atomically replace a marker by `change(marker)`; None deletes it. Return the new marker.

        An exception in `change` is passed on, and nothing is changed.
        """

    def all(self, stages: Collection[Stage] | None = None) -> tuple[Marker, ...]:
        """Return markers in these stages (None: all), those silent for longest first."""

    def compact(self) -> None:
        """Ensure that no byte of removed markers remains on disk."""

    def close(self) -> None:
        """Release files."""

"""Lives of sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from vademecum.domain.lifecycle import Marker, Stage


class Markers(Protocol):
    """The lives of sessions (:mod:`vademecum.domain.lifecycle`), one marker each. Several processes may change them at once.

    What a call changed survives kill -9 of the process from the moment at which the call returns.
    """

    def get(self, session: str) -> Marker | None:
        """Return the marker of the session with this URI; None when it was never heard of."""

    def change(self, session: str, change: Callable[[Marker | None], Marker | None]) -> Marker | None:
        """Put in the place of a marker what `change` makes of it, with nobody in between; None removes it.

        Whatever `change` raises is passed on, and nothing was changed.
        """

    def all(self, stages: Collection[Stage] | None = None) -> tuple[Marker, ...]:
        """Return markers in these stages (None: in any), those longest silent first."""

    def compact(self) -> None:
        """Let no byte of what was removed remain on disk."""

    def close(self) -> None:
        """Release files."""

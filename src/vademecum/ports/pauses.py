"""Pauses of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from vademecum.domain.pause import Pause


class Pauses(Protocol):
    """Pauses, in which nothing is saved, and conversations excluded from extraction; on this device, permanent."""

    def all(self) -> tuple[Pause, ...]:
        """Return every recorded pause, in the order in which they began."""

    def stopped_at(self) -> datetime | None:
        """Return since when a file STOP has switched memory off for every conversation; None when there is none."""

    def begin(self, at: datetime, session: str = "", folder: str = "") -> None:
        """Record that a pause begins, for one conversation, those of one folder, or all. No effect if it is already in
        progress.

        Raises:
            OSError: it cannot be recorded.
        """

    def end(
        self, at: datetime, session: str = "", folder: str = "", written: Mapping[str, tuple[int, int]] | None = None
    ) -> None:
        """Record that it ends, and the bytes written meanwhile, as in :class:`Pause`. No effect without a pause.

        Raises:
            OSError: it cannot be recorded.
        """

    def excluded(self) -> frozenset[str]:
        """Return URIs of the conversations excluded from extraction."""

    def exclude(self, session: str, at: datetime, *, out: bool = True) -> None:
        """Exclude a conversation from extraction, or with `out` false include it again.

        Raises:
            OSError: it cannot be recorded.
        """

    def unsaid(self) -> Mapping[str, tuple[tuple[int, int | None], ...]]:
        """Return URI of a session -> (keyed hash, milliseconds since 1970 or None) of its turns that were said in a pause."""

    def leave_out(self, session: str, turns: Sequence[tuple[int, int | None]]) -> None:
        """Record turns of a session that were said in a pause, in the form of :meth:`unsaid`; known ones are skipped.

        Raises:
            OSError: it cannot be recorded.
        """

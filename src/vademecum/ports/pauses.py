"""Pauses of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from vademecum.domain.pause import Pause


class Pauses(Protocol):
    """Times in which nothing that is said is kept, and conversations that nothing is learnt from; on this device and for good."""

    def all(self) -> tuple[Pause, ...]:
        """Return every pause that was noted, in the order in which they began."""

    def stopped_at(self) -> datetime | None:
        """Return since when a file STOP switches memory off for every conversation; None when there is none."""

    def begin(self, at: datetime, session: str = "", folder: str = "") -> None:
        """Note that a pause begins, for one conversation, those of one folder, or all; one that goes on already goes on.

        Raises:
            OSError: it cannot be noted.
        """

    def end(
        self, at: datetime, session: str = "", folder: str = "", written: Mapping[str, tuple[int, int]] | None = None
    ) -> None:
        """Note that it ends, and what was written meanwhile, as in :class:`Pause`. Without a pause nothing happens.

        Raises:
            OSError: it cannot be noted.
        """

    def excluded(self) -> frozenset[str]:
        """Return URIs of the conversations that nothing is to be learnt from."""

    def exclude(self, session: str, at: datetime, *, out: bool = True) -> None:
        """Note that nothing is to be learnt from a conversation any more, or with `out` false that it may be again.

        Raises:
            OSError: it cannot be noted.
        """

    def unsaid(self) -> Mapping[str, tuple[tuple[int, int | None], ...]]:
        """Return URI of a session -> (keyed hash, milliseconds since 1970 or None) of its turns that were said in a pause."""

    def leave_out(self, session: str, turns: Sequence[tuple[int, int | None]]) -> None:
        """Note turns of a session that were said in a pause, as :meth:`unsaid` gives them; those known already are passed over.

        Raises:
            OSError: it cannot be noted.
        """

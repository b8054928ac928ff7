"""Time and randomness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Clock(Protocol):
    """The only source of time and randomness."""

    def now(self) -> datetime:
        """Return the current time; aware, UTC."""

    def elapsed_s(self) -> float:
        """Return seconds since some fixed moment; monotonic, whatever happens to the wall clock."""

    def new_id(self) -> str:
        """Return a new id (:mod:`vademecum.domain.ids`); later ids of one clock sort later."""

"""Time and chance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Clock(Protocol):
    """Time and chance. The only source of either."""

    def now(self) -> datetime:
        """Return this moment; aware, UTC."""

    def elapsed_s(self) -> float:
        """Return seconds since some fixed moment; never goes back, whatever happens to the wall clock."""

    def new_id(self) -> str:
        """Return a fresh id (:mod:`vademecum.domain.ids`); later calls of one clock sort later."""

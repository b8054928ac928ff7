"""Protocols of what hooks write to: the log and the queue of events for capture. `wiring` provides the real ones."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol


class Log(Protocol):
    """The log of hook calls, one line each."""

    def write(self, record: Mapping[str, object], now: datetime) -> None:
        """Append a line. Never raises: a failing log must not stop a hook."""


class Queue(Protocol):
    """The queue of events for capture."""

    def put(self, name: str, host: str, cwd: str, payload: Mapping[str, Any]) -> None:
        """Add an event.

        Raises:
            OSError: it cannot be written.
        """

"""What hooks leave behind: a line in the log, and events that wait for capture. Shapes only; `wiring` brings the real ones."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol


class Log(Protocol):
    """Where each call leaves one line."""

    def write(self, record: Mapping[str, object], now: datetime) -> None:
        """Write a line. Never raises: a log that cannot be written stops nothing."""


class Queue(Protocol):
    """Where events wait for capture."""

    def put(self, name: str, host: str, cwd: str, payload: Mapping[str, Any]) -> None:
        """Keep an event under a new name.

        Raises:
            OSError: it could not be written.
        """

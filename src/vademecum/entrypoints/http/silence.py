"""Closes idle connections, so that a client that opens hundreds does not hold descriptors for long."""

from collections.abc import Collection
from typing import Any

#: Poll interval in seconds. A connection that made no progress between two polls is closed.
LOOK_EVERY_S = 10


class Silence:
    """Checks the connections of an HTTP server (uvicorn's protocols)."""

    def __init__(self) -> None:
        self._silent: dict[Any, Any] = {}

    async def look(self, connections: Collection[Any]) -> None:
        """Close connections that have waited in the same request since the last poll."""
        silent = {connection: connection.cycle for connection in connections if _is_silent(connection)}
        for entry, request in silent.items():
            if entry in self._silent and self._silent[entry] is request:
                entry.transport.abort()
        self._silent = silent


def _is_silent(connection: Any) -> bool:
    """Return whether the client must act: its request is incomplete, or it has not read the answer."""
    request = connection.cycle
    return request is None or request.response_complete or request.more_body or connection.flow.write_paused

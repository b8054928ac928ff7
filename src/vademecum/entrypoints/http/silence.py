"""Ends connections on which nobody says anything, so that whoever opens hundreds takes no descriptors for long."""

from collections.abc import Collection
from typing import Any

#: Seconds between two looks. Who said nothing whole, or read nothing, between two of them is gone.
LOOK_EVERY_S = 10


class Silence:
    """Looks now and then at the connections of an HTTP server (uvicorn's protocols)."""

    def __init__(self) -> None:
        self._silent: dict[Any, Any] = {}

    async def look(self, connections: Collection[Any]) -> None:
        """End those that were silent at the last look and are still, in the same request."""
        silent = {connection: connection.cycle for connection in connections if _is_silent(connection)}
        for entry, request in silent.items():
            if entry in self._silent and self._silent[entry] is request:
                entry.transport.abort()
        self._silent = silent


def _is_silent(connection: Any) -> bool:
    """Return whether the other side has to say or to read something: no request has come whole, or its answer lies unread."""
    request = connection.cycle
    return request is None or request.response_complete or request.more_body or connection.flow.write_paused

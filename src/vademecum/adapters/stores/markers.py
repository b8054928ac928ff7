"""Markers of sessions' life cycles."""

from typing import Any

from vademecum.adapters.stores.session_rows import SessionRows
from vademecum.domain.lifecycle import Marker


class SqliteMarkers(SessionRows[Marker]):
    """The Markers port.

    A power failure may lose the last moments; they are detected later by the silence of the session, so hooks need not wait for a
    disk flush.
    """

    table, order = "marker", "seen"
    times = frozenset({"started", "seen", "ended", "processed", "tried"})

    def record(self, session: str, stage: Any, fields: dict[str, Any]) -> Marker:
        return Marker(session, stage, **fields)

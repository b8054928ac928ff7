"""Results of SQL statements about memory."""

from typing import Any

from msgspec import Struct


class AuditLine(Struct, frozen=True):
    """One change of one memory, as shown by the view `memory_audit`.

    Attributes:
        timestamp: ISO 8601, UTC.
        operation: insert, confirm, supersede, deprecate, or the verb itself.
        related_fact_id: the other memory of a supersession or dispute.
        metadata: JSON.
    """

    timestamp: str
    operation: str
    fact_id: str
    related_fact_id: str | None
    session_id: str | None
    rationale: str
    metadata: str


class Rows(Struct, frozen=True):
    """The result of a SQL statement. `more`: there were more rows than requested."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    more: bool = False

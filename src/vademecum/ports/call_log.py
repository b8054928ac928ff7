"""Log of tool calls in conversations, with their outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime

    from vademecum.domain.action import LoggedCall


class CallLog(Protocol):
    """Calls that change or run something, from captured transcripts.

    If the log is lost, the transcripts must be read again; no memory is lost.
    """

    def put(self, calls: Iterable[LoggedCall]) -> None:
        """Log calls, in this order.

        A known call (session and ref) is replaced, but keeps its outcome if the new record has none.
        """

    def replace(self, session: str, calls: Iterable[LoggedCall]) -> None:
        """Replace all logged calls of a session by these."""

    def of(self, session: str) -> tuple[LoggedCall, ...]:
        """Return the calls of a session, in the order in which they were first logged."""

    def failed(self, project: str | None, since: datetime | None) -> tuple[LoggedCall, ...]:
        """Return the failed and refused calls, oldest first.

        Args:
            project: None: of all projects. since: aware; None: of all times.
        """

    def succeeded(
        self, project: str, tool: str, since: datetime | None, holds: Callable[[str], bool]
    ) -> tuple[LoggedCall, ...]:
        """Return the successful calls of one tool in a project whose target `holds` accepts, oldest first."""

    def latest(self, project: str | None, limit: int) -> tuple[LoggedCall, ...]:
        """Return the calls logged last, latest first; None: of all projects."""

    def propose(self, project: str, pattern: str) -> bool:
        """Record that a memory is proposed because calls that match a pattern fail; return whether it is the first record."""

    def erase(self, holds: Callable[[str], bool], sessions: Collection[str]) -> int:
        """Remove the calls of these sessions and those with a text that `holds` accepts; return their number.

        No byte of them remains on disk.
        """

    def close(self) -> None:
        """Release files."""

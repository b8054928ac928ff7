"""Tool calls of conversations, with what each came to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from datetime import datetime

    from vademecum.domain.action import LoggedCall


class CallLog(Protocol):
    """Calls that change or run something, as captured transcripts show them. Losing it costs a second reading, never a memory."""

    def put(self, calls: Iterable[LoggedCall]) -> None:
        """Log calls, in this order. A call (session and ref) that is known is replaced; an outcome that is known stays where the new
        record has none.
        """

    def replace(self, session: str, calls: Iterable[LoggedCall]) -> None:
        """Log these calls of a session in place of all that are known of it."""

    def of(self, session: str) -> tuple[LoggedCall, ...]:
        """Return the calls of a session, in the order in which they were logged first."""

    def failed(self, project: str | None, since: datetime | None) -> tuple[LoggedCall, ...]:
        """Return the calls that failed or were refused, the oldest first; None: of all projects, of all times."""

    def succeeded(
        self, project: str, tool: str, since: datetime | None, holds: Callable[[str], bool]
    ) -> tuple[LoggedCall, ...]:
        """Return the calls of one tool in a project that succeeded and whose target `holds` accepts, the oldest first."""

    def latest(self, project: str | None, limit: int) -> tuple[LoggedCall, ...]:
        """Return the calls that were logged last, the last first; None: of all projects."""

    def propose(self, project: str, pattern: str) -> bool:
        """Note that a memory is proposed because calls that fit a pattern fail; whether nobody noted that before."""

    def erase(self, holds: Callable[[str], bool], sessions: Collection[str]) -> int:
        """Remove the calls of these sessions and those that tell what `holds` finds, and let no byte of them remain on disk. Gives how
        many went.
        """

    def close(self) -> None:
        """Release files."""

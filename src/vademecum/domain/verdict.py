"""Proposals that wait for the person's decision, and the person's decisions."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

#: Handling of candidates of medium confidence.
ReviewMode = Literal["interactive", "silent", "auto"]


class Verdicts(Struct, frozen=True):
    """The person's decisions on the proposals of one pattern. `accepted`: unchanged, edited, or in place of another memory."""

    accepted: int = 0
    rejected: int = 0

    @property
    def judged(self) -> int:
        """Number of decided proposals."""
        return self.accepted + self.rejected

    @property
    def precision(self) -> float:
        """Share that was accepted; 1 when none was decided."""
        return self.accepted / self.judged if self.judged else 1.0


class Inbox(Struct, frozen=True):
    """The person's inbox: number of entries, the oldest entry's time, and a sentence when there are too many, else ""."""

    count: int
    oldest: datetime | None
    alarm: str

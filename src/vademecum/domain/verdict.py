"""What waits for the person's word, and what that word was."""

from datetime import datetime
from typing import Literal

from msgspec import Struct

#: What becomes of candidates that are only likely.
ReviewMode = Literal["interactive", "silent", "auto"]


class Verdicts(Struct, frozen=True):
    """Proposals of one pattern that the person accepted (as they stood, edited, or in place of another memory) and rejected."""

    accepted: int = 0
    rejected: int = 0

    @property
    def judged(self) -> int:
        """All of them."""
        return self.accepted + self.rejected

    @property
    def precision(self) -> float:
        """Share that was accepted; 1 as long as none was judged."""
        return self.accepted / self.judged if self.judged else 1.0


class Inbox(Struct, frozen=True):
    """What waits for the person: how many, the moment of the oldest, and a sentence when that is too much, else ""."""

    count: int
    oldest: datetime | None
    alarm: str

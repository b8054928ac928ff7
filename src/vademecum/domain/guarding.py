"""The person's settings of the guard, and its findings."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

import msgspec
from msgspec import Struct

#: Classes of personal data that can be removed.
PERSONAL = ("email", "phone", "card", "iban")
#: Type of a passage that the person marked as `<private>`; it is always removed.
MARKED_PRIVATE = "private"


class Policy(Struct, frozen=True):
    """The person's settings of the guard.

    Attributes:
        personal: classes of PERSONAL that are replaced by a placeholder.
        allowed: exceptions: ids of rules, literal values, or `sha256:` and the hash of a value.
    """

    personal: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


#: Secrets are removed, personal data stays.
USUAL = Policy()


class Met(Struct, frozen=True):
    """Findings of the guard in one stored place: place, kind, rule and count. Never the value."""

    place: str
    kind: str
    rule: str
    count: int


class Scanned(Struct, frozen=True):
    """Result of scanning everything that is stored.

    Attributes:
        found: findings. purged: place -> number of rewritten entries; empty after a scan only.
    """

    found: tuple[Met, ...]
    purged: Mapping[str, int] = msgspec.field(default_factory=dict)


class GuardLog(Protocol):
    """Log of what the guard changed or blocked, on this device only, without values."""

    def write(self, record: Mapping[str, object], now: datetime) -> None:
        """Log one finding; a log that cannot be written raises nothing."""

    def lines(self) -> Iterator[dict[str, Any]]:
        """Return the logged findings, oldest first."""

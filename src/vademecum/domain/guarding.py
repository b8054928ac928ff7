"""What a person decides about the guard, and what the guard found where."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Protocol

import msgspec
from msgspec import Struct

#: Classes of personal data that can be taken out.
PERSONAL = ("email", "phone", "card", "iban")
#: Type of a passage that the person marked as `<private>`; it is always taken out.
MARKED_PRIVATE = "private"


class Policy(Struct, frozen=True):
    """The person's choices.

    Attributes:
        personal: classes of PERSONAL that are replaced by a placeholder.
        allowed: what is let through: ids of rules, values as they stand, or `sha256:` and the hash of a value.
    """

    personal: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


#: Secrets are taken out, personal data stays.
USUAL = Policy()


class Met(Struct, frozen=True):
    """What the guard finds in one place that is stored: place, kind, rule, and how often. Never the value."""

    place: str
    kind: str
    rule: str
    count: int


class Scanned(Struct, frozen=True):
    """A look of the guard over everything that is stored.

    Attributes:
        found: what it met. purged: place -> how many things were rewritten; empty when only looked at.
    """

    found: tuple[Met, ...]
    purged: Mapping[str, int] = msgspec.field(default_factory=dict)


class GuardLog(Protocol):
    """What the guard changed or held back, on this device only, without any value."""

    def write(self, record: Mapping[str, object], now: datetime) -> None:
        """Note one finding; a log that cannot be written stops nothing."""

    def lines(self) -> Iterator[dict[str, Any]]:
        """Return the noted verdicts, oldest first."""

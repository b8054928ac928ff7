"""What a person decides about the guard, and what the guard found where."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Protocol

from vademecum.model.records import record

#: Classes of personal data that can be taken out.
PERSONAL = ("email", "phone", "card", "iban")
#: Type of a passage that the person marked as `<private>`; it is always taken out.
MARKED_PRIVATE = "private"


@record
class Policy:
    """The person's choices.

    Attributes:
        personal: classes of PERSONAL that are replaced by a placeholder.
        allowed: what is let through: ids of rules, values as they stand, or `sha256:` and the hash of a value.
    """

    personal: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()


#: Secrets are taken out, personal data stays.
USUAL = Policy()


@record
class Met:
    """What the guard finds in one place that is stored: place, kind, rule, and how often. Never the value."""

    place: str
    kind: str
    rule: str
    count: int


@record
class Scanned:
    """A look of the guard over everything that is stored.

    Attributes:
        found: what it met. purged: place -> how many things were rewritten; empty when only looked at.
    """

    found: tuple[Met, ...]
    purged: Mapping[str, int] = field(default_factory=dict)


class GuardLog(Protocol):
    """What the guard changed or held back, on this device only, without any value."""

    def write(self, record: Mapping[str, object], now: datetime) -> None:
        """Note one finding; a log that cannot be written stops nothing."""
        ...

    def lines(self) -> Iterator[dict[str, Any]]:
        """What was noted, oldest first."""
        ...

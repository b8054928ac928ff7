"""Where a memory comes from, and the versions of its file."""

from collections.abc import Mapping

from msgspec import Struct

from vademecum.domain.item import Passage
from vademecum.domain.memory import Memory


class Version(Struct, frozen=True):
    """One version of a memory's file.

    Attributes:
        operation: id of the journal record, for `undo`.
        time: ISO 8601, UTC.
        actor: user, agent, extraction or hand.
        text: the complete file after the operation; None when it was removed.
    """

    operation: str
    time: str
    op: str
    actor: str
    path: str
    text: str | None
    reason: str = ""


class Confirmed(Struct, frozen=True):
    """One confirmation of a memory: when, by whom, and in which words ("": not recorded)."""

    time: str
    actor: str
    said: str


class Provenance(Struct, frozen=True):
    """A memory with everything known about its origin.

    Attributes:
        evidence: fields in the vault's format: source, source_span, mining_rationale, mining_sessions, ...
        said: the turns that it was extracted from, as far as the conversation is known.
        confirmed: confirmations, oldest first.
        shares: shares (0..1) of its claims that are extracted, inferred or ambiguous, by the marks in its text; empty without
            marks (HW-13).
    """

    memory: Memory
    evidence: Mapping[str, object]
    said: tuple[Passage, ...]
    confirmed: tuple[Confirmed, ...]
    shares: Mapping[str, float] = {}

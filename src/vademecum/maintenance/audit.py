"""The journal, told to a person: as versions of a file, and as where a memory comes from."""

import re
from collections.abc import Mapping

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.item import Passage
from vademecum.domain.memory import Memory
from vademecum.vault.journal import Change, Record
from vademecum.vault.shown import EVIDENCE

_CLAIM = re.compile(r"[^\W_][^\n.!?。！？]{6,}")
_MARKER = re.compile(r"\^\[(?P<what>inferred|ambiguous)\]")


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


def provenance(context: Context, memory: Memory) -> Provenance:
    """Return where a memory comes from, why it was saved, and when it was confirmed."""
    known = {
        "source": memory.source,
        "source_interface": memory.source_interface,
        "source_span": memory.source_span,
        **memory.extra,
    }
    evidence = {name: value for name, value in known.items() if value and name in {"source", *EVIDENCE}}
    records = [record for record in context.vault.history.of(memory.id) if record.op == "confirm"]
    confirmed = tuple(Confirmed(record.time.isoformat(), record.actor, record.reason) for record in records)
    return Provenance(memory, evidence, tuple(turns_of(context, memory)), confirmed, shares(memory.body))


def turns_of(context: Context, memory: Memory) -> list[Passage]:
    """Return the passages of the turns that a memory was extracted from; empty when its conversation or turns are unknown."""
    if not memory.source.startswith("session://") or not memory.source_span:
        return []
    first, _, last = memory.source_span.partition(" to ")
    passages = [stored.passage for stored in context.index.passages_of(memory.source)]
    marks = [number for number, passage in enumerate(passages) if passage.ref in (first, last or first)]
    return passages[min(marks) : max(marks) + 1] if marks else []


def version(record: Record, change: Change) -> Version:
    """Return one change of one file, with the complete text after it."""
    there = change.after or change.before
    path = there.path if there else ""
    text = change.after.text if change.after else None
    return Version(record.id, record.time.isoformat(), record.op, record.actor, path, text, record.reason)


def shares(body: str) -> dict[str, float]:
    """Return the shares (0..1) of a text's claims by their marks; empty for a text without marks.

    The marks are `^[inferred]` and `^[ambiguous]`; all other claims are extracted.
    """
    marks = [match["what"] for match in _MARKER.finditer(body)]
    claims = len(_CLAIM.findall(_MARKER.sub("", body))) or 1
    by_key = {name: min(1.0, marks.count(name) / claims) for name in set(marks)}
    return {**by_key, "extracted": 1 - min(1.0, sum(by_key.values()))} if by_key else {}

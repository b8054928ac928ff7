"""The journal as a person reads it: as versions of a file, and as where a memory comes from."""

import re

from vademecum.context.context import Context
from vademecum.domain.item import Passage
from vademecum.domain.memory import Memory
from vademecum.domain.provenance import Confirmed, Provenance, Version
from vademecum.vault.journal import Change, Record
from vademecum.vault.shown import EVIDENCE

_CLAIM = re.compile(r"[^\W_][^\n.!?。！？]{6,}")
_MARKER = re.compile(r"\^\[(?P<what>inferred|ambiguous)\]")


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

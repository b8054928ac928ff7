"""A bundle of the Modeled Information Format (MIF 1.0): notes with one of three types, with provenance and validity.

Each is also a note of OKF. Properties without a field in MIF are under `extensions: {vademecum: ...}`, which other programs ignore.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from vademecum.domain.errors import Problem
from vademecum.domain.ids import ALPHABET
from vademecum.domain.kinds import resolve_kind
from vademecum.domain.memory import PROPERTY_ORDER, Memory
from vademecum.plugins.moving.formats.notes import CARRIED, DEFAULTS, HELD, READ, RESERVED, placed
from vademecum.plugins.moving.formats.properties import inner
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment, text_in, words

#: Type in MIF -> our kind, if the namespace names none.
_KINDS = {"semantic": "fact", "episodic": "event", "procedural": "procedure"}
#: Our kind -> type in MIF; all other kinds are semantic.
_TYPES = {
    "event": "episodic", "incident": "episodic", "handoff": "episodic", "procedure": "procedural", "fix": "procedural",
    "skill": "procedural",
}  # fmt: skip
#: Properties under `extensions`: those without a field in MIF.
_CARRIED = CARRIED - READ
#: Our trust -> (source_type, trust_level) in MIF.
_PROVENANCE = {
    "user": ("user_explicit", "user_stated"),
    "agent": ("agent_inferred", "moderate_confidence"),
    "external": ("external_import", "low_confidence"),
}


def _fits(given: Given) -> bool:
    properties = given.properties
    return properties.get("type") in _KINDS and "id" in properties and "created" in properties


def _read(files: Sequence[Given]) -> Iterator[Record | Problem]:
    for given in files:
        if given.name in RESERVED:
            yield Problem(given.path, "It lists other notes and was left out.")
            continue
        theirs = given.properties
        ours = inner(inner(theirs, "extensions"), "vademecum")
        temporal, provenance = inner(theirs, "temporal"), inner(theirs, "provenance")
        standard = {
            "summary": theirs.get("summary"), "valid_until": temporal.get("valid_until"), "confidence": provenance.get("confidence"),
        }  # fmt: skip
        extra = {name: value for name, value in {**standard, **ours}.items() if name in _CARRIED and value is not None}
        yield Record(
            given.path, given.note.body, text_in(theirs.get("title")), str(ours.get("facet") or ours.get("kind") or _kind_of(theirs)),
            str(ours.get("kind") or _KINDS[theirs["type"]]), key=str(theirs["id"]), line=1, at=moment(theirs["created"]),
            since=moment(temporal.get("valid_from")), tags=words(theirs.get("tags")), aliases=words(theirs.get("aliases")),
            project=str(ours.get("project") or ""), agent=str(provenance.get("agent") or ""), properties=extra,
        )  # fmt: skip


def _kind_of(theirs: Mapping[str, Any]) -> str:
    """Return the kind that a namespace such as `semantic/decisions` names; "" for none."""
    last = str(theirs.get("namespace") or "").rpartition("/")[2].strip("_")
    for word in (last, last.removesuffix("s"), f"{last.removesuffix('ies')}y"):
        try:
            resolve_kind(word)
        except KeyError:
            continue
        return word
    return ""


def _write(memories: Sequence[Memory]) -> Iterator[tuple[str, str]]:
    for memory, path in placed(memories):
        lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in _properties(memory).items() if value]
        yield path, "\n".join(["---", *lines, "---", memory.body])


def _properties(memory: Memory) -> dict[str, Any]:
    base = _TYPES.get(memory.kind, "semantic")
    source, trust = _PROVENANCE.get(memory.trust, ("system_generated", "uncertain"))
    ours = {name: _plain(getattr(memory, name)) for name in PROPERTY_ORDER if name in _CARRIED & DEFAULTS.keys()}
    ours = {name: value for name, value in ours.items() if value != _plain(DEFAULTS[name])}
    named = {name: value for name, value in (("facet", memory.facet), ("project", memory.project)) if value}
    temporal = {"valid_from": _plain(memory.valid_from), "valid_until": _plain(memory.valid_until)}
    provenance = {"source_type": source, "source_ref": memory.source, "confidence": memory.confidence, "trust_level": trust}
    return {
        "id": str(_uuid(memory.id)),
        "type": base,
        "created": _plain(memory.created),
        "modified": _plain(memory.updated),
        "ontology": {"id": "mif-base"},
        "namespace": f"{base}/{memory.kind}",
        "title": memory.title,
        "tags": list(memory.tags),
        "aliases": list(memory.aliases),
        "summary": memory.summary,
        "temporal": {name: value for name, value in temporal.items() if value},
        "provenance": {name: value for name, value in provenance.items() if value not in ("", None)},
        "extensions": {"vademecum": {"kind": memory.kind, **named, **ours}},
    }


def _uuid(identity: str) -> UUID:
    """Return the 128 bits of an id as a UUID."""
    number = 0
    for letter in identity:
        number = number << 5 | ALPHABET.index(letter)
    return UUID(int=number)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


FORMAT = Format("mif", "a bundle of the Modeled Information Format", _fits, _read, write=_write, holds=HELD)

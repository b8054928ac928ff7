"""`memory.jsonl` of the MCP memory server: one entity with observations, or one relation, per line; also one object with both.

An entity becomes one memory: observations as a list, its relations below as `- type [[Other]]`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from vademecum.domain.errors import Problem
from vademecum.domain.memory import Memory
from vademecum.plugins.moving.formats.record import Format, Given, Record, entries_in, text_in

_RELATION = re.compile(r"^- (?P<type>[^\[\]\n]+?) \[\[(?P<to>[^\]|\n]+)\]\]$", re.MULTILINE)


def _rows(given: Given) -> Iterator[tuple[int, Any, str]]:
    """Yield (line, row, why it cannot be read)."""
    if isinstance(given.data, Mapping) and "entities" in given.data:
        for name, sort in (("entities", "entity"), ("relations", "relation")):
            for number, row in enumerate(entries_in(given.data.get(name)), 1):
                yield (0, {"type": sort, **row}, "") if isinstance(row, Mapping) else (number, row, "")
    else:
        yield from ((line, _typed(row), fault) for line, row, fault in given.lines)


def _typed(row: Any) -> Any:
    """Return a row with its `type`, which some servers leave out of entities."""
    return {"type": "entity", **row} if isinstance(row, Mapping) and {"name", "entityType"} <= row.keys() else row


def _fits(given: Given) -> bool:
    rows = list(_rows(given))[:20] if given.path.endswith((".json", ".jsonl")) else []
    return any(
        isinstance(row, Mapping) and (row.get("type") == "relation" or {"name", "entityType"} <= row.keys())
        for _, row, _ in rows
    )


def _read(files: Sequence[Given]) -> Iterator[Record | Problem]:
    for given in files:
        rows = list(_rows(given))
        relations: dict[str, list[str]] = {}
        for _, row, _ in rows:
            if isinstance(row, Mapping) and row.get("type") == "relation" and {"from", "to"} <= row.keys():
                line_of = f"- {text_in(row.get('relationType')) or 'related'} [[{text_in(row['to'])}]]"
                relations.setdefault(text_in(row["from"]), []).append(line_of)
        for line, row, fault in rows:
            if fault or not isinstance(row, Mapping) or row.get("type") not in ("entity", "relation"):
                yield Problem(given.path, f"line {line}: {fault.partition(': ')[2] or 'neither an entity nor a relation'}")
            elif row["type"] == "relation" and not {"from", "to"} <= row.keys():
                yield Problem(given.path, f"line {line}: a relation without from or to")
            elif row["type"] == "entity" and not text_in(row.get("name")):
                yield Problem(given.path, f"line {line}: an entity without a name")
            elif row["type"] == "entity":
                yield _entity(given, line, row, relations.pop(text_in(row["name"]), []))
        yield from (
            Problem(given.path, f"relations of {name!r}, no entity here: {len(lines)}") for name, lines in relations.items()
        )


def _entity(given: Given, line: int, row: Mapping[str, Any], relations: Sequence[str]) -> Record:
    name = text_in(row["name"])
    texts = [f"- {' '.join(text.split())}" for entry in entries_in(row.get("observations")) if (text := text_in(entry))]
    body = "\n".join([*(texts or [name]), *(["", *relations] if relations else [])])
    return Record(given.path, body, name, text_in(row.get("entityType")), "entity", key=name, line=line)


def _write(memories: Sequence[Memory]) -> Iterator[tuple[str, str]]:
    lines = []
    for memory in memories:
        relations = [(match["type"], match["to"]) for match in _RELATION.finditer(memory.body)]
        texts = [line.removeprefix("- ").strip() for line in _RELATION.sub("", memory.body).splitlines() if line.strip()]
        lines.append({"type": "entity", "name": memory.title, "entityType": memory.facet or memory.kind, "observations": texts})
        lines += [{"type": "relation", "from": memory.title, "to": to, "relationType": sort} for sort, to in relations]
    yield "memory.jsonl", "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


FORMAT = Format(
    "mcp-memory", "knowledge graph of the MCP memory server", _fits, _read, write=_write, holds=frozenset({"kind", "facet"})
)

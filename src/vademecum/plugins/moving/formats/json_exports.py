"""Exports that are one JSON document: mem0, OpenMemory, mcp-memory-service, claude-mem, agent files of Letta.

As of 2026-11. mem0: `{"results": [{id, memory, metadata, categories, created_at}]}`, or the list. OpenMemory: `{"memories": [{content,
state, ...}]}`, also of what was deleted. mcp-memory-service: the same with `content_hash` and `tags`. claude-mem: `{"observations":
[...]}` with title, narrative, and facts as a string that contains a JSON list. Letta: `.af` with `blocks` (label, value),
formerly `core_memory`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from vademecum.domain.errors import Problem
from vademecum.domain.memory import Memory
from vademecum.plugins.moving.formats.record import Format, Given, Record, entries_in, moment, text_in, with_description, words

#: Names of the property with the text; the first that has one counts.
_MEM0_TEXTS = ("memory", "content", "text", "data")
#: Properties that tell a memory from a message of a chat, which has a `content` too.
_OF_MEMORIES = frozenset({"state", "content_hash", "memory_type"})
_BLOCKS = {"human": "identity", "persona": "self"}


def _mem0_rows(given: Given) -> list[Any]:
    data = given.data
    rows = data.get("results") or data.get("memories") or data.get("items") if isinstance(data, Mapping) else data
    return rows if isinstance(rows, list) else []


def _mem0(given: Given) -> Iterator[Record | Problem]:
    for number, row in enumerate(_mem0_rows(given), 1):
        values: Mapping[str, Any] = row if isinstance(row, Mapping) else {"memory": row} if isinstance(row, str) else {}
        if values.get("state") == "deleted":
            continue
        text = next((text for name in _MEM0_TEXTS if (text := text_in(values.get(name))).strip()), "")
        if not text:
            yield Problem(given.path, f"entry {number} has no text")
            continue
        held = values["metadata"] if isinstance(values.get("metadata"), Mapping) else {}
        extra = {name: value for name, value in held.items() if name not in ("kind", "tags", "title")}
        yield Record(
            given.path, text, text_in(held.get("title")), text_in(held.get("kind")), key=text_in(values.get("id")),
            tags=(*words(values.get("categories")), *words(values.get("tags")), *words(held.get("tags"))),
            at=moment(values.get("created_at")),
            agent=text_in(values.get("agent_id")), properties=extra,
        )  # fmt: skip


def _write_mem0(memories: Sequence[Memory]) -> Iterator[tuple[str, str]]:
    rows = [
        {
            "id": memory.id, "memory": memory.body.rstrip("\n"), "created_at": memory.said_at.isoformat(),
            "metadata": {"title": memory.title, "kind": memory.kind, "confidence": memory.confidence, "importance": memory.importance},
            "categories": [*memory.tags],
        }
        for memory in memories
    ]  # fmt: skip
    yield "mem0.json", json.dumps({"results": rows}, ensure_ascii=False, indent=1) + "\n"


def _observations(given: Given) -> list[Any]:
    held = given.data if isinstance(given.data, Mapping) and "entityType" not in given.data else {}  # not an entity with some
    rows = held.get("observations")
    return rows if isinstance(rows, list) else []


def _claude_mem(given: Given) -> Iterator[Record | Problem]:
    for number, row in enumerate(_observations(given), 1):
        values: Mapping[str, Any] = row if isinstance(row, Mapping) else {"text": row} if isinstance(row, str) else {}
        title = text_in(values.get("title"))
        lines = [text_in(values.get("narrative") or values.get("text") or values.get("subtitle"))]
        lines += [f"- {fact}" for item in _listed(values.get("facts")) if (fact := text_in(item))]
        text = "\n".join(line for line in lines if line.strip()) or title
        if not text.strip():
            yield Problem(given.path, f"entry {number} has no text")
            continue
        at = moment(values.get("created_at_epoch") or values.get("created_at"))
        yield Record(given.path, text, title, text_in(values.get("type")), "lesson", key=text_in(values.get("id")), at=at,
                     tags=words(_listed(values.get("concepts"))), project=text_in(values.get("project")))  # fmt: skip


def _listed(value: object) -> list[Any]:
    """Return the items of a list, which may be written as JSON in a text; a text that is no JSON is the only item."""
    parsed = Given("", value).data if isinstance(value, str) else None
    return entries_in(value if parsed is None else parsed)


def _letta_blocks(given: Given) -> list[Any]:
    # Some files contain their JSON as one string.
    data = Given("", given.data).data if isinstance(given.data, str) else given.data
    if not isinstance(data, Mapping):
        return []
    agents = [by_key for by_key in entries_in(data.get("agents")) if isinstance(by_key, Mapping)]
    name = text_in((agents[0] if agents else data).get("name")) or "agent"
    rows = [*entries_in(data.get("blocks")), *entries_in(data.get("core_memory"))]
    return [{**row, "agent": name} for row in rows if isinstance(row, Mapping) and "label" in row]


def _letta(given: Given) -> Iterator[Record | Problem]:
    for row in _letta_blocks(given):
        label, text = text_in(row["label"]), text_in(row.get("value"))
        if not text.strip():
            if row.get("value"):
                yield Problem(given.path, f"block {label!r} has no text")
            continue
        text, summary = with_description(row.get("description"), text)
        own = row["agent"] if label == "persona" else ""
        yield Record(given.path, text, f"{row['agent']}: {label}", _BLOCKS.get(label, label), key=f"{row['agent']}/{label}",
                     agent=own, properties=summary)  # fmt: skip


def _each(read: Callable[[Given], Iterator[Record | Problem]]) -> Callable[[Sequence[Given]], Iterator[Record | Problem]]:
    return lambda files: (record for given in files for record in read(given))


def _is_mem0(given: Given) -> bool:
    rows = [row for row in _mem0_rows(given)[:5] if isinstance(row, Mapping)]
    return any("memory" in row or ("content" in row and row.keys() & _OF_MEMORIES) for row in rows)


def _is_claude_mem(given: Given) -> bool:
    return any(isinstance(row, Mapping) for row in _observations(given))


def _is_letta(given: Given) -> bool:
    return any(row.get("value") for row in _letta_blocks(given))


MEM0 = Format(
    "mem0", "memories of mem0, OpenMemory or mcp-memory-service", _is_mem0, _each(_mem0),
    write=_write_mem0, holds=frozenset({"kind", "tags", "valid_from", "confidence", "importance"}),
)  # fmt: skip
CLAUDE_MEM = Format("claude-mem", "observations of claude-mem", _is_claude_mem, _each(_claude_mem))
LETTA = Format("letta", "an agent file of Letta", _is_letta, _each(_letta))

"""Exports that are one JSON document: mem0 and OpenMemory, claude-mem, agent files of Letta.

As of 2026-11. mem0: `{"results": [{id, memory, metadata, categories, created_at}]}`, or the list. claude-mem: `{"observations":
[...]}` with title, narrative, and facts as a string that contains a JSON list. Letta: `.af` with `blocks` (label, value),
formerly `core_memory`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from vademecum.domain.memory import Memory
from vademecum.plugins.moving.formats.record import Format, Given, Record, moment, words

_BLOCKS = {"human": "identity", "persona": "self"}


def _mem0_rows(given: Given) -> list[Any]:
    data = given.data
    rows = data.get("results") or data.get("memories") or data.get("items") if isinstance(data, Mapping) else data
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _mem0(given: Given) -> Iterator[Record]:
    for row in _mem0_rows(given):
        held = dict(row["metadata"]) if isinstance(row.get("metadata"), Mapping) else {}
        extra = {name: value for name, value in held.items() if name not in ("kind", "tags", "title")}
        text, tags = (
            str(row.get("memory") or row.get("content") or ""),
            (*words(row.get("categories")), *words(held.get("tags"))),
        )
        yield Record(
            given.path, text, str(held.get("title") or ""), str(held.get("kind") or ""), key=str(row.get("id") or ""), tags=tags,
            at=moment(row.get("created_at")), agent=str(row.get("agent_id") or ""), properties=extra,
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
    rows = given.data.get("observations") if isinstance(given.data, Mapping) else None
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _claude_mem(given: Given) -> Iterator[Record]:
    for row in _observations(given):
        facts = Given("", str(row.get("facts") or "")).data
        texts = [str(row.get("narrative") or row.get("text") or row.get("subtitle") or "")]
        texts += [f"- {fact}" for fact in facts] if isinstance(facts, list) else []
        at = moment(row.get("created_at_epoch") or row.get("created_at"))
        text = "\n".join(line for line in texts if line.strip()) or str(row.get("title") or "")
        title, concepts = str(row.get("title") or ""), Given("", str(row.get("concepts") or "")).data
        yield Record(given.path, text, title, str(row.get("type") or ""), "lesson", key=str(row.get("id") or ""), at=at,
                     tags=words(concepts), project=str(row.get("project") or ""))  # fmt: skip


def _letta_blocks(given: Given) -> list[Any]:
    # Some files contain their JSON as one string.
    data = Given("", given.data).data if isinstance(given.data, str) else given.data
    if not isinstance(data, Mapping):
        return []
    agents = [by_key for by_key in data.get("agents") or () if isinstance(by_key, Mapping)]
    name = str((agents[0] if agents else data).get("name") or "agent")
    rows = [*(data.get("blocks") or ()), *(data.get("core_memory") or ())]
    return [{**row, "agent": name} for row in rows if isinstance(row, Mapping) and "label" in row and row.get("value")]


def _letta(given: Given) -> Iterator[Record]:
    for row in _letta_blocks(given):
        label = str(row["label"])
        summary = {"summary": str(row["description"])[:200]} if row.get("description") else {}
        own = row["agent"] if label == "persona" else ""
        yield Record(given.path, str(row["value"]), f"{row['agent']}: {label}", _BLOCKS.get(label, label), key=f"{row['agent']}/{label}",
                     agent=own, properties=summary)  # fmt: skip


def _each(read: Callable[[Given], Iterator[Record]]) -> Callable[[Sequence[Given]], Iterator[Record]]:
    return lambda files: (record for given in files for record in read(given))


MEM0 = Format(
    "mem0", "memories of mem0 or OpenMemory", lambda given: any("memory" in row for row in _mem0_rows(given)[:5]), _each(_mem0),
    write=_write_mem0, holds=frozenset({"kind", "tags", "valid_from", "confidence", "importance"}),
)  # fmt: skip
CLAUDE_MEM = Format("claude-mem", "observations of claude-mem", lambda given: bool(_observations(given)), _each(_claude_mem))
LETTA = Format("letta", "an agent file of Letta", lambda given: bool(_letta_blocks(given)), _each(_letta))

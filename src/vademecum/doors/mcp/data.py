"""Results for agents: short values, and text that is marked as data, because what was remembered is not an instruction (rule 10)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from vademecum.compose.render import PREAMBLE, age
from vademecum.model.conversation import HandedOver
from vademecum.model.item import Item
from vademecum.model.memory import Memory
from vademecum.model.query import Bundle, Hit, Recall
from vademecum.model.reports import Marked, Saved, SourceNote

#: Stand around text that was remembered. The same words inside are broken, so that no text can end its own quotation.
OPEN, CLOSE = "<memory-data>", "</memory-data>"
_MARK = re.compile(r"<(\s*/?\s*)memory-data", re.IGNORECASE)

#: Longest piece of a turn that search_history shows.
TURN_MAX_CHARS = 600
PIECE_MAX_CHARS = 1_200


def quoted(lines: Iterable[str]) -> str:
    """Remembered text between marks, under a sentence that says what it is."""
    body = _MARK.sub(r"<\1memory_data", "\n".join(lines))
    return f"{PREAMBLE}\n{OPEN}\n{body}\n{CLOSE}"


def hits(found: Recall, now: datetime, max_chars: int = PIECE_MAX_CHARS) -> dict[str, Any]:
    """What recall found: for each hit its text with id, age, source and trust."""
    told: dict[str, Any] = {"verdict": found.verdict, "hits": [_hit(hit, now, max_chars) for hit in found.hits]}
    return told | ({"without": list(found.missing)} if found.missing else {}) | ({"trace": found.trace} if found.trace else {})


def hits_text(told: Mapping[str, Any]) -> str:
    """The same as lines."""
    if not told["hits"]:
        reasons = "; ".join(told.get("without", ()))
        return "Nothing is known about that." if told["verdict"] != "could not search" else f"Could not search: {reasons}"
    return quoted(
        f"- {one['title']}: {one['text']} ({', '.join(part for part in (one['kind'], one['age'], one['trust'], one['id']) if part)})"
        for one in told["hits"]
    )


def _hit(hit: Hit, now: datetime, max_chars: int) -> dict[str, Any]:
    item, passage = hit.item, hit.passage
    text = passage.text if len(passage.text) <= max_chars else passage.text[:max_chars].rsplit(" ", 1)[0] + " ..."
    return {
        "id": item.key + (f"#{passage.ref}" if item.source == "session" and passage.ref else ""),
        "title": item.title,
        "text": text,
        "kind": item.kind if item.source == "memory" else item.source,
        "age": age(passage.time or item.valid_from or item.updated, now),
        "source": item.origin or item.host or item.source,
        "trust": passage.speaker if item.source == "session" else item.trust,
        "status": item.status,
        "score": round(hit.score, 3),
    }


def items(found: Sequence[Item], now: datetime) -> dict[str, Any]:
    """Memories as a list shows them."""
    return {
        "memories": [
            {
                "id": item.key,
                "title": item.title,
                "kind": item.kind,
                "status": item.status,
                "age": age(item.updated, now),
                "source": item.origin or item.host,
                "trust": item.trust,
                "project": item.project,
            }
            for item in found
        ]
    }


def items_text(told: Mapping[str, Any]) -> str:
    """The same as lines."""
    if not told["memories"]:
        return "No memories here."
    return quoted(f"- {one['title']} ({one['kind']}, {one['status']}, {one['age']}, {one['id']})" for one in told["memories"])


def memory(one: Memory, now: datetime) -> dict[str, Any]:
    """One memory, whole."""
    return {
        "id": one.uri,
        "title": one.title,
        "text": one.body,
        "kind": one.facet or one.kind,
        "status": one.status,
        "age": age(one.updated, now),
        "source": one.source or one.source_interface,
        "trust": one.trust,
        "tags": list(one.tags),
        "etag": one.etag,
        "path": one.path,
    }


def memory_text(told: Mapping[str, Any]) -> str:
    """The same as text."""
    facts = ", ".join(
        part for part in (told["kind"], told["status"], told["age"], f"trust: {told['trust']}", told["id"]) if part
    )
    return quoted([f"{told['title']} ({facts})", "", told["text"].strip()])


def saved(one: Saved) -> dict[str, Any]:
    """What a write did."""
    told: dict[str, Any] = {"action": one.action, "id": one.memory.uri if one.memory else ""}
    if one.memory:
        told |= {"title": one.memory.title, "path": one.memory.path}
    return told | {"replaced": list(one.replaced), "warnings": list(one.warnings)}


def saved_text(told: Mapping[str, Any]) -> str:
    """The same as a sentence."""
    parts = [f"{told['action']}: {told.get('title', '')} ({told['id']})"]
    if told["action"] == "inbox":
        parts.append("It waits in the inbox until the person has reviewed it.")
    return "\n".join([*parts, *told["warnings"]])


def changed(one: Memory) -> dict[str, Any]:
    """A memory after a change."""
    return {"action": one.status, "id": one.uri, "title": one.title, "path": one.path, "replaced": [], "warnings": []}


def handed_over(one: HandedOver) -> dict[str, Any]:
    """What became of a conversation."""
    proposed = [saved(each) for each in one.captured.saved] if one.captured else []
    return {
        "action": one.action,
        "conversation_id": one.conversation_id,
        "cross_interface_thread_id": one.thread_id,
        "sync": one.sync,
        "messages": one.messages,
        "added": one.added,
        "saved": proposed,
    }


def handed_over_text(told: Mapping[str, Any]) -> str:
    """The same as a sentence."""
    waits = " It stays out of memory until the person confirms it." if told["sync"] == "pending" else ""
    known = f"{told['action']}: conversation {told['conversation_id']}, {told['cross_interface_thread_id']}"
    return f"{known}; {told['messages']} messages, {told['added']} new, {len(told['saved'])} memories.{waits}"


def marked(one: Marked) -> dict[str, Any]:
    """What a conversation gave."""
    return {"session": one.captured.session, "turns": one.turns, "saved": [saved(each) for each in one.captured.saved]}


def marked_text(told: Mapping[str, Any]) -> str:
    """The same as a sentence."""
    return f"{told['session']}: {told['turns']} turns, {len(told['saved'])} memories."


def context(bundles: Sequence[Bundle]) -> dict[str, Any]:
    """Text to start or go on with."""
    omitted = [title for one in bundles for title in one.omitted]
    without = list(dict.fromkeys(reason for one in bundles for reason in one.missing))
    text = "\n\n".join(one.text for one in bundles if one.text)
    return {"text": text, "tokens": sum(one.tokens for one in bundles), "omitted": omitted, "without": without}


def context_text(told: Mapping[str, Any]) -> str:
    """The text, marked as data."""
    return quoted([told["text"]]) if told["text"] else "There is nothing to tell yet."


def source(one: SourceNote) -> dict[str, Any]:
    """One note that memories are taken from."""
    told: dict[str, Any] = {"path": one.path, "dirty": one.dirty, "saved": [saved(each) for each in one.saved]}
    return told | ({"note": one.note} if one.note else {})


def sources(found: Sequence[SourceNote]) -> dict[str, Any]:
    """Notes that memories are taken from."""
    return {"sources": [source(one) for one in found]}


def sources_text(told: Mapping[str, Any]) -> str:
    """The same as lines."""
    lines = [f"- {one['path']}{' (changed since it was read)' if one['dirty'] else ''}" for one in told["sources"]]
    return "\n".join(lines) or "No note is a source of memories."

"""Results of these tools: short values, and text that is marked as data."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from vademecum.domain.query import SessionHit, SessionSearch
from vademecum.plugin_api.conversations import HandedOver, Marked
from vademecum.plugin_api.mcp import data
from vademecum.plugin_api.memory import age
from vademecum.plugin_api.verbs import decision_lines
from vademecum.plugin_api.writing import Decided, SourceNote

#: search_history: most characters of a turn; most turns on each side of a match; most characters of all context.
TURN_MAX_CHARS, AROUND_MOST, CONTEXT_MAX_CHARS = 600, 10, 30_000


def places(found: SessionSearch, now: datetime) -> dict[str, Any]:
    """Return matches in conversations with the turns around them, or uses of tools."""
    result: list[dict[str, Any]] = []
    room = CONTEXT_MAX_CHARS
    for hit in found.hits:
        context = [
            {"role": passage.role, "text": data.cut(passage.text, TURN_MAX_CHARS)} for passage in hit.around or hit.chunk
        ]
        needed = sum(len(fields["text"]) for fields in context)
        place = _place(hit, now)
        if needed <= room:
            place["context"] = context
            room -= needed
        else:  # the best matches include their context; for the others it can be requested
            place["left_out"] = f"{len(context)} turns of context: search with session, or a smaller top_k"
        result.append(place)
    uses = [
        {"id": f"{item.key}#{touch.ref}", "title": item.title, "tool": touch.tool, "file": touch.file}
        | {"time": touch.time.isoformat() if touch.time else ""}
        for item, touch in found.touches
    ]
    without = {"without": list(found.missing)} if found.missing else {}
    return {"verdict": found.verdict, "hits": result, "uses": uses, **without}


def _place(hit: SessionHit, now: datetime) -> dict[str, Any]:
    item, passage = hit.item, hit.passage
    return {
        "id": f"{item.key}#{passage.ref}" if passage.ref else item.key,
        "title": item.title,
        "text": data.cut(passage.text, TURN_MAX_CHARS),
        "role": passage.role,
        "exact": hit.exact,
        "age": age(passage.time or item.updated, now),
        "source": item.host,
        "trust": passage.speaker,
        "project": item.project,
        "score": round(hit.score, 3),
    }


def places_text(answer: Mapping[str, Any]) -> str:
    """Return the same as lines."""
    lines = [
        f"- {element['time']} {element['tool']} {element['file']} ({element['title']}, {element['id']})"
        for element in answer["uses"]
    ]
    if answer["verdict"] == "far":
        lines.append("No match. Nearest results, possibly about something else:")
    for one in answer["hits"]:
        facts = (one["role"], one["age"], "these words" if one["exact"] else "near", one["id"], one.get("left_out", ""))
        lines.append(f"- {one['title']}: {one['text']} ({', '.join(fact for fact in facts if fact)})")
        lines += [f"  | {turn['role']}: {turn['text']}" for turn in one.get("context", ())]
    return data.quoted(lines) if lines else "Nothing like that was said in the conversations that were read."


def decided(one: Decided) -> dict[str, Any]:
    """Return what happened to a proposal and to related memories."""
    gone = [other.id for other in one.others] if one.relation == "update" else []
    return data.changed(one.memory) | {"replaced": gone, "warnings": decision_lines(one)}


def handed_over(one: HandedOver) -> dict[str, Any]:
    """Return what happened to a conversation that was handed over."""
    proposed = [data.saved(each) for each in one.captured.saved] if one.captured else []
    return {
        "action": one.action,
        "conversation_id": one.conversation_id,
        "cross_interface_thread_id": one.thread_id,
        "sync": one.sync,
        "messages": one.messages,
        "added": one.added,
        "saved": proposed,
    }


def handed_over_text(answer: Mapping[str, Any]) -> str:
    """Return the same as a sentence."""
    waits = " It stays out of memory until the person confirms it." if answer["sync"] == "pending" else ""
    known = f"{answer['action']}: conversation {answer['conversation_id']}, {answer['cross_interface_thread_id']}"
    return f"{known}; {answer['messages']} messages, {answer['added']} new, {len(answer['saved'])} memories.{waits}"


def marked(one: Marked) -> dict[str, Any]:
    """Return what was saved of a conversation."""
    return {
        "session": one.captured.session,
        "turns": one.turns,
        "saved": [data.saved(each) for each in one.captured.saved],
        "rejected": [f"{text}: {why}" for text, why in one.rejected],
    }


def marked_text(answer: Mapping[str, Any]) -> str:
    """Return the same as a sentence."""
    rejected = "".join(f" Rejected: {entry}." for entry in answer["rejected"])
    return f"{answer['session']}: {answer['turns']} turns, {len(answer['saved'])} memories.{rejected}"


def source(one: SourceNote) -> dict[str, Any]:
    """Return one source note."""
    fields: dict[str, Any] = {"path": one.path, "dirty": one.dirty, "saved": [data.saved(each) for each in one.saved]}
    return fields | ({"note": one.note} if one.note else {})


def sources(found: Sequence[SourceNote]) -> dict[str, Any]:
    """Return source notes."""
    return {"sources": [source(note) for note in found]}


def sources_text(answer: Mapping[str, Any]) -> str:
    """Return the same as lines."""
    lines = [f"- {entry['path']}{' (changed since it was read)' if entry['dirty'] else ''}" for entry in answer["sources"]]
    return "\n".join(lines) or "No note is a source of memories."

"""Results for agents: short values, and text marked as data, because a memory is not an instruction (rule 10)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any

from vademecum.domain.ids import short_id, shortened
from vademecum.domain.item import Item, Passage
from vademecum.domain.memory import Memory
from vademecum.domain.query import PREAMBLE, Bundle, Hit, Recall
from vademecum.domain.saved import Saved
from vademecum.domain.why_nothing import COULD_NOT_SEARCH, NOTHING_KNOWN, in_words
from vademecum.entrypoints.text import nearest
from vademecum.inject.render import age
from vademecum.language.readable import readable_line

#: Marks around remembered text. The same marks inside the text are altered, so that it cannot end its own quotation.
OPEN, CLOSE = "<memory-data>", "</memory-data>"
_MARK = re.compile(r"<(\s*/?\s*)memory-data", re.IGNORECASE)

PIECE_MAX_CHARS = 1_200
#: End of a truncated text, and the hint that goes with it.
CUT, READ_MORE = " ...", "\nCut lines: read_memory with their ids gives the whole text."
#: Turns on each side of a place in a conversation; most characters of any note or conversation.
READ_AROUND, READ_MAX_CHARS = 4, 8_000


def quoted(lines: Iterable[str]) -> str:
    """Return remembered text between marks, with an introductory sentence."""
    body = _MARK.sub(r"<\1memory_data", "\n".join(lines))
    return f"{PREAMBLE}\n{OPEN}\n{body}\n{CLOSE}"


#: Fields of a hit with text; of a hit on one line.
_FACTS, _LINE_FACTS = (
    ("kind", "age", "holds", "replaces", "trust", "id", "via"),
    ("age", "holds", "replaces", "trust", "id", "via"),
)
#: How many hits carry their text; characters of title and line of the others.
WITH_TEXT, TITLE_MAX_CHARS, LINE_MAX_CHARS = 3, 40, 100


def hits(found: Recall, candidates: Sequence[Hit], now: datetime) -> dict[str, Any]:
    """Return the hits of recall: the first with their text, the others and the candidates as one line each.

    Args:
        candidates: the best hits below the threshold, best first.
    """
    fields: dict[str, Any] = {
        "verdict": found.verdict,
        "hits": [_hit(hit, now) if place < WITH_TEXT else _line(hit, now) for place, hit in enumerate(found.hits)],
    }
    if candidates:
        fields["candidates"] = [_line(hit, now) for hit in candidates]
    if found.verdict == NOTHING_KNOWN:
        fields |= {"confidence": found.confidence, "threshold": found.threshold}
        fields["nearest"] = [
            {"title": left.title, "id": left.key, "confidence": left.confidence or 0.0, "why": in_words(left.why)}
            for left in nearest(found)
        ]
    return (
        fields | ({"without": list(found.missing)} if found.missing else {}) | ({"trace": found.trace} if found.trace else {})
    )


def hits_text(answer: Mapping[str, Any]) -> str:
    """Return the same as lines."""
    if not answer["hits"]:
        reasons = "; ".join(answer.get("without", ()))
        return _nothing(answer) if answer["verdict"] != COULD_NOT_SEARCH else f"Could not search: {reasons}"
    lines = [_hit_line(entry, _FACTS if place < WITH_TEXT else _LINE_FACTS) for place, entry in enumerate(answer["hits"])]
    if near := answer.get("candidates", ()):
        lines += ["Less certain:", *(_hit_line(entry, _LINE_FACTS) for entry in near)]
    cut = any(entry["text"].endswith(CUT) for entry in (*answer["hits"], *near))
    return quoted(lines) + (READ_MORE if cut else "")


def _hit_line(row: Mapping[str, Any], facts: Sequence[str]) -> str:
    known = filter(None, (_fact(row, fact) for fact in facts if fact in row))
    return f"- {_named(row['title'], row['text'])} ({', '.join(known)})"


def _nothing(answer: Mapping[str, Any]) -> str:
    """Return that nothing is known, and the nearest hit with its confidence, 0 to 1 like the threshold."""
    if not answer.get("nearest"):
        return "Nothing is known about that."
    near = quoted(
        f"- {entry['title']} ({short_id(entry['id'])}, confidence {entry['confidence']:.2f}, {entry['why']})"
        for entry in answer["nearest"]
    )
    return f"Nothing is known about that (threshold {answer['threshold']:.2f}). The nearest results do not answer it:\n{near}"


def _named(title: str, text: str) -> str:
    """Prefix a text with its title, unless it begins with it."""
    return text if text.lstrip("# ").casefold().startswith(title.rstrip(".… ").casefold()) else f"{title}: {text}"


def _fact(fields: Mapping[str, Any], fact: str) -> str:
    if fact == "trust" and fields["trust"] == "user":
        return ""
    if fact == "replaces":
        return f'replaces "{fields[fact]}"'
    return short_id(fields[fact]) if fact == "id" else shortened(str(fields[fact]))


def cut(text: str, max_chars: int) -> str:
    """Return the beginning of a text, cut between words if possible."""
    if len(text) <= max_chars:
        return text
    beginning = text[:max_chars]
    words = beginning.rpartition(" ")[0]
    return (words if len(words) > max_chars // 2 else beginning) + CUT


def _hit(hit: Hit, now: datetime) -> dict[str, Any]:
    item = hit.item
    return {
        **_line(hit, now),
        "title": item.title,
        "text": cut(hit.passage.text, PIECE_MAX_CHARS),
        "source": item.origin or item.host or item.source,
        "status": item.status,
        "score": round(hit.score, 3),
    }


def _line(hit: Hit, now: datetime) -> dict[str, Any]:
    """Return a hit on one line, from which an agent can choose what to read."""
    item, passage = hit.item, hit.passage
    return {
        "id": _id_of(item, passage),
        "title": cut(readable_line(item.title), TITLE_MAX_CHARS),
        "text": cut(readable_line(passage.text), LINE_MAX_CHARS),
        "kind": item.kind if item.source == "memory" else item.source,
        "age": age(passage.time or item.valid_from or item.updated, now),
        "trust": passage.speaker if item.source == "session" else item.trust,
        **({"holds": hit.holds} if hit.holds else {}),
        **({"replaces": cut(readable_line(hit.replaces), TITLE_MAX_CHARS)} if hit.replaces else {}),
        **({"via": hit.via} if hit.via else {}),
    }


def _id_of(item: Item, passage: Passage) -> str:
    return item.key + (f"#{passage.ref}" if item.source == "session" and passage.ref else "")


def items(found: Sequence[Item], now: datetime) -> dict[str, Any]:
    """Return memories as list entries."""
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


def items_text(answer: Mapping[str, Any]) -> str:
    """Return the same as lines."""
    if not answer["memories"]:
        return "No memories here."
    return quoted(
        f"- {entry['title']} ({entry['kind']}, {entry['status']}, {entry['age']}, {short_id(entry['id'])})"
        for entry in answer["memories"]
    )


def memory(one: Memory, now: datetime) -> dict[str, Any]:
    """Return one memory with all fields."""
    return {
        "id": one.uri,
        "title": one.title,
        "text": one.body,
        "kind": one.facet or one.kind,
        "status": one.status,
        "age": age(one.shown_at, now),
        "source": one.source or one.source_interface,
        "trust": one.trust,
        "tags": list(one.tags),
        "etag": one.etag,
        "path": one.path,
    }


def passages(item: Item, found: Sequence[Passage], place: str, now: datetime) -> dict[str, Any]:
    """Return a note, or the turns of a conversation around a place.

    Args:
        found: all passages of it, in order. place: `ref` of a passage, or a heading of a note; "": from the beginning.
    """
    if item.source == "document":
        text = _sections(item, found, place)
    else:
        turn = next((passage.turn for passage in found if place and passage.ref == place), None)
        near = [passage for passage in found if turn is None or abs(passage.turn - turn) <= READ_AROUND]
        text = "\n".join(f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text for passage in near)
    return {
        "id": f"{item.key}#{place}" if place and item.source != "document" else item.key,
        "title": item.title,
        "text": cut(text, READ_MAX_CHARS),
        "kind": item.source,
        "status": item.status,
        "age": age(item.updated, now),
        "source": item.host or item.source,
        "trust": item.trust,
    }


def _sections(item: Item, found: Sequence[Passage], place: str) -> str:
    """Return a note's passages below their headings; those below the heading `place`, if it has that one."""
    paths = [passage.heading[len(item.title) :].partition(" / ")[2].split(" / ") for passage in found]
    wanted = place.rpartition("#")[2].strip().casefold()
    chosen = [at for at, path in enumerate(paths) if wanted in map(str.casefold, path)] if wanted else []
    lines: list[str] = []
    before: list[str] = []
    for at in chosen or range(len(found)):
        path = [part for part in paths[at] if part]
        same = len(list(takewhile(lambda pair: pair[0] == pair[1], zip(path, before, strict=False))))
        lines += [f"{'#' * (depth + 2)} {part}" for depth, part in enumerate(path) if depth >= same]
        lines += [found[at].text] if not path or found[at].text != path[-1] else []
        before = path
    return "\n\n".join(lines)


def read_text(answer: Mapping[str, Any]) -> str:
    """Return one or several read items as text."""
    if "memories" not in answer:
        return memory_text(answer)
    blocks: list[str] = []
    for entry in answer["memories"]:
        blocks += [f"{entry['id']}: {entry['error']}"] if "error" in entry else [*_memory_lines(entry), ""]
    return quoted(blocks)


def memory_text(answer: Mapping[str, Any]) -> str:
    """Return the same as text."""
    return quoted(_memory_lines(answer))


def _memory_lines(fields: Mapping[str, Any]) -> list[str]:
    facts = ", ".join(
        part
        for part in (fields["kind"], fields["status"], fields["age"], f"trust: {fields['trust']}", short_id(fields["id"]))
        if part
    )
    return [f"{fields['title']} ({facts})", "", fields["text"].strip()]


def saved(one: Saved) -> dict[str, Any]:
    """Return what a write did."""
    fields: dict[str, Any] = {"action": one.action, "id": one.memory.uri if one.memory else ""}
    if one.memory:
        fields |= {"title": one.memory.title, "path": one.memory.path, "project": one.memory.project}
    fields |= {"note": one.note} if one.note else {}
    return fields | {"replaced": list(one.replaced), "warnings": list(one.warnings)}


#: Action -> its words, where its name alone could be taken for a status of the new text.
_DONE = {"superseded": "replaced, the old text is archived"}


def saved_text(answer: Mapping[str, Any]) -> str:
    """Return the same as a sentence."""
    parts = [f"{_DONE.get(answer['action'], answer['action'])}: {answer.get('title', '')} ({short_id(answer['id'])})"]
    if answer["action"] == "saved":
        parts.append(f"Shown in project {answer['project']}." if answer.get("project") else "Shown in every project.")
    return "\n".join([*parts, *([answer["note"]] if answer.get("note") else []), *answer["warnings"]])


def changed(one: Memory) -> dict[str, Any]:
    """Return a memory after a change."""
    return {"action": one.status, "id": one.uri, "title": one.title, "path": one.path, "replaced": [], "warnings": []}


def context(bundles: Sequence[Bundle]) -> dict[str, Any]:
    """Return a briefing or other context."""
    omitted = [title for bundle in bundles for title in bundle.omitted]
    without = list(dict.fromkeys(reason for bundle in bundles for reason in bundle.missing))
    text = "\n\n".join(bundle.text for bundle in bundles if bundle.text)
    return {"text": text, "tokens": sum(bundle.tokens for bundle in bundles), "omitted": omitted, "without": without}


def context_text(answer: Mapping[str, Any]) -> str:
    """Return the text, marked as data."""
    if answer["text"]:
        return quoted([answer["text"]])
    return (
        f"No room for {len(answer['omitted'])} memories: give a larger budget."
        if answer["omitted"]
        else "There is nothing to show yet."
    )

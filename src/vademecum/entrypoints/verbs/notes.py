"""Verbs to write, read and change memories."""

import re
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, TypedDict, Unpack

from msgspec import Struct

from vademecum.api import Vademecum
from vademecum.domain.errors import InvalidInput
from vademecum.domain.forgotten import Forgettable, Forgetting, Searched
from vademecum.domain.ids import short_id
from vademecum.domain.item import FILED_SOURCES, Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import CONFIDENCES, RELATIONS, By, Memory
from vademecum.domain.provenance import Provenance, Version
from vademecum.domain.query import MemoryConflict, Where
from vademecum.domain.saved import Saved, SaveOptions
from vademecum.entrypoints.text import (
    confirmed_text,
    day,
    done,
    edited_text,
    items_text,
    memory_or_provenance_text,
    moved_text,
    restored_text,
    saved_text,
    superseded_text,
    tagged_text,
)
from vademecum.entrypoints.verbs.verb import (
    AS_OF,
    REF,
    REQUIRED,
    Param,
    Verb,
    body_param,
    reason_param,
    ref_param,
    where_params,
)
from vademecum.recall.graph import Link

#: Most characters of a reason in text; `--json` has all of it.
REASON_CHARS = 300

#: The title of a memory, in the text of its file.
_TITLE = re.compile(r"^title: (.+)$", re.MULTILINE)

_LISTS = ("tags", "topics", "aliases", *RELATIONS)


class Evidence(Struct, frozen=True):
    """A memory with its source.

    Attributes:
        source: URI of the conversation, note or page; "" if unknown. span: refs of the turns, "FIRST to LAST" or one; "" for none.
        body: its text.
    """

    id: str
    title: str
    kind: str
    path: str
    status: str
    source: str
    span: str
    body: str


def _list(memory: Vademecum, limit: int, where: Where, evidence: bool, by: By) -> tuple[Item, ...] | tuple[Evidence, ...]:
    items = memory.notes.list(limit, by=by, **where)
    return tuple(_evidence(memory.notes.get(item.key)) for item in items if item.source in FILED_SOURCES) if evidence else items


def _evidence(memory: Memory) -> Evidence:
    return Evidence(
        memory.id, memory.title, memory.kind, memory.path, memory.status, memory.source, memory.source_span, memory.body
    )


def _show(memory: Vademecum, ref: str, as_of: datetime | None, evidence: bool) -> Memory | Provenance:
    return memory.notes.provenance(ref, as_of) if evidence else memory.notes.get(ref, as_of)


class _NewText(TypedDict):
    """What a memory says from now on, and the person's words behind it."""

    body: str
    title: str
    quote: str


def _evolve(memory: Vademecum, ref: str, reason: str, by: By, **given: Unpack[_NewText]) -> Saved:
    return memory.notes.evolve(ref, reason or "replaced by hand", by=by, **given)


def _edit(memory: Vademecum, ref: str, body: str | None, set: tuple[str, ...], etag: str, by: By) -> Memory:  # noqa: A002 - the option's name
    pairs = dict(_pair(text) for text in set)
    return memory.notes.edit(ref, body=body, properties=pairs, etag=etag or None, by=by)


def _pair(text: str) -> tuple[str, Any]:
    """Parse `key=value`. An empty value removes the key; `a, b` for a list property makes two entries."""
    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise InvalidInput(f"--set takes key=value, not {text!r}.")
    entries = [entry.strip() for entry in value.split(",") if entry.strip()]
    return key.strip(), (entries if key.strip() in _LISTS else value.strip()) or None


def conflicts_text(result: tuple[MemoryConflict, ...]) -> str:
    """Return which memories may replace or contradict others, and how to decide."""
    if not result:
        return "No memory is in conflict."
    lines = [
        line
        for conflict in result
        for line in (
            _dated(conflict.later),
            f"  {'against' if conflict.disputed else 'instead of'}?  {_dated(conflict.earlier)}",
        )
    ]
    return "\n".join(
        [
            *lines,
            "Decide with: vade settle ID (it holds, the other is archived), vade settle ID --both (both hold), vade review",
        ]
    )


def _dated(item: Item) -> str:
    return f"{day(item.said_at)}  {item.title}  ({short_id(item.key)})"


class _ToForget(Struct, frozen=True):
    """What is to be forgotten; one of them is given."""

    ref: str = ""
    source: str = ""
    subject: str = ""
    query: str = ""


def _forget(memory: Vademecum, targets: _ToForget, dry_run: bool, yes: bool, by: By) -> Forgetting:
    given: tuple[tuple[str, Forgettable], ...] = (
        (targets.ref, "memory"), (targets.source, "source"), (targets.subject, "subject"), (targets.query, "query"),
    )  # fmt: skip
    named = [(name, what) for name, what in given if name]
    if len(named) != 1:
        raise InvalidInput("Name one thing to forget.", "A memory, or --source URI, --subject WORDS, --query WORDS.")
    return memory.notes.forget(*named[0], yes=yes and not dry_run, by=by)


def links_text(result: tuple[Link, ...]) -> str:
    """Return one line for each link, indented by its distance."""
    if not result:
        return "It has no links."
    arrows = {"out": "->", "in": "<-", "": "--"}
    return "\n".join(
        f"{'  ' * (link.hop - 1)}{link.type} {arrows[link.direction]} {link.title or link.target}"
        + (f"  ({short_id(link.target)})" if link.title else f"  [{link.state}]")
        for link in result
    )


def versions_text(result: tuple[Version, ...]) -> str:
    """Return versions, oldest first: time, actor, operation, and the id for undo."""
    return "\n".join(
        f"{version.time[:19].replace('T', ' ')}  {version.op:<10} by {version.actor:<10} {version.path}  {version.operation}"
        + (f"\n    because: {_one_line(version.reason)}" if version.reason else "")
        for version in result
    )


def listed_text(result: tuple[Item, ...] | tuple[Evidence, ...]) -> str:
    """Return one line for each memory, or two with its source."""
    items = tuple(entry for entry in result if isinstance(entry, Item))
    if items or not result:
        return items_text(items)
    rows = [entry for entry in result if isinstance(entry, Evidence)]
    return "\n".join(
        f"{evidence.title}  ({short_id(evidence.id)})\n  {evidence.source or 'no source'}  {evidence.span}".rstrip()
        for evidence in rows
    )


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= REASON_CHARS else f"{line[:REASON_CHARS]}…"


def undone_text(result: Version) -> str:
    """Return what was undone, and how to redo it."""
    title = _TITLE.search(result.text or "")
    name = title.group(1).strip("\"' ") if title else PurePosixPath(result.path).stem
    op = result.reason.removeprefix("undo ") or result.op
    where = f"it is at {result.path} as it was before" if result.text is not None else f"{result.path} is removed"
    return f"Undone: {op} of {name}; {where}.\nBring it back with: vade undo {result.operation}"


def forgetting_text(result: Forgetting) -> str:
    """Return what is or was removed, what stays, what is out of reach, and the search that checks it."""
    lines = ["Forgotten." if result.done else "This would be forgotten; nothing was removed yet."]
    lines += [f"completed first: {identity}" for identity in result.completed]
    lines += [f"  memory: {to_erase.title or to_erase.id}  ({to_erase.place}; {to_erase.why})" for to_erase in result.memories]
    lines += [f"  conversation, whole: {uri}" for uri in result.conversations]
    lines += [f"  sentences in: {uri}" for uri in result.quoting]
    lines += [f"  removed: {count} {place}" for place, count in result.removed.items()]
    if result.derived:
        lines.append("These stay; decide about each (vade forget ID):")
        lines += [f"  {one.id}  {one.title}  ({one.why})" for one in result.derived]
    if result.beyond:
        lines.append("Vademecum cannot remove these:")
        lines += [f"  {one.what}" + (f"\n      {one.command}" if one.command else "") for one in result.beyond]
    if result.proof:
        lines.append("Searched " + ("for the words:" if result.words_known else "for the hashes of the words:"))
        lines += [_searched(search) for search in result.proof]
        if result.notes and any(one.found for one in result.proof):
            lines.append(
                f"The index contains text of your own notes ({', '.join(result.notes)}); edit them, then: vade compact"
            )
    return "\n".join(lines)


def _searched(search: Searched) -> str:
    text = "nothing" if not search.found else f"STILL in {len(search.found)}: " + ", ".join(search.found)
    return f"  {search.place}: {search.files} files, {search.bytes} bytes: {text}"


VERBS = (
    Verb("save", "Save one thing worth remembering.", (
        Param(
            "kind", "text", "The sentence to save; its words decide its kind. Or a kind, followed by a title: " + ", ".join(KINDS) + ".",
            place=True, named="kind",
        ),
        Param("title", "text", "The title, after a kind.", "", place=True),
        body_param("The text.", ""),
        Param("tags", "list", "Tags to give it.", ()),
        Param("space", "text", "Space to save it in; empty: the kind decides.", ""),
        Param("project", "text", "Project it belongs to; empty: that of the working folder.", ""),
        Param("personal", "flag", "Of no project: shown everywhere.", False),
        Param("agent", "text", "Agent it belongs to: shown to that agent only.", "", max_chars=80),
        Param("confidence", "text", "How certain it is.", "", choices=("", *CONFIDENCES)),
        Param("importance", "share", "How much it matters, 0 to 1; the kind decides when not given.", None),
        Param("summary", "text", "One line, 200 characters at most.", ""),
        Param("supersedes", "list", "Memories that it replaces.", ()),
        Param("always_load", "flag", "Show it at the start of every session.", False),
        Param("key", "text", "Short name for use in texts, such as KD03; letters alone get the next free number.", "", max_chars=20),
        Param("source", "text", "Where it comes from, as a URI.", ""),
        Param("said", "date", "When it was said or decided; now when not given.", None),
        Param("when", "list", 'A tool call that it is shown at: "run: git push", "edit: docs/*.md"; see vade rule.', (), commas=False),
        Param("answer_to", "text", "The question that it answers, or the id of the recall (vade why) that it was made from.", ""),
        Param("quote", "text", "For agents: the person's own words behind it, verbatim.", ""),
    ), Vademecum.notes.save, saved_text, {"options": SaveOptions}, writes=True, by_helper=True, standing="everyday", signed=True),
    Verb("show", "Show one memory in full.", (
        ref_param(),
        AS_OF,
        Param("evidence", "flag", "Also show where it comes from, why it was saved, and when it was confirmed.", False),
    ), _show, memory_or_provenance_text, standing="everyday"),
    Verb("list", "List memories, newest first.", (
        *where_params(),
        Param("branch", "text", 'Also what is only for this branch, as memories name it; "any": for every branch.', ""),
        Param("limit", "number", "Maximum number of memories.", 50),
        Param("evidence", "flag", "Also show what each says and where it comes from: source and turns.", False),
    ), _list, listed_text, {"where": Where}, standing="everyday", signed=True),
    Verb("edit", "Change a memory in place. To replace what it says, use evolve.", (
        ref_param(),
        body_param("The new text."),
        Param("set", "list", "A property as key=value; an empty value removes it.", (), commas=False),
        Param("etag", "text", "Only if the file is still the one with this etag.", ""),
    ), _edit, edited_text, writes=True, standing="everyday", signed=True),
    Verb("evolve", "Replace what a memory says; the old text is archived and stays linked.", (
        ref_param(),
        Param("reason", "text", "Why it changed; saved in the history.", "", or_place=True),
        body_param("The new text.", REQUIRED),
        Param("title", "text", "A new title.", ""),
        Param("quote", "text", "For agents: the person's own words behind it, verbatim.", ""),
    ), _evolve, saved_text, writes=True, standing="everyday", signed=True),
    Verb("supersede", "Mark a memory as replaced by another.", (
        Param("old", "text", "The memory that no longer holds.", place=True, named="memory"),
        Param("new", "text", "The memory that holds now; STALE when there is none.", place=True, named="memory"),
        reason_param(),
    ), Vademecum.notes.supersede, superseded_text, writes=True, signed=True),
    Verb("settle --open",
         "Memories that may replace others or contradict them, newest first. Decide with vade settle, or with vade review in a terminal.",
         (Param("project", "text", "Only this project's.", ""),), Vademecum.notes.conflicts, conflicts_text,
         signed=True),
    Verb("settle", "Decide a conflict: this memory holds, and those that it contradicts or replaces are archived.",
         (ref_param(), reason_param(), Param("both", "flag", "All of them hold.", False)), Vademecum.notes.settle,
         done("Settled, it holds"), writes=True, agents=False, signed=True),
    Verb("archive --resolved", "Mark as done or settled.", (ref_param(), reason_param()), Vademecum.notes.resolve, done("Marked as done"),
         writes=True, signed=True),
    Verb("archive", "Archive a memory; it can be restored.", (ref_param(), reason_param()), Vademecum.notes.archive, done("Archived"),
         writes=True, signed=True),
    Verb("restore", "Bring a memory back from the archive or the inbox.", (ref_param(),), Vademecum.notes.restore, restored_text,
         writes=True, signed=True),
    Verb("move", "Give a memory another kind, space or title. Its id stays, so every reference stays valid.", (
        ref_param(),
        Param("kind", "text", "New kind.", "", named="kind"),
        Param("space", "text", "New space.", ""),
        Param("title", "text", "New title.", ""),
    ), Vademecum.notes.move, moved_text, writes=True, signed=True),
    Verb("tag", "Add or remove tags.",
         (ref_param(), Param("add", "list", "Tags to add.", ()), Param("remove", "list", "Tags to remove.", ())),
         Vademecum.notes.tag, tagged_text, writes=True, signed=True),
    Verb("link", "Link a memory to another, or to a URI.", (
        ref_param(),
        Param("relation", "text", "What the link says.", place=True, choices=RELATIONS),
        Param("target", "text", "The other memory, or a URI.", place=True),
    ), Vademecum.notes.link, done("Linked"), writes=True, signed=True),
    Verb("links",
         "What a memory is linked with, by type of link: memories, notes, web pages, and names without a target.", (
        ref_param(),
        Param("type", "list", "Only these types of link: refines, derived_from, contradicts, supersedes, links, mentions, ...", ()),
        Param("hops", "number", "How many links away.", 1, least=1, most=3),
        Param("limit", "number", "Maximum number of links.", 20),
    ), Vademecum.notes.links, links_text, signed=True),
    Verb("confirm", "Confirm that a memory still holds.", (ref_param(),), Vademecum.notes.confirm, confirmed_text, writes=True,
         signed=True),
    Verb("history", "List every version of a memory.", (ref_param(),), Vademecum.notes.history, versions_text),
    Verb("undo", "Undo a change completely: the last one made on this device, or the one you name.", (
        Param("operation", "text",
              "Id of a change, from `history` or `log`; or a memory: its last change; empty: the last change made here.", "",
              place=True),
    ), Vademecum.notes.undo, undone_text, writes=True, standing="everyday", signed=True),
    Verb("forget", "Delete a memory, a source or some words permanently, with every copy that Vademecum has, and check that"
                   " they are gone. It asks first.", (
        Param("ref", "text", REF, "", place=True, named="memory"),
        Param("source", "text", "A conversation, note or page (its URI), and everything that was made from it.", ""),
        Param("subject", "text", "Everything that contains exactly these words.", ""),
        Param("query", "text", "What this question finds.", ""),
        Param("dry_run", "flag", "Only show what would be deleted.", False),
        Param("yes", "flag", "Do it without asking.", False),
    ), _forget, forgetting_text, {"targets": _ToForget}, writes=True, agents=False, consent="yes", lasting=True, needs_enabled=False,
       standing="everyday", signed=True),
)  # fmt: skip

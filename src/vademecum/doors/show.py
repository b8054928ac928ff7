"""Results as text for a person, or as one JSON object for a program."""

import dataclasses
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from itertools import zip_longest
from typing import Any

from vademecum.model.ageing import sureness
from vademecum.model.archive import ArchiveSize
from vademecum.model.checkpoint import Checkpoint, SyncedCheckpoints
from vademecum.model.conversation import Conversation, HandedOver
from vademecum.model.daily import DailyNote
from vademecum.model.errors import VademecumError
from vademecum.model.extraction import Extraction
from vademecum.model.forgotten import Forgetting, Searched
from vademecum.model.guarding import Scanned
from vademecum.model.ideas import Idea, Researched, Stale
from vademecum.model.item import Item
from vademecum.model.learnt import Evolved, Style
from vademecum.model.memory import Memory
from vademecum.model.onboarding import Known
from vademecum.model.query import Bundle, Doubt, Hit, Recall, SessionHit, SessionSearch
from vademecum.model.reports import (
    ArchiveReport,
    Attended,
    CaptureReport,
    Compacted,
    CorpusReport,
    Decided,
    Eligible,
    Exported,
    Foreseen,
    Link,
    Marked,
    Migrated,
    ModelReport,
    ModelState,
    ModelUsage,
    PatternFare,
    ProcessReport,
    Restored,
    Rows,
    Saved,
    SessionLine,
    SourceNote,
    Status,
    SyncReport,
    TendReport,
    Version,
)
from vademecum.model.session import SPOKEN, Session, Turn
from vademecum.model.topics import Topics
from vademecum.settings import Settings

SNIPPET_CHARS = 240
#: Topics on one screen; `--json` has all.
TOPICS_SHOWN = 20
#: A snippet that does not begin at the start shows so much before the word, and wants so much behind it.
SNIPPET_BEFORE_CHARS, SNIPPET_AFTER_CHARS = 30, 90
_WORD = re.compile(r"\w+")


def error(problem: VademecumError) -> str:
    """What happened and what to do next."""
    return f"{problem.message}\n{problem.hint}" if problem.hint else problem.message


def told(problem: VademecumError) -> dict[str, str]:
    """The same for a program, through every door: a stable word, what happened, what to do next."""
    return {"error": problem.code, "message": problem.message, "hint": problem.hint}


def as_json(value: Any) -> str:
    """One JSON object on one line; datetimes are ISO 8601, absent values are null, several results stand under "results"."""
    return json.dumps(answer(value), ensure_ascii=False)


def answer(value: Any) -> dict[str, Any]:
    """One JSON object, the same through every door: what a verb gives, or its entries under "results"."""
    known = plain(value)
    return {"results": known} if isinstance(known, list) else known


def plain(value: Any) -> Any:
    """Dataclasses, datetimes and tuples as what JSON knows."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {row.name: plain(getattr(value, row.name)) for row in dataclasses.fields(value)}
    if isinstance(value, date):  # a datetime is one
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, set | frozenset):
        return sorted(plain(entry) for entry in value)
    known = value is None or isinstance(value, str | int | float | bool)
    return value if known else value.hex() if isinstance(value, bytes) else str(value)


def saved(result: Saved) -> str:
    """What a write did, and what follows later."""
    memory_line = f"{result.action}: {describe(result.memory)}" if result.memory else result.action
    lines = [
        memory_line,
        *(f"  replaced: {title}  {old}" for old, title in zip_longest(result.replaced, result.titles, fillvalue="")),
        *(f"  {_linked_as(result)} {old}" for old in result.related),
        *(f"  note: {text}" for text in result.warnings),
    ]
    if result.replaced and result.memory:
        lines.append(f"  take that back with: vade undo {result.memory.id}")
    if result.likely and result.memory:
        lines.append(f"  it may have taken the place of {result.likely}; decide with vade settle {result.memory.id} [--both]")
    if result.asked:
        lines.append(f"  the language model will be asked what it is to {result.unclear}")
    if result.note:
        lines.append(f"  {result.note}")
    return "\n".join(lines)


def doubts(result: tuple[Doubt, ...]) -> str:
    """What may have taken whose place, and how to decide."""
    if not result:
        return "No memory is in doubt."
    lines = [line for one in result for line in (_dated(one.later), f"  instead of?  {_dated(one.earlier)}")]
    return "\n".join(
        [*lines, "Decide with: vade settle ID (it took its place), vade settle ID --both (both hold), vade review"]
    )


def _dated(item: Item) -> str:
    return f"{_day(item.valid_from or item.created)}  {item.title}  ({item.key.removeprefix('memory://')})"


def _linked_as(result: Saved) -> str:
    if result.action == "disputed" and result.memory:
        return f"decide with vade settle {result.memory.id}: it says otherwise than"
    return "linked with:"


def onboarded(results: Sequence[Saved | Known]) -> str:
    """Answers as they were kept, or the questions with what is known."""
    lines: list[str] = []
    for one in results:
        if isinstance(one, Saved):
            lines.append(saved(one))
        else:
            lines.append(f"{one.question.key}: {one.question.asks}")
            lines += [f"  {title}  {identity}" for title, identity in one.answers] or ["  (open)"]
    return "\n".join(lines)


def evolution(results: Sequence[Evolved]) -> str:
    """The page of what was learnt, as Markdown."""
    if not results:
        return "Nothing was learnt yet. Keep a correction with: vade save correction TITLE"
    lines: list[str] = []
    for one in results:
        if f"## {one.heading}" not in lines:
            lines += ["", f"## {one.heading}", ""]
        lines.append(f"- **{one.key}** {one.memory.title}  ({one.memory.id})")
    return "\n".join(lines[1:])


def styles(results: Sequence[Style]) -> str:
    """Styles, one line each, with their examples below."""
    if not results:
        return "No style is kept. Keep one with: vade style add CONTEXT DESCRIPTION"
    lines: list[str] = []
    for one in results:
        lines.append(f"{one.context}: {one.description}  [{one.importance:g}]  {one.id}")
        lines += [f"  - {example}" for example in one.examples]
    return "\n".join(lines)


def soul(result: Mapping[str, Sequence[Item]]) -> str:
    """What an agent holds about itself, by category."""
    lines: list[str] = []
    for category, notes in result.items():
        lines += [f"{category}:", *(f"  {one.title}  {one.key}" for one in notes)] if notes else []
    return "\n".join(lines) or "The agent holds nothing about itself yet."


def idea(result: Idea) -> str:
    """What became of an idea."""
    lines = [f"{result.action}: {describe(result.memory)}" if result.memory else result.action]
    lines += [f"  related: {title}" for title in result.related]
    lines += [f"  note: {text}" for text in result.warnings]
    lines += [f"  written: {result.page}"] if result.page else []
    lines += [f"  {result.note}"] if result.note else []
    return "\n".join([*lines, *(_researched(result.research) if result.research else [])])


def _researched(result: Researched) -> list[str]:
    stopped = f", stopped: no {result.stopped} left" if result.stopped else ""
    kept = [one for one in result.found if one.memory is not None]
    lines = [f"  looked up: {result.fetches} requests, {len(kept)} pages, {result.tokens} tokens{stopped}"]
    lines += [f"    waits for your word: {describe(one.memory)}" for one in kept if one.memory]
    return lines + [f"    {text}" for text in result.problems]


def ideas(results: Sequence[Memory]) -> str:
    """Ideas that incubate, one line each."""
    if not results:
        return "No idea incubates. Capture one with: vade idea TITLE"
    return "\n".join(f"{one.created:%Y-%m-%d}  {one.title}  {one.path}  {one.id}" for one in results)


def tidied(result: Idea | Sequence[Stale]) -> str:
    """What became of an old idea, or which there are."""
    if isinstance(result, Idea):
        return idea(result)
    if not result:
        return "No idea is that old."
    listed = [f"{one.touched:%Y-%m-%d}  {one.memory.title}  {one.memory.id}" for one in result]
    return "\n".join([*listed, "Decide with: vade idea gc REF keep | archive | delete --yes"])


def describe(memory: Memory) -> str:
    """Title, kind, place and id on one line."""
    return f"{memory.title}  [{memory.kind}, {memory.status}]  {memory.path}  {memory.id}"


def memory(result: Memory) -> str:
    """One memory: what it says, then what is known about it."""
    facts = {
        "id": result.id,
        "kind": result.kind + (f" ({result.facet})" if result.facet else ""),
        "status": result.status,
        "path": f"{result.space}: {result.path}",
        "tags": ", ".join(result.tags),
        "topics": ", ".join(result.topics),
        "project": result.project,
        "confidence": result.confidence,
        "sureness": f"{sureness(result.trust, 1 + result.confirmations):.2f} ({_counted(1 + result.confirmations, 'source')})",
        "importance": f"{result.importance:g}",
        "created": f"{result.created:%Y-%m-%d %H:%M}",
        "updated": f"{result.updated:%Y-%m-%d %H:%M}",
        "confirmed": f"{result.confirmations} time{'s' * (result.confirmations > 1)}" if result.confirmations else "",
        "valid from": f"{result.valid_from:%Y-%m-%d}" if result.valid_from else "",
        "valid until": f"{result.valid_until:%Y-%m-%d}" if result.valid_until else "",
        "supersedes": ", ".join(result.supersedes),
        "superseded by": ", ".join(result.superseded_by),
        "contradicts": ", ".join(result.contradicts),
        "may replace": ", ".join(result.may_replace),
        "refines": ", ".join(result.refines),
        "derived from": ", ".join(result.derived_from),
        "related": ", ".join(result.related),
        "source": result.source,
        "etag": result.etag,
    }
    head = "\n".join(f"  {name:<14}{value}" for name, value in facts.items() if value)
    return f"{result.title}\n\n{result.body.strip()}\n\n{head}"


def links(result: tuple[Link, ...]) -> str:
    """One line each, indented by how far away it is."""
    if not result:
        return "It is linked with nothing."
    arrows = {"out": "->", "in": "<-", "": "--"}
    return "\n".join(
        f"{'  ' * (link.hop - 1)}{link.type} {arrows[link.direction]} {link.title or link.target}"
        + (f"  ({link.target.removeprefix('memory://')})" if link.title else f"  [{link.state}]")
        for link in result
    )


def rows(result: Rows) -> str:
    """A line each, columns apart by tabs; values of more than one line in one."""
    lines = ["\t".join(result.columns), *("\t".join(map(_cell, row)) for row in result.rows)]
    return "\n".join([*lines, *(["(there are more rows: --limit)"] if result.more else [])])


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    return "" if value is None else " ".join(str(value).split())


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def items(result: tuple[Item, ...]) -> str:
    """One line each."""
    if not result:
        return "No memories here."
    return "\n".join(
        f"{_day(item.updated)}  {item.kind:<11} {_mark(item)}{item.title}  ({item.key.removeprefix('memory://')})"
        for item in result
    )


def _day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "          "


def _mark(item: Item) -> str:
    return "" if item.status == "active" else f"[{item.status}] "


def versions(result: tuple[Version, ...]) -> str:
    """Oldest first: when, who, what, and the id that undo takes."""
    return "\n".join(
        f"{version.time[:19].replace('T', ' ')}  {version.op:<10} by {version.actor:<10} {version.path}  {version.operation}"
        + (f"\n    because: {version.reason}" if version.reason else "")
        for version in result
    )


def undone(result: Version) -> str:
    """What was taken back."""
    return f"{result.reason or result.op}: {result.path}\nBring it back with: vade undo {result.operation}"


def snippet(text: str, question: str = "", limit: int = SNIPPET_CHARS) -> str:
    """A text on one line, cut between words: from a little before the question's longest word that it holds, else its start."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    places = (
        flat.lower().find(word) for word in sorted(_WORD.findall(question.lower()), key=len, reverse=True) if len(word) > 3
    )
    place = next((found for found in places if found >= 0), 0)
    start = 0 if place < limit - SNIPPET_AFTER_CHARS else flat.find(" ", place - SNIPPET_BEFORE_CHARS) + 1
    cut = flat[start : start + limit]
    end = cut.rsplit(" ", 1)[0] + " ..." if start + limit < len(flat) else cut
    return f"... {end}" if start else end


def recall(result: Recall) -> str:
    """Hits with their score, age and source; or why there are none."""
    lines = [line for position, hit in enumerate(result.hits, 1) for line in _hit_lines(position, hit, result.query.text)]
    if not result.hits:
        lines.append(_nothing(result))
    lines += [f"(without {reason})" for reason in result.missing]
    if result.trace:
        lines.append(f"why: vade why {result.trace}")
    return "\n".join(lines)


search = recall


def _nothing(result: Recall) -> str:
    if result.verdict == "could not search":
        return "Could not search: " + "; ".join(result.missing)
    told = f"Nothing known about that (confidence {result.confidence:.2f}, threshold {result.threshold:.2f})."
    near = list(dict.fromkeys(left.title for left in result.left if left.title))[:2]
    return f"{told} Nearest: {'; '.join(near)}. See them with: vade search" if near else told


def _hit_lines(position: int, hit: Hit, question: str) -> list[str]:
    item, passage = hit.item, hit.passage
    said = passage.time or item.updated
    facts = [item.kind if item.source == "memory" else item.source, _day(said).strip(), passage.speaker]
    if item.status != "active":
        facts.append(item.status)
    facts += [hit.via, f"perhaps no longer so: see {hit.doubted_by}" if hit.doubted_by else ""]
    return [
        f"{position}. {item.title}  ({', '.join(fact for fact in facts if fact)})  {hit.score:.2f}",
        f"   {snippet(passage.text, question)}",
        f"   {item.key}" + (f"#{passage.ref}" if passage.ref else ""),
    ]


def bundle(result: Bundle) -> str:
    """The text itself, then what a person should know about it."""
    head = result.text or (_nothing(result.recall) if result.recall else "Nothing to tell yet.")
    facts = [f"{result.tokens} of {result.budget_tokens} tokens"]
    if result.loaded:
        facts.append(f"loaded {len(result.loaded)}: " + ", ".join(result.loaded))
    if result.omitted:
        facts.append(f"left out {len(result.omitted)}: " + ", ".join(result.omitted))
    facts += [f"without {reason}" for reason in result.missing]
    return head + "\n\n-- " + "\n-- ".join(facts)


def topics(result: Topics) -> str:
    """One line a topic, those that the text is about marked; then what the session is about."""
    about = {match.label for match in result.about}
    lines = [
        (f"{match.score:5.2f} {'*' if match.label in about else ' '} " if result.compared else "")
        + f"{match.label}  ({match.items} {'memory' if match.items == 1 else 'memories'})"
        for match in result.matches[:TOPICS_SHOWN]
    ]
    hidden = len(result.matches) - TOPICS_SHOWN
    lines += [f"and {hidden} more"] if hidden > 0 else []
    if not lines:
        none = "No memory has a topic yet. Give it one: vade edit ID --set topics=..."
        lines = ["No topic to compare with." if result.compared else none]
    if result.lock:
        held = ", kept by hand" if result.lock.held else ""
        lines.append("session: " + ", ".join(f"{label} {weight:.2f}" for label, weight in result.lock.weights.items()) + held)
    return "\n".join(lines + [f"(without {reason})" for reason in result.missing])


def why(result: Recall) -> str:
    """The whole story of a recall."""
    lines = [f"question   {result.query.text}"]
    lines += [f"{name:<11}{', '.join(words)}" for name, words in result.terms.items() if words]
    lines.append(
        f"verdict    {result.verdict}: confidence {result.confidence:.3f} against threshold {result.threshold:.3f}, {result.ms:.1f} ms"
    )
    lines += [
        f"arm        {arm.name:<9} {arm.state}{' (' + arm.why + ')' if arm.why else ''}: {arm.found} found, {arm.ms:.1f} ms"
        for arm in result.arms
    ]
    for position, hit in enumerate(result.hits, 1):
        lines.append(f"{position:>3}. {hit.score:.3f}  {hit.item.title}  [{hit.item.kind}, {hit.item.status}]  {hit.item.key}")
        ranks = "  ".join(
            f"{name} {value:.3f}" + (f" (#{hit.ranks[name]})" if name in hit.ranks else "")
            for name, value in hit.signals.items()
        )
        if ranks:
            lines.append(f"       {ranks}")
        if hit.boosts:
            lines.append("       " + "  ".join(f"{name} {value:+.3f}" for name, value in hit.boosts.items()))
    lines += [
        f"left out   {left.title or left.key}: {left.why}" + (f" ({left.score:.3f})" if left.score else "")
        for left in result.left
    ]
    lines += [f"without    {reason}" for reason in result.missing]
    return "\n".join(lines)


def captured(result: CaptureReport) -> str:
    """A block for each session that had something new."""
    lines: list[str] = []
    for session in result.sessions:
        turns = ", ".join(f"{count} {role}" for role, count in session.turns.items())
        lines.append(f"{session.session}  {session.title}\n  {turns or 'no new turns'}")
        lines += ["  " + saved(one).replace("\n", "\n  ") for one in session.saved]
        if session.unknown:
            lines.append("  not understood: " + ", ".join(f"{kind} ({count})" for kind, count in session.unknown.items()))
        if session.copied:
            lines.append(f"  {session.copied} turns copied from another session, where they stand")
        if session.broken:
            lines.append(f"  {session.broken} lines could not be read")
    others = f", {result.unrecognised} not transcripts" if result.unrecognised else ""
    lines.append(
        f"{len(result.sessions)} sessions with something new, {result.unchanged} unchanged{others}, {result.ms / 1000:.1f} s"
    )
    return "\n".join(lines + [f"problem: {problem.path}: {problem.message}" for problem in result.problems])


def sessions(result: tuple[SessionLine, ...]) -> str:
    """A line for each conversation."""
    if not result:
        return "No conversation is known yet. Read them with: vade capture"
    return "\n".join(_session_line(one) for one in result)


def _session_line(one: SessionLine) -> str:
    kept = "archived" if one.archived else "not archived"
    facts = [f"{one.turns} turns", one.project, one.stage, kept if one.there else f"{kept}, deleted by its host"]
    facts += ["nothing is learnt from it"] if one.excluded else []
    said = f"{_day(one.updated)}  {one.title}  ({', '.join(fact for fact in facts if fact)})\n  {one.session}"
    said += f"\n  {one.about}" if one.about else ""
    return f"{said}\n  failed: {one.error}" if one.error else said


def eligible(result: Eligible) -> str:
    """Whether a conversation is learnt from, what that leaves, and what to do about it."""
    name = f"{result.title}  ({result.session})" if result.title else result.session
    short = result.session.rpartition("/")[2]
    if result.eligible:
        return f"Memories are taken again from {name}, from what is said in it from now on.\nWhat was said before: vade mark {short}"
    said = f"Nothing is learnt any more from {name}. It stays in the archive and in sessions search; no answer tells of it."
    if result.learnt:
        count = len(result.learnt)
        said += f"\nIt gave {count} {'memory' if count == 1 else 'memories'} before; nothing of that goes by itself."
        said += f" To have them and the conversation gone: vade forget --source {result.session}"
    return f"{said}\nTo take it back: vade sessions include {short}"


def session(result: Session) -> str:
    """A conversation as it was held; what tools wrote is set in."""
    head = [result.title or result.id, result.uri, *(f"{name} {value}" for name, value in _header(result) if value), ""]
    return "\n".join([*head, *(_turn_line(turn) for turn in result.turns)])


def _header(result: Session) -> tuple[tuple[str, str], ...]:
    started = f"{result.started:%Y-%m-%d %H:%M}" if result.started else ""
    return (
        ("project", result.project), ("folder", result.cwd), ("branch", result.branch), ("started", started),
        ("so far", result.summary),
    )  # fmt: skip


def _turn_line(turn: Turn) -> str:
    when = f"{turn.time:%H:%M} " if turn.time else ""
    if turn.role in SPOKEN:
        return f"{when}{turn.speaker or turn.role}: {turn.text}\n"
    return f"    {when}[{turn.role}] {snippet(turn.text, limit=160)}"


#: What stands above places that do not hold the very words.
_FOUND_BY = {
    "near": "Nobody said just these words. What comes nearest:",
    "far": "Nobody said that, as far as conversations were read. The nearest there is, which may be about something else:",
}


def session_search(result: SessionSearch) -> str:
    """Places with the exchange they stand in, or uses of tools."""
    lines = [_FOUND_BY[result.verdict]] if result.verdict in _FOUND_BY else []
    lines += [line for position, hit in enumerate(result.hits, 1) for line in _place_lines(position, hit, result.question)]
    for item, touch in result.touches:
        lines.append(
            f"{_moment(touch.time or item.updated)}{touch.tool} {touch.file}\n   {item.title}\n   {item.key}#{touch.ref}"
        )
    if not result.hits and not result.touches:
        lines.append("Nothing like that was said, as far as conversations were read.")
    return "\n".join(lines + [f"(without {reason})" for reason in result.missing])


def _place_lines(position: int, hit: SessionHit, question: str) -> list[str]:
    how = "exact" if hit.exact else f"{hit.score:.2f}"
    said = _moment(hit.passage.time or hit.item.updated).strip()
    head = f"{position}. {hit.item.title}  ({', '.join(fact for fact in (said, hit.passage.role, how) if fact)})"
    lines = [head, f"   {snippet(hit.passage.text, question)}", f"   {hit.item.key}#{hit.passage.ref}"]
    shown = hit.around or tuple(one for one in hit.chunk if one.text != hit.passage.text)
    return [*lines, *(f"   | {one.speaker}: {snippet(one.text, limit=160)}" for one in shown)]


def _moment(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d %H:%M}  " if moment else ""


def compacted(result: Compacted) -> str:
    """What became smaller."""
    sizes = f"{result.bytes_before / 1e6:.1f} MB -> {result.index_bytes / 1e6:.1f} MB"
    return f"index {sizes}; expired checkpoints removed: {result.checkpoints}; long chats shortened: {result.trimmed}"


def migrated(result: Migrated) -> str:
    """How many memories each file gave, and what was left."""
    if not result.files:
        return "There are no agents' files (<name>.md) in this folder; nothing was taken over."
    lines = []
    for one in result.files:
        lines.append(f"{one.name}: {one.taken} {'would be ' if result.dry_run else ''}taken over, {one.known} known already")
        waiting = sum(kept.action == "inbox" for kept in one.saved)
        if waiting:
            lines.append(f"  {waiting} wait for you: vade review")
        lines += [f"  not taken over: {problem}" for problem in one.problems]
    return "\n".join(
        [*lines, "The files are unchanged." + (" Take them over: the same without --dry-run" if result.dry_run else "")]
    )


def restored(result: Restored) -> str:
    """Where it stands now, and what it no longer holds."""
    line = f"{result.session} is back: {result.path} ({result.bytes} bytes)"
    if result.placeholders:
        line += f"\nSecrets taken out before it was archived stay placeholders: {result.placeholders}."
    return line


def exported(result: Exported) -> str:
    """The transcript itself."""
    return result.text.removesuffix("\n")


def archive(result: ArchiveReport) -> str:
    """How much there is, what only the archive has, and what is damaged."""
    size = result.size
    share = f" ({size.disk_bytes / size.source_bytes:.0%})" if size.source_bytes > 1_000_000 else ""
    cap = f", cap {size.cap_bytes / 1e6:.0f} MB" if size.cap_bytes else ""
    lines = [
        f"archive    {size.transcripts} transcripts, {size.source_bytes / 1e6:.1f} MB kept in {size.disk_bytes / 1e6:.1f} MB{share}{cap}"
    ]
    lines += [f"only here  {record.session}  {record.title}" for record in result.only_here]
    lines += [f"damaged    {problem.path}: {problem.message}" for problem in result.problems]
    return "\n".join(lines if result.problems else [*lines, "everything is as it was kept"])


def tended(result: TendReport) -> str:
    """What became of each session."""
    lines = [f"{one.session}  {_became(one)}" for one in result.sessions]
    facts = f"{len(result.sessions)} sessions, {result.events} events, {result.orphans} fell silent, {result.collected} old marks removed"
    lines.append(facts + (f", {result.waiting} still waiting" if result.waiting else ""))
    return "\n".join(lines + [f"problem: {problem.path}: {problem.message}" for problem in result.problems])


def _became(one: Attended) -> str:
    noted = ", ".join(map(str, one.days))
    told = [
        f"{one.turns} turns" if one.turns else "",
        f"handoff {one.handoff}" if one.handoff else "",
        f"noted in {noted}" if noted else "",
        one.error,
    ]
    return "  ".join([one.stage, *filter(None, told)])


def daily(result: DailyNote) -> str:
    """The note as it stands, and where."""
    if not result.text:
        return f"Nothing was noted on {result.day}. Its note would be {result.path}"
    return f"{result.text.rstrip()}\n\n{result.path}"


def key_uses(result: Mapping[str, int]) -> str:
    """One line for each key."""
    return "\n".join(f"{count:5}  {key}" for key, count in result.items()) or "No key is named in these days' notes."


def corpus(result: CorpusReport) -> str:
    """How many transcripts are how far, and what to do."""
    counts = Counter(one.status for one in result.sessions)
    lines = [
        f"{one.status:<10}  {one.session or one.path}" for one in result.sessions if one.status in ("failed", "unreadable")
    ]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    told = ", ".join(f"{count} {status}" for status, count in counts.most_common()) or "no transcripts"
    gained = sum(one.memories for one in result.sessions)
    lines.append(f"{told}" + (f"; {gained} memories gained" if result.executed else ""))
    if result.left:
        lines.append(f"{result.left} wait. {'Go on' if result.executed else 'Do it'} with: vade reflect corpus --execute")
    return "\n".join(lines)


def checkpoint(result: Checkpoint) -> str:
    """Who, when, and the last words."""
    facts = [f"saved {result.saved:%Y-%m-%d %H:%M} UTC", f"{len(result.messages)} messages"]
    facts += [f"{name} {value}" for name, value in (("chat", result.chat), ("model", result.model)) if value]
    said = [f"  {message.role}: {snippet(message.text, limit=100)}" for message in result.messages[-3:]]
    return "\n".join([f"{result.agent}  ({', '.join(facts)})", *said])


def checkpoints(result: SyncedCheckpoints) -> str:
    """Which agents have a newer one."""
    lines = [f"written: {agent}" for agent in result.written]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    return "\n".join([*lines, f"{len(result.written)} written, {result.unchanged} as new as they were"])


def handoff(result: Saved) -> str:
    """The handoff itself, and where it stands."""
    return saved(result) + (f"\n\n{result.memory.body.strip()}" if result.memory else "")


def processed(result: ProcessReport) -> str:
    """A line for each session that had something new, then the counts."""
    report = result.capture
    lines = []
    for session in report.sessions:
        turns = ", ".join(f"{count} {role}" for role, count in session.turns.items()) or "no new turns"
        kept = ", ".join(f"{count} {action}" for action, count in Counter(one.action for one in session.saved).items())
        state = "ended" if session.session in result.silent else "going on"
        lines.append(f"{session.session}  {session.title}\n  {turns}{f'; {kept}' if kept else ''}; {state}")
    lines += [f"{one.session}  {_became(one)}" for one in result.tended.sessions]
    problems = (*report.problems, *result.tended.problems)
    lines.append(
        f"{len(report.sessions)} sessions with something new, {report.unchanged} files up to date, {len(problems)} errors"
    )
    if result.tended.sessions or result.tended.waiting:
        waiting = f", {result.tended.waiting} still waiting" if result.tended.waiting else ""
        lines.append(f"{len(result.tended.sessions)} sessions that had ended were attended to{waiting}")
    for note in result.tended.distilled:
        if note.saved:
            lines.append(f"{len(note.saved)} taken from your own words of {note.day}")
            lines += [f"  {saved(one)}" for one in note.saved]
    return "\n".join(lines + [f"problem: {problem.path}: {problem.message}" for problem in problems])


def bench_guard(result: Mapping[str, Any]) -> str:
    """Rates; of the secrets only the classes of which one was missed."""

    def rate(counts: Sequence[int]) -> str:
        return f"{counts[0]} of {counts[1]} ({counts[0] / max(counts[1], 1):.1%})"

    missed = [f"  {rule}: {rate(counts)}" for rule, counts in result["secrets"].items() if counts[0] < counts[1]]
    return "\n".join([
        f"secrets found: {rate(result['secrets_total'])}, {len(result['secrets'])} classes",
        *missed,
        f"orders held back: {rate(result['orders_total'])}",
        *(f"  {name}: {rate(counts)}" for name, counts in result["orders"].items()),
        f"harmless texts held back: {rate(result['benign_quarantined'])}",
        f"harmless texts with a secret seen in them: {rate(result['benign_with_secret'])}",
        f"{result['us_per_text']} microseconds a text",
    ])  # fmt: skip


def scanned(result: Scanned) -> str:
    """What was met where, and what was rewritten."""
    if not result.found:
        return "Nothing was found."
    lines = [f"{one.place}: {one.count} {one.kind} ({one.rule})" for one in result.found]
    lines += [f"rewritten: {count} {place}" for place, count in result.purged.items()]
    if not result.purged:
        lines.append("Put placeholders in the place of secrets and personal data with: vade guard scan --purge")
    return "\n".join(lines)


def guard_log(result: Sequence[Mapping[str, Any]]) -> str:
    """One line each."""
    return (
        "\n".join(
            f"{one.get('at', '')}  {one.get('action', '')}  {one.get('actor', '')}/{one.get('interface', '')}  "
            + ", ".join(map(str, one.get("found", ())))
            for one in result
        )
        or "Nothing was held back."
    )


def forgetting(result: Forgetting) -> str:
    """What goes or went, what stays, what is out of reach, and the search that proves it."""
    lines = ["Forgotten." if result.done else "This would be forgotten; nothing was removed yet."]
    lines += [f"completed first: {identity}" for identity in result.completed]
    lines += [f"  memory: {one.title or one.id}  ({one.place}; {one.why})" for one in result.memories]
    lines += [f"  conversation, whole: {uri}" for uri in result.conversations]
    lines += [f"  sentences in: {uri}" for uri in result.quoting]
    lines += [f"  removed: {count} {place}" for place, count in result.removed.items()]
    if result.derived:
        lines.append("These stay; decide on each (vade forget ID):")
        lines += [f"  {one.id}  {one.title}  ({one.why})" for one in result.derived]
    if result.beyond:
        lines.append("Out of our reach:")
        lines += [f"  {one.what}" + (f"\n      {one.command}" if one.command else "") for one in result.beyond]
    if result.proof:
        lines.append("Searched " + ("for the words:" if result.words_known else "for the hashes of the words:"))
        lines += [_searched(one) for one in result.proof]
        if result.notes and any(one.found for one in result.proof):
            lines.append(f"The index holds what your own notes say ({', '.join(result.notes)}); edit them, then: vade compact")
    if not result.done:
        lines.append("Remove it with --yes.")
    return "\n".join(lines)


def _searched(one: Searched) -> str:
    found = "nothing" if not one.found else f"STILL in {len(one.found)}: " + ", ".join(one.found)
    return f"  {one.place}: {one.files} files, {one.bytes} bytes: {found}"


def synced(result: SyncReport) -> str:
    """What changed, what the person did by hand, what is still to come."""
    lines = [
        f"{result.added} new, {result.changed} changed, {result.dropped} gone, "
        f"{result.same + result.touched} unchanged ({result.ms / 1000:.2f} s)"
    ]
    lines += [f"by hand: {text}" for text in result.by_hand]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    if result.waiting:
        lines.append(
            f"{result.waiting} passages still wait for their finer vectors; they are found by words and quick vectors until then."
        )
    return "\n".join(lines)


def handed_over(result: HandedOver) -> str:
    """What became of a conversation."""
    lines = [f"{result.action}: {result.title}  ({result.interface}, {result.messages} messages, {result.added} new)"]
    lines.append(f"  conversation {result.conversation_id}, {result.thread_id}")
    if result.sync == "pending":
        lines.append(f"  It waits for your word: vade confirm-conversation {result.conversation_id}")
    if result.captured:
        lines += ["  " + saved(one).replace("\n", "\n  ") for one in result.captured.saved]
    return "\n".join(lines)


def conversations(result: tuple[Conversation, ...]) -> str:
    """One line each."""
    lines = [
        f"{one.used:%Y-%m-%d %H:%M}  {one.interface:<12} {one.title}  ({one.id}{', waits for your word' if one.pending else ''})"
        for one in result
    ]
    return "\n".join(lines) or "No conversations were saved."


def marked(result: Marked) -> str:
    """What a conversation gave."""
    lines = [f"{result.captured.title}  ({result.turns} turns)"]
    lines += ["  " + saved(one).replace("\n", "\n  ") for one in result.captured.saved]
    lines += [f"  rejected: {text} ({why})" for text, why in result.rejected]
    lines += ["  the language model reads it next"] if result.queued else []
    return "\n".join(lines if len(lines) > 1 else [*lines, "  nothing to remember in it"])


def source(result: SourceNote) -> str:
    """One marked note and what it gave."""
    lines = [f"{result.path}{'  (changed since it was read)' if result.dirty else ''}"]
    lines += ["  " + saved(one).replace("\n", "\n  ") for one in result.saved]
    return "\n".join([*lines, *([f"  {result.note}"] if result.note else [])])


def sources(result: tuple[SourceNote, ...]) -> str:
    """All marked notes."""
    return "\n".join(source(one) for one in result) or "No note is a source of memories. Make one: vade add-source NOTE"


def status(result: Status) -> str:
    """Where things lie and how many there are."""
    by_status = ", ".join(f"{count} {name}" for name, count in result.memories.items())
    vectors = ", ".join(f"{count} {model}" for model, count in result.vectors.items()) or "none"
    lines = [
        f"memories   {sum(result.memories.values())} ({by_status or 'none yet'}) in {result.home}",
        f"documents  {result.documents}" + (f" in {result.vault}" if result.vault else ""),
        f"sessions   {result.sessions}",
        f"index      {result.passages} passages, {result.index_bytes / 1e6:.1f} MB",
        f"vectors    {vectors}; {result.waiting} waiting (embedder: {result.embedder})",
        *([f"archive    {_archive(result.archive, result.unarchived)}"] if result.archive and result.sessions else []),
        f"helper     {_helper(result.helper)}",
        f"inbox      {_inbox(result)}",
        *([f"doubts     {result.doubts}: what may no longer hold, see vade doubts"] if result.doubts else []),
        *([f"model      {model_state(result.model)}"] if result.model else []),
    ]
    return "\n".join(lines + [f"degraded   {text}" for text in result.degraded])


def _archive(size: ArchiveSize, unarchived: int) -> str:
    cap = f" of {size.cap_bytes / 1e6:.0f} MB" if size.cap_bytes else ""
    behind = f"; {unarchived} are not in it as they were read last" if unarchived else ""
    return f"{size.transcripts} transcripts in {size.disk_bytes / 1e6:.1f} MB{cap}{behind}"


def model_state(result: ModelState) -> str:
    """Which language model reads, what waits for it, and what it took today."""
    if result.name == "none":
        return "none; patterns alone read conversations (setting llm)"
    waits = [f"{result.waiting} waiting"]
    waits += [f"{count} {what}" for count, what in ((result.failing, "failing"), (result.parked, "parked")) if count]
    return f"{result.name}: {', '.join(waits)}; today {result.input_tokens} tokens in, {result.output_tokens} out"


def extractions(result: tuple[Extraction, ...]) -> str:
    """What waits for the language model, one line each."""
    return "\n".join(map(extraction, result)) or "Nothing waits for the language model."


def extraction(result: Extraction) -> str:
    """One conversation in the queue."""
    when = f"due {_moment(result.due).strip()}" if result.stage == "waiting" else result.stage
    tries = f", failed {result.failures} times: {result.error}" if result.failures else ""
    if result.rival:
        return f"{result.session}  {when}, to be compared with memory://{result.rival}{tries}"
    return f"{result.session}  {when}, {result.turns_read} turns read, {result.kept} kept, {result.rejected} rejected{tries}"


def model_report(result: ModelReport) -> str:
    """What the language model read, and how things stand."""
    lines = []
    for one in result.reads:
        what = ", ".join(f"{count} {name}" for name, count in Counter(saved.action for saved in one.saved).items()) or "nothing"
        lines.append(f"{one.session}: {one.error or what}" + (f", {len(one.rejected)} rejected" if one.rejected else ""))
        lines += [f"  rejected: {text} ({why})" for text, why in one.rejected]
    now = result.state
    held = [f"stopped    {now.stopped}"] if now.stopped else []
    held += [f"paused     {now.paused}"] if now.paused else []
    return "\n".join([*(lines or ["Nothing was due."]), f"model      {model_state(now)}", *held])


def usage(result: ModelUsage) -> str:
    """What language models took, one line for each day and model."""
    lines = [
        f"{use.day}  {use.calls:>5} calls  {use.input_tokens:>9} in  {use.output_tokens:>8} out  {use.cost:>9.4f}  {use.model}"
        for use in result.days
    ]
    today = f"today      {result.input_tokens} of {result.input_limit} tokens in, {result.output_tokens} of {result.output_limit} out"
    return "\n".join(
        [*(lines or ["No language model was asked."]), today, *([f"paused     {result.paused}"] if result.paused else [])]
    )


def _helper(said: Mapping[str, object] | None) -> str:
    if said is None:
        return "not running; the next hook starts it"
    http = f", HTTP on port {said['port']}" if said.get("port") else ""
    http += f", no HTTP: {said['http_error']}" if said.get("http_error") else ""
    return f"process {said['pid']}, {said['answered']} hooks answered, {said['memory_mb']} MB{http}"


def _inbox(result: Status) -> str:
    since = f", since {result.inbox_oldest:%Y-%m-%d}" if result.inbox_oldest else ""
    return f"{result.inbox}{since}" + (f"\nalarm      {result.inbox_alarm}" if result.inbox_alarm else "")


def settings(result: Settings) -> str:
    """One line a setting; secrets are not shown."""
    secret = {row.name for row in dataclasses.fields(result) if row.metadata.get("unit") == "secret"}
    shown = {row.name: getattr(result, row.name) for row in dataclasses.fields(result)}
    return "\n".join(f"{name:<25}{'(set)' if name in secret and value else value}" for name, value in shown.items())


def bench_recall(result: Mapping[str, Any]) -> str:
    """The figures of one recall set."""
    how = "pooled" if result["pooled"] else "apart"
    lines = [f"{result['file']}: {result['turns']} turns, {result['queries']} questions, {result['scopes']} scopes {how}"]
    for level in ("turn", "session"):
        lines.append(
            f"  {level:<8}"
            + "  ".join(f"{name} {value:.3f}" for name, value in result[level].items() if isinstance(value, float))
        )
    for category, levels in result["by_category"].items():
        row = levels["turn"] or {}
        lines.append(
            f"    {category:<26} turn recall@10 {row.get('recall@10', 0):.3f}"
            f"  session recall@5 {(levels['session'] or {}).get('recall@5', 0):.3f}"
        )
    gate = result["gate"]
    if gate["unrelated_injected"] is not None:
        lines.append(
            f"  gate    unrelated questions answered {gate['unrelated_injected']:.1%}, recall kept {gate['answerable_recall_kept']:.1%}"
        )
    lines.append(
        f"  ms      p50 {result['ms']['p50']}, p95 {result['ms']['p95']};"
        f" {result['ingest']['turns_per_s']} turns/s in, peak {result['rss_mb']} MB"
    )
    return "\n".join(lines)


#: Relation of a proposal to a known memory -> what its approval does, or did, to that one.
_DOES = {
    "same": ("confirms", "confirmed instead of saved twice"), "update": ("replaces", "replaced"),
    "contradict": ("is disputed by", "now disputed with"), "extend": ("adds to", "linked as adding to"),
    "derive": ("follows from", "linked as following from"),
}  # fmt: skip


_DECIDED = {"approve": "approved", "edit": "edited", "reject": "rejected", "skip": "left waiting", "supersede": "approved"}


def would(foreseen: Foreseen) -> list[str]:
    """What approving would do to what is known, a line for each memory."""
    return [f"approved, it {_DOES[foreseen.relation][0]}: {one.title}" for one in foreseen.others]


def did(result: Decided) -> list[str]:
    """What a decision did to what is known, a line for each memory."""
    lines = [f"{_DOES[result.relation][1]}: {one.title} ({one.id})" for one in result.others]
    if result.relation == "contradict":
        lines.append(f"say which holds with: vade settle {result.memory.id}")
    if result.likely:
        lines.append(f"it may have taken the place of {result.likely}; decide with vade settle {result.memory.id} [--both]")
    return lines + (["the language model will be asked what it is to a memory about the same"] if result.asked else [])


def reviewed(result: Decided) -> str:
    """What became of a proposal, and of what is known."""
    told = [f"  {line}" for line in did(result)]
    back = [] if result.decision == "skip" else [f"  take it back with: vade undo {result.memory.id}"]
    return "\n".join([f"{_DECIDED[result.decision]}: {describe(result.memory)}", *told, *back])


def reviewed_all(result: tuple[Decided, ...]) -> str:
    """How many were decided."""
    if not result:
        return "Nothing in the inbox fits."
    lines = [f"  {one.proposal}: {line}" for one in result for line in did(one)]
    return "\n".join([f"{result[0].decision}: {len(result)}. Each can be taken back with: vade undo ID", *lines])


def patterns(result: tuple[PatternFare, ...]) -> str:
    """One line an extractor, then one a pattern."""
    if not result:
        return "No proposal was judged yet. Judge them with: vade review"
    totals: dict[str, list[int]] = {}
    for one in result:
        counts = totals.setdefault(one.extractor, [0, 0])
        counts[0] += one.accepted
        counts[1] += one.accepted + one.rejected
    summed = [f"{name:<10} {right} of {of} accepted ({right / of:.0%})" for name, (right, of) in sorted(totals.items())]
    return (
        "\n".join(summed)
        + "\n\n"
        + "\n".join(
            f"{one.name:<32} {one.accepted} of {one.accepted + one.rejected} accepted"
            + (f", believed {one.lowered} {'step' if one.lowered == 1 else 'steps'} less" if one.lowered else "")
            for one in result
        )
    )


def age_of(moment: datetime, now: datetime) -> str:
    """How long ago, in the largest unit that fits."""
    hours = max(0, int((now - moment).total_seconds() // 3600))
    if hours < 1:
        return "just now"
    return f"{hours} h ago" if hours < 48 else f"{hours // 24} days ago"


def bench_learn(result: Mapping[str, Any], *, wrong: bool = False) -> str:
    """The figures of one file of labelled sessions."""
    silence, given_way = result["silence"], result["supersession"]
    lines = [f"{result['file']}: {result['sessions']} sessions of {len(result['hosts'])} hosts"]
    rows = {"total": result["total"], **result["by_language"], **result["by_kind"]}
    lines += [
        f"  {name:<12}precision {_percent(row['precision'])} of {row['saved']:>3} saved"
        + (f" ({row['other_kind']} more right but for the kind)" if name == "total" and row["other_kind"] else "")
        + f"   recall {_percent(row['recall'])} of {row['stated']:>3} stated, {_percent(row['recall_proposed'])} with what waits"
        for name, row in rows.items()
    ]
    lines += [
        f"  silence     {silence['saved']} memories from {silence['sessions']} sessions with nothing durable"
        f" ({silence['saved_per_20']} per 20)",
        f"  inbox       {result['waiting']['proposals']} proposals wait, {result['waiting']['right']} of them right",
        f"  supersession {given_way['false']} of {result['total']['saved']} saved memories replaced wrongly;"
        f" {given_way['missed']} of {given_way['updates']} updates missed, {given_way['unposed']} more could not be posed;"
        f" {given_way['pointed_out']} of the missed are told as perhaps changed, {given_way['pointed_out_wrongly']} others wrongly",
    ]
    calls = result["model_calls"]
    lines.append(
        f"  model       {calls['per_conversation']} calls per conversation (at most {calls['most']}),"
        f" {calls['conflict_calls']} to compare {result['total']['saved']} inserts"
        f" ({_percent(calls['conflict_calls_per_insert'])}), if one were asked"
    )
    if wrong:
        lines += [f"  wrong       {text}" for text in result["wrong"]]
        lines += [f"  not found   {text}" for text in result["not_found"]]
    return "\n".join(lines)


def _percent(share: float | None) -> str:
    return f"{share:>6.1%}" if share is not None else "     -"


def bench_hook(result: Mapping[str, Any]) -> str:
    """Figures of `vade bench hook`, a line each."""
    at_once = result["at_once"]
    rows = [("an empty Python process", result["python_alone_ms"]), (f"{at_once} of them at once", result["python_at_once_ms"])]
    for heading, sorts in (("with the helper", result["with_helper_ms"]), ("without it", result["without_helper_ms"])):
        rows += [(f"{name.replace('_', ' ')}, {heading}", shares) for name, shares in sorts.items()]
    rows.append((f"{at_once} prompts at once", result["at_once_ms"]))
    lines = [f"{result['memories']} memories, {result['turns']} turns; milliseconds, whole process"]
    lines += [f"{name:<32}" + "  ".join(f"{share} {took:6.1f}" for share, took in shares.items()) for name, shares in rows]
    alone = result["at_once_by_words_alone"]
    lines.append(f"unanswered {result['unanswered']}, too late {result['too_late']}, of those at once by words alone {alone}")
    lines.append(
        f"helper: {result['helper_opened_mb']} MB when open, {result['helper_loaded_mb']} MB after all this, "
        f"{result['helper_own_mb']} MB of it not pages of files"
    )
    return "\n".join(lines)


def bench_ingest(result: Mapping[str, Any]) -> str:
    """Figures of `vade bench ingest`, one a line."""
    grown = {f"grown_{one['megabytes']}_mb": one for one in result["grown"]}
    rest = {name: value for name, value in result.items() if name != "grown"}
    return "\n".join(f"{name:<22}{value}" for name, value in {**rest, **grown}.items())


def bench_latency(result: Mapping[str, Any]) -> str:
    """One line a figure."""
    return "\n".join(f"{name:<28}{value}" for name, value in result.items())


class Progress:
    """A line on standard error with rate and time left, once something takes longer than a second and a person looks on."""

    def __init__(self, *, wanted: bool = True) -> None:
        self._wanted = wanted and sys.stderr.isatty()
        self._what = ""
        self._start = self._last = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """`done` of `total` pieces of `what`; a new `what` starts a new line."""
        now = time.perf_counter()
        if what != self._what:
            self._what, self._start, self._last = what, now, now
        if not self._wanted or now - self._start < 1.0 or (now - self._last < 0.2 and done < total):
            return
        self._last = now
        rate = done / (now - self._start)
        left = (total - done) / rate if rate else 0.0
        sys.stderr.write(f"\r\x1b[K{what}: {done}/{total}  {rate:,.0f}/s  {left:.0f} s left")
        if done >= total:
            sys.stderr.write("\n")
        sys.stderr.flush()


def bench_integrate(result: Mapping[str, Any], *, wrong: bool = False) -> str:
    """What became of statements that are like known ones."""
    alone, crowd = result["by_cosine_alone"], result["together"]
    rates = (
        "false_supersession", "missed_update", "update_pointed_out", "falsely_pointed_out", "false_confirmation", "false_dispute",
    )  # fmt: skip
    lines = [
        f"{result['file']}: {result['pairs']} pairs, embedder {result['embedder']}: {_percent(result['right']).strip()} as labelled",
        *(f"  {name.replace('_', ' '):<20}{_percent(result[name])}" for name in rates),
        "  by language: " + ", ".join(f"{name} {right}/{count}" for name, (right, count) in result["by_language"].items()),
        f"  all in one project: {crowd['replaced_of_other_pairs']} of {crowd['inserts']} replaced a statement of another pair,"
        f" {crowd['disputed_with_other_pairs']} disputed one;"
        f" a model would be asked {crowd['asked']} times ({_percent(crowd['asked_share']).strip()})",
    ]
    if alone:
        told = ", ".join(f"{name.replace('_', ' ')} {_percent(share).strip()}" for name, share in alone.items())
        lines.append(f"  by the cosine alone: {told}")
    return "\n".join(lines + ([f"  {one}" for one in result["wrong"]] if wrong else []))

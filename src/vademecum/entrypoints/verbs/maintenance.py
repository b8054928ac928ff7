"""Verbs for index, archive and files."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from vademecum.api import Vademecum
from vademecum.domain.archive import ArchiveSize
from vademecum.domain.backup import Backup
from vademecum.domain.guarding import Scanned
from vademecum.entrypoints.text import counted, describe, saved_text
from vademecum.entrypoints.verbs.llm import model_state_text
from vademecum.entrypoints.verbs.verb import Param, Verb
from vademecum.ingest.transcripts import CaptureReport
from vademecum.maintenance.status import Status
from vademecum.sync.index import SyncReport
from vademecum.vault.history import Devices
from vademecum.views.keep import ViewsReport

#: First word of two-word verbs -> what they are about.
FIRST_WORDS = {
    "guard": "The guard against secrets: scan stored text, read its log.",
}


#: Most saved memories, and most unreadable files, that a capture names.
NAMED = 10


def captured_text(result: CaptureReport) -> str:
    """Return what was read, what was saved of it, what waits for review, what failed, and how to get more."""
    turns = sum(sum(session.turns.values()) for session in result.sessions)
    others = f", {counted(result.unrecognised, 'other')} contained no conversation" if result.unrecognised else ""
    read = f"Read {counted(len(result.sessions), 'conversation')} with something new ({counted(turns, 'turn')}) in {result.ms / 1000:.1f} s"
    before = f"{counted(result.unchanged, 'file')} had nothing new{others}"
    lines = [f"{read}; {before}." if result.sessions else f"Nothing new: {before}."]
    outcomes = [saved for session in result.sessions for saved in session.saved]
    kept = [saved for saved in outcomes if saved.action in ("saved", "superseded", "disputed")]
    waiting = [saved for saved in outcomes if saved.action == "inbox"]
    known = sum(saved.action == "confirmed" for saved in outcomes)
    if result.sessions:
        lines.append(f"Saved {_memories(len(kept))}{f', {known} known already' if known else ''}{':' if kept else '.'}")
    lines += _first(["  " + saved_text(one).replace("\n", "\n  ") for one in kept])
    if waiting:
        lines.append(f"Waiting for your yes or no: {_memories(len(waiting))} (vade review):")
        lines += _first([f"  {describe(saved.memory)}" for saved in waiting if saved.memory])
    held = Counter(warning for saved in outcomes if saved.action == "refused" for warning in saved.warnings)
    lines += [f"Not kept: {why}" + (f" ({count})" if count > 1 else "") for why, count in held.items()]
    unknown, broken = Counter[str](), sum(session.broken for session in result.sessions)
    for session in result.sessions:
        unknown.update(session.unknown)
    copied = sum(session.copied for session in result.sessions)
    lines += [f"Not understood: {', '.join(f'{kind} ({count})' for kind, count in unknown.items())}"] if unknown else []
    lines += [f"{counted(broken, 'line')} could not be read."] if broken else []
    lines += [f"Copied from another conversation: {counted(copied, 'turn')}."] if copied else []
    lines += [f"{record.title or record.session}: {record.removed}" for record in result.cut]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    if result.sessions:
        lines.append("Every turn can be searched: vade sessions search WORDS")
        lines.append("Without a reader only explicit statements are saved. A reader finds more: vade reader show")
    return "\n".join(lines)


def _memories(count: int) -> str:
    return "no memory" if not count else counted(count, "memory")


def _first(lines: Sequence[str]) -> list[str]:
    more = len(lines) - NAMED
    return [*lines[:NAMED], *([f"  and {more} more: vade list"] if more > 0 else [])]


def devices_text(result: Devices) -> str:
    """Return a line for each computer, and what to do about missing journals."""
    lines = [
        f"{heard.device:<30}wrote last {heard.last:%Y-%m-%d %H:%M} UTC{'  (this one)' if heard.here else ''}"
        for heard in result.heard
    ]
    if result.unheard:
        many = f"{counted(len(result.unheard), 'note')} came from a device whose journal never arrived, such as {result.unheard[0]}."
        lines.append(f"{many}\nLet your sync tool copy the folder _journal too, so that changes of several devices are merged.")
    return "\n".join(lines or ["Nothing was written yet."])


def scanned_text(result: Scanned) -> str:
    """Return what was found where, and what was rewritten."""
    if not result.found:
        return "Nothing was found."
    lines = [f"{met.place}: {met.count} {met.kind} ({met.rule})" for met in result.found]
    lines += [f"rewritten: {count} {place}" for place, count in result.purged.items()]
    if not result.purged:
        lines.append("Replace secrets and personal data by placeholders with: vade guard scan --purge")
    return "\n".join(lines)


def guard_log_text(result: Sequence[Mapping[str, Any]]) -> str:
    """Return one line each."""
    return (
        "\n".join(
            f"{fields.get('at', '')}  {fields.get('action', '')}  {fields.get('actor', '')}/{fields.get('interface', '')}  "
            + ", ".join(map(str, fields.get("found", ())))
            for fields in result
        )
        or "The guard changed nothing."
    )


def views_text(result: ViewsReport) -> str:
    """Return which pages were written, and which edits in them were applied."""
    lines = [f"written: {path}" for path in result.written]
    lines += [f"taken over from a page: {title}" for title in result.taken]
    lines += [f"waits in vade review, from a page: {title}" for title in result.proposed]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    return "\n".join(lines) or "The pages are up to date."


def synced_text(result: SyncReport) -> str:
    """Return what changed, what was edited by hand, and what is still to be done."""
    lines = [
        f"{result.added} new, {result.changed} changed, {result.dropped} gone, "
        f"{result.same} unchanged ({result.ms / 1000:.2f} s)"
    ]
    lines += [f"by hand: {text}" for text in result.by_hand]
    lines += [f"merged: {path}" for path in result.merged]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    if result.waiting:
        lines.append(f"{result.waiting} passages still wait for their vectors; they are found by words until then.")
    elif result.vectors:
        lines.append("Search by meaning is ready for all passages.")
    return "\n".join(lines)


def status_text(result: Status) -> str:
    """Return the folders and counts of the memory."""
    by_status = ", ".join(f"{count} {name}" for name, count in result.memories.items())
    vectors = ", ".join(f"{count} {model}" for model, count in result.vectors.items()) or "none"
    indexed = [
        f"documents  {result.documents}" + (f" in {result.vault}" if result.vault else ""),
        *([f"left out   {', '.join(result.excluded)} (excluded in Obsidian)"] if result.excluded else []),
        f"sessions   {result.sessions}",
        f"index      {result.passages} passages, {result.index_bytes / 1e6:.1f} MB",
        f"vectors    {vectors}; {result.waiting} waiting (embedder: {result.embedder})",
    ]
    lines = [
        *(f"degraded   {text}" for text in result.degraded),
        f"memories   {sum(result.memories.values())} ({by_status or 'none yet'}) in {result.home}",
        *([] if result.damage else indexed),
        *([f"archive    {_archive(result.archive, result.unarchived)}"] if result.archive and result.sessions else []),
        *([f"backup     {_backup(result.backup)}"] if result.backup else []),
        f"helper     {_helper(result.helper)}",
        f"inbox      {_inbox(result)}",
        *([f"conflicts  {result.conflicts}: what may no longer hold, see vade settle --open"] if result.conflicts else []),
        *([f"model      {model_state_text(result.model)}"] if result.model else []),
    ]
    return "\n".join(lines)


def _archive(size: ArchiveSize, unarchived: int) -> str:
    cap = f" of {size.cap_bytes / 1e6:.0f} MB" if size.cap_bytes else ""
    behind = f"; {unarchived} are not archived in their latest version" if unarchived else ""
    return f"{size.transcripts} transcripts in {size.disk_bytes / 1e6:.1f} MB{cap}{behind}"


def _backup(last: Backup) -> str:
    return f"{last.made:%Y-%m-%d %H:%M} UTC, {last.file} ({last.size()})"


def _helper(said: Mapping[str, object] | None) -> str:
    if said is None:
        return "not running; the next hook starts it"
    http = f", HTTP on port {said['port']}" if said.get("port") else ""
    http += f", no HTTP: {said['http_error']}" if said.get("http_error") else ""
    return f"process {said['pid']}, hooks answered: {said['answered']}, {said['memory_mb']} MB{http}"


def _inbox(result: Status) -> str:
    since = f", since {result.inbox_oldest:%Y-%m-%d}" if result.inbox_oldest else ""
    return f"{result.inbox}{since}" + (f"\nalarm      {result.inbox_alarm}" if result.inbox_alarm else "")


VERBS = (
    Verb("status", "Show counts, folders and current problems.",
         (Param("deep", "flag", "Check the whole index.", False),), Vademecum.maintenance.status, status_text,
         heals=False, standing="everyday"),
    Verb("capture", "Read transcripts that grew, make them searchable and propose memories.", (
        Param("paths", "list", "Files or folders; empty: the folders of the settings.", (), place=True, commas=False,
              named="place"),
        Param("mine", "flag", "Propose memories from what was said.", True),
    ), Vademecum.maintenance.capture, captured_text, writes=True, agents=False),
    Verb("sync", "Update the index from the files.", (
        Param("confirm_loss", "flag", "Accept that most notes are really gone.", False),
        Param("quick", "flag", "Leave most vectors to the background.", False),
    ), Vademecum.maintenance.sync, synced_text, writes=True, agents=False),
    Verb("sync --views",
         "Make pages of the memories in _views (MEMORY, EVOLUTION, hot, index, log, KNOWLEDGE, PROJECTS, one a project, an agent, a week)"
         " and Memories.base, kept up to date from then on; what you write there is taken over or waits for review.", (
    ), Vademecum.maintenance.views, views_text, writes=True, agents=False),
    Verb("status --devices", "The computers that write to this memory, and when each did last.", (), Vademecum.maintenance.devices,
         devices_text, agents=False, needs_enabled=False),
    Verb("rebuild", "Delete the index and build it again from the files.", (), Vademecum.maintenance.rebuild, synced_text,
         writes=True, agents=False, needs_enabled=False, heals=False),
    Verb("guard scan",
         "Find what looks like a secret, personal data or an instruction to agents in all that is stored; values are never shown.", (
        Param("purge", "flag", "Replace them by placeholders everywhere, permanently.", False),
    ), Vademecum.maintenance.guard_scan, scanned_text, writes=True, agents=False, needs_enabled=False, signed=True),
    Verb("guard scan --log", "What the guard changed or refused on this device, the newest first, without values.",
         (Param("limit", "number", "Maximum number of lines.", 50),), Vademecum.maintenance.guard_log, guard_log_text),
)  # fmt: skip

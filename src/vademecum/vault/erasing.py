"""Permanently remove memories: their files and their data in journals. The only module that does so, for forgetting and purging.

The caller must hold the vault's lock. Every step can be repeated; what is already erased is skipped.
"""

import contextlib
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain import wiki
from vademecum.domain.errors import InvalidInput, NotFound, Problem, VademecumError, WriteFailed
from vademecum.domain.forgotten import Tombstone
from vademecum.domain.left_out import LeftOut
from vademecum.domain.memory import By, Space
from vademecum.vault import files
from vademecum.vault.callouts import CALLOUT, without_callouts
from vademecum.vault.daily import blanked_rows, without
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import read, set_body, set_properties
from vademecum.vault.handoffs_page import HANDOFFS_PAGE, without_list
from vademecum.vault.journal import GONE, Journal, Version, version
from vademecum.vault.journal import Change as Rewritten
from vademecum.vault.left_out import LeftOutFiles
from vademecum.vault.merge import BY_SYNC, MERGE
from vademecum.vault.places import DAILY, VIEWS_FOLDER, is_view
from vademecum.vault.scan import SourceFile, scan_memories
from vademecum.vault.seen import is_only_of
from vademecum.vault.tombstones import Tombstones, append_tombstone
from vademecum.vault.view_page import without_lines
from vademecum.vault.writer import USER, Writer

Change = Callable[[str], str]

_ID = re.compile(rb"[0-9A-Z]{26}")
_HANDOFF = re.compile(r"^kind: handoff$", re.MULTILINE)


_REMOVED_AGAIN = (
    "It was forgotten and came back; it was removed again. It may still be where it came from: a sync tool that does not copy deletions,"
    " such as rsync without --delete, brings it back until it is deleted there too."
)

#: Message for this device's own journal.
TAKEN_OUT_AGAIN = (
    "It came back with the text of a memory that was forgotten, which was taken out again. A sync tool put an older file in its place:"
    " what was noted since may be lost with it."
)


class Erased(Struct, frozen=True):
    """Counts of memory files removed, files rewritten, and journal lines rewritten."""

    files: int = 0
    rewritten: int = 0
    journal_lines: int = 0


def erase_files(
    space: Space, finder: Finder, identities: Collection[str], blank: Change, *, everywhere: bool
) -> tuple[list[tuple[str, str]], list[Rewritten]]:
    """Remove the files of these memories, conflict copies included, and blank sentences in handoffs (`everywhere`: in all memories).

    A folder that loses its last file is removed as well, since its name may reveal as much. Other empty folders are left alone:
    git needs `.git/refs`, and Syncthing stops a share without its `.stfolder`.

    Args:
        blank: returns a text without the forgotten sentences.

    Returns:
        (places of the files removed, changes of the files rewritten).
    """
    root, removed = Path(space.root), list[tuple[str, str]]()
    rewritten: list[Rewritten] = []
    for source in scan_memories(space, copies=True).files:
        try:
            match = finder.at(space.name, source.path)
        except VademecumError:
            continue  # unreadable files are reported by the final check, which searches the bytes
        path = root / source.path
        files.sweep(path.parent)
        if match.memory.id in identities:
            files.remove(root, path, etag=match.memory.etag)
            removed.append((space.name, source.path))
        elif everywhere or match.memory.kind == "handoff":
            fresh = blanked(match.text, blank)
            if fresh != match.text:
                files.replace(root, path, fresh.encode(), etag=match.memory.etag)
                before = Version(space.name, source.path, match.memory.etag, None)
                rewritten.append(Rewritten(match.memory.id, before, version(space.name, source.path, fresh)))
    return removed, rewritten


def blanked(text: str, blank: Change) -> str:
    """Return a note with `blank` applied to its body and to the texts in its frontmatter."""
    note = read(text)
    changes: dict[str, Any] = {}
    for name, value in note.texts().items():
        if isinstance(value, str) and name not in ("id", "kind", "status") and blank(value) != value:
            changes[name] = blank(value)
        elif isinstance(value, list) and any(blank(str(entry)) != entry for entry in value):
            changes[name] = [blank(str(entry)) for entry in value]
    fresh = set_properties(text, changes) if changes else text
    body = read(fresh).body
    return fresh if blank(body) == body else set_body(fresh, blank(body))


def erase_pages(root: Path, sessions: Collection[str], blank: Change) -> int:
    """Remove the blocks of these sessions from the daily notes, and apply `blank` to all other text in them and their sidecars.

    Pages generated from memories are blanked as well. The list of the last handoffs is emptied; it is generated again.

    Returns:
        Number of files rewritten.
    """
    count = 0
    for stem in sorted({path.with_suffix("") for path in (root / DAILY).rglob("*") if path.suffix in (".md", ".jsonl")}):
        note, sidecar = stem.with_suffix(".md"), stem.with_suffix(".jsonl")
        texts = [_text(path) for path in (note, sidecar)]
        text, facts = without(texts[0] or "", texts[1] or "", sessions)
        fresh = (_blanked_page(text, blank), blanked_rows(facts, blank))
        for path, old, new in zip((note, sidecar), texts, fresh, strict=True):
            count += _replaced(root, path, old, new)
    pages = {*(root / VIEWS_FOLDER).rglob("*.md"), *(root / wiki.FOLDER).rglob("*.md")}
    views = sorted(path for path in pages if is_view(path.relative_to(root).as_posix()))
    for path, without_made in ((root / HANDOFFS_PAGE, without_list), *((path, without_lines) for path in views)):
        page = _text(path)
        count += _replaced(root, path, page, blank(without_made(page or "")))  # what is generated is generated again
    return count


def _replaced(root: Path, path: Path, old: str | None, new: str) -> int:
    """Replace the text of a page; return 1, or 0 if there is no page or the text is the same."""
    if old is None or old == new:
        return 0
    files.replace(root, path, new.encode("utf-8", "replace"), etag=files.etag_of(old.encode()))
    return 1


def _text(path: Path) -> str | None:
    try:
        return path.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None  # unreadable files are reported by the final check, which searches the bytes


def _blanked_page(text: str, blank: Change) -> str:
    try:
        return blanked(text, blank)
    except InvalidInput:
        return blank(text)  # it has no frontmatter


def erase_journal(
    journal: Journal,
    identities: Collection[str],
    blank: Change | None = None,
    *,
    everywhere: bool = False,
    of_others: bool = False,
) -> int:
    """Remove texts, paths and reasons of these memories from this device's journal.

    Each device does so for its own journal: with a sync tool that prefers the newer file, a file rewritten on another device
    would replace the device's own, and lose its newer records.

    Args:
        blank: returns a text without the forgotten sentences; applied to handoffs. None: changes nothing.
        everywhere: apply `blank` to all memories.
        of_others: also rewrite other devices' journals, with unchanged modification times, so that their own versions win.

    Returns:
        Number of lines rewritten.
    """
    count = 0
    for path in journal.files():
        if not (of_others or journal.is_own(path) or journal.was_own(path)):
            continue
        before, stat = path.read_bytes(), path.stat()
        lines = before.split(b"\n")
        fresh = [_erased(line, identities, blank or _as_it_is, everywhere) for line in lines]
        changed = sum(old != new for old, new in zip(lines, fresh, strict=True))
        if changed:
            _rewrite(path, before, lines, fresh)
            count += changed
            if journal.is_own(path):
                files.make_later(path, stat.st_mtime_ns)
            else:
                os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    return count


def _rewrite(path: Path, before: bytes, lines: Sequence[bytes], fresh: Sequence[bytes]) -> None:
    """Replace the lines of a file. Without disk space for a copy, overwrite it in place, padded with spaces.

    Raises:
        WriteFailed: the disk refuses. Conflict: the file changed since.
    """
    try:
        files.replace(path.parent, path, b"\n".join(fresh), etag=files.etag_of(before))
    except WriteFailed:
        filled = b"\n".join(new.ljust(len(old)) for old, new in zip(lines, fresh, strict=True))
        if len(filled) != len(before):  # a line became longer
            raise
        files.overwrite(path, filled, etag=files.etag_of(before))


def holds_text_of(path: Path, identities: Collection[str]) -> bool:
    """Return whether a journal file contains text of one of these memories, for instance because a sync tool restored an older file."""
    wanted = {identity.encode() for identity in identities}
    with path.open("rb") as file:
        about = (line.rstrip(b"\n") for line in file if not wanted.isdisjoint(_ID.findall(line)))
        return any(_erased(line, identities, _as_it_is, False) != line for line in about)


def _as_it_is(text: str) -> str:
    return text


def _erased(line: bytes, identities: Collection[str], blank: Change, everywhere: bool) -> bytes:
    if not line:
        return line
    try:
        data = json.loads(line)
        changes = data["changes"]
    except (ValueError, KeyError, TypeError):
        text = line.decode("utf-8", "replace")
        return line if blank(text) == text else b""  # a torn line is no record, so none is lost
    before = json.dumps(data)
    for change in changes:
        mine = change.get("memory") in identities
        if mine:
            _erase_change(change)
        else:
            _blank_change(change, blank, everywhere)
            _without_quotes(change, identities)
        if mine or everywhere:
            data["reason"] = "" if mine else blank(data.get("reason", ""))
    if not data.get("reason"):
        data.pop("reason", None)
    if json.dumps(data) == before:
        return line
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _erase_change(change: dict[str, Any]) -> None:
    """Remove texts, evidence and path from a change."""
    change.pop("evidence", None)
    for side in filter(None, (change.get("before"), change.get("after"))):
        side.pop("text", None)
        side["path"] = GONE.format(id=change["memory"])


def _blank_change(change: dict[str, Any], blank: Change, everywhere: bool) -> None:
    """Apply `blank` to the texts of a handoff, or (`everywhere`) of any memory and its evidence."""
    for side in filter(None, (change.get("before"), change.get("after"))):
        if side.get("text") and (everywhere or _HANDOFF.search(side["text"])):
            side["text"] = blanked(side["text"], blank)
    if everywhere and change.get("evidence"):
        change["evidence"] = {name: _blanked_value(value, blank) for name, value in change["evidence"].items()}


def _without_quotes(change: dict[str, Any], identities: Collection[str]) -> None:
    """Remove the callouts from texts that name one of these memories: they quote what contradicts the text."""
    for side in filter(None, (change.get("before"), change.get("after"))):
        text = side.get("text") or ""
        if CALLOUT in text and any(identity in text for identity in identities):
            side["text"] = set_body(text, without_callouts(read(text).body))


def _blanked_value(value: object, blank: Change) -> object:
    if isinstance(value, list):
        return [_blanked_value(entry, blank) for entry in value]
    return blank(value) if isinstance(value, str) else value


class AlsoErased(Struct, frozen=True):
    """Further targets of an erasure.

    Attributes:
        sources: conversations whose blocks in the daily notes are removed.
        all_devices: also erase other devices' journals; else each device erases its own when the tombstone arrives there.
    """

    sources: Collection[str] = ()
    all_devices: bool = False


NOTHING_ELSE = AlsoErased()


class Erasure:
    """Tombstones of some spaces, and permanent removal of memories."""

    def __init__(self, spaces: Sequence[Space], finder: Finder, writer: Writer, stones: Tombstones) -> None:
        self._spaces, self._finder, self._writer, self._tombstones = spaces, finder, writer, stones
        self._roots = {space.name: space.root for space in spaces}
        self._left_out = LeftOutFiles([Path(space.root) for space in spaces])

    def left_out(self) -> tuple[LeftOut, ...]:
        """Return the hashes of turns said during a pause, on any device."""
        return self._left_out.all()

    def leave_out(self, left_out: LeftOut, month: str) -> None:
        """Save the hashes of turns said during a pause, beside the personal memories.

        Args:
            month: current month, "2026-03"; names the file.

        Raises:
            Locked, WriteFailed: nothing was saved.
        """
        with self._writer.held("pause", always=True):
            self._left_out.append(self._writer.device, month, left_out)

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Return the tombstones of all devices, oldest first."""
        return self._tombstones.all()

    def record_tombstone(self, stone: Tombstone, spaces: Iterable[str] = ()) -> None:
        """Write a tombstone beside the personal memories and in the given spaces. The memories it names may be erased afterwards."""
        with self._writer.held("forget", always=True):
            for space in self._spaces:
                if space is self._spaces[0] or space.name in set(spaces):
                    append_tombstone(Path(space.root), self._writer.device, stone)

    def erase(
        self,
        identities: Collection[str],
        blank: Change,
        *,
        everywhere: bool,
        also: AlsoErased = NOTHING_ELSE,
        by: By = USER,
        op: str = "forget",
    ) -> Erased:
        """Permanently remove memories: their files, conflict copies, and all their texts in the journals. Can be repeated.

        Args:
            blank: returns a text without the forgotten sentences; applied to handoffs and daily notes, or (`everywhere`) to all
                memories, in files and journals.
        """
        lines = pages = 0
        removed, rewritten = list[tuple[str, str]](), list[Rewritten]()
        with self._writer.held(op, always=True):
            there = [space for space in self._spaces if Path(space.root).is_dir()]
            for space in there:
                counts = erase_files(space, self._finder, identities, blank, everywhere=everywhere)
                removed, rewritten = removed + counts[0], rewritten + counts[1]
                pages += erase_pages(Path(space.root), also.sources, blank)
                journal = self._writer.journals[space.name]
                lines += erase_journal(journal, identities, blank, everywhere=everywhere, of_others=also.all_devices)
            gone = self._tombstones.memories()
            for change in rewritten:
                if change.memory not in gone:
                    self._writer.commit(op, [change], by, on_disk=True)
            self._note_gone(identities, by, op)
            self._bring_back({place for place in removed if not (Path(self._roots[place[0]]) / place[1]).exists()})
        return Erased(len(removed), len(rewritten) + pages, lines)

    def erase_again(self, sources: Iterable[SourceFile]) -> tuple[Problem, ...]:
        """Remove files of forgotten memories that came back, and report each. A file that now also has another memory's id stays."""
        problems = list[Problem]()
        with self._writer.held("forget", always=True):
            gone = self._tombstones.memories()
            for source in sources:
                path = Path(self._roots[source.space]) / source.path
                with contextlib.suppress(NotFound):
                    data = files.read_bytes(path)
                    if is_only_of(data.decode("utf-8", "replace"), gone):
                        files.remove(Path(self._roots[source.space]), path, etag=files.etag_of(data))
                        problems.append(Problem(str(path), _REMOVED_AGAIN))
        return tuple(problems)

    def _note_gone(self, identities: Collection[str], by: By, op: str) -> None:
        """Journal that memories are gone, unless a journal already says so. Other devices would otherwise see a deletion by hand."""
        gone = [
            Rewritten(identity, replace(last, path=GONE.format(id=identity), etag="", text=None), None)
            for identity, last in sorted(self._writer.latest(identities).items())
            if last is not None
        ]
        if gone:
            self._writer.commit(op, gone, by, on_disk=True)

    def _bring_back(self, places: Collection[tuple[str, str]]) -> None:
        """Restore memories whose file a forgotten one had replaced, so that they do not count as deleted."""
        latest = self._writer.latest(None) if places else {}
        gone = self._tombstones.memories()
        homeless = {entry for entry, last in latest.items() if entry and last and (last.space, last.path) in places} - gone
        for identity, folded in self._writer.versions.of(homeless).items():
            if folded.file is not None and (folded.file.space, folded.file.path) in places:
                self._writer.commit(MERGE, [Rewritten(identity, None, folded.file)], BY_SYNC, as_is=True)

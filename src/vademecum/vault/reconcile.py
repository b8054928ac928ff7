"""What the person did by hand, understood and journaled: edits, new notes, renames, moves, deletions.

Compared is what was last known (by the caller's index, else by the journals) with what is on disk. A change that a journal
already explains, because we made it here or on another device, is not recorded twice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from vademecum.model.errors import Problem, VademecumError, VaultEmptied, VaultMissing
from vademecum.model.memory import By, Space
from vademecum.vault.find import Finder, Found, is_conflict_copy
from vademecum.vault.frontmatter import set_properties
from vademecum.vault.journal import Change, Record, Version
from vademecum.vault.scan import Listing, SourceFile, scan_memories, stat_text
from vademecum.vault.writer import Writer, version

#: Fewer known notes than this, and losing most of them is believed.
FEWEST_TO_DOUBT = 10

HAND = By("hand")


@dataclass(frozen=True, slots=True)
class Known:
    """What was last known of a memory's file.

    Attributes:
        stat: as in :class:`vademecum.vault.scan.SourceFile`; a file with the same one is not read. "" when unknown.
        etag: of its text; "" when unknown, then the journal is asked.
    """

    space: str
    path: str
    stat: str = ""
    etag: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the person did. `given_id`: an id to write into a file that lacks one."""

    op: Literal["adopt", "edit", "move", "delete"]
    change: Change
    given_id: str = ""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What was found and recorded, and the memories' files as they are now."""

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    files: tuple[SourceFile, ...]
    unread: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Seen:
    """Files now: all of them, those that differ from what is known (read), and what could not be looked at."""

    files: tuple[SourceFile, ...]
    changed: tuple[Found, ...]
    unread: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]


class Reconciler:
    """Compares and records for the given spaces."""

    def __init__(self, spaces: Sequence[Space], finder: Finder, writer: Writer) -> None:
        self._spaces = {space.name: space for space in spaces}
        self._finder = finder
        self._writer = writer

    def run(self, known: Mapping[str, Known] | None, confirm_loss: bool) -> Reconciled:
        """Compare, and if anything differs compare again under the lock and record.

        Args:
            known: memory id -> its file; None takes what the journals say.

        Raises:
            VaultEmptied: most of a space's notes vanished at once, and `confirm_loss` does not allow that.
        """
        known = self._known() if known is None else known
        seen, findings, problems = self._compare(known, confirm_loss, {})
        if not findings:
            return Reconciled((), problems, seen.files, seen.unread)
        with self._writer.held("reconcile"):
            read = {(found.memory.space, found.memory.path): found for found in seen.changed}
            unchanged = {file: read[place] for file in seen.files if (place := (file.space, file.path)) in read}
            seen, findings, problems = self._compare(known, confirm_loss, unchanged)
            records, repaired, more = self._record(findings)
        files = tuple(self._fresh(file) if (file.space, file.path) in repaired else file for file in seen.files)
        return Reconciled(records, problems + more, files, seen.unread)

    def _known(self) -> dict[str, Known]:
        return {
            identity: Known(last.space, last.path, "", last.etag)
            for identity, last in self._writer.latest(None).items()
            if last is not None and last.space in self._spaces
        }

    def _compare(
        self, known: Mapping[str, Known], confirm_loss: bool, read: Mapping[SourceFile, Found]
    ) -> tuple[_Seen, list[Finding], tuple[Problem, ...]]:
        """What is there and what it means. `read`: files that need not be read again while their stat stays."""
        seen = self._look(known, read)
        asked = {found.memory.id for found in seen.changed} | missing(known, seen.files)
        latest = self._writer.latest(asked) if asked else {}
        findings, problems = plan(known, seen.files, seen.changed, latest, seen.unread)
        if not confirm_loss:
            self._must_not_be_emptied(known, findings)
        return seen, findings, seen.problems + problems

    def _look(self, known: Mapping[str, Known], read: Mapping[SourceFile, Found]) -> _Seen:
        stats = {(one.space, one.path): one.stat for one in known.values()}
        files, changed, unread, problems = list[SourceFile](), list[Found](), list[tuple[str, str]](), list[Problem]()
        for space in self._spaces.values():
            listing = self._scan(space, sum(one.space == space.name for one in known.values()))
            files += listing.files
            unread += [(space.name, folder) for folder in listing.unread]
            problems += listing.problems
            for file in listing.files:
                if stats.get((file.space, file.path)) == file.stat:
                    continue
                try:
                    changed.append(read.get(file) or self._finder.at(file.space, file.path))
                except (VademecumError, OSError) as error:
                    unread.append((file.space, file.path))
                    problems.append(Problem(str(Path(space.root) / file.path), f"{error} {getattr(error, 'hint', '')}".strip()))
        return _Seen(tuple(files), tuple(changed), tuple(unread), tuple(problems))

    def _scan(self, space: Space, known: int) -> Listing:
        try:
            return scan_memories(space)
        except VaultMissing as error:
            if known:
                raise VaultEmptied(space.root, known, 0) from error
            raise

    def _must_not_be_emptied(self, known: Mapping[str, Known], findings: Iterable[Finding]) -> None:
        gone = [finding.change.before.space for finding in findings if finding.op == "delete" and finding.change.before]
        for name, space in self._spaces.items():
            before = sum(one.space == name for one in known.values())
            if before >= FEWEST_TO_DOUBT and gone.count(name) * 2 > before:
                raise VaultEmptied(space.root, before, before - gone.count(name))

    def _record(self, findings: Sequence[Finding]) -> tuple[tuple[Record, ...], set[tuple[str, str]], tuple[Problem, ...]]:
        """Journal what happened; then, one by one, write ids into the notes that lack them."""
        records, repaired, problems = list[Record](), set[tuple[str, str]](), list[Problem]()
        for op in ("adopt", "edit", "move", "delete"):
            changes = [[finding.change] for finding in findings if finding.op == op and not finding.given_id]
            records += self._writer.record_all(op, changes, HAND) if changes else []
        for finding in findings:
            after = finding.change.after
            if not finding.given_id or after is None:
                continue
            try:
                records.append(self._repair(finding, self._finder.at(after.space, after.path)))
                repaired.add((after.space, after.path))
            except VademecumError as error:
                problems.append(Problem(after.path, f"It has no id and could not be given one: {error.message}"))
        return tuple(records), repaired, tuple(problems)

    def _repair(self, finding: Finding, found: Found) -> Record:
        memory = found.memory
        text = set_properties(found.text, {**found.reading.repairs, "id": finding.given_id})
        if finding.op != "adopt":
            self._writer.record_all(finding.op, [[finding.change]], HAND)
        before = version(memory.space, memory.path, found.text)
        change = Change(finding.given_id, before, version(memory.space, memory.path, text))
        return self._writer.commit("adopt" if finding.op == "adopt" else "repair", [change], HAND)

    def _fresh(self, file: SourceFile) -> SourceFile:
        return replace(file, stat=stat_text((Path(self._spaces[file.space].root) / file.path).stat()))


def missing(known: Mapping[str, Known], files: Iterable[SourceFile]) -> set[str]:
    """Ids whose file no longer stands where it was."""
    there = {(file.space, file.path) for file in files}
    return {identity for identity, one in known.items() if (one.space, one.path) not in there}


def plan(
    known: Mapping[str, Known],
    files: Sequence[SourceFile],
    changed: Sequence[Found],
    latest: Mapping[str, Version | None],
    unread: Sequence[tuple[str, str]],
) -> tuple[list[Finding], tuple[Problem, ...]]:
    """What the person did.

    Args:
        files: all that are there. changed: those of them that are not as known.
        latest: for the ids concerned, what the journals last say; None: that it is gone; absent: nothing.
        unread: space and folder or file that could not be looked at; what was there is not gone.
    """
    gone = missing(known, files)
    holders = {(one.space, one.path): identity for identity, one in known.items()}
    by_id: dict[str, list[Found]] = {}
    for found in changed:
        by_id.setdefault(_identity(found, holders), []).append(found)
    findings, problems = list[Finding](), list[Problem]()
    for identity, claims in by_id.items():
        holder = known.get(identity)
        stays = holder is not None and identity not in gone and not any(_stands(one, holder) for one in claims)
        main = None if stays else _main(claims, holder)
        others = [one.memory.path for one in claims if one is not main]
        problems += [Problem(path, f"It has the id {identity} of another note. Both are kept.") for path in others]
        if main is not None:
            findings += _findings(identity, main, holder, latest)
    for identity in sorted(gone - by_id.keys()):
        one = known[identity]
        last = latest.get(identity, Version(one.space, one.path, one.etag, None))
        if last is not None and (last.space, last.path) == (one.space, one.path) and not _hidden(one, unread):
            findings.append(Finding("delete", Change(identity, last, None)))
    return findings, tuple(problems)


def _findings(identity: str, found: Found, holder: Known | None, latest: Mapping[str, Version | None]) -> Iterator[Finding]:
    memory = found.memory
    now = version(memory.space, memory.path, found.text)
    last = latest.get(identity)
    if last is None and identity not in latest and holder is not None:
        last = Version(holder.space, holder.path, holder.etag, None)
    given = identity if "id" in found.reading.repairs and found.reading.editable else ""
    if last is None:
        yield Finding("adopt", Change(identity, None, now), given)
    elif (last.space, last.path) != (now.space, now.path):
        yield Finding("move", Change(identity, last, now), given)
    elif last.etag != now.etag or given:
        yield Finding("edit", Change(identity, last, now), given)


def _identity(found: Found, holders: Mapping[tuple[str, str], str]) -> str:
    """Whose file it is. A note that lost its id where a memory stood is still that memory."""
    memory = found.memory
    return holders.get((memory.space, memory.path), memory.id) if "id" in found.reading.repairs else memory.id


def _stands(found: Found, one: Known) -> bool:
    return (found.memory.space, found.memory.path) == (one.space, one.path)


def _main(claims: Sequence[Found], holder: Known | None) -> Found:
    """Of several files with one id the one that is the memory."""

    def order(found: Found) -> tuple[bool, bool, int, str]:
        path = found.memory.path
        return (holder is None or not _stands(found, holder), is_conflict_copy(path), len(path), path)

    return min(claims, key=order)


def _hidden(one: Known, unread: Sequence[tuple[str, str]]) -> bool:
    return any(space == one.space and (not folder or one.path.startswith(folder)) for space, folder in unread)

"""What the person did by hand, understood and journaled: edits, new notes, renames, moves, deletions.

Compared is what was last known (by the caller's index, else by the journals) with what is on disk. A change that a journal
already explains, because we made it here or on another device, is not recorded twice.

Thousands of notes may be new at once, so their texts are not held together: they are read once to understand them, and again,
some at a time, to be journaled.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from vademecum.model.errors import Problem, VademecumError, VaultEmptied, VaultMissing
from vademecum.model.memory import By, Space
from vademecum.vault.files import read_bytes
from vademecum.vault.find import Finder, Found, is_conflict_copy
from vademecum.vault.frontmatter import set_properties
from vademecum.vault.journal import Change, Record, Version
from vademecum.vault.note import text_of
from vademecum.vault.scan import Listing, SourceFile, scan_memories, stat_text
from vademecum.vault.writer import Writer, version

#: Changes written to the journal with one wait for the disk.
RECORDED_AT_ONCE = 1000
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
    """One thing the person did. `given_id`: an id to write into a file that lacks one. `change.after` is without its text."""

    op: Literal["adopt", "edit", "move", "delete"]
    change: Change
    given_id: str = ""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What was found and recorded (without the texts), and the memories' files as they are now."""

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    files: tuple[SourceFile, ...]
    unread: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """What a file says it is. `lacks_id`: its id was made up. `editable`: its properties can be changed by us."""

    space: str
    path: str
    id: str
    etag: str
    lacks_id: bool
    editable: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """Files now: all of them, those that differ from what is known (read), and what could not be looked at.

    Attributes:
        gone: ids whose file no longer stands where it was.
    """

    files: tuple[SourceFile, ...]
    changed: Mapping[SourceFile, Claim]
    gone: frozenset[str]
    unread: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]


class Reconciler:
    """Compares and records for the given spaces."""

    def __init__(self, spaces: Sequence[Space], finder: Finder, writer: Writer) -> None:
        self._spaces = {space.name: space for space in spaces}
        self._finder = finder
        self._writer = writer

    def run(self, known: Mapping[str, Known] | None, confirm_loss: bool) -> Reconciled:
        """Compare, and if anything differs record it under the lock, when necessary after comparing again.

        Args:
            known: memory id -> its file; None takes what the journals say.

        Raises:
            VaultEmptied: most of a space's notes vanished at once, and `confirm_loss` does not allow that.
        """
        known = self._known() if known is None else known
        before = self._writer.marks()
        seen, findings, problems = self._compare(known, confirm_loss, {})
        if not findings:
            return Reconciled((), problems, seen.files, seen.unread)
        with self._writer.held("reconcile"):
            if self._writer.marks() != before or not self._still_holds(seen):
                seen, findings, problems = self._compare(known, confirm_loss, seen.changed)
            records, repaired, more = self._record(findings)
        files = tuple(self._fresh(file) if (file.space, file.path) in repaired else file for file in seen.files)
        return Reconciled(records, problems + more, files, seen.unread)

    def _still_holds(self, seen: _Seen) -> bool:
        """Whether what was seen without the lock is as it was. A note that is gone may have come up elsewhere meanwhile."""
        return not (seen.gone or seen.unread) and all(self._stat(file) == file.stat for file in seen.changed)

    def _known(self) -> dict[str, Known]:
        return {
            identity: Known(last.space, last.path, "", last.etag)
            for identity, last in self._writer.latest(None).items()
            if last is not None and last.space in self._spaces
        }

    def _compare(
        self, known: Mapping[str, Known], confirm_loss: bool, read: Mapping[SourceFile, Claim]
    ) -> tuple[_Seen, list[Finding], tuple[Problem, ...]]:
        """What is there and what it means. `read`: files that need not be read again while their stat stays."""
        seen = self._look(known, read)
        claims = tuple(seen.changed.values())
        asked = {claim.id for claim in claims} | seen.gone
        latest = self._writer.latest(asked) if asked else {}
        findings, problems = plan(known, claims, seen.gone, latest, seen.unread)
        if not confirm_loss:
            self._must_not_be_emptied(known, findings)
        return seen, findings, seen.problems + problems

    def _look(self, known: Mapping[str, Known], read: Mapping[SourceFile, Claim]) -> _Seen:
        stats = {(one.space, one.path): one.stat for one in known.values()}
        there = set[tuple[str, str]]()
        files, changed = list[SourceFile](), dict[SourceFile, Claim]()
        unread, problems = list[tuple[str, str]](), list[Problem]()
        for space in self._spaces.values():
            listing = self._scan(space, sum(one.space == space.name for one in known.values()))
            files += listing.files
            unread += [(space.name, folder) for folder in listing.unread]
            problems += listing.problems
            for file in listing.files:
                place = (file.space, file.path)
                there.add(place)
                if stats.get(place) == file.stat:
                    continue
                try:
                    changed[file] = read.get(file) or _claim(self._finder.at(*place))
                except (VademecumError, OSError) as error:
                    unread.append((file.space, file.path))
                    problems.append(Problem(str(Path(space.root) / file.path), f"{error} {getattr(error, 'hint', '')}".strip()))
        lost = stats.keys() - there
        gone = [identity for identity, one in known.items() if (one.space, one.path) in lost] if lost else []
        return _Seen(tuple(files), changed, frozenset(gone), tuple(unread), tuple(problems))

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
            changes = [finding.change for finding in findings if finding.op == op and not finding.given_id]
            for first in range(0, len(changes), RECORDED_AT_ONCE):
                told = filter(None, map(self._with_text, changes[first : first + RECORDED_AT_ONCE]))
                records += map(_without_texts, self._writer.record_all(op, [[change] for change in told], HAND))
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
        before = version(memory.space, memory.path, found.text)
        if finding.op != "adopt":
            self._writer.record_all(finding.op, [[replace(finding.change, after=before)]], HAND)
        change = Change(finding.given_id, before, version(memory.space, memory.path, text))
        return self._writer.commit("adopt" if finding.op == "adopt" else "repair", [change], HAND)

    def _with_text(self, change: Change) -> Change | None:
        """The change with the text that the file has now; None when it has just gone, which the next comparison will see."""
        after = change.after
        if after is None:
            return change
        try:
            text = text_of(read_bytes(self._path(after.space, after.path)))
        except (VademecumError, OSError):
            return None
        return replace(change, after=version(after.space, after.path, text))

    def _fresh(self, file: SourceFile) -> SourceFile:
        return replace(file, stat=self._stat(file))

    def _stat(self, file: SourceFile) -> str:
        """Stat of the file now; "" when it is gone."""
        try:
            return stat_text(self._path(file.space, file.path).lstat())
        except OSError:
            return ""

    def _path(self, space: str, path: str) -> Path:
        return Path(self._spaces[space].root) / path


def _claim(found: Found) -> Claim:
    memory = found.memory
    return Claim(memory.space, memory.path, memory.id, memory.etag, "id" in found.reading.repairs, found.reading.editable)


def _without_texts(record: Record) -> Record:
    """The record for a report: what was done where."""
    bare = [Change(one.memory, _bare(one.before), _bare(one.after)) for one in record.changes]
    return replace(record, changes=tuple(bare))


def _bare(one: Version | None) -> Version | None:
    return one and replace(one, text=None)


def plan(
    known: Mapping[str, Known],
    changed: Sequence[Claim],
    gone: Collection[str],
    latest: Mapping[str, Version | None],
    unread: Sequence[tuple[str, str]],
) -> tuple[list[Finding], tuple[Problem, ...]]:
    """What the person did.

    Args:
        changed: files that are not as known. gone: ids whose file no longer stands where it was.
        latest: for the ids concerned, what the journals last say; None: that it is gone; absent: nothing.
        unread: space and folder or file that could not be looked at; what was there is not gone.
    """
    guessed = any(claim.lacks_id for claim in changed)
    holders = {(one.space, one.path): identity for identity, one in known.items()} if guessed else {}
    by_id: dict[str, list[Claim]] = {}
    for claim in changed:
        by_id.setdefault(_identity(claim, holders), []).append(claim)
    findings, problems = list[Finding](), list[Problem]()
    for identity, claims in by_id.items():
        holder = known.get(identity)
        stays = holder is not None and identity not in gone and not any(_stands(one, holder) for one in claims)
        main = None if stays else _main(claims, holder)
        others = [one.path for one in claims if one is not main]
        problems += [Problem(path, f"It has the id {identity} of another note. Both are kept.") for path in others]
        if main is not None:
            findings += _findings(identity, main, holder, latest)
    for identity in sorted(set(gone) - by_id.keys()):
        one = known[identity]
        last = latest.get(identity, Version(one.space, one.path, one.etag, None))
        if last is not None and (last.space, last.path) == (one.space, one.path) and not _hidden(one, unread):
            findings.append(Finding("delete", Change(identity, last, None)))
    return findings, tuple(problems)


def _findings(identity: str, claim: Claim, holder: Known | None, latest: Mapping[str, Version | None]) -> Iterator[Finding]:
    now = Version(claim.space, claim.path, claim.etag, None)
    last = latest.get(identity)
    if last is None and identity not in latest and holder is not None:
        last = Version(holder.space, holder.path, holder.etag, None)
    given = identity if claim.lacks_id and claim.editable else ""
    if last is None:
        yield Finding("adopt", Change(identity, None, now), given)
    elif (last.space, last.path) != (now.space, now.path):
        yield Finding("move", Change(identity, last, now), given)
    elif last.etag != now.etag or given:
        yield Finding("edit", Change(identity, last, now), given)


def _identity(claim: Claim, holders: Mapping[tuple[str, str], str]) -> str:
    """Whose file it is. A note that lost its id where a memory stood is still that memory."""
    return holders.get((claim.space, claim.path), claim.id) if claim.lacks_id else claim.id


def _stands(claim: Claim, one: Known) -> bool:
    return (claim.space, claim.path) == (one.space, one.path)


def _main(claims: Sequence[Claim], holder: Known | None) -> Claim:
    """Of several files with one id the one that is the memory."""

    def order(claim: Claim) -> tuple[bool, bool, int, str]:
        return (holder is None or not _stands(claim, holder), is_conflict_copy(claim.path), len(claim.path), claim.path)

    return min(claims, key=order)


def _hidden(one: Known, unread: Sequence[tuple[str, str]]) -> bool:
    return any(space == one.space and (not folder or one.path.startswith(folder)) for space, folder in unread)

"""What the person did by hand, understood and journaled: edits, new notes, renames, moves, deletions.

Compared is what was last known (by the caller's index, else by the journals) with what is on disk. A change that a journal
already explains, because we made it here or on another device, is not recorded twice.

Thousands of notes may be new at once, so their texts are not held together: they are read once to understand them, and again,
some at a time, to be journaled.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import Problem, VademecumError, VaultEmptied, VaultMissing
from vademecum.domain.memory import Space, Status
from vademecum.vault.files import etag_of, read_bytes
from vademecum.vault.find import Finder, Found, came_back_hint, standing_order
from vademecum.vault.frontmatter import read, set_properties
from vademecum.vault.journal import Change, Record, Version
from vademecum.vault.markup import has_merge_marks
from vademecum.vault.note import Identity, impossible_values, text_of
from vademecum.vault.scan import Listing, SourceFile, evidence_of_edit, scan_memories, stat_text
from vademecum.vault.writer import HAND, Writer, version

#: Changes written to the journal with one wait for the disk.
RECORDED_AT_ONCE = 1000
#: Fewer known notes than this, and losing most of them is believed.
FEWEST_TO_DOUBT = 10

#: Why a file whose merge nobody finished is left alone.
MERGE_MARKS = (
    "It holds the marks of a merge (<<<<<<<) that nobody finished; until then what was known before is told. Edit the file."
)
#: Why a file that a merge by characters spoilt is left alone.
IMPOSSIBLE = "{name} is {value!r}, which nobody can have written; until then what was known before is told. Edit the file."


class Known(Struct, frozen=True):
    """What was last known of a memory's file.

    Attributes:
        stat: as in :class:`vademecum.vault.scan.SourceFile`; a file with the same one is not read. "" when unknown.
        etag: of its text; "" when unknown, then the journal is asked.
    """

    space: str
    path: str
    stat: str = ""
    etag: str = ""


class Finding(Struct, frozen=True):
    """One thing the person did. `given_id`: an id to write into a file that lacks one. `change.after` is without its text."""

    op: Literal["adopt", "edit", "move", "delete"]
    change: Change
    given_id: str = ""


class Reconciled(Struct, frozen=True):
    """What was found and recorded (without the texts), and the files that are memories, as they are now.

    Attributes:
        unread: space and file or folder that could not be understood; what was known of it stays.
    """

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    files: tuple[SourceFile, ...]
    unread: tuple[tuple[str, str], ...]


class Claim(Struct, frozen=True):
    """What a file says it is. `lacks_id`: its id was made up. `editable`: its properties can be changed by us."""

    space: str
    path: str
    id: str
    etag: str
    status: Status
    lacks_id: bool
    editable: bool

    @property
    def place(self) -> tuple[str, str]:
        """Space and path."""
        return (self.space, self.path)


class _LeftAlone(Struct, frozen=True):
    """A file that is neither indexed nor journaled, and why. `stays`: what was known of it is still told."""

    problem: Problem
    stays: bool = True


class _Seen(Struct, frozen=True):
    """Files now: those of memories, those that differ from what is known (read), and what could not be looked at.

    Attributes:
        standing: files as they are known whose id a changed one bears too. gone: ids whose file no longer stands where it was.
    """

    files: tuple[SourceFile, ...]
    changed: Mapping[SourceFile, Claim]
    standing: tuple[Claim, ...]
    gone: frozenset[str]
    unread: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]


class Reconciler:
    """Compares and records for the given spaces.

    Args:
        forgotten: ids of memories that were. is_forgotten: tells by id and body a note of such a one that came back.
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        finder: Finder,
        writer: Writer,
        forgotten: Collection[str],
        is_forgotten: Callable[[str, str], bool],
    ) -> None:
        self._spaces = {space.name: space for space in spaces}
        self._finder = finder
        self._writer = writer
        self._forgotten = forgotten
        self._is_forgotten = is_forgotten

    def look(self, known: Mapping[str, Known] | None) -> Reconciled:
        """Compare and record nothing. What is gone is believed to be gone."""
        seen, _, problems = self._compare(self._known() if known is None else known, True, {})
        return Reconciled((), problems, seen.files, seen.unread)

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
        """Return whether what was seen without the lock is as it was. A note that is gone may have come up elsewhere meanwhile."""
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
        """Compare the files with what is known, and say what it means. `read`: files that need not be read again while their stat stays."""
        with self._writer.evidence.still():
            seen = self._look(known, read)
        claims = tuple(seen.changed.values())
        asked = {claim.id for claim in claims} | seen.gone
        latest = self._writer.latest(asked) if asked else {}
        findings, copies = plan(known, claims, seen.standing, seen.gone, latest, seen.unread)
        if not confirm_loss:
            self._must_not_be_emptied(known, findings)
        files = tuple(file for file in seen.files if (file.space, file.path) not in copies)
        return replace(seen, files=files), findings, (*seen.problems, *copies.values())

    def _look(self, known: Mapping[str, Known], read: Mapping[SourceFile, Claim]) -> _Seen:
        """Return every file, those that are not as known read. What is not to be known of is in `problems` and nowhere else."""
        known = {identity: one for identity, one in known.items() if identity not in self._forgotten}
        stats = {(one.space, one.path): one.stat for one in known.values()}
        there = dict[tuple[str, str], SourceFile]()
        left = set[tuple[str, str]]()
        changed = dict[SourceFile, Claim]()
        unread, problems = list[tuple[str, str]](), list[Problem]()
        for space in self._spaces.values():
            listing = self._scan(space, sum(one.space == space.name for one in known.values()))
            there |= {(file.space, file.path): file for file in listing.files}
            unread += [(space.name, folder) for folder in listing.unread]
            problems += listing.problems
        for place, file in there.items():
            if stats.get(place) == file.stat:
                continue
            claim = read.get(file) or self._read(file)
            if isinstance(claim, Claim):
                changed[file] = claim
                continue
            left.add(place)
            problems.append(claim.problem)
            if claim.stays:
                unread.append(place)
        gone = frozenset(identity for identity, one in known.items() if (one.space, one.path) not in there)
        files = tuple(file for place, file in there.items() if place not in left)
        return _Seen(files, changed, self._standing(known, changed, there), gone, tuple(unread), tuple(problems))

    def _read(self, file: SourceFile) -> "Claim | _LeftAlone":
        """Return what a file says it is; why it is left alone when it is damaged, or was forgotten."""
        path = str(Path(self._spaces[file.space].root) / file.path)
        try:
            found = self._finder.identity_at(file.space, file.path)
        except (VademecumError, OSError) as error:
            return _LeftAlone(Problem(path, f"{error} {getattr(error, 'hint', '')}".strip()))
        if self._is_forgotten(found.id, found.body):
            return _LeftAlone(came_back(path, found.id), stays=False)
        if has_merge_marks(found.text):
            return _LeftAlone(Problem(path, MERGE_MARKS))
        if found.impossible and (spoilt := self._spoilt(found)):
            return _LeftAlone(Problem(path, IMPOSSIBLE.format(name=spoilt, value=found.impossible[spoilt])))
        etag = etag_of(found.text.encode())
        return Claim(file.space, file.path, found.id, etag, found.status, found.lacks_id, found.editable)

    def _spoilt(self, found: Identity) -> str:
        """Return the name of a property that has an impossible value and had not when the note was journaled last, or ""."""
        if "id" in found.impossible:
            return "id"
        last = self._writer.latest({found.id}).get(found.id)
        if last is None or last.text is None:
            return ""
        before = impossible_values(read(last.text))
        return next((name for name, value in found.impossible.items() if before.get(name) != value), "")

    def _standing(
        self, known: Mapping[str, Known], changed: Mapping[SourceFile, Claim], there: Mapping[tuple[str, str], SourceFile]
    ) -> tuple[Claim, ...]:
        """Return the unchanged files whose id a changed one bears too."""
        places = {(file.space, file.path) for file in changed}
        twice = [known[claim.id] for claim in changed.values() if claim.id in known]
        wanted = dict.fromkeys((one.space, one.path) for one in twice) if twice else {}
        claims = [self._read(there[place]) for place in wanted if place in there and place not in places]
        return tuple(claim for claim in claims if isinstance(claim, Claim))

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
        return self._writer.commit("adopt" if finding.op == "adopt" else "repair", [change], HAND, as_is=True)

    def _with_text(self, change: Change) -> Change | None:
        """Return the change with the text that the file has now, and when that was edited; None when it has just gone, which
        the next comparison
        will see.
        """
        after = change.after
        if after is None:
            return change
        path = self._path(after.space, after.path)
        try:
            text, stat = text_of(read_bytes(path)), path.stat()
        except (VademecumError, OSError):
            return None
        now = version(after.space, after.path, text)
        edited = change.before is not None and change.before.etag != now.etag
        return replace(change, after=now, evidence=evidence_of_edit(stat) if edited else {})

    def _fresh(self, file: SourceFile) -> SourceFile:
        return replace(file, stat=self._stat(file))

    def _stat(self, file: SourceFile) -> str:
        """Return the stat of the file now; "" when it is gone."""
        try:
            return stat_text(self._path(file.space, file.path).lstat())
        except OSError:
            return ""

    def _path(self, space: str, path: str) -> Path:
        return Path(self._spaces[space].root) / path


def came_back(path: str, identity: str) -> Problem:
    """Return what to tell of a forgotten note that came back."""
    return Problem(path, f"It was forgotten and came back; it is neither told nor journaled. {came_back_hint(identity)}")


def _without_texts(record: Record) -> Record:
    """Return the record for a report: what was done where."""
    bare = [Change(one.memory, _bare(one.before), _bare(one.after)) for one in record.changes]
    return replace(record, changes=tuple(bare))


def _bare(one: Version | None) -> Version | None:
    return one and replace(one, text=None)


def plan(
    known: Mapping[str, Known],
    changed: Sequence[Claim],
    standing: Sequence[Claim],
    gone: Collection[str],
    latest: Mapping[str, Version | None],
    unread: Sequence[tuple[str, str]],
) -> tuple[list[Finding], dict[tuple[str, str], Problem]]:
    """Plan from the files what the person did.

    Args:
        changed: files that are not as known. standing: those that are, and whose id one of the changed ones bears.
        gone: ids whose file no longer stands where it was.
        latest: for the ids concerned, what the journals last say; None: that it is gone; absent: nothing.
        unread: space and folder or file that could not be looked at; what was there is not gone.

    Returns:
        Also the files that only bear the id of a memory: (space, path) -> what to tell of it.
    """
    guessed = any(claim.lacks_id for claim in changed)
    holders = {(one.space, one.path): identity for identity, one in known.items()} if guessed else {}
    by_id: dict[str, list[Claim]] = {}
    for claim in (*changed, *standing):
        by_id.setdefault(_identity(claim, holders), []).append(claim)
    findings, copies = list[Finding](), dict[tuple[str, str], Problem]()
    for identity, claims in by_id.items():
        main = _main(claims, latest.get(identity))
        copies |= {one.place: copy_of(one.path, main.path) for one in claims if one is not main}
        if main not in standing:
            findings += _findings(identity, main, known.get(identity), latest)
    for identity in sorted(set(gone) - by_id.keys()):
        one = known[identity]
        last = latest.get(identity, Version(one.space, one.path, one.etag, None))
        if last is not None and (last.space, last.path) == (one.space, one.path) and not _hidden(one, unread):
            findings.append(Finding("delete", Change(identity, last, None)))
    return findings, copies


def copy_of(path: str, main: str) -> Problem:
    """Return what to tell of a file that bears the id of another one, `main`."""
    what = f"It has the same id as {main}, which is the one that is told and edited. Both are kept."
    return Problem(path, f"{what} Take over there what is worth it, then delete this one.")


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
    """Return whose file it is. A note that lost its id where a memory stood is still that memory."""
    return holders.get((claim.space, claim.path), claim.id) if claim.lacks_id else claim.id


def _main(claims: Sequence[Claim], last: Version | None) -> Claim:
    """Return the one file that is the memory, of several with one id."""
    return min(claims, key=lambda one: standing_order(one.path, one.etag, one.status, last))


def _hidden(one: Known, unread: Sequence[tuple[str, str]]) -> bool:
    return any(space == one.space and (not folder or one.path.startswith(folder)) for space, folder in unread)

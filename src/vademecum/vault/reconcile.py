"""Detect and journal what the person did to files by hand: edits, new notes, renames, moves, deletions.

The files on disk are compared with the last known state (from the caller's index, else from the journals). A change that a
journal already explains, because this program made it here or on another device, is not recorded twice.

Thousands of notes may be new at once, so their texts are not held in memory together: each file is read once to interpret it,
and again, in batches, to journal it.
"""

import contextlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import Locked, Problem, VademecumError, VaultEmptied
from vademecum.domain.memory import Space
from vademecum.vault.by_hand import Finding, Planned, Planner
from vademecum.vault.converge import Converger
from vademecum.vault.files import read_bytes, sweep
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import set_properties
from vademecum.vault.journal import Change, Record, version
from vademecum.vault.known import Known, KnownFiles
from vademecum.vault.note import text_of
from vademecum.vault.places import JOURNAL
from vademecum.vault.scan import SourceFile, Stats, evidence_of_edit, stat_text
from vademecum.vault.seen import Claim, Looker, Seen
from vademecum.vault.writer import ARRIVING, HAND, Writer

#: Number of changes written to the journal with one flush.
RECORDED_AT_ONCE = 1000
#: With fewer known notes than this, the loss of most of them is accepted, unless the journal is gone too.
FEWEST_TO_DOUBT = 10

#: Reason given for skipping a file that lost its text.
EMPTIED = (
    "It is empty or ends within its properties, as a crash or a sync tool leaves a file; the earlier version is shown. To bring that back,"
    " delete the file, then: vade sync, vade undo. To delete the memory, delete the file."
)


class Reconciled(Struct, frozen=True):
    """The changes found and recorded (without texts), and the stats of the current memory files, by place.

    Attributes:
        unread: space and file or folder that could not be read or interpreted; the last known state is kept.
        came_back: files of forgotten memories that came back.
    """

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    files: Stats
    unread: tuple[tuple[str, str], ...]
    came_back: tuple[SourceFile, ...] = ()


class _Compared(Struct, frozen=True):
    """A scan, its interpretation, and the problems with files."""

    seen: Seen
    planned: Planned
    problems: tuple[Problem, ...]

    def reported(self) -> Reconciled:
        """Return the result to report when nothing is recorded."""
        return Reconciled((), self.problems, self.seen.files, self.seen.unread, self.seen.came_back)


class Reconciler:
    """Compares files with the last known state and records the differences, for the given spaces.

    Args:
        forgotten: ids of forgotten memories. is_forgotten: returns for an id and body whether the note is a forgotten one that came back.
        recorded: ids of memories that other devices recorded changes of since the last run.
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        finder: Finder,
        writer: Writer,
        forgotten: Collection[str],
        is_forgotten: Callable[[str, str], bool],
        recorded: Collection[str] = (),
    ) -> None:
        self._spaces = {space.name: space for space in spaces}
        self._finder, self._writer = finder, writer
        gone = frozenset(forgotten)
        self._recorded = frozenset(recorded) - gone
        self._looker = Looker(spaces, finder, writer.latest, gone, is_forgotten)
        self._converger = Converger(writer, {space.name: Path(space.root) for space in spaces}, gone, self._recorded)

    def look(self, known: KnownFiles | None) -> Reconciled:
        """Compare without recording. A missing file counts as deleted.

        Raises:
            VaultEmptied: most of a space's notes vanished at once.
        """
        return replace(self._compare(self._known() if known is None else known, False, {}).reported(), came_back=())

    def run(self, known: KnownFiles | None, confirm_loss: bool) -> Reconciled:
        """Bring journals and files together:

        1. Compare the files with the known state, without the lock. If nothing differs, stop.
        2. Under the lock, compare again if anything was written meanwhile.
        3. Journal what the person did, and give new notes an id.
        4. Where a file differs from the combined journals of all devices, write the file.

        Args:
            known: the files as last seen; None: use the journals.

        Raises:
            VaultEmptied: most of a space's notes vanished at once, and `confirm_loss` does not allow that.
        """
        known = self._known() if known is None else known
        before = self._writer.marks()
        compared = self._compare(known, confirm_loss, {})
        planned, seen = compared.planned, compared.seen
        if not (planned.findings or planned.unsettled or self._recorded or seen.damaged):
            return compared.reported()
        with self._writer.held("reconcile"):
            if self._writer.marks() != before or not self._still_holds(seen):
                compared = self._compare(known, confirm_loss, seen.changed)
            records, repaired, more = self._record(compared.planned.findings)
            merged, unmerged = self._converger.converge(compared.seen, compared.planned, known)
        if merged:
            compared = self._compare(known, True, {})
        files = compared.seen.files
        files |= {place: self._stat(*place) for place in repaired if place in files}
        problems = (*compared.problems, *more, *unmerged)
        return Reconciled((*records, *merged), problems, files, compared.seen.unread, compared.seen.came_back)

    def _still_holds(self, seen: Seen) -> bool:
        """Return whether a scan without the lock is still valid.

        It is not if a note was missing, since that may have appeared elsewhere meanwhile.
        """
        return not (seen.gone or seen.unread) and all(self._stat(file.space, file.path) == file.stat for file in seen.changed)

    def _known(self) -> KnownFiles:
        return KnownFiles.of(
            {
                identity: Known(last.space, last.path, "", last.etag)
                for identity, last in self._writer.latest(None, own=True).items()
                if identity and last is not None and last.space in self._spaces
            }
        )

    def _compare(self, known: KnownFiles, confirm_loss: bool, read: Mapping[SourceFile, Claim]) -> _Compared:
        """Compare the files with the known state.

        Args:
            confirm_loss: accept that most notes are gone. read: parsed files, reused while their stat is the same.
        """
        with self._writer.evidence.still():
            seen = self._looker.look(known, read)
        if seen.leftovers:
            with contextlib.suppress(Locked), self._writer.held("sweeping", wait=False, always=True):
                for folder in seen.leftovers:
                    sweep(folder)
        asked = {claim.id for claim in seen.changed.values()} | seen.gone
        latest = self._writer.latest(asked) if asked else {}
        planned = Planner(seen, known, latest, self._writer.versions, self._writer.now()).plan()
        if not confirm_loss:
            self._must_not_be_emptied(known, planned.findings)
        off = planned.copies.keys() | {
            claim.place for claim in (*planned.aside, *planned.left, *planned.arriving, *planned.emptied)
        }
        for place in off:
            seen.files.pop(place, None)
        unread = (*seen.unread, *(claim.place for claim in (*planned.arriving, *planned.emptied)))
        arriving = tuple(Problem(claim.path, ARRIVING) for claim in planned.arriving)
        emptied = tuple(Problem(claim.path, EMPTIED) for claim in planned.emptied)
        problems = (*seen.problems, *planned.copies.values(), *arriving, *emptied)
        return _Compared(replace(seen, unread=unread), planned, problems)

    def _must_not_be_emptied(self, known: KnownFiles, findings: Iterable[Finding]) -> None:
        """Refuse to record the deletion of most notes, or of all notes together with the journal, which nobody deletes by hand."""
        gone = [finding.change.before.space for finding in findings if finding.op == "delete" and finding.change.before]
        for name, space in self._spaces.items() if gone else ():
            before = known.count(name)
            most = before >= FEWEST_TO_DOUBT and gone.count(name) * 2 > before
            if most or (before and gone.count(name) == before and not (Path(space.root) / JOURNAL).is_dir()):
                raise VaultEmptied(space.root, before, before - gone.count(name))

    def _record(self, findings: Sequence[Finding]) -> tuple[tuple[Record, ...], set[tuple[str, str]], tuple[Problem, ...]]:
        """Journal the findings; then write ids, one file at a time, into the notes that have none."""
        records, repaired, problems = list[Record](), set[tuple[str, str]](), list[Problem]()
        for op in ("adopt", "edit", "move", "delete"):
            some = [finding for finding in findings if finding.op == op and not finding.given_id]
            for first in range(0, len(some), RECORDED_AT_ONCE):
                results = filter(None, map(self._with_text, some[first : first + RECORDED_AT_ONCE]))
                records += self._writer.record_all(op, [[change] for change in results], HAND)
        adopted = [finding.change for finding in findings if finding.op == "adopt"]
        problems += [is_there_again(change.after.path) for change in adopted if change.again and change.after]
        for finding in findings:
            after = finding.change.after
            if not finding.given_id or after is None:
                continue
            try:
                records.append(self._repair(finding, after.space, after.path))
                repaired.add((after.space, after.path))
            except VademecumError as error:
                problems.append(Problem(after.path, f"It has no id and could not be given one: {error.message}"))
        return tuple(records), repaired, tuple(problems)

    def _repair(self, finding: Finding, space: str, path: str) -> Record:
        match = self._finder.at(space, path)
        text = set_properties(match.text, {**match.reading.repairs, "id": finding.given_id})
        before = version(space, path, match.text)
        if finding.op != "adopt":
            self._writer.record_all(finding.op, [[replace(finding.change, after=before)]], HAND)
        change = Change(finding.given_id, before, version(space, path, text))
        return self._writer.commit("adopt" if finding.op == "adopt" else "repair", [change], HAND, as_is=True)

    def _with_text(self, finding: Finding) -> Change | None:
        """Return the change with the file's current text and edit time.

        None if the file has just disappeared; the next comparison will see that.
        """
        change, after = finding.change, finding.change.after
        if after is None:
            return change
        path = self._path(after.space, finding.path or after.path)
        try:
            text, stat = text_of(read_bytes(path)), path.stat()
        except (VademecumError, OSError):
            return None
        now = version(after.space, after.path, text)
        edited = change.before is not None and change.before.etag != now.etag
        return replace(change, after=now, evidence=evidence_of_edit(stat) if edited else {})

    def _stat(self, space: str, path: str) -> str:
        """Return the current stat of a file; "" if it is gone."""
        try:
            return stat_text(self._path(space, path).lstat())
        except OSError:
            return ""

    def _path(self, space: str, path: str) -> Path:
        return Path(self._spaces[space].root) / path


def is_there_again(path: str) -> Problem:
    """Return the message for a deleted note that came back unchanged."""
    who = "If you did not put it back, a sync tool that does not copy deletions did, such as rsync without --delete."
    return Problem(path, f"It was deleted and is there again, as it was. {who} To remove it: vade archive, or vade forget")

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

from vademecum.domain.errors import Locked, Problem, VademecumError, VaultEmptied, VaultMissing
from vademecum.domain.memory import Space
from vademecum.vault import files
from vademecum.vault.by_hand import (
    Claim,
    Finding,
    Known,
    Observed,
    Planned,
    ids_in,
    is_only_of,
    is_repairable,
    plan,
    unknown_lines,
)
from vademecum.vault.converge import Converger, in_the_way
from vademecum.vault.files import etag_of, read_bytes
from vademecum.vault.find import Finder, Found, came_back_hint
from vademecum.vault.frontmatter import read, set_properties
from vademecum.vault.journal import Change, Record, Version, version, without_texts
from vademecum.vault.markup import has_merge_marks
from vademecum.vault.merge import Folded, lines_of
from vademecum.vault.note import Identity, impossible_values, text_of
from vademecum.vault.places import JOURNAL
from vademecum.vault.scan import Listing, SourceFile, evidence_of_edit, scan_memories, stat_text
from vademecum.vault.writer import ARRIVING, HAND, Writer

#: Number of changes written to the journal with one flush.
RECORDED_AT_ONCE = 1000
#: With fewer known notes than this, the loss of most of them is accepted, unless the journal is gone too.
FEWEST_TO_DOUBT = 10

#: Reason given for skipping a file with an unfinished merge.
EMPTIED = (
    "It is empty or ends within its properties, as a crash or a sync tool leaves a file; the earlier version is shown. To bring that back,"
    " delete the file, then: vade sync, vade undo. To delete the memory, delete the file."
)
MERGE_MARKS = "It contains the markers of an unfinished merge (<<<<<<<); the earlier version is shown until you edit the file."
#: Reason given for skipping a file that a character-level merge damaged.
IMPOSSIBLE = "{name} is {value!r}, which is not valid; the earlier version is shown until you edit the file."


class Reconciled(Struct, frozen=True):
    """The changes found and recorded (without texts), and the current memory files.

    Attributes:
        unread: space and file or folder that could not be read or interpreted; the last known state is kept.
        came_back: files of forgotten memories that came back.
    """

    records: tuple[Record, ...]
    problems: tuple[Problem, ...]
    files: tuple[SourceFile, ...]
    unread: tuple[tuple[str, str], ...]
    came_back: tuple[SourceFile, ...] = ()


class _LeftAlone(Struct, frozen=True):
    """A file that is neither indexed nor journaled, and the reason.

    Attributes:
        stays: the last known state is still shown. damaged: set if a merge damaged the file.
        is_forgotten: all ids in the file are those of forgotten memories.
    """

    problem: Problem
    stays: bool = True
    damaged: Claim | None = None
    is_forgotten: bool = False


class _Seen(Struct, frozen=True):
    """Result of a scan.

    Attributes:
        files: of memories. changed: files that differ from the known state, parsed.
        unchanged: files in the known state whose id also occurs in a changed file. gone: ids of memories whose file left its place.
        unread: space and file or folder that could not be read.
        damaged: files that a merge damaged. came_back: files of forgotten memories.
    """

    files: tuple[SourceFile, ...]
    changed: Mapping[SourceFile, Claim]
    unchanged: tuple[Claim, ...]
    gone: frozenset[str]
    unread: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]
    damaged: tuple[Claim, ...]
    came_back: tuple[SourceFile, ...]


class _Compared(Struct, frozen=True):
    """A scan, its interpretation, and the problems with files."""

    seen: _Seen
    planned: Planned
    problems: tuple[Problem, ...]

    def reported(self) -> Reconciled:
        """Return the result to report when nothing is recorded."""
        return Reconciled((), self.problems, self.seen.files, self.seen.unread, self.seen.came_back)


class Reconciler:
    """Compares files with the last known state and records the differences, for the given spaces.

    Args:
        forgotten: ids of forgotten memories. is_forgotten: returns for an id and body whether the note is a forgotten one that came back.
        result: ids of memories that other devices recorded changes of since the last run.
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        finder: Finder,
        writer: Writer,
        forgotten: Collection[str],
        is_forgotten: Callable[[str, str], bool],
        result: Collection[str] = (),
    ) -> None:
        self._spaces = {space.name: space for space in spaces}
        self._finder = finder
        self._writer = writer
        self._forgotten = frozenset(forgotten)
        self._is_forgotten = is_forgotten
        self._told = frozenset(result) - self._forgotten
        self._converger = Converger(writer, {space.name: Path(space.root) for space in spaces})

    def look(self, known: Mapping[str, Known] | None) -> Reconciled:
        """Compare without recording. A missing file counts as deleted."""
        return replace(self._compare(self._known() if known is None else known, True, {}).reported(), came_back=())

    def run(self, known: Mapping[str, Known] | None, confirm_loss: bool) -> Reconciled:
        """Bring journals and files together:

        1. Compare the files with the known state, without the lock. If nothing differs, stop.
        2. Under the lock, compare again if anything was written meanwhile.
        3. Journal what the person did, and give new notes an id.
        4. Where a file differs from the combined journals of all devices, write the file.

        Args:
            known: memory id -> its file; None: use the journals.

        Raises:
            VaultEmptied: most of a space's notes vanished at once, and `confirm_loss` does not allow that.
        """
        known = self._known() if known is None else known
        before = self._writer.marks()
        compared = self._compare(known, confirm_loss, {})
        planned, seen = compared.planned, compared.seen
        if not (planned.findings or planned.unsettled or self._told or seen.damaged):
            return compared.reported()
        with self._writer.held("reconcile"):
            if self._writer.marks() != before or not self._still_holds(seen):
                compared = self._compare(known, confirm_loss, seen.changed)
            records, repaired, more = self._record(compared.planned.findings)
            merged, unmerged = self._converge(compared.seen, compared.planned, known)
        if merged:
            compared = self._compare(known, True, {})
        files = tuple(
            replace(file, stat=self._stat(file)) if (file.space, file.path) in repaired else file
            for file in compared.seen.files
        )
        records = (*records, *map(without_texts, merged))
        problems = (*compared.problems, *more, *unmerged)
        return Reconciled(records, problems, files, compared.seen.unread, compared.seen.came_back)

    def _converge(self, seen: _Seen, planned: Planned, known: Mapping[str, Known]) -> tuple[list[Record], list[Problem]]:
        """Write the files of all affected memories that differ from the combined journals of all devices."""
        away = {claim.place for claim in (*planned.aside, *planned.left)}
        there = {(file.space, file.path) for file in seen.files}
        at = {(file.space, file.path): identity for identity, file in known.items()}
        standing = at if at.keys() <= there else {place: identity for place, identity in at.items() if place in there}
        standing = standing | {
            claim.place: claim.id for claim in (*seen.changed.values(), *seen.unchanged) if not claim.lacks_id
        }
        spoilt = {claim: self._memories_in(claim) for claim in seen.damaged}
        off = away | planned.copies.keys() | {claim.place for claim in (*spoilt, *planned.arriving, *planned.emptied)}
        lost = {identity for identity, file in known.items() if standing.get((file.space, file.path), identity) != identity}
        lost |= planned.lost
        lost -= {standing[place] for place in standing.keys() - off} if lost else set()
        lost -= self._forgotten
        concerned = planned.unsettled | self._told | lost | {identity for ids in spoilt.values() for identity in ids}
        folds = self._writer.versions.of(concerned - self._forgotten)
        by_key = {
            (folded.file.space, folded.file.path): identity for identity, folded in folds.items() if folded.file is not None
        }
        folds |= self._writer.versions.of(in_the_way(by_key, standing) - folds.keys() - self._forgotten)
        lost = {entry for entry in lost & folds.keys() if not self._is_succeeded(known[entry], entry, folds[entry])}
        files: dict[str, list[Version]] = {identity: [] for identity in folds}
        for place, identity in standing.items():
            if identity in files and place not in off:
                files[identity].append(self._writer.version_at(*place))
        for text, now in [(file, now) for file, some in files.items() for now in some if not folds[file].knows(now.etag)]:
            self._writer.record_edits_by_hand([Change(text, now, None)])  # never overwrite a text that no record has
            folds |= self._writer.versions.of({text})
        unneeded = self._take_apart(spoilt, folds, files, lost)
        records = self._converger.put_away(planned.aside, [*planned.left, *unneeded])
        others = {place: identity for place, identity in standing.items() if place not in away} if away else standing
        merged, problems = self._converger.settle(folds, files, lost, others)
        came_back = [change for record in merged for change in record.changes if change.before is None]
        problems += [
            perhaps_deleted(change.after.path)
            for change in came_back
            if change.after and change.memory in planned.perhaps_deleted
        ]
        return records + merged, problems

    def _take_apart(
        self,
        spoilt: Mapping[Claim, Sequence[str]],
        folds: Mapping[str, Folded],
        files: Mapping[str, list[Version]],
        lost: set[str],
    ) -> list[Claim]:
        """Restore memories from files that a merge damaged and that have no new content; a file with new content stays.

        Of the memories in such a file that have no other file, the first replaces the damaged file (added to `files`), and the
        others get a new file (added to `lost`).

        Returns:
            The damaged files that no memory needs.
        """
        unneeded = list[Claim]()
        for claim, ids in spoilt.items():
            known, now = [identity for identity in ids if identity in folds], self._writer.version_at(*claim.place)
            if not (known or self._forgotten.issuperset(ids)):
                continue
            beside = [held for _, held in self._writer.versions.at(*claim.place)]
            places = {entry: file.path for entry in known if not files[entry] and (file := folds[entry].file)}
            if not is_repairable([folds[entry] for entry in known], beside, now, self._forgotten):
                mixed = {place for place, path in places.items() if path == claim.path}
                if len(mixed) > 1 and not ids_in(now.text or ""):  # with a single memory the person may have mistyped its id
                    lost |= mixed
                continue
            first = min(places, key=lambda entry: (places[entry] != claim.path, entry), default=None)
            if first is None:
                unneeded.append(claim)
                continue
            files[first].append(now)
            lost |= places.keys() - {first}
        return unneeded

    def _memories_in(self, claim: Claim) -> list[str]:
        """Return ids of the memories that a merge put together in one file.

        These are the ids in its text, and memories previously at its place if the file has lines of theirs that no memory with
        one of those ids ever had. Without any id in the text: every memory previously at its place.
        """
        text = self._text(claim)
        named = ids_in(text)
        rest = unknown_lines(text, self._writer.versions.of(set(named) - self._forgotten).values())
        stood = self._writer.versions.at(*claim.place) if rest or not named else []
        mixed = (entry for entry, was in stood if not named or rest.intersection(lines_of(was)))
        return list(dict.fromkeys([*named, *mixed])) or [claim.id]

    def _is_succeeded(self, file: Known, identity: str, folded: Folded) -> bool:
        """Return whether another memory replaced this one in its file, by a change whose records have not arrived yet."""
        path = self._path(file.space, file.path)
        stays = folded.file is not None and (folded.file.space, folded.file.path) == (file.space, file.path)
        text = path.read_text(errors="replace") if stays and path.exists() else ""
        return identity in text and identity not in ids_in(text)

    def _still_holds(self, seen: _Seen) -> bool:
        """Return whether a scan without the lock is still valid.

        It is not if a note was missing, since that may have appeared elsewhere meanwhile.
        """
        return not (seen.gone or seen.unread) and all(self._stat(file) == file.stat for file in seen.changed)

    def _known(self) -> dict[str, Known]:
        return {
            identity: Known(last.space, last.path, "", last.etag)
            for identity, last in self._writer.latest(None, own=True).items()
            if identity and last is not None and last.space in self._spaces
        }

    def _compare(self, known: Mapping[str, Known], confirm_loss: bool, read: Mapping[SourceFile, Claim]) -> _Compared:
        """Compare the files with the known state.

        Args:
            confirm_loss: accept that most notes are gone. read: parsed files, reused while their stat is the same.
        """
        with self._writer.evidence.still():
            seen = self._look(known, read)
        claims = tuple(seen.changed.values())
        asked = {claim.id for claim in claims} | seen.gone
        latest = self._writer.latest(asked) if asked else {}
        observed = Observed(known, claims, seen.unchanged, seen.gone, seen.unread, latest)
        planned = plan(observed, self._writer.versions, self._text, self._writer.now())
        if not confirm_loss:
            self._must_not_be_emptied(known, planned.findings)
        off = planned.copies.keys() | {
            claim.place for claim in (*planned.aside, *planned.left, *planned.arriving, *planned.emptied)
        }
        files = tuple(file for file in seen.files if (file.space, file.path) not in off)
        unread = (*seen.unread, *(claim.place for claim in (*planned.arriving, *planned.emptied)))
        arriving = tuple(Problem(claim.path, ARRIVING) for claim in planned.arriving)
        emptied = tuple(Problem(claim.path, EMPTIED) for claim in planned.emptied)
        problems = (*seen.problems, *planned.copies.values(), *arriving, *emptied)
        return _Compared(replace(seen, files=files, unread=unread), planned, problems)

    def _text(self, claim: Claim) -> str:
        return read_bytes(self._path(*claim.place)).decode()

    def _look(self, known: Mapping[str, Known], read: Mapping[SourceFile, Claim]) -> _Seen:
        """Scan all files and parse those that differ from the known state. Files to ignore appear only in `problems`."""
        if self._forgotten:
            known = {identity: stored for identity, stored in known.items() if identity not in self._forgotten}
        stats = {(stored.space, stored.path): stored.stat for stored in known.values()}
        there = dict[tuple[str, str], SourceFile]()
        left = set[tuple[str, str]]()
        changed = dict[SourceFile, Claim]()
        unread, problems, damaged = list[tuple[str, str]](), list[Problem](), list[Claim]()
        came_back = list[SourceFile]()
        for space in self._spaces.values():
            listing = self._scan(space, known)
            there.update({(file.space, file.path): file for file in listing.files})
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
            if claim.is_forgotten:
                came_back.append(file)
            problems.append(claim.problem)
            if claim.stays:
                unread.append(place)
            if claim.damaged:
                damaged.append(claim.damaged)
        missing = stats.keys() - there.keys()
        gone = frozenset(identity for identity, stored in known.items() if missing and (stored.space, stored.path) in missing)
        files = tuple(file for place, file in there.items() if place not in left) if left else tuple(there.values())
        unchanged = self._unchanged_with_id_of(known, changed, there)
        return _Seen(files, changed, unchanged, gone, tuple(unread), tuple(problems), tuple(damaged), tuple(came_back))

    def _read(self, file: SourceFile) -> "Claim | _LeftAlone":
        """Return the identity that a file claims; if it is damaged or was forgotten, the reason to skip it."""
        path = str(Path(self._spaces[file.space].root) / file.path)
        try:
            identity = self._finder.identity_at(file.space, file.path)
        except (VademecumError, OSError) as error:
            return _LeftAlone(Problem(path, f"{error} {getattr(error, 'hint', '')}".strip()))
        if self._is_forgotten(identity.id, identity.body):
            return _LeftAlone(
                came_back(path, identity.id), stays=False, is_forgotten=is_only_of(identity.text, self._forgotten)
            )
        etag = etag_of(identity.text.encode())
        claim = Claim(
            file.space, file.path, identity.id, etag, file.stat, identity.status, identity.lacks_id, identity.editable
        )
        if has_merge_marks(identity.text):
            return _LeftAlone(Problem(path, MERGE_MARKS), damaged=claim)
        if identity.impossible and (spoilt := self._spoilt(identity)):
            why = IMPOSSIBLE.format(name=spoilt, value=identity.impossible[spoilt])
            return _LeftAlone(Problem(path, why), damaged=claim)
        return claim

    def _spoilt(self, identity: Identity) -> str:
        """Return the name of a property whose value became impossible since the note was last journaled, or ""."""
        if "id" in identity.impossible:
            return "id"
        last = self._writer.latest({identity.id}).get(identity.id)
        if last is None or last.text is None:
            return ""
        before = impossible_values(read(last.text))
        return next((name for name, value in identity.impossible.items() if before.get(name) != value), "")

    def _unchanged_with_id_of(
        self, known: Mapping[str, Known], changed: Mapping[SourceFile, Claim], there: Mapping[tuple[str, str], SourceFile]
    ) -> tuple[Claim, ...]:
        """Return the unchanged files whose id also occurs in a changed file."""
        places = {(file.space, file.path) for file in changed}
        twice = [known[claim.id] for claim in changed.values() if claim.id in known]
        wanted = dict.fromkeys((file.space, file.path) for file in twice) if twice else {}
        claims = [self._read(there[place]) for place in wanted if place in there and place not in places]
        return tuple(claim for claim in claims if isinstance(claim, Claim))

    def _scan(self, space: Space, known: Mapping[str, Known]) -> Listing:
        try:
            listing = scan_memories(space)
        except VaultMissing as error:
            held = sum(stored.space == space.name for stored in known.values())
            if held:
                raise VaultEmptied(space.root, held, 0) from error
            raise
        if listing.leftovers:
            with contextlib.suppress(Locked), self._writer.held("sweeping", wait=False, always=True):
                for folder in listing.leftovers:
                    files.sweep(Path(space.root) / folder)
        return listing

    def _must_not_be_emptied(self, known: Mapping[str, Known], findings: Iterable[Finding]) -> None:
        """Refuse to record the deletion of most notes, or of all notes together with the journal, which nobody deletes by hand."""
        gone = [finding.change.before.space for finding in findings if finding.op == "delete" and finding.change.before]
        for name, space in self._spaces.items():
            before = sum(file.space == name for file in known.values())
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
                records += map(without_texts, self._writer.record_all(op, [[change] for change in results], HAND))
        adopted = [finding.change for finding in findings if finding.op == "adopt"]
        problems += [is_there_again(change.after.path) for change in adopted if change.again and change.after]
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

    def _repair(self, finding: Finding, match: Found) -> Record:
        memory = match.memory
        text = set_properties(match.text, {**match.reading.repairs, "id": finding.given_id})
        before = version(memory.space, memory.path, match.text)
        if finding.op != "adopt":
            self._writer.record_all(finding.op, [[replace(finding.change, after=before)]], HAND)
        change = Change(finding.given_id, before, version(memory.space, memory.path, text))
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

    def _stat(self, file: SourceFile) -> str:
        """Return the current stat of the file; "" if it is gone."""
        try:
            return stat_text(self._path(file.space, file.path).lstat())
        except OSError:
            return ""

    def _path(self, space: str, path: str) -> Path:
        return Path(self._spaces[space].root) / path


def came_back(path: str, identity: str) -> Problem:
    """Return the message for a forgotten note that came back."""
    return Problem(path, f"It was forgotten and came back; it is neither shown nor recorded. {came_back_hint(identity)}")


def is_there_again(path: str) -> Problem:
    """Return the message for a deleted note that came back unchanged."""
    who = "If you did not put it back, a sync tool that does not copy deletions did, such as rsync without --delete."
    return Problem(path, f"It was deleted and is there again, as it was. {who} To remove it: vade archive, or vade forget")


def perhaps_deleted(path: str) -> Problem:
    """Return the message for a note that was written back because a sync tool may have removed its file."""
    why = "Its file was gone. Another device had put another note in its place, so a sync tool may have taken it; it was written back."
    return Problem(path, f"{why} If you deleted it, delete it once more.")

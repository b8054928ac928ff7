"""Tell the person's manual edits from the effects of sync tools: which version a changed file is based on, and what it changes.

A sync tool may replace a file with one unknown to it, so the previous content of a file need not be the base of an edit. A file
version that a record explains is no manual edit, unless it was written later than everything known.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import Problem
from vademecum.vault.arriving import ARRIVES_AT_LAST, ARRIVES_WITHIN, is_beginning, is_begun
from vademecum.vault.find import is_copy_of, is_named_by_sync, standing_order
from vademecum.vault.journal import Change, Version
from vademecum.vault.known import Known, KnownFiles, Place
from vademecum.vault.merge import CONFLICT, Folded, distance, key_of, lines_ever, lines_of
from vademecum.vault.places import in_one_form, on_any_disk
from vademecum.vault.scan import modified_at
from vademecum.vault.seen import Claim, Seen
from vademecum.vault.versions import Versions

#: A file is written, copied and synchronised within this time after its record.
_WITH_ITS_RECORD = timedelta(seconds=60)
#: Maximum number of changed files at which two notes may have been mixed. With more, a tool of the person's edited them all.
_FEW = 64


class Finding(Struct, frozen=True):
    """One manual change.

    Attributes:
        change: its `after` has no text yet. given_id: id to write into a file that has none.
        path: the file's path, where `change.after` has another because a sync tool named the file.
    """

    op: Literal["adopt", "edit", "move", "delete"]
    change: Change
    given_id: str = ""
    path: str = ""


class Planned(Struct, frozen=True):
    """Interpretation of the files.

    Attributes:
        copies: other files that have the id of a memory: (space, path) -> message about it.
        aside: copies made by a sync tool, to be moved away once their content is journaled.
        left: files that a memory left at its previous place.
        arriving: files that seem to be only partly transferred.
        emptied: files that lost all their text, or end within their properties.
        lost: ids of memories whose file is gone although nobody deleted it.
        perhaps_deleted: those in `lost` that the person may have deleted.
        unsettled: ids of memories whose files may differ from the combined journals.
    """

    findings: list[Finding]
    copies: dict[tuple[str, str], Problem]
    aside: list[Claim]
    left: list[Claim]
    arriving: list[Claim]
    emptied: list[Claim]
    lost: set[str]
    perhaps_deleted: set[str]
    unsettled: set[str]


class Planner:
    """Tells the person's manual changes, and which files are copies, partly transferred, or in conflict with the journals.

    Group the files by memory, query the journals about unclear memories, then classify the files of each memory and each memory
    without a file.

    Args:
        known: files as last seen here.
        latest: memory id -> its file by the newest record. None: the record says it is gone. Absent: there is no record.
        journals: of all devices together. now: aware.
    """

    def __init__(
        self, seen: Seen, known: KnownFiles, latest: Mapping[str, Version | None], journals: Versions, now: datetime
    ) -> None:
        self._seen, self._known, self._latest, self._journals, self._now = seen, known, latest, journals, now
        self._changed = changed = tuple(seen.changed.values())
        self._is_shared = bool(changed) and journals.is_shared()
        self._files: dict[str, list[Claim]] = {}
        for claim in (*changed, *seen.unchanged):
            # a note without an id at the place of a known memory is that memory
            identity = (known.holder(claim.place) or claim.id) if claim.lacks_id else claim.id
            self._files.setdefault(identity, []).append(claim)
        self._missing = set(seen.gone) - self._files.keys()
        unsettled = self._unsettled()
        self._folds = journals.of(unsettled) if unsettled else {}
        self._planned = Planned([], {}, [], [], [], [], set(), set(), unsettled & self._folds.keys())

    def plan(self) -> Planned:
        """Return the interpretation of the files."""
        for identity, claims in self._files.items():
            self._judge_files(identity, claims)
        for identity in sorted(self._missing):
            self._judge_missing(identity)
        return self._planned

    def _unsettled(self) -> set[str]:
        """Return ids of memories to query the journals about.

        Another file is at their place, they have no file or several, or their file differs from the newest record.
        """
        changed, latest = self._changed, self._latest
        displaced = {holder for claim in changed if (holder := self._known.holder(claim.place))} - self._files.keys()
        unsettled = displaced | self._missing | (_crowded(self._known, changed) if self._is_shared else set())
        for identity, claims in self._files.items():
            last = latest.get(identity)
            if len(claims) > 1 or last is None or (*claims[0].place, claims[0].etag) != (last.space, last.path, last.etag):
                unsettled.add(identity)
        return unsettled

    def _judge_files(self, identity: str, claims: Sequence[Claim]) -> None:
        """Classify the files that have the id of one memory."""
        folded = self._folds.get(identity)
        emptied = [claim for claim in claims if claim.lacks_id and self._is_emptied(claim, identity)]
        whole = [claim for claim in claims if claim not in emptied]
        arriving = [claim for claim in whole if self._is_shared and self._is_arriving(claim, identity)]
        self._planned.emptied.extend(emptied)
        self._planned.arriving.extend(arriving)
        complete = [claim for claim in whole if claim not in arriving]
        if not complete:
            self._planned.unsettled.discard(identity)
            return
        file = folded.file if folded else None
        in_place = [claim for claim in complete if file and claim.place == (file.space, file.path)]
        last = self._latest.get(identity)
        main = (
            in_place[0]
            if in_place
            else min(complete, key=lambda claim: standing_order(claim.path, claim.etag, claim.status, last))
        )
        for claim in complete:
            if claim is not main:
                self._judge_copy(identity, claim, main)
        if main not in self._seen.unchanged:
            self._planned.findings.extend(map(self._marked_doubtful, self._done_to(identity, main)))

    def _is_emptied(self, claim: Claim, identity: str) -> bool:
        """Return whether a memory's file lost its text, as a crash or a sync tool leaves it: blank, NULs, or cut within the properties."""
        folded = self._folds.get(identity)
        if folded is None or identity not in self._known:
            return False
        text = claim.text()
        return not text.strip(" \t\r\n\0\ufeff") or (
            text.startswith("---") and "\n---" not in text and is_beginning(folded, text)
        )

    def _is_arriving(self, claim: Claim, identity: str) -> bool:
        """Return whether a sync tool may still be writing a file."""
        folded, known = self._folds.get(identity), self._known.get(identity)
        age = abs(self._now - modified_at(claim.stat))
        if age > ARRIVES_AT_LAST or (folded is not None and folded.knows(claim.etag)):
            return False
        text = claim.text()
        if claim.lacks_id and text.startswith("---") and "\n---" not in text:
            return age < ARRIVES_WITHIN
        return folded is not None and is_begun(folded, text, age, lambda version: _was(known, version))

    def _judge_copy(self, identity: str, claim: Claim, main: Claim) -> None:
        """Classify a second file with the id of a memory.

        A copy made by a sync tool, or one left at the memory's previous place, is removed once its content is journaled. A copy
        made by the person stays and is reported.
        """
        folded = self._folds.get(identity)
        has_path_of_before = in_one_form(claim.path) == in_one_form(main.path) or (
            folded is not None
            and folded.file is not None
            and folded.file.path == main.path
            and claim.path in {path for _, path in folded.made}
        )
        if folded is None or claim.lacks_id or not (is_copy_of(claim.path, main.path) or has_path_of_before):
            self._planned.copies[claim.place] = copy_of(claim.path, main.path)
            return
        (self._planned.aside if is_copy_of(claim.path, main.path) else self._planned.left).append(claim)
        if not folded.knows(claim.etag):
            # its base is not the text of the main file
            versions = {key: version for key, version in folded.made.items() if key != (main.etag, main.path)}
            now = Version(claim.space, main.path, claim.etag, claim.text())
            base = _base(replace(folded, file=None, made=versions), now, None)
            after = Version(claim.space, base.path if base else main.path, claim.etag, None)
            self._planned.findings.append(Finding("edit", Change(identity, base, after), path=claim.path))

    def _done_to(self, identity: str, claim: Claim) -> Iterator[Finding]:
        """Yield the person's changes to the file of a memory."""
        folded = self._folds.get(identity)
        if folded is None or claim.lacks_id:
            yield from self._done_by_last_record(identity, claim)
            return
        file = folded.file
        named = file is not None and (is_named_by_sync(claim.path) or in_one_form(claim.path) == in_one_form(file.path))
        path = file.path if file is not None and named else claim.path
        now = Version(claim.space, path, claim.etag, claim.text())
        change = change_by_hand(identity, folded, now, claim.stat, self._known.get(identity))
        if change is not None:
            op: Literal["adopt", "edit", "move"] = "adopt" if change.before is None else "edit"
            op = "move" if change.before is not None and change.before.path != path else op
            yield Finding(op, replace(change, after=replace(now, text=None)), path=claim.path)

    def _done_by_last_record(self, identity: str, claim: Claim) -> Iterator[Finding]:
        """Yield the difference between a file and its newest record, or, without a record, its state last seen here."""
        now = Version(claim.space, claim.path, claim.etag, None)
        last, known = self._latest.get(identity), self._known.get(identity)
        if identity not in self._latest and known is not None:
            last = Version(known.space, known.path, known.etag, None)
        given_id = identity if claim.lacks_id and claim.editable else ""
        if last is None:
            yield Finding("adopt", Change(identity, None, now), given_id, claim.path)
        elif (last.space, last.path) != (now.space, now.path):
            yield Finding("move", Change(identity, last, now), given_id, claim.path)
        elif last.etag != now.etag or given_id:
            yield Finding("edit", Change(identity, last, now), given_id, claim.path)

    def _marked_doubtful(self, finding: Finding) -> Finding:
        """Return the finding, marked as doubtful if a sync tool may have mixed two notes at its place.

        That is so if another note was last seen there, so that nobody can have edited this one there, or if the journals have
        another memory there.
        """
        change, after = finding.change, finding.change.after
        if not self._is_shared or len(self._changed) > _FEW:
            return finding
        if change.before is None or after is None or change.before.etag == after.etag:
            return finding
        path = finding.path or after.path
        is_displacing = (self._known.holder((after.space, path)) or change.memory) != change.memory
        contested = is_displacing or self._journals.is_contested(after.space, path, change.memory, self._now)
        return replace(finding, change=replace(change, doubtful=contested))

    def _judge_missing(self, identity: str) -> None:
        """Classify a memory without a file: deleted by the person, or removed by a sync tool and to be written back."""
        known, folded = self._known[identity], self._folds.get(identity)
        if any(space == known.space and (not path or known.path.startswith(path)) for space, path in self._seen.unread):
            return
        if folded is None:
            self._planned.findings.append(
                Finding("delete", Change(identity, Version(known.space, known.path, known.etag, None), None))
            )
            return
        deletion = deletion_by_hand(identity, folded, known)
        if deletion is not None and not self._journals.may_have_been_overwritten(
            known.space, known.path, identity, folded.began, self._now
        ):
            self._planned.findings.append(Finding("delete", deletion))
            return
        self._planned.lost.add(identity)
        if deletion is not None:
            self._planned.perhaps_deleted.add(identity)


def _crowded(known: KnownFiles, changed: Sequence[Claim]) -> set[str]:
    """Return ids of memories whose file names equal, on some disks (case, Unicode form), that of a changed file."""
    holders: dict[Place, set[str]] = {}
    wanted = {(claim.space, on_any_disk(claim.path)) for claim in changed}
    there = [(identity, *place) for place, identity in known.alike(wanted)]
    for identity, space, path in (*there, *((claim.id, *claim.place) for claim in changed if not claim.lacks_id)):
        holders.setdefault((space, on_any_disk(path)), set()).add(identity)
    return {identity for some in holders.values() if len(some) > 1 for identity in some}


def copy_of(path: str, main: str) -> Problem:
    """Return the message for a file that has the same id as `main`."""
    what = f"It has the same id as {main}, which is the one that is shown and edited. Both files stay."
    return Problem(path, f"{what} Copy what you need from here to there, then delete this one.")


def change_by_hand(identity: str, folded: Folded, now: Version, stat: str, known: Known | None) -> Change | None:
    """Return the person's change to a note; None if it was not changed by hand.

    Args:
        folded: the note according to the journals. now: its file, with text. stat: size and time of the file.
        known: its file as last seen here.
    """
    file = folded.file
    complete = file is not None and _was(known, file)
    made = folded.made.get(key_of(now))
    if file is None:
        if key_of(now) in folded.written_back:
            return None
        return (
            None if made and known else Change(identity, _base(folded, now, known) if not made else None, now, again=bool(made))
        )
    if made is None:
        if not complete and _holds_nothing_new(folded, now):
            return None
        return Change(identity, _base(folded, now, known), now)
    if key_of(now) in folded.by_us or key_of(now) == key_of(file) or not complete:
        return None
    moved = file.etag == now.etag
    return Change(identity, file, now, again=True) if moved or modified_at(stat) > made[1] + _WITH_ITS_RECORD else None


def deletion_by_hand(identity: str, folded: Folded, known: Known) -> Change | None:
    """Return the change by which the person deleted a note.

    None if a record explains the missing file, or the deleted version is unknown.
    """
    file = folded.file
    if file is None or folded.kept or (file.space, file.path) != (known.space, known.path):
        return None
    if _was(known, file) or not (known.etag or known.stat):
        return Change(identity, file, None)
    seen = [version for version, _ in folded.made.values() if _was(known, version)]
    return Change(identity, seen[-1], None) if seen else None


def _holds_nothing_new(folded: Folded, now: Version) -> bool:
    """Return whether every line of a file occurs in some version, or in a conflict callout around one.

    Such a file was merged by a sync tool, or by git with our merge driver, before the records arrived.
    """
    if not folded.merged:
        return False
    lines = lines_ever([folded])
    return all(line.removeprefix("> ") in lines or line.startswith(CONFLICT) for line in lines_of(now))


def _was(known: Known | None, version: Version) -> bool:
    """Return whether a file as last seen here may have been this version. Without an etag the size decides."""
    if known is None or (known.space, known.path) != (version.space, version.path):
        return False
    if known.etag or version.text is None:
        return known.etag == version.etag
    return known.stat.partition(":")[0] == str(len(version.text.encode()))


def _base(folded: Folded, now: Version, known: Known | None) -> Version | None:
    """Return the version that an edited file is based on.

    This is the newest version, unless the file has none of the lines added in it and is closer to an older one. Among equally
    close versions, prefer the one last seen here, then the oldest: then both texts stay.
    """
    versions = [version for version, _ in folded.made.values() if version.text is not None]
    same = [version for version in versions if version.etag == now.etag]
    if same or not versions:
        return folded.file if folded.file in same or not same else same[-1]
    newest = folded.file or versions[-1]
    new, lines = Counter(lines_of(newest)), Counter(lines_of(now))
    unlike = [version for version in versions if not any(line.strip() for line in (new - Counter(lines_of(version))) & lines)]

    def distance_of(one: Version) -> tuple[int, bool]:
        return (distance(Counter(lines_of(one)), lines), not _was(known, one))

    best = min((*unlike, newest), key=distance_of)
    if _was(known, best):
        return best
    equal = [version for version in versions if version.etag == best.etag] or [best]
    return next((version for version in equal if version.path == now.path), equal[-1])

"""What the person did by hand, told from what sync tools do: which version a changed file was made of, and what it changes there.

A sync tool may put a file in the place of one that it does not know, so what stood there before need not be what somebody edited.
A file that a record tells of is nobody's hand, unless it was written later than all that is known.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import Problem
from vademecum.domain.memory import Status
from vademecum.vault.arriving import ARRIVES_AT_LAST, ARRIVES_WITHIN, is_begun
from vademecum.vault.find import is_copy_of, is_named_by_sync, standing_order
from vademecum.vault.journal import Change, Version
from vademecum.vault.merge import CONFLICT, Folded, distance, key_of, lines_of
from vademecum.vault.places import in_one_form, on_any_disk
from vademecum.vault.scan import modified_at

#: A file is written, copied and synchronised within so long after the record that tells of it.
_WITH_ITS_RECORD = timedelta(seconds=60)
#: So many files at most changed when two notes were mixed; more, and a tool of the person's went through them.
_FEW = 64
_ID_LINE = re.compile(r"^id: ([0-7][0-9A-Z]{25})$", re.MULTILINE)
#: Lines that a merge leaves behind and nobody needs: its marks, and what it can make of dates and ids.
_SPOILT = re.compile(r"<{7} |={7}$|>{7} |\|{7} |(?:id|created|valid_from|valid_until|superseded_at): \S+$")


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

    def was(self, version: Version) -> bool:
        """Return whether the file may have been this version: its size tells it where the etag does not."""
        if (self.space, self.path) != (version.space, version.path):
            return False
        if self.etag or version.text is None:
            return self.etag == version.etag
        return self.stat.partition(":")[0] == str(len(version.text.encode()))


class Claim(Struct, frozen=True):
    """What a file says it is. `lacks_id`: its id was made up. `editable`: its properties can be changed by us."""

    space: str
    path: str
    id: str
    etag: str
    stat: str
    status: Status
    lacks_id: bool
    editable: bool

    @property
    def place(self) -> tuple[str, str]:
        """Space and path."""
        return (self.space, self.path)


class Finding(Struct, frozen=True):
    """One thing the person did. `given_id`: an id to write into a file that lacks one. `change.after` is without its text, or stands at
    `path` when a sync tool named the file.
    """

    op: Literal["adopt", "edit", "move", "delete"]
    change: Change
    given_id: str = ""
    path: str = ""


class Told(Protocol):
    """What the journals of all devices together tell; see :class:`vademecum.vault.versions.Versions`."""

    def of(self, identities: Collection[str]) -> Mapping[str, Folded]: ...

    def is_contested(self, space: str, path: str, identity: str, now: datetime) -> bool: ...

    def may_have_been_overwritten(self, space: str, path: str, identity: str, since: str, now: datetime) -> bool: ...

    def is_shared(self) -> bool: ...


class Planned(Struct, frozen=True):
    """What the files mean.

    Attributes:
        copies: files that only bear the id of a memory: (space, path) -> what to tell of it.
        aside: those of them that a sync tool made, to be put away once what they say is journaled.
        left: those of them that a memory left behind where it stood before.
        arriving: files that seem to be only half there yet.
        lost: ids of memories whose file is gone though nobody deleted it.
        perhaps_deleted: those of them of which that is not certain.
        unsettled: ids of memories whose files may not be what the journals of all devices say.
    """

    findings: list[Finding]
    copies: dict[tuple[str, str], Problem]
    aside: list[Claim]
    left: list[Claim]
    arriving: list[Claim]
    lost: set[str]
    perhaps_deleted: set[str]
    unsettled: set[str]


def plan(
    known: Mapping[str, Known],
    changed: Sequence[Claim],
    standing: Sequence[Claim],
    gone: Collection[str],
    latest: Mapping[str, Version | None],
    unread: Sequence[tuple[str, str]],
    told_by: Told,
    text_of: Callable[[Claim], str],
    now: datetime,
) -> Planned:
    """Plan from the files what the person did.

    Args:
        changed: files that are not as known. standing: those that are, and whose id one of the changed ones bears.
        gone: ids whose file no longer stands where it was.
        latest: for the ids concerned, what the journals last say; None: that it is gone; absent: nothing.
        unread: space and folder or file that could not be looked at; what was there is not gone.
        told_by: asked what the journals of all devices together say of memories. text_of: the text of a file. now: aware.
    """
    holders = {(one.space, one.path): identity for identity, one in known.items()} if changed else {}
    shared = bool(changed) and told_by.is_shared()
    by_id: dict[str, list[Claim]] = {}
    for claim in (*changed, *standing):
        by_id.setdefault(_identity(claim, holders), []).append(claim)
    missing = set(gone) - by_id.keys()
    displaced = {holders[claim.place] for claim in changed if claim.place in holders} - by_id.keys()
    unsettled = displaced | missing | (_crowded(known, changed) if shared else set())
    unsettled |= {one for one, claims in by_id.items() if len(claims) > 1 or not _is_last(claims[0], latest.get(one))}
    told = told_by.of(unsettled) if unsettled else {}
    planned = Planned([], {}, [], [], [], set(), set(), unsettled & told.keys())
    for identity, some in by_id.items():
        before, folded = known.get(identity), told.get(identity)
        arriving = [one for one in some if shared and _is_arriving(one, folded, before, text_of, now)]
        planned.arriving.extend(arriving)
        claims = [one for one in some if one not in arriving]
        if not claims:
            planned.unsettled.discard(identity)
            continue
        main = _main(claims, latest.get(identity), told.get(identity))
        for one in claims:
            if one is not main:
                planned.copies[one.place] = copy_of(one.path, main.path)
                planned.findings.extend(_of_copy(identity, one, main, told.get(identity), planned, text_of))
        if main not in standing:
            found = _of_main(identity, main, told.get(identity), known.get(identity), latest, text_of)
            doubt = told_by if shared and len(changed) <= _FEW else None
            is_displacing = holders.get(main.place, identity) != identity
            planned.findings.extend(_in_doubt(one, doubt, is_displacing, now) if doubt else one for one in found)
    for identity in sorted(missing):
        if _hidden(known[identity], unread):
            continue
        deletion = _of_gone(identity, known[identity], told.get(identity))
        if deletion is not None and not _may_have_been_overwritten(known[identity], told.get(identity), deletion, told_by, now):
            planned.findings.append(Finding("delete", deletion))
            continue
        planned.lost.add(identity)
        planned.perhaps_deleted.update(() if deletion is None else [identity])
    return planned


def _crowded(known: Mapping[str, Known], changed: Sequence[Claim]) -> set[str]:
    """Return ids of memories whose files cannot stand beside each other on every disk."""
    holders: dict[tuple[str, str], set[str]] = {}
    there = [(identity, one.space, one.path) for identity, one in known.items()]
    for identity, space, path in (*there, *((one.id, *one.place) for one in changed if not one.lacks_id)):
        holders.setdefault((space, on_any_disk(path)), set()).add(identity)
    places = ((one.space, on_any_disk(one.path)) for one in changed)
    return {identity for place in places if len(some := holders.get(place, set())) > 1 for identity in some}


def copy_of(path: str, main: str) -> Problem:
    """Return what to tell of a file that bears the id of another one, `main`."""
    what = f"It has the same id as {main}, which is the one that is told and edited. Both are kept."
    return Problem(path, f"{what} Take over there what is worth it, then delete this one.")


def _of_main(
    identity: str,
    claim: Claim,
    folded: Folded | None,
    known: Known | None,
    latest: Mapping[str, Version | None],
    text_of: Callable[[Claim], str],
) -> Iterator[Finding]:
    """Yield what the person did to the file of a memory."""
    if folded is None or claim.lacks_id:
        yield from _findings(identity, claim, known, latest)
        return
    file = folded.file
    named = file is not None and (is_named_by_sync(claim.path) or in_one_form(claim.path) == in_one_form(file.path))
    path = file.path if file is not None and named else claim.path
    now = Version(claim.space, path, claim.etag, text_of(claim))
    change = change_by_hand(identity, folded, now, claim.stat, known)
    if change is not None:
        op: Literal["adopt", "edit", "move"] = "adopt" if change.before is None else "edit"
        op = "move" if change.before is not None and change.before.path != path else op
        yield Finding(op, replace(change, after=replace(now, text=None)), path=claim.path)


def _in_doubt(finding: Finding, told_by: Told, is_displacing: bool, now: datetime) -> Finding:
    """Return what was done to a note, doubtful when a sync tool may have mixed two notes at its place. `is_displacing`: another note was
    seen there before, so that nobody edited this one there.
    """
    change, after = finding.change, finding.change.after
    if change.before is None or after is None or change.before.etag == after.etag:
        return finding
    contested = is_displacing or told_by.is_contested(after.space, finding.path or after.path, change.memory, now)
    return replace(finding, change=replace(change, doubtful=contested))


def _of_copy(
    identity: str, claim: Claim, main: Claim, folded: Folded | None, planned: Planned, text_of: Callable[[Claim], str]
) -> Iterator[Finding]:
    """Yield what a second file says that no journal knows: a sync tool's copy, or one where the memory stood before. It goes away then.
    What a person copied stays.
    """
    if folded is None or claim.lacks_id:
        return
    if is_copy_of(claim.path, main.path):
        planned.aside.append(claim)
    elif in_one_form(claim.path) == in_one_form(main.path) or (
        folded.file and folded.file.path == main.path and claim.path in {path for _, path in folded.made}
    ):
        planned.left.append(claim)
    else:
        return
    del planned.copies[claim.place]
    if not folded.knows(claim.etag):
        main_file = (main.etag, main.path)  # which it was not made of
        others = {key: one for key, one in folded.made.items() if key != main_file}
        now = Version(claim.space, main.path, claim.etag, text_of(claim))
        base = _base(replace(folded, file=None, made=others), now, None)
        after = Version(claim.space, base.path if base else main.path, claim.etag, None)
        yield Finding("edit", Change(identity, base, after), path=claim.path)


def _of_gone(identity: str, known: Known, folded: Folded | None) -> Change | None:
    """Return the change by which the person deleted a note, unless a sync tool took its file; None when nobody deleted it."""
    if folded is None:
        return Change(identity, Version(known.space, known.path, known.etag, None), None)
    return deletion_by_hand(identity, folded, known)


def _may_have_been_overwritten(known: Known, folded: Folded | None, deletion: Change, told_by: Told, now: datetime) -> bool:
    """Return whether a sync tool may have put another memory in the place of one that seems to have been deleted by hand."""
    since = "" if folded is None else folded.began
    return folded is not None and told_by.may_have_been_overwritten(known.space, known.path, deletion.memory, since, now)


def _is_arriving(
    claim: Claim, folded: Folded | None, known: Known | None, text_of: Callable[[Claim], str], now: datetime
) -> bool:
    """Return whether a sync tool may not be done with a file. `known`: its file as it was last seen here."""
    age = abs(now - modified_at(claim.stat))
    if age > ARRIVES_AT_LAST or (folded is not None and folded.knows(claim.etag)):
        return False
    text = text_of(claim)
    if claim.lacks_id and text.startswith("---") and "\n---" not in text:
        return age < ARRIVES_WITHIN
    return folded is not None and is_begun(folded, text, age, lambda one: known is not None and known.was(one))


def _findings(identity: str, claim: Claim, holder: Known | None, latest: Mapping[str, Version | None]) -> Iterator[Finding]:
    now = Version(claim.space, claim.path, claim.etag, None)
    last = latest.get(identity)
    if last is None and identity not in latest and holder is not None:
        last = Version(holder.space, holder.path, holder.etag, None)
    given = identity if claim.lacks_id and claim.editable else ""
    if last is None:
        yield Finding("adopt", Change(identity, None, now), given, claim.path)
    elif (last.space, last.path) != (now.space, now.path):
        yield Finding("move", Change(identity, last, now), given, claim.path)
    elif last.etag != now.etag or given:
        yield Finding("edit", Change(identity, last, now), given, claim.path)


def _identity(claim: Claim, holders: Mapping[tuple[str, str], str]) -> str:
    """Return whose file it is. A note that lost its id where a memory stood is still that memory."""
    return holders.get((claim.space, claim.path), claim.id) if claim.lacks_id else claim.id


def _is_last(claim: Claim, last: Version | None) -> bool:
    return last is not None and (claim.space, claim.path, claim.etag) == (last.space, last.path, last.etag)


def _main(claims: Sequence[Claim], last: Version | None, folded: Folded | None) -> Claim:
    """Return the one file that is the memory, of several with one id."""
    file = folded.file if folded else None
    at = [one for one in claims if file and one.place == (file.space, file.path)]
    return at[0] if at else min(claims, key=lambda one: standing_order(one.path, one.etag, one.status, last))


def _hidden(one: Known, unread: Sequence[tuple[str, str]]) -> bool:
    return any(space == one.space and (not folder or one.path.startswith(folder)) for space, folder in unread)


def change_by_hand(identity: str, folded: Folded, now: Version, stat: str, known: Known | None) -> Change | None:
    """Return what the person did to a note; None when nobody did anything to it.

    Args:
        folded: what the journals tell of it. now: its file, whole. stat: size and time of that. known: its file as it was last seen.
    """
    file = folded.file
    complete = file is not None and known is not None and known.was(file)
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
    """Return the change by which the person deleted a note; None when a record explains that it is gone, or nobody knows what it was."""
    file = folded.file
    if file is None or folded.kept or (file.space, file.path) != (known.space, known.path):
        return None
    if known.was(file) or not (known.etag or known.stat):
        return Change(identity, file, None)
    seen = [one for one, _ in folded.made.values() if known.was(one)]
    return Change(identity, seen[-1], None) if seen else None


def _holds_nothing_new(folded: Folded, now: Version) -> bool:
    """Return whether every line of a file stands in some version, or in a box around one: what a sync tool merged of several, or git
    with our help, before their records came.
    """
    if not folded.merged:
        return False
    lines = _lines_ever([folded])
    return all(line.removeprefix("> ") in lines or line.startswith(CONFLICT) for line in lines_of(now))


def ids_in(text: str) -> list[str]:
    """Return the ids of the memories that a file is said to be, the oldest first; several, when a merge put them together."""
    return sorted(set(_ID_LINE.findall(text)))


def is_only_of(text: str, identities: Collection[str]) -> bool:
    """Return whether a file is said to be one of these memories, and no other one."""
    ids = ids_in(text)
    return bool(ids) and set(ids) <= set(identities)


def unknown_lines(text: str, folds: Iterable[Folded]) -> set[str]:
    """Return the lines of a file that a merge spoilt which no version of some memories has, without those that a merge leaves behind."""
    known = _lines_ever(folds)
    return {line for line in text.split("\n") if not (line in known or _SPOILT.match(line))}


def _lines_ever(folds: Iterable[Folded]) -> set[str]:
    return {line for folded in folds for one, _ in folded.made.values() for line in lines_of(one)}


def is_repairable(folds: Sequence[Folded], beside: Iterable[Version], now: Version, forgotten: Collection[str]) -> bool:
    """Return whether a file that a merge spoilt holds nothing but what some version holds, beside the marks, a spoilt property, and what
    stands below the id of a forgotten memory.

    Args:
        beside: versions of other memories that stood at its place.
    """
    lines = _lines_ever(folds).union(*map(lines_of, beside))
    about = ""
    for line in lines_of(now):
        found = _ID_LINE.match(line)
        about = found[1] if found else about
        if not (line in lines or _SPOILT.match(line) or about in forgotten):
            return False
    return True


def _base(folded: Folded, now: Version, known: Known | None) -> Version | None:
    """Return the version that a file was made of: the newest, unless the file shows nothing of what came in with that and is nearer to
    an older one. Of several as near the one that was seen here last, else the oldest: then both texts stay.
    """
    found = [one for one, _ in folded.made.values() if one.text is not None]
    same = [one for one in found if one.etag == now.etag]
    if same or not found:
        return folded.file if folded.file in same or not same else same[-1]
    newest = folded.file or found[-1]
    new, lines = Counter(lines_of(newest)), Counter(lines_of(now))
    unlike = [one for one in found if not any(line.strip() for line in (new - Counter(lines_of(one))) & lines)]

    def farness(one: Version) -> tuple[int, bool]:
        return (distance(Counter(lines_of(one)), lines), known is None or not known.was(one))

    best = min((*unlike, newest), key=farness)
    if known is not None and known.was(best):
        return best
    twins = [one for one in found if one.etag == best.etag] or [best]
    return next((one for one in twins if one.path == now.path), twins[-1])

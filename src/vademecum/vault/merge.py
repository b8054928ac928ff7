"""Combine the records of all devices into one memory: the difference made by each record is applied to the result of the earlier ones.

Properties are merged one by one, lists by added and removed items, bodies by a three-way merge of lines. The same records give the same
text on every device, in whatever order they arrived. If two devices changed the same lines, both texts stay, the later one in a callout.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import By
from vademecum.vault.find import is_named_by_sync
from vademecum.vault.frontmatter import Value, read, set_body, set_properties
from vademecum.vault.journal import Change, Record, Version, version
from vademecum.vault.places import original_place

#: Op of a record by which a device wrote the merged state. It contains nothing new, so merging and `undo` skip it. No other op
#: has this name.
MERGE = "merge"
#: Author of merged texts.
BY_SYNC = By("user", "sync")
#: Head of the callout with another device's version of the lines above it.
CONFLICT = "> [!conflict]"
#: Of two statuses set concurrently, the later one in this list wins.
_WEAKEST_FIRST = ("incubating", "inbox", "active", "disputed", "resolved", "archived", "superseded")
#: Ops that remove a memory permanently: they win over any edit.
_FINAL = frozenset({"forget", "purge"})

#: Etag and path of a file.
Key = tuple[str, str]


class Folded(Struct, frozen=True):
    """State of a memory after all its records.

    Attributes:
        file: place and text; None if it is gone. merged: whether there were concurrent records.
        made: (etag, path) -> every recorded file and the time of its last record; oldest first.
        by_us: keys in `made` that were last written by a merge.
        written_back: keys in `made` that a merge wrote after the memory was deleted, on a device that had not seen the deletion.
        began: id of the first record.
        kept: whether a deletion was ignored because the deleting device did not have a later text.
    """

    file: Version | None
    merged: bool
    made: Mapping[Key, tuple[Version, datetime]]
    by_us: frozenset[Key]
    written_back: frozenset[Key]
    kept: bool
    began: str

    def knows(self, etag: str) -> bool:
        """Return whether some record has this text, at any place."""
        return any(key[0] == etag for key in self.made)


def fold(pairs: Sequence[tuple[Record, Change]]) -> Folded:
    """Return the state of one memory after its changes, in order of the records' ids, each record once."""
    sums = _Sum(pairs)
    made: dict[Key, tuple[Version, datetime]] = {}
    by_us: set[Key] = set()
    written_back: set[Key] = set()
    for record, change in pairs:
        known = change.after is not None and key_of(change.after) in made
        is_moved = change.before is not None and all(change.before.path != path for _, path in made)
        base = _made_of(change.before, made) if record.interface != BY_SYNC.interface else change.before
        if change.after is not None:
            (by_us.add if record.op == MERGE else by_us.discard)(key_of(change.after))
            is_unaware = record.op == MERGE and sums.began and sums.state is None
            (written_back.add if is_unaware else written_back.discard)(key_of(change.after))
        for side in (change.before, change.after):
            if side is not None:
                made[key_of(side)] = (made.get(key_of(side), (side,))[0], record.time)
        if record.op == MERGE or _says_nothing(change) or _is_piece(record, change, pairs) or _is_echo(record, change, pairs):
            continue
        if is_moved and change.before is not None and not is_named_by_sync(change.before.path):
            sums.move(change.before.path)
        was_there = sums.state is not None
        sums.put(record, change, base, known)
        if was_there and sums.state is None:
            written_back.clear()
    return Folded(sums.state, sums.merged, made, frozenset(by_us), frozenset(written_back), sums.kept, sums.began)


class _Sum:
    """State of a memory after the changes applied so far.

    A written line has to stay until somebody who had it in a file deletes it. A line that a merge would drop is put into a
    callout, so that no line is lost, even if the base of a change was guessed wrongly.

    Args:
        pairs: all changes that are going to be applied.
    """

    def __init__(self, pairs: Sequence[tuple[Record, Change]]) -> None:
        self.state: Version | None = None
        self.began, self.merged, self.kept = "", False, False
        self._stood = {change.after.etag for _, change in pairs if change.after is not None}
        self._doubtful = {_etags(change) for _, change in pairs if change.doubtful}
        self._made_of: dict[str, dict[str, Version]] = {}
        for record, change in pairs:
            if record.actor == "hand" and change.before is not None and change.after is not None:
                self._made_of.setdefault(change.after.etag, {})[change.before.etag] = change.before
        self._owed: dict[str, None] | None = None  # lines that have to stay; None: those of the state

    def move(self, path: str) -> None:
        """Set the path to one that no record had written. An archived memory stays in the archive.

        The file was renamed by hand, and a later record found it there.
        """
        if self.state is not None and not original_place(self.state.path):
            self.state = replace(self.state, path=path)

    def put(self, record: Record, change: Change, base: Version | None, known: bool) -> None:
        """Apply a change.

        Args:
            base: version to compare the change with. known: whether an earlier record already has the resulting version.
        """
        if not self.began or (_same(self.state, change.before) and self._was_seen(record, change)):
            self.state, self.began, self._owed = change.after, self.began or record.id, None
            return
        self.merged = True
        if record.actor == "hand" and known and not change.again:
            return
        before, self.state = self.state, _onto(self.state, record, change, base)
        if change.after is None:
            self.kept = self.kept or self.state is not None
        elif self.state is not None and self.state.text is not None:
            self._keep(before, self.state, record, change, base)

    def _was_seen(self, record: Record, change: Change) -> bool:
        """Return whether the base of a change was in a file, so that lines missing after it were deleted by somebody."""
        return self._had(record, change) == [change.before]

    def _had(self, record: Record, change: Change) -> list[Version | None]:
        """Return the versions that a change may be based on; empty if nobody need have seen any of them.

        Two devices that found the same text may have recorded different bases for it.
        """
        if record.actor != "hand" or change.before is None or change.after is None:
            return [change.before]
        if change.before.etag not in self._stood or _etags(change) in self._doubtful:
            return []
        return [
            change.before,
            *(version for etag, version in self._made_of[change.after.etag].items() if etag != change.before.etag),
        ]

    def _keep(self, was: Version | None, state: Version, record: Record, change: Change, base: Version | None) -> None:
        """Append the lines that have to stay and are missing in the state, in a callout."""
        if was is None or change.after is None:
            self._owed = None
            return
        had, after = [_said(version) for version in self._had(record, change)], _said(change.after)
        owed = {
            **(_said(was) if self._owed is None else self._owed),
            **{entry: None for entry in after if entry not in _said(base)},
        }
        owed = {entry: None for entry in owed if entry in after or not had or not all(entry in some for some in had)}
        there = _said(state)
        missing = [entry for entry in owed if entry not in there]
        if missing:
            text = f"{(state.text or '').rstrip()}\n{CONFLICT} {_who(record)}\n" + "".join(f"> {entry}\n" for entry in missing)
            self.state = version(state.space, state.path, text)
        self._owed = owed


def _etags(change: Change) -> tuple[str, str]:
    """Return the etags of a note before and after a change, "" for none."""
    return (change.before.etag if change.before else "", change.after.etag if change.after else "")


def _said(version: Version | None) -> dict[str, None]:
    """Return the lines of a note's body, in order, without the frame of a callout."""
    body = read(version.text).body if version is not None and version.text else ""
    lines = (line.removeprefix("> ").strip() for line in body.split("\n") if not line.startswith(CONFLICT))
    return dict.fromkeys(line for line in lines if line)


def _is_piece(record: Record, change: Change, pairs: Sequence[tuple[Record, Change]]) -> bool:
    """Return whether a supposed manual edit is the beginning of another device's text, which a sync tool transferred only partly.

    Not so if one is based on the other: then somebody shortened or continued the text.
    """
    text = change.after.text if change.after else None
    if record.actor != "hand" or not text or _begins(change.before, text):
        return False
    gone_on = {_etags(step)[1] for _, step in pairs if _begins(step.before, text)}  # found by any device, later
    others = (step for other, step in pairs if other.device != record.device and other.op != MERGE)
    return any(
        _begins(step.after, text) and not _same_text(step.after, text) and _etags(step)[1] not in gone_on for step in others
    )


def _is_echo(record: Record, change: Change, pairs: Sequence[tuple[Record, Change]]) -> bool:
    """Return whether a supposed manual edit is the text of another device's operation, whose record arrived later.

    That record has the right base.
    """
    if (
        record.actor != "hand"
        or change.after is None
        or change.again
        or (change.before and change.before.etag == change.after.etag)
    ):
        return False
    for other, step in pairs:
        before, after = _etags(step)
        if other.op == MERGE or before == after:
            continue
        if before == change.after.etag:
            return False  # somebody had already continued from it
        if after == change.after.etag and other.actor != "hand" and other.device != record.device and not other.undoes:
            return True
    return False


def _begins(version: Version | None, text: str) -> bool:
    return version is not None and version.text is not None and version.text.startswith(text)


def _same_text(version: Version | None, text: str) -> bool:
    return version is not None and version.text == text


def _who(record: Record) -> str:
    """Return the author and time for the head of a callout."""
    return f"{record.device}, {record.time:%Y-%m-%d %H:%M}"


def _made_of(before: Version | None, made: Mapping[Key, tuple[Version, datetime]]) -> Version | None:
    """Return the version to compare a change with: the one before it, or the closest recorded version.

    The one before it may be in no record, because of an unnoticed manual edit.
    """
    known = [version for version, _ in made.values() if version.text is not None]
    if before is None or before.text is None or not known or any(version.etag == before.etag for version in known):
        return before
    lines = Counter(lines_of(before))
    nearest = min(known, key=lambda version: distance(Counter(lines_of(version)), lines))
    return replace(nearest, path=before.path)


def _onto(state: Version | None, record: Record, change: Change, before: Version | None) -> Version | None:
    """Return a state after a change whose base is another version, `before`."""
    after = change.after
    if after is None:
        return None if record.op in _FINAL else state  # the deleting device did not have this text
    if state is None or after.text is None or state.text is None:
        return after
    path = after.path if before is None or before.path != after.path else state.path
    if original_place(state.path) and not original_place(after.path):
        path = state.path
    if after.etag == state.etag:
        return replace(state, path=path)
    base = before.text if before is not None and before.text is not None else ""
    return version(state.space, path, merged_text(base, state.text, after.text, _who(record)))


def merged_text(base: str, ours: str, theirs: str, who: str) -> str:
    """Return the three-way merge of two versions of a note.

    Args:
        who: author and time of `theirs`; shown where both changed the same lines.
    """
    fronts = [read(text) for text in (base, ours, theirs)]
    old, mine, new = (front.values() for front in fronts)
    try:
        text = set_properties(ours, _properties(old, mine, new))
        return set_body(text, merged_body(fronts[0].body, fronts[1].body, fronts[2].body, who))
    except InvalidInput:
        return merged_body(base, ours, theirs, who)  # the frontmatter cannot be edited safely


def _properties(old: Mapping[str, object], mine: Mapping[str, object], new: Mapping[str, object]) -> dict[str, Value]:
    """Return the properties to set on ours: those that theirs changed."""
    fields: dict[str, object] = {}
    for name in [*new, *(name for name in old if name not in new)]:
        was, has, gets = old.get(name), mine.get(name), new.get(name)
        if gets in (was, has):
            continue
        if any(isinstance(entry, list) for entry in (was, has, gets)):
            fields[name] = _listed(was, has, gets) or None
        elif name == "status" and has != was:
            fields[name] = max(str(has or "active"), str(gets or "active"), key=_rank)
        else:
            fields[name] = gets
    return cast("dict[str, Value]", fields)


def _listed(was: object, has: object, gets: object) -> list[object]:
    """Return our list with the items that theirs added, and without those that theirs removed."""
    before, ours, theirs = (
        entry if isinstance(entry, list) else [] if entry is None else [entry] for entry in (was, has, gets)
    )
    return [
        *(entry for entry in ours if entry not in before or entry in theirs),
        *(entry for entry in theirs if entry not in before and entry not in ours),
    ]


def _rank(status: str) -> int:
    return _WEAKEST_FIRST.index(status) if status in _WEAKEST_FIRST else -1


def merged_body(base: str, ours: str, theirs: str, who: str) -> str:
    """Return the three-way merge of lines; where both changed the same ones, theirs follow ours in a callout."""
    from merge3 import Merge3  # noqa: PLC0415 -- few commands merge

    lines: list[str] = []
    old, mine, new = (text.split("\n") for text in (base, ours, theirs))
    for region in Merge3(old, mine, new).merge_groups():
        if region[0] != "conflict":
            lines += region[1]
            continue
        was, has, gets = region[1:]
        lines += _both(was, has, gets, who)
    return "\n".join(lines)


def _both(was: Sequence[str], has: Sequence[str], gets: Sequence[str], who: str) -> list[str]:
    """Return the merge of two versions of the same lines.

    A change wins over a deletion; if both only added lines, both additions stay.
    """
    for longer, other in ((has, gets), (gets, has)):
        if (at := _place_of(was, longer)) is not None:  # one side only added lines around the other side's change
            return [*longer[:at], *other, *longer[at + len(was) :]]
    fresh = [line for line in gets if line not in has]
    if not fresh or not any(line.strip() for line in has):
        return [*has] if not fresh else [*gets]
    replaced = [line for line in was if line.strip() and line not in gets]
    if not replaced:
        return [*has, *fresh] if has and has[-1] else [*has[:-1], *fresh, *has[-1:]]
    return [*has, f"{CONFLICT} {who}", *(f"> {line}" for line in fresh), ""]


def _place_of(part: Sequence[str], whole: Sequence[str]) -> int | None:
    """Return the index at which a run of lines occurs unchanged in another; None if it does not, or is blank."""
    if not any(line.strip() for line in part):
        return None
    places = range(len(whole) - len(part) + 1)
    return next((at for at in places if list(whole[at : at + len(part)]) == list(part)), None)


def _says_nothing(change: Change) -> bool:
    return change.before is not None and _same(change.before, change.after)


def _same(version: Version | None, other: Version | None) -> bool:
    return (version and key_of(version)) == (other and key_of(other))


def key_of(version: Version) -> Key:
    """Return the key of a version among the versions of a memory."""
    return (version.etag, version.path)


def lines_of(version: Version) -> list[str]:
    """Return the lines of a file; [""] for one without text."""
    return (version.text or "").split("\n")


def lines_ever(folds: Iterable[Folded]) -> set[str]:
    """Return the lines of all recorded versions of these memories."""
    return {line for folded in folds for version, _ in folded.made.values() for line in lines_of(version)}


def distance(one: Counter[str], other: Counter[str]) -> int:
    """Return the number of lines that only one of two texts has, regardless of position."""
    return sum((one - other).values()) + sum((other - one).values())

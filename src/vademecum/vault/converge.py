"""Update files to the combined state in the journals of all devices.

Only files whose text is in a record are overwritten, so nothing that a person typed can be lost.
"""

import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from vademecum.domain.errors import Problem, VademecumError
from vademecum.vault.by_hand import Planned
from vademecum.vault.journal import GENERATED, Change, Record, Version
from vademecum.vault.known import Known, KnownFiles, Place
from vademecum.vault.merge import BY_SYNC, CONFLICT, MERGE, Folded, key_of, lines_ever, lines_of
from vademecum.vault.places import CONFLICTS, in_one_form, numbered, on_any_disk
from vademecum.vault.scan import Stats
from vademecum.vault.seen import ID_LINE, Claim, Seen, ids_in
from vademecum.vault.writer import Writer

#: Lines that a merge leaves behind and nobody needs: conflict markers, and mangled dates and ids.
_MERGE_LEFTOVER = re.compile(r"<{7} |={7}$|>{7} |\|{7} |(?:id|created|valid_from|valid_until|superseded_at): \S+$")
#: Space and normalised path -> id of the memory there, and the path of its file.
_Holders = dict[Place, tuple[str, str]]


class Standing(NamedTuple):
    """The memory whose file is at a place, of all places that have one.

    Attributes:
        known: files as last seen. there: stats of the files that are there now.
        claimed: place -> id of the memory that claims the file there, where that is not what was known.
    """

    known: KnownFiles
    there: Stats
    claimed: Mapping[Place, str]

    def at(self, place: Place) -> str | None:
        """Return the id of the memory at a place."""
        return self.claimed.get(place) or (self.known.holder(place) if place in self.there else None)

    def places(self, identities: Collection[str]) -> Iterator[tuple[Place, str]]:
        """Yield the places of some memories, each with the id of its memory."""
        claimed: dict[str, list[Place]] = {}
        for place, identity in self.claimed.items():
            claimed.setdefault(identity, []).append(place)
        for identity in identities:
            file = self.known.get(identity)
            last = (file.space, file.path) if file else None
            if last and self.at(last) == identity:
                yield last, identity
            yield from ((place, identity) for place in claimed.get(identity, ()) if place != last)

    def alike(self, wanted: Collection[Place]) -> dict[Place, str]:
        """Return those places among the ones wanted, which are written as disks see them that ignore case."""
        known = {place: entry for place, _ in self.known.alike(wanted) if (entry := self.at(place))}
        claimed = {place: entry for place, entry in self.claimed.items() if (place[0], on_any_disk(place[1])) in wanted}
        return known | claimed

    def not_where_known(self) -> set[str]:
        """Return ids of memories at whose last known place another one is."""
        moved = self.known.at(self.claimed.keys()) | self.known.at_one_place()
        files = ((identity, self.known[identity]) for identity in moved)
        return {identity for identity, file in files if self.at((file.space, file.path)) not in (None, identity)}

    def without(self, places: Collection[Place]) -> "Standing":
        """Return the memories except those at some places."""
        if not places:
            return self
        there = {place: stat for place, stat in self.there.items() if place not in places}
        return Standing(self.known, there, {place: entry for place, entry in self.claimed.items() if place not in places})


class _Taken(NamedTuple):
    """Places of files.

    Attributes:
        holders: of the places that are looked up. others: all memories.
    """

    holders: _Holders
    others: Standing

    def paths(self, space: str) -> set[str]:
        """Return all paths of a space, as disks that ignore case see them."""
        places = (*self.others.claimed, *self.holders)
        return {
            *self.others.known.folded(space, self.others.there),
            *(on_any_disk(path) for other, path in places if other == space),
        }


def same_lines(path: str, text: str) -> list[Problem]:
    """Return the message for a note in which two devices changed the same lines."""
    conflict = (
        "Two devices changed the same lines. The note has both versions, the later one in a box: keep what is right, and delete the"
        " box."
    )
    return [Problem(path, conflict)] if f"\n{CONFLICT} " in text else []


class Converger:
    """Writes the combined state. The caller must hold the lock.

    Args:
        roots: of the spaces, by name. forgotten: ids of forgotten memories.
        recorded: ids of memories that other devices recorded changes of since the last run.
    """

    def __init__(self, writer: Writer, roots: Mapping[str, Path], forgotten: frozenset[str], recorded: frozenset[str]) -> None:
        self._writer, self._roots, self._forgotten, self._recorded = writer, roots, forgotten, recorded

    def converge(self, seen: Seen, planned: Planned, known: KnownFiles) -> tuple[list[Record], list[Problem]]:
        """Write the files of all affected memories that differ from the combined journals of all devices. The records have no texts."""
        away = {claim.place for claim in (*planned.aside, *planned.left)}
        claims = (*seen.changed.values(), *seen.unchanged)
        standing = Standing(known, seen.files, {claim.place: claim.id for claim in claims if not claim.lacks_id})
        damaged = {claim: self._memories_in(claim) for claim in seen.damaged}
        off = away | planned.copies.keys() | {claim.place for claim in (*damaged, *planned.arriving, *planned.emptied)}
        lost = standing.not_where_known() | planned.lost
        lost -= {identity for place, identity in standing.places(lost) if place not in off}
        lost -= self._forgotten
        concerned = planned.unsettled | self._recorded | lost | {identity for ids in damaged.values() for identity in ids}
        folds = self._writer.versions.of(concerned - self._forgotten)
        folds |= self._writer.versions.of(in_the_way(_places_in(folds), standing) - folds.keys() - self._forgotten)
        lost = {entry for entry in lost & folds.keys() if not self._is_succeeded(known[entry], entry, folds[entry])}
        files: dict[str, list[Version]] = {identity: [] for identity in folds}
        for place, identity in standing.places(files.keys()):
            if place not in off:
                files[identity].append(self._writer.version_at(*place))
        for text, now in [(file, now) for file, some in files.items() for now in some if not folds[file].knows(now.etag)]:
            self._writer.record_edits_by_hand([Change(text, now, None)])  # never overwrite a text that no record has
            folds |= self._writer.versions.of({text})
        unneeded = self._take_apart(damaged, folds, files, lost)
        records = self._put_away(planned.aside, [*planned.left, *unneeded])
        merged, problems = self._settle(folds, files, lost, standing.without(away))
        came_back = [change for record in merged for change in record.changes if change.before is None]
        problems += [
            perhaps_deleted(change.after.path)
            for change in came_back
            if change.after and change.memory in planned.perhaps_deleted
        ]
        return [record.without_texts() for record in records + merged], problems

    def _take_apart(
        self,
        damaged: Mapping[Claim, Sequence[str]],
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
        for claim, ids in damaged.items():
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
        text = claim.text()
        named = ids_in(text)
        rest = unknown_lines(text, self._writer.versions.of(set(named) - self._forgotten).values())
        stood = self._writer.versions.at(*claim.place) if rest or not named else []
        mixed = (entry for entry, was in stood if not named or rest.intersection(lines_of(was)))
        return list(dict.fromkeys([*named, *mixed])) or [claim.id]

    def _is_succeeded(self, file: Known, identity: str, folded: Folded) -> bool:
        """Return whether another memory replaced this one in its file, by a change whose records have not arrived yet."""
        path = self._roots[file.space] / file.path
        stays = folded.file is not None and (folded.file.space, folded.file.path) == (file.space, file.path)
        text = path.read_text(errors="replace") if stays and path.exists() else ""
        return identity in text and identity not in ids_in(text)

    def _put_away(self, aside: Iterable[Claim], left: Iterable[Claim]) -> list[Record]:
        """Move conflict copies into their own folder, and remove files that a memory left at its previous place."""
        records = list[Record]()
        for claim in aside:
            target = self._free(claim.space, f"{CONFLICTS}/{claim.path}")
            records += self._page(claim, Version(claim.space + GENERATED, target, claim.etag, None))
        for claim in left:
            if self._was_put_away(claim):  # a tool that does not copy deletions brings it back with each run
                self._writer.remove(claim.space, claim.path, claim.etag)
            else:
                records += self._page(claim, None)
        return records

    def _was_put_away(self, claim: Claim) -> bool:
        """Return whether a record already has the removal of this file, with this text, from this place."""
        before = Version(claim.space + GENERATED, claim.path, claim.etag, None)
        records = self._writer.journals[claim.space].records(claim.path)
        return any(change.before == before and change.after is None for record in records for change in record.changes)

    def _page(self, claim: Claim, after: Version | None) -> Iterator[Record]:
        before = Version(claim.space + GENERATED, claim.path, claim.etag, None)
        yield self._writer.commit(MERGE, [Change("", before, after)], BY_SYNC, as_is=True)

    def _settle(
        self,
        folds: Mapping[str, Folded],
        files: Mapping[str, Sequence[Version]],
        lost: Collection[str],
        others: Standing,
    ) -> tuple[list[Record], list[Problem]]:
        """Write each memory as in its combined records.

        Args:
            files: id -> its files, with text. lost: ids of memories whose file a sync tool removed.
            others: all memories.
        """
        records, problems = list[Record](), list[Problem]()
        shall = _holders(_places_in(folds))
        taken = _Taken(_holders(others.alike(shall)), others)
        for identity in sorted(folds):
            file, here = folds[identity].file, files.get(identity, ())
            records += self._take_back(identity, folds[identity], here)
            if file is None or file.text is None or not (here or identity in lost):
                continue
            now = next((version for version in here if version.path == file.path), here[0] if here else None)
            file = self._as_named_here(file, now)
            is_first = min(side.get(_place_of(file), (identity, ""))[0] for side in (taken.holders, shall)) >= identity
            if now is not None and (now.path, now.etag) == (file.path, file.etag) and is_first:
                continue
            try:
                records += self._write(identity, now, file, taken, is_first)
                problems += same_lines(file.path, file.text or "") if now is None or CONFLICT not in (now.text or "") else ()
            except VademecumError as error:
                problems.append(Problem(file.path, f"It could not be merged: {error.message} {error.hint}"))
        return records, problems

    def _take_back(self, identity: str, folded: Folded, here: Sequence[Version]) -> Iterator[Record]:
        """Remove files written back by a device that did not know that the memory was deleted."""
        for now in here if folded.file is None else ():
            if key_of(now) in folded.written_back:
                yield self._writer.commit(MERGE, [Change(identity, now, None)], BY_SYNC, as_is=True)

    def _as_named_here(self, file: Version, now: Version | None) -> Version:
        """Return the file with the name that this device's disk or sync tool uses, if that differs only in its form."""
        if now is None or now.space != file.space or on_any_disk(now.path) != on_any_disk(file.path):
            return file
        at, wanted = (self._roots[file.space] / path for path in (now.path, file.path))
        is_same = in_one_form(now.path) == in_one_form(file.path) or (wanted.exists() and wanted.samefile(at))
        return replace(file, path=now.path) if is_same else file

    def _write(self, identity: str, now: Version | None, file: Version, taken: _Taken, is_first: bool) -> Iterator[Record]:
        """Write one memory. On a path clash the newer memory gets a numbered name. `is_first`: the others are newer."""
        other, path = taken.holders.get(_place_of(file), (identity, ""))
        if not is_first or (other == identity and now is None and self._stands(file.space, file.path)):
            beside = replace(file, path=self._beside(file, taken, now.path if now else ""))
            self._writer.record_all("move", [[Change(identity, file, beside)]], BY_SYNC)
            file = beside
        elif other > identity:
            yield from self._make_way(other, file.space, path, taken)
        taken.holders[_place_of(file)] = (identity, file.path)
        if now is None or (now.path, now.etag) != (file.path, file.etag):
            yield self._writer.commit(MERGE, [Change(identity, now, file)], BY_SYNC, as_is=True)

    def _make_way(self, identity: str, space: str, path: str, taken: _Taken) -> Iterator[Record]:
        """Move the memory at a place to a numbered name."""
        now = self._writer.version_at(space, path)
        beside = replace(now, path=self._beside(now, taken))
        yield self._writer.commit("move", [Change(identity, now, beside)], BY_SYNC, as_is=True)

    def _stands(self, space: str, path: str) -> bool:
        return (self._roots[space] / path).exists()

    def _free(self, space: str, path: str) -> str:
        """Return the path, or a numbered variant, at which there is no file."""
        paths = (numbered(path, number) for number in itertools.count(1))
        return next(entry for entry in paths if not self._stands(space, entry))

    def _beside(self, file: Version, taken: _Taken, mine: str = "") -> str:
        """Return the first numbered path that is free on every kind of disk, or the memory's own."""
        paths = (numbered(file.path, number) for number in itertools.count(2))
        held = taken.paths(file.space)
        return next(path for path in paths if path == mine or not (on_any_disk(path) in held or self._stands(file.space, path)))


def _place_of(file: Version) -> tuple[str, str]:
    return (file.space, on_any_disk(file.path))


def _holders(standing: Mapping[tuple[str, str], str]) -> _Holders:
    """Return the oldest memory at each place, as disks that ignore case see it."""
    holders: _Holders = {}
    for (space, path), identity in standing.items():
        place = (space, on_any_disk(path))
        holders[place] = min(holders.get(place, (identity, path)), (identity, path))
    return holders


def _places_in(folds: Mapping[str, Folded]) -> dict[Place, str]:
    """Return the places of memories according to the journals, each with the id of its memory."""
    files = ((identity, folded.file) for identity, folded in folds.items())
    return {(file.space, file.path): identity for identity, file in files if file is not None}


def in_the_way(recorded: Mapping[Place, str], standing: Standing) -> set[str]:
    """Return ids of memories that occupy a place intended for another, at least up to case or Unicode form.

    Args:
        recorded: place -> id of the memory that belongs there.
    """
    wanted = {(space, on_any_disk(path)): identity for (space, path), identity in recorded.items()}
    there = standing.alike(wanted)
    return {entry for place, entry in there.items() if entry != wanted[place[0], on_any_disk(place[1])]}


def unknown_lines(text: str, folds: Iterable[Folded]) -> set[str]:
    """Return the lines of a damaged file that no version of the given memories has, except leftovers of a merge."""
    known = lines_ever(folds)
    return {line for line in text.split("\n") if not (line in known or _MERGE_LEFTOVER.match(line))}


def is_repairable(folds: Sequence[Folded], beside: Iterable[Version], now: Version, forgotten: Collection[str]) -> bool:
    """Return whether a damaged file has no new content.

    Lines of known versions, leftovers of a merge, and text below the id of a forgotten memory are not new.

    Args:
        folds: of the memories in the file. beside: versions of other memories that were at its place.
    """
    lines = lines_ever(folds).union(*map(lines_of, beside))
    about = ""
    for line in lines_of(now):
        match = ID_LINE.match(line)
        about = match[1] if match else about
        if not (line in lines or _MERGE_LEFTOVER.match(line) or about in forgotten):
            return False
    return True


def perhaps_deleted(path: str) -> Problem:
    """Return the message for a note that was written back because a sync tool may have removed its file."""
    why = "Its file was gone. Another device had put another note in its place, so a sync tool may have taken it; it was written back."
    return Problem(path, f"{why} If you deleted it, delete it once more.")

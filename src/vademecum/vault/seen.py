"""Look at the files of memories: which of them differ from what was known, and which memory each claims to be.

A file that was damaged by a merge, or holds a forgotten memory that came back, is left alone and reported.
"""

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import Problem, VademecumError, VaultEmptied, VaultMissing
from vademecum.domain.item import Status
from vademecum.domain.memory import Space
from vademecum.vault.files import etag_of, read_bytes
from vademecum.vault.find import Finder, Latest, came_back_hint
from vademecum.vault.frontmatter import read
from vademecum.vault.known import KnownFiles, Place, other_than
from vademecum.vault.markup import has_merge_marks
from vademecum.vault.note import Identity, impossible_values
from vademecum.vault.scan import Listing, SourceFile, Stats, stats_of_memories

ID_LINE = re.compile(r"^id: ([0-7][0-9A-Z]{25})$", re.MULTILINE)
#: Reason given for skipping a file with an unfinished merge.
MERGE_MARKS = "It contains the markers of an unfinished merge (<<<<<<<); the earlier version is shown until you edit the file."
#: Reason given for skipping a file that a character-level merge damaged.
IMPOSSIBLE = "{name} is {value!r}, which is not valid; the earlier version is shown until you edit the file."


class Claim(Struct, frozen=True):
    """The identity that a file claims. `lacks_id`: its id was generated. `editable`: this program can change its properties."""

    root: str
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

    def text(self) -> str:
        """Return the text of the file now."""
        return read_bytes(Path(self.root, self.path)).decode()


class Seen(Struct, frozen=True):
    """Result of a scan.

    Attributes:
        files: stats of the files of memories, by place. changed: files that differ from the known state, parsed.
        unchanged: files in the known state whose id also occurs in a changed file. gone: ids of memories whose file is gone.
        unread: space and file or folder that could not be read.
        damaged: files that a merge damaged. came_back: files of forgotten memories.
        leftovers: folders with half-written files, perhaps of a dead process.
    """

    files: Stats
    changed: Mapping[SourceFile, Claim]
    unchanged: tuple[Claim, ...]
    gone: frozenset[str]
    unread: tuple[tuple[str, str], ...]
    problems: tuple[Problem, ...]
    damaged: tuple[Claim, ...]
    came_back: tuple[SourceFile, ...]
    leftovers: tuple[Path, ...]


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


class Looker:
    """Compares the files of some spaces with what was known of them.

    Args:
        latest: gives the newest journaled version of memories.
        forgotten: ids of forgotten memories. is_forgotten: returns for an id and body whether the note is a forgotten one that came back.
    """

    def __init__(
        self,
        spaces: Sequence[Space],
        finder: Finder,
        latest: Latest,
        forgotten: Collection[str],
        is_forgotten: Callable[[str, str], bool],
    ) -> None:
        self._spaces = {space.name: space for space in spaces}
        self._finder, self._latest = finder, latest
        self._forgotten, self._is_forgotten = forgotten, is_forgotten

    def look(self, known: KnownFiles, read: Mapping[SourceFile, Claim]) -> Seen:
        """Scan all files and parse those that differ from the known state. Files to ignore appear only in `problems`.

        Args:
            read: files that were parsed before, by what the scan says of them.

        Raises:
            VaultMissing: a space that was never seen does not exist. VaultEmptied: one that had memories does not.
        """
        known = known.without(self._forgotten)
        there: Stats = {}
        left = set[Place]()
        changed = dict[SourceFile, Claim]()
        unread, problems, damaged = list[tuple[str, str]](), list[Problem](), list[Claim]()
        came_back, leftovers = list[SourceFile](), list[Path]()
        for space in self._spaces.values():
            files, listing = _listing(space, known)
            there |= files
            leftovers += [Path(space.root, folder) for folder in listing.leftovers]
            unread += [(space.name, folder) for folder in listing.unread]
            problems += listing.problems
        stats = known.stats
        for place in other_than(there, stats):
            file = SourceFile(*place, "memory", there[place])
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
        missing = [place for place in stats.keys() - there.keys() if not self._is_left_out(place)]
        gone = frozenset(known.at(frozenset(missing)))
        unchanged = self._unchanged_with_id_of(known, changed, there)
        for place in left:
            del there[place]
        return Seen(
            there, changed, unchanged, gone, tuple(unread), tuple(problems), tuple(damaged), tuple(came_back), tuple(leftovers)
        )

    def _is_left_out(self, place: Place) -> bool:
        """Return whether a file that the scan does not list is there: the person left it out of the memory, and did not delete it."""
        space, path = place
        return space in self._spaces and os.path.lexists(Path(self._spaces[space].root, path))

    def _read(self, file: SourceFile) -> "Claim | _LeftAlone":
        """Return the identity that a file claims; if it is damaged or was forgotten, the reason to skip it."""
        root = self._spaces[file.space].root
        path = str(Path(root, file.path))
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
            root, file.space, file.path, identity.id, etag, file.stat, identity.status, identity.lacks_id, identity.editable
        )
        if has_merge_marks(identity.text):
            return _LeftAlone(Problem(path, MERGE_MARKS), damaged=claim)
        if identity.impossible and (name := self._impossible_property(identity)):
            why = IMPOSSIBLE.format(name=name, value=identity.impossible[name])
            return _LeftAlone(Problem(path, why), damaged=claim)
        return claim

    def _impossible_property(self, identity: Identity) -> str:
        """Return the name of a property whose value became impossible since the note was last journaled, or ""."""
        if "id" in identity.impossible:
            return "id"
        last = self._latest({identity.id}).get(identity.id)
        if last is None or last.text is None:
            return ""
        before = impossible_values(read(last.text))
        return next((name for name, value in identity.impossible.items() if before.get(name) != value), "")

    def _unchanged_with_id_of(self, known: KnownFiles, changed: Mapping[SourceFile, Claim], there: Stats) -> tuple[Claim, ...]:
        """Return the unchanged files whose id also occurs in a changed file."""
        places = {(file.space, file.path) for file in changed}
        twice = [file for claim in changed.values() if (file := known.get(claim.id))]
        wanted = dict.fromkeys((file.space, file.path) for file in twice)
        files = [SourceFile(*place, "memory", there[place]) for place in wanted if place in there and place not in places]
        claims = [self._read(file) for file in files]
        return tuple(claim for claim in claims if isinstance(claim, Claim))


def _listing(space: Space, known: KnownFiles) -> tuple[Stats, Listing]:
    try:
        return stats_of_memories(space)
    except VaultMissing as error:
        held = known.count(space.name)
        if held:
            raise VaultEmptied(space.root, held, 0) from error
        raise


def ids_in(text: str) -> list[str]:
    """Return the memory ids in a file's text, oldest first; several if a merge put memories together."""
    return sorted(set(ID_LINE.findall(text)))


def is_only_of(text: str, identities: Collection[str]) -> bool:
    """Return whether a file has at least one memory id, and none except these."""
    ids = ids_in(text)
    return bool(ids) and set(ids) <= set(identities)


def came_back(path: str, identity: str) -> Problem:
    """Return the message for a forgotten note that came back."""
    return Problem(path, f"It was forgotten and came back; it is neither shown nor recorded. {came_back_hint(identity)}")

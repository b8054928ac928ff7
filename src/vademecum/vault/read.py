"""Read memories: one by name, one file, all of them; and decide where one stands."""

import contextlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from vademecum.domain import wiki
from vademecum.domain.errors import AlreadyExists, Conflict, InvalidInput, NotFound, Problem, UnknownWord, VademecumError
from vademecum.domain.kinds import KINDS, Kind
from vademecum.domain.memory import Document, Draft, Memory, Space, personal_space
from vademecum.ports.clock import Clock
from vademecum.vault import erasing, files, places
from vademecum.vault.by_hand import copy_of
from vademecum.vault.converge import same_lines
from vademecum.vault.find import Finder, Found, Lookup, came_back_hint, standing_order
from vademecum.vault.markup import has_merge_marks
from vademecum.vault.note import read_document, read_memory
from vademecum.vault.reconcile import MERGE_MARKS, came_back
from vademecum.vault.scan import Listing, SourceFile, modified_at, scan
from vademecum.vault.tombstones import Tombstones
from vademecum.vault.writer import Writer, encoded

#: Status -> the verb that gives it.
LEAVING = {"superseded": "vade evolve or vade supersede", "archived": "vade archive"}
#: So long is told of what another version of the program wrote.
OTHER_VERSION_TOLD = timedelta(days=30)
_HOLDS_FORGOTTEN = "It holds the text of a memory that was forgotten; a sync tool brought it back. Take it out: vade sync"
_OTHER_HOLDS_FORGOTTEN = (
    "It holds the text of a memory that was forgotten. Nothing of it is told. Its device takes it out at its next vade sync; should"
    " that never come, this one does after a week."
)


def has_wiki(space: Space) -> bool:
    """Return whether a space has a wiki: one of the pages at its top is there."""
    return any((Path(space.root) / wiki.FOLDER / name).is_file() for name in wiki.PAGES)


class File(Struct, frozen=True):
    """A memory as it lies in its space. `known`: what the journals know of it beside the note."""

    id: str
    space: str
    path: str
    text: str
    known: Mapping[str, object]


class Reader:
    """Memories of some spaces, on disk, as a reader sees them, and where they belong.

    Args:
        writer: whose places are looked at first: what it wrote may not have been indexed yet.
        lookup: asked first for references, usually the index; see :data:`vademecum.vault.find.Lookup`.
        tombstones: of what was forgotten.
    """

    def __init__(
        self, spaces: Sequence[Space], clock: Clock, writer: Writer, lookup: Lookup | None, tombstones: Tombstones
    ) -> None:
        self.spaces = tuple(spaces)
        self._clock = clock
        self._writer = writer
        self._tombstones = tombstones
        self._finder = Finder(self.spaces, lookup, writer.placed, writer.latest, tombstones.stand_for, writer.evidence.of)

    def get(self, reference: str, *, forgotten: bool = False) -> Memory:
        """Return the memory that `reference` names: id, its beginning (6 or more), alias, path, slug, title, [[link]], memory:// URI.

        Args:
            forgotten: also a note that was forgotten and came back.

        Raises:
            NotFound, Ambiguous: none or several are meant.
        """
        return self._finder.one(reference, forgotten=forgotten).memory

    def file(self, reference: str) -> tuple[str, str]:
        """Return path and whole text of the file that :meth:`get` reads.

        Raises:
            NotFound, Ambiguous: none or several are meant.
        """
        found = self._finder.one(reference)
        return found.memory.path, found.whole

    def as_it_lies(self, reference: str) -> File:
        """Return a memory's file with what the journals know beside it.

        Raises:
            NotFound, Ambiguous: as :meth:`get`.
        """
        found = self._finder.one(reference)
        return File(found.memory.id, found.memory.space, found.memory.path, found.text, found.memory.evidence)

    def read(self, space: str, path: str) -> Memory:
        """Return the memory in one file.

        Raises:
            NotFound: no such file, or one that was forgotten and came back. InvalidInput: it is not UTF-8 or leads elsewhere.
        """
        memory = self._finder.at(self._space(space).name, path).memory
        if self._tombstones.stand_for(memory.id, memory.body):
            raise NotFound(f"There is no memory at {path}; a forgotten one came back there.", came_back_hint(memory.id))
        return memory

    def scan(self, space: str | None = None) -> Listing:
        """Return files of one space or all, unread.

        Raises:
            VaultMissing: a space's folder is not there.
        """
        chosen = self.spaces if space is None else (self._space(space),)
        found = [scan(each, self.spaces) for each in chosen]
        return Listing(
            tuple(file for listing in found for file in listing.files),
            tuple(folder for listing in found for folder in listing.unread),
            tuple(problem for listing in found for problem in listing.problems),
        )

    def open_all(self, sources: Iterable[SourceFile]) -> list[Memory | Document | Problem]:
        """Return what :meth:`open` does of each, in order; the journals are looked at once."""
        with self._writer.evidence.still():
            return [self.open(source) for source in sources]

    def open(self, source: SourceFile) -> Memory | Document | Problem:
        """Return what is in a scanned file; a Problem when it cannot be read, or is not to be told."""
        space = self._space(source.space)
        root = space.root if source.sort == "memory" else space.documents_root
        file = Path(root) / source.path
        try:
            raw = file.read_bytes()
            modified = modified_at(source.stat)
            if source.sort == "document":
                return read_document(raw, space.name, source.path, modified)
            memory = read_memory(raw, space, source.path, modified, self._writer.evidence.of).memory
        except OSError as error:
            return Problem(str(file), f"It cannot be read: {error.strerror}.")
        except InvalidInput as error:
            return Problem(str(file), f"{error.message} {error.hint}")
        if self._tombstones.stand_for(memory.id, memory.body):
            return came_back(str(file), memory.id)
        return Problem(str(file), MERGE_MARKS) if has_merge_marks(raw.decode()) else memory

    def list(self, space: str | None = None, *, statuses: Iterable[str] | None = None) -> tuple[Memory, ...]:
        """Return memories that can be read, of one space or all, with these statuses or any, in path order; conflict copies left out."""
        wanted = None if statuses is None else set(statuses)
        opened = (self.open(source) for source in self.scan(space).files if source.sort == "memory")
        found = self._without_copies([one for one in opened if isinstance(one, Memory) and not self._finder.hides(one)])
        chosen = [one for one in found if wanted is None or one.status in wanted]
        return tuple(sorted(chosen, key=lambda memory: (memory.space, memory.path)))

    def files(self) -> Iterator[Memory]:
        """Yield every memory's file that can be read, conflict copies and forgotten notes that came back included; for erasing."""
        for source in self.scan().files:
            if source.sort == "memory":
                with contextlib.suppress(VademecumError, OSError):
                    yield self._finder.at(source.space, source.path).memory

    def problems(self) -> tuple[Problem, ...]:
        """Return what is wrong with the memories' files: unreadable, misunderstood, forgotten and there again, half merged, or the same id
        twice. Reads every file."""
        found, problems = self.look_through()
        told = (Problem(self.file_of(one.memory), text) for one in found for text in one.reading.complaints)
        return (*problems, *told)

    def look_through(self) -> tuple[tuple[Found, ...], tuple[Problem, ...]]:
        """Return every memory's file that can be told, with its text, and what is wrong with the others or with several together.

        What could not be understood of a file stands in its reading.
        """
        listing = self.scan()
        problems, found = list(listing.problems), list[Found]()
        with self._writer.evidence.still():
            for source in listing.files:
                if source.sort == "memory":
                    one = self._found(source)
                    (problems if isinstance(one, Problem) else found).append(one)  # type: ignore[arg-type]
        by_id: dict[str, list[Memory]] = {}
        for one in found:
            by_id.setdefault(one.memory.id, []).append(one.memory)
            path = self.file_of(one.memory)
            problems += [Problem(path, MERGE_MARKS)] if has_merge_marks(one.text) else same_lines(path, one.text)
        gone = self._tombstones.memories()
        for journal in self._writer.journals.values() if gone else ():
            holding = [path for path in journal.files() if erasing.holds_text_of(path, gone)]
            told = {path: _HOLDS_FORGOTTEN if journal.is_own(path) else _OTHER_HOLDS_FORGOTTEN for path in holding}
            problems += [Problem(str(path), why) for path, why in told.items()]
        problems += [*self.other_versions(), *self.journal_damage()]
        problems += [one for same in by_id.values() if len(same) > 1 for one in self._same_id(same)]
        return tuple(found), tuple(problems)

    def _found(self, source: SourceFile) -> Found | Problem:
        file = str(Path(self._space(source.space).root) / source.path)
        try:
            found = self._finder.at(source.space, source.path)
        except VademecumError as error:
            return Problem(file, error.message)
        if self._tombstones.stand_for(found.memory.id, found.memory.body):
            return came_back(file, found.memory.id)
        return found

    def file_of(self, memory: Memory) -> str:
        """Return the absolute path of a memory's file."""
        return str(Path(self._space(memory.space).root) / memory.path)

    def other_versions(self) -> tuple[Problem, ...]:
        """Return journals that an older or newer version of the program wrote lately, on a device that shares the vault."""
        since = self._clock.now() - OTHER_VERSION_TOLD
        told = (one for journal in self._writer.journals.values() for one in journal.other_versions(since))
        return tuple(Problem(str(path), what) for path, what in told)

    def journal_damage(self) -> tuple[Problem, ...]:
        """Return journals that cannot be read whole, have a hole or have lost their end, of all devices."""
        told = [one for journal in self._writer.journals.values() for one in journal.damage()] + [
            *self._writer.heads.problems()
        ]
        return tuple(Problem(str(path), what) for path, what in told)

    # Where things belong

    def _space(self, name: str) -> Space:
        for space in self.spaces:
            if space.name == name:
                return space
        raise UnknownWord("space", name, [space.name for space in self.spaces])

    def _personal(self) -> Space:
        return personal_space(self.spaces)

    def _space_for(self, draft: Draft, kind: Kind) -> Space:
        """Return the space a draft names, else its project's, else the personal one. What was said in a session is the person's alone."""
        if draft.space:
            return self._space(draft.space)
        if kind.name == "handoff":
            return self._personal()
        project = draft.properties.get("project")
        own = [space for space in self.spaces if project and space.project == project]
        return [*own, self._personal()][0]

    def _place(self, memory: Memory, slug: str, group: str | None = None) -> str:
        kind, space = KINDS[memory.kind], self._space(memory.space)
        own = bool(space.project)
        if group is None:
            group = places.group_for(kind, project=memory.project, agent=memory.agent, own_space=own)
        return places.place(
            kind,
            slug,
            status=memory.status,
            group=group,
            always_load=memory.always_load,
            facet=memory.facet,
            in_wiki=has_wiki(space),
        )

    def _as_memory(self, space: Space, path: str, text: str) -> Memory:
        return read_memory(encoded(text), space, path, self._clock.now()).memory

    def _seen(self, reference: str, etag: str | None) -> Found:
        found = self._finder.one(reference)
        if etag is not None and etag != found.memory.etag:
            raise Conflict(
                f"{found.memory.title!r} changed since it was read. Nothing was written.", "Read it again and repeat."
            )
        return found

    def _free(
        self, space: Space, path: str, taken: Collection[tuple[str, str]] = (), freed: Collection[tuple[str, str]] = ()
    ) -> str:
        """Return `path`, or the first of its numbered variants where nothing stands.

        Args:
            taken, freed: (space, path) of what is about to be written, and of what leaves its place in the same operation.
        """

        def is_taken(place: str) -> bool:
            key = (space.name, place)
            return key in taken or (key not in freed and files.standing_as(Path(space.root) / place) is not None)

        return next(place for number in itertools.count(1) if not is_taken(place := places.numbered(path, number)))

    def _free_of_project(self, space: Space, path: str, project: str) -> str:
        """Return `path`, or in a wiki, whose sections all projects share, the first numbered one where no other project's page stands.

        Raises:
            AlreadyExists: the project's own, or outside of a wiki anybody's, stands there.
        """
        number = 1
        while path.startswith(f"{wiki.FOLDER}/") and (Path(space.root) / (taken := places.numbered(path, number))).exists():
            if self._finder.at(space.name, taken).memory.project == project:
                break
            number += 1
        return self._must_be_free(space, places.numbered(path, number))

    def _must_be_free(self, space: Space, path: str) -> str:
        standing = files.standing_as(Path(space.root) / path)
        if standing is not None:
            there = standing.relative_to(space.root).as_posix()
            memory = self._finder.at(space.name, there).memory
            raise AlreadyExists(
                f"{there} already holds {memory.title!r}. Nothing was written.", f"To replace it: vade evolve {memory.id}"
            )
        return path

    def _followed(self, old: Memory, new: Memory) -> str | None:
        """Return where the file should be now, when it was where it should have been."""
        slug, group = places.stem(old.path), places.said_by_path(old.path)[2] or None
        usual = self._place(old, slug, group) == old.path
        if (old.project, old.agent) != (new.project, new.agent):
            group = None
        if not usual and old.status not in ("inbox", "incubating"):
            return None
        path = self._place(new, slug, group)
        return None if path == old.path else self._free(self._space(new.space), path)

    def _without_copies(self, memories: Sequence[Memory]) -> Iterable[Memory]:
        by_id: dict[str, list[Memory]] = {}
        for memory in memories:
            by_id.setdefault(memory.id, []).append(memory)
        twice = [identity for identity, same in by_id.items() if len(same) > 1]
        latest = self._writer.latest(twice) if twice else {}
        for identity, same in by_id.items():
            last = latest.get(identity)
            yield min(same, key=lambda one: standing_order(one.path, one.etag, one.status, last))

    def _same_id(self, memories: Sequence[Memory]) -> Iterator[Problem]:
        main = next(iter(self._without_copies(memories)))
        for one in memories:
            if one is not main:
                yield copy_of(str(Path(self._space(one.space).root) / one.path), main.path)

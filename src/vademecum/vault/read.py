"""Read memories: one by name, one file, all of them."""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import InvalidInput, NotFound, Problem, VademecumError
from vademecum.domain.memory import Document, Memory
from vademecum.vault import erasing
from vademecum.vault.by_hand import copy_of
from vademecum.vault.converge import same_lines
from vademecum.vault.find import Finder, Found, came_back_hint, standing_order
from vademecum.vault.journal import Change, Record
from vademecum.vault.locations import Locations
from vademecum.vault.markup import has_merge_marks
from vademecum.vault.note import read_document, read_memory
from vademecum.vault.scan import Listing, SourceFile, modified_at, scan, together
from vademecum.vault.seen import MERGE_MARKS, came_back
from vademecum.vault.tombstones import Tombstones
from vademecum.vault.writer import Writer

#: Writing by another version of the program is reported for this long.
OTHER_VERSION_REPORTED = timedelta(days=30)
_HOLDS_FORGOTTEN = "It holds the text of a memory that was forgotten; a sync tool brought it back. Remove it: vade sync"
_OTHER_HOLDS_FORGOTTEN = (
    "It holds the text of a memory that was forgotten. Nothing of it is shown. Its device removes it at its next vade sync; if that"
    " does not happen, this one does after a week."
)


class File(Struct, frozen=True):
    """A memory's file as it is on disk. `known`: its evidence in the journals."""

    id: str
    space: str
    path: str
    text: str
    known: Mapping[str, object]


class Reader:
    """Read access to memories of some spaces on disk.

    Args:
        finder: resolves references; memories that it hides are neither named nor listed.
        writer: gives access to the journals. tombstones: of forgotten memories.
    """

    def __init__(self, locations: Locations, finder: Finder, writer: Writer, tombstones: Tombstones) -> None:
        self._locations, self._finder, self._writer, self._tombstones = locations, finder, writer, tombstones

    def get(self, reference: str, *, forgotten: bool = False) -> Memory:
        """Return the memory that `reference` names: id, its beginning (6 or more), alias, path, slug, title, [[link]], memory:// URI.

        Args:
            forgotten: include a forgotten note that came back.

        Raises:
            NotFound, Ambiguous: no memory or several match.
        """
        return self._finder.one(reference, forgotten=forgotten).memory

    def file(self, reference: str) -> tuple[str, str]:
        """Return the path and full text of the memory's file, with its evidence in the frontmatter.

        Raises:
            NotFound, Ambiguous: as :meth:`get`.
        """
        match = self._finder.one(reference)
        return match.memory.path, match.whole

    def as_it_lies(self, reference: str) -> File:
        """Return a memory's file as it is on disk, with its evidence separately.

        Raises:
            NotFound, Ambiguous: as :meth:`get`.
        """
        match = self._finder.one(reference)
        return File(match.memory.id, match.memory.space, match.memory.path, match.text, match.memory.evidence)

    def read(self, space: str, path: str) -> Memory:
        """Return the memory in one file.

        Raises:
            NotFound: no such file, or a forgotten note came back there. InvalidInput: not UTF-8, or the path leads out of the space.
        """
        return self._at(space, path).memory

    def _at(self, space: str, path: str) -> Found:
        match = self._finder.at(self._locations.space(space).name, path)
        if self._tombstones.stand_for(match.memory.id, match.memory.body):
            raise NotFound(f"There is no memory at {path}; a forgotten one came back there.", came_back_hint(match.memory.id))
        return match

    def of(self, changes: Iterable[Change]) -> tuple[Memory, ...]:
        """Return the memories as these changes left them, without removed ones."""
        return tuple(self.read(change.after.space, change.after.path) for change in changes if change.after)

    def written(self, identity: str) -> Memory:
        """Return a memory that this process has just written, even if its author may not read it."""
        return self.read(*self._writer.placed[identity])

    def after(self, records: Iterable[Record]) -> tuple[list[tuple[Memory, str]], list[str]]:
        """Return what operations changed: memories, each with the stat of its file, and ids of those without a file any more.

        A file that cannot be read now is left out: the next sync reports it.
        """
        known = {space.name for space in self._locations.spaces}
        last = {change.memory: change.after for record in records for change in record.changes if change.memory}
        memories = list[tuple[Memory, str]]()
        with self._writer.evidence.still():
            for version in last.values():
                if version is not None and version.space in known:
                    with contextlib.suppress(NotFound, InvalidInput):
                        match = self._at(version.space, version.path)
                        memories.append((match.memory, match.stat))
        return memories, [identity for identity, version in last.items() if version is None]

    def scan(self, space: str | None = None) -> Listing:
        """Return the files of one space or all, without reading them.

        Raises:
            VaultMissing: a space's folder does not exist.
        """
        chosen = self._locations.spaces if space is None else (self._locations.space(space),)
        return together([scan(each, self._locations.spaces) for each in chosen])

    def open_all(self, sources: Iterable[SourceFile]) -> list[Memory | Document | Problem]:
        """Return the result of :meth:`open` for each file, in order. The journals are checked for changes only once."""
        with self._writer.evidence.still():
            return [self.open(source) for source in sources]

    def open(self, source: SourceFile) -> Memory | Document | Problem:
        """Return the content of a scanned file; a Problem if it cannot be read or must not be shown."""
        space = self._locations.space(source.space)
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
        """Return readable memories of one space or all, with any of these statuses, in path order. Conflict copies are left out."""
        wanted = None if statuses is None else set(statuses)
        opened = (self.open(source) for source in self.scan(space).files if source.sort == "memory")
        memories = self._without_copies(
            [entry for entry in opened if isinstance(entry, Memory) and not self._finder.hides(entry)]
        )
        chosen = [memory for memory in memories if wanted is None or memory.status in wanted]
        return tuple(sorted(chosen, key=lambda memory: (memory.space, memory.path)))

    def files(self) -> Iterator[Memory]:
        """Yield every readable memory file, including conflict copies and forgotten notes that came back. Used for erasing."""
        for source in self.scan().files:
            if source.sort == "memory":
                with contextlib.suppress(VademecumError, OSError):
                    yield self._finder.at(source.space, source.path).memory

    def problems(self) -> tuple[Problem, ...]:
        """Return the problems of all memory files. Reads every file.

        A file may be unreadable, misread, forgotten and back again, half merged, or have the id of another.
        """
        matches, problems = self.look_through()
        all_problems = (Problem(self.file_of(match.memory), text) for match in matches for text in match.reading.complaints)
        return (*problems, *all_problems)

    def look_through(self) -> tuple[tuple[Found, ...], tuple[Problem, ...]]:
        """Return every memory that may be shown, with its text, and the problems of other files or of several together.

        Problems within a memory's own file are in its reading.
        """
        listing = self.scan()
        problems, matches = list(listing.problems), list[Found]()
        with self._writer.evidence.still():
            for source in listing.files:
                if source.sort == "memory":
                    entry = self._found(source)
                    (problems if isinstance(entry, Problem) else matches).append(entry)  # type: ignore[arg-type]
        by_id: dict[str, list[Memory]] = {}
        for entry in matches:
            by_id.setdefault(entry.memory.id, []).append(entry.memory)
            path = self.file_of(entry.memory)
            problems += [Problem(path, MERGE_MARKS)] if has_merge_marks(entry.text) else same_lines(path, entry.text)
        gone = self._tombstones.memories()
        for journal in self._writer.journals.values() if gone else ():
            holding = [path for path in journal.files() if erasing.holds_text_of(path, gone)]
            by_key = {path: _HOLDS_FORGOTTEN if journal.is_own(path) else _OTHER_HOLDS_FORGOTTEN for path in holding}
            problems += [Problem(str(path), why) for path, why in by_key.items()]
        problems += [*self.other_versions(), *self.journal_damage()]
        problems += [problem for same in by_id.values() if len(same) > 1 for problem in self._same_id(same)]
        return tuple(matches), tuple(problems)

    def _found(self, source: SourceFile) -> Found | Problem:
        file = str(Path(self._locations.space(source.space).root) / source.path)
        try:
            match = self._finder.at(source.space, source.path)
        except VademecumError as error:
            return Problem(file, error.message)
        if self._tombstones.stand_for(match.memory.id, match.memory.body):
            return came_back(file, match.memory.id)
        return match

    def file_of(self, memory: Memory) -> str:
        """Return the absolute path of a memory's file."""
        return str(Path(self._locations.space(memory.space).root) / memory.path)

    def other_versions(self) -> tuple[Problem, ...]:
        """Report journals recently written by an older or newer version of the program, on a device that shares the vault."""
        since = self._writer.now() - OTHER_VERSION_REPORTED
        pairs = (found for journal in self._writer.journals.values() for found in journal.other_versions(since))
        return tuple(Problem(str(path), what) for path, what in pairs)

    def journal_damage(self) -> tuple[Problem, ...]:
        """Report journals of any device that are partly unreadable, have a gap or lost their end."""
        pairs = [pair for journal in self._writer.journals.values() for pair in journal.damage()] + [
            *self._writer.heads.problems()
        ]
        return tuple(Problem(str(path), what) for path, what in pairs)

    def _without_copies(self, memories: Sequence[Memory]) -> Iterable[Memory]:
        by_id: dict[str, list[Memory]] = {}
        for memory in memories:
            by_id.setdefault(memory.id, []).append(memory)
        twice = [identity for identity, same in by_id.items() if len(same) > 1]
        latest = self._writer.latest(twice) if twice else {}
        for identity, same in by_id.items():
            last = latest.get(identity)
            yield min(same, key=lambda other: standing_order(other.path, other.etag, other.status, last))

    def _same_id(self, memories: Sequence[Memory]) -> Iterator[Problem]:
        main = next(iter(self._without_copies(memories)))
        for memory in memories:
            if memory is not main:
                yield copy_of(str(Path(self._locations.space(memory.space).root) / memory.path), main.path)

"""Memories as files in folders, for agents that work only with files: they read and write the text, never the frontmatter.

Every file is a memory of the personal space. Every change is a verb of the vault: journaled, undoable, inside the home. A file
whose name does not end in `.md` gets that ending on disk and is shown without it.
"""

from collections.abc import Iterable
from pathlib import PurePosixPath

from msgspec import Struct

from vademecum.domain.errors import AlreadyExists, InvalidInput, NotFound
from vademecum.domain.item import FILED_SOURCES
from vademecum.domain.memory import By, Draft, Memory
from vademecum.domain.query import Scope
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import places, title_of
from vademecum.plugin_api.writing import cleaned, title_that_follows

SUFFIX = ".md"
_ALL = 1_000_000


class Entry(Struct, frozen=True):
    """A file or a folder.

    Attributes:
        path: as shown, relative to the root.
        size: in bytes; for a folder, of all files below it.
    """

    path: str
    size: int
    is_folder: bool


class MemoryFiles(Struct, frozen=True):
    """The personal space as a tree of files. Paths are POSIX and relative; "" is the root."""

    context: Context

    def entries(self, folder: str, depth: int = 2) -> tuple[Entry, ...]:
        """Return the entries up to `depth` levels below a folder, in path order; empty if it does not exist."""
        below = f"{folder}/" if folder else ""
        all_entries: dict[str, Entry] = {}
        for path, size in self._sizes():
            if not path.startswith(below):
                continue
            names = path.removeprefix(below).split("/")
            for level in range(1, min(len(names) - 1, depth) + 1):
                place = below + "/".join(names[:level])
                known = all_entries.get(place)
                all_entries[place] = Entry(place, size + (known.size if known else 0), True)
            if len(names) <= depth:
                all_entries[path] = Entry(path, size, False)
        return tuple(all_entries[path] for path in sorted(all_entries))

    def is_folder(self, path: str) -> bool:
        """Return whether there is a file below `path`; always True for the root."""
        return not path or any(place.startswith(f"{path}/") for place, _ in self._sizes())

    def read(self, path: str) -> Memory:
        """Return the memory in a file.

        Raises:
            NotFound: there is none.
            InvalidInput: the path leaves the root, or the file is no text.
        """
        place = _place(path)
        if place.split("/", 1)[0] == places.ARCHIVE or all(known != _shown(place) for known, _ in self._sizes()):
            raise NotFound(f"There is no file {path}.", "View the folder to see what there is.")
        return self.context.vault.read(self._space, place)

    def create(self, path: str, text: str, *, by: By) -> tuple[Memory, tuple[str, ...]]:
        """Create a memory at `path`; return it, and notes about changes by the guard.

        Raises:
            AlreadyExists: the path is taken.
            InvalidInput: no memory may have this path.
            Refused: by guard or settings.
        """
        place = places.check_own_path(_place(path))
        if self.is_folder(path):
            raise AlreadyExists(f"{path} is a folder.", "Choose another name.")
        clean, texts = cleaned(self.context, text, by)
        kind = places.said_by_path(place)[0] or "note"
        title = title_of(clean, place) if clean.lstrip().startswith("#") else PurePosixPath(path).stem
        draft = Draft(kind, title[:200], clean, properties={"trust": "agent"} if by.actor == "agent" else {})
        return self.context.vault.save(draft, by=by, path=place), texts

    def write(self, memory: Memory, text: str, *, by: By) -> tuple[Memory, tuple[str, ...]]:
        """Replace the text of a memory that was read before; return it, and notes about changes by the guard.

        Raises:
            Conflict: it was changed meanwhile.
            Refused: by guard or settings.
        """
        clean, texts = cleaned(self.context, text, by)
        title = title_that_follows(memory.title, memory.body, clean)
        named = {"title": title} if title != memory.title else {}
        written = self.context.vault.edit(memory.id, body=clean, properties=named, etag=memory.etag, by=by)
        return written, texts

    def remove(self, path: str, *, by: By) -> int:
        """Archive a file, or all files below a folder; return their number.

        Raises:
            NotFound: there is none.
        """
        gone = self._below(path)
        if gone:
            self.context.vault.archive_together([memory.id for memory in gone], "deleted as a file", by=by)
        return len(gone)

    def rename(self, old: str, new: str, *, by: By) -> int:
        """Move a file, or all files below a folder; return their number. Ids stay, so references stay valid.

        Raises:
            NotFound: there is none.
            AlreadyExists: `new` is taken.
            InvalidInput: no memory may have the new path.
        """
        moved = self._below(old)
        as_folder = self.is_folder(old)
        if self.is_folder(new) or any(place in (new, _shown(_place(new))) for place, _ in self._sizes()):
            raise AlreadyExists(f"There is already a file at {new}.", "Choose another name.")
        targets = [new + _shown(memory.path).removeprefix(old) if as_folder else new for memory in moved]
        checked = [places.check_own_path(_place(target)) for target in targets]
        for memory, target in zip(moved, checked, strict=True):
            self.context.vault.move(memory.id, path=target, by=by)
        return len(moved)

    @property
    def _space(self) -> str:
        return self.context.vault.spaces[0].name

    def _below(self, path: str) -> list[Memory]:
        if not path:
            raise InvalidInput("The root folder itself cannot be changed.", "Name a file or a folder in it.")
        if not self.is_folder(path):
            return [self.read(path)]
        return [
            self.context.vault.read(self._space, _place(place)) for place, _ in self._sizes() if place.startswith(f"{path}/")
        ]

    def _sizes(self) -> Iterable[tuple[str, int]]:
        """Yield (path as shown, bytes), without archived and withheld memories."""
        every = Scope(spaces=(self._space,), sources=FILED_SOURCES, statuses=None, branches=None)
        names = {item.path for item in self.context.index.select(every, limit=_ALL)}
        for file in self.context.vault.scan(self._space).files:
            if file.sort == "memory" and file.path in names and not file.path.startswith(f"{places.ARCHIVE}/"):
                yield _shown(file.path), int(file.stat.partition(":")[0])


def _place(path: str) -> str:
    """Return the path in the space for a shown path.

    Raises:
        InvalidInput: the path leaves the space.
    """
    return places.check_path(path if path.endswith(SUFFIX) else path + SUFFIX)


def _shown(place: str) -> str:
    """Return the shown name of a file: without the ending that only the file on disk has."""
    bare = place.removesuffix(SUFFIX)
    return bare if "." in bare.rpartition("/")[2] else place

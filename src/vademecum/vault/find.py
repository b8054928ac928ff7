"""From what a person or a link calls a memory to the file that holds it.

An index may answer first; what it says is checked against the file, and the files themselves are asked when it knows nothing.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vademecum.model.errors import Ambiguous, InvalidInput, NotFound, VaultMissing
from vademecum.model.ids import is_id
from vademecum.model.memory import Memory, Space
from vademecum.vault.files import read_bytes
from vademecum.vault.markup import link_targets
from vademecum.vault.note import Reading, read_memory
from vademecum.vault.places import check_path, slugify, stem
from vademecum.vault.scan import modified_at, scan_memories, stat_text

#: Places that may fit a reference: (space, path) pairs, in any order. Empty when it knows none.
Lookup = Callable[[str], Iterable[tuple[str, str]]]

#: Shortest beginning of an id that names a memory.
ID_PREFIX_MIN_CHARS = 6

#: A frontmatter's usual size. Enough to see whether a file can be meant; one that can is read whole.
_HEAD_BYTES = 8192

_WRITTEN_ID = re.compile(r"^id:\s*['\"]?[0-7][0-9a-z]{25}\b", re.MULTILINE)
_SET_ASIDE = frozenset({"superseded", "archived"})
_CONFLICT_NAME = re.compile(r"conflicted copy|sync-conflict-|\(case conflict| \d{1,2}\.md$|\(\d{1,2}\)\.md$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A memory with the very text it was read from."""

    reading: Reading
    text: str

    @property
    def memory(self) -> Memory:
        return self.reading.memory


def is_conflict_copy(path: str) -> bool:
    """Whether a file is named as sync tools name the side that lost (Dropbox, Syncthing, iCloud, Obsidian...)."""
    return bool(_CONFLICT_NAME.search(path))


class Finder:
    """Memories of the given spaces by reference."""

    def __init__(self, spaces: Sequence[Space], lookup: Lookup | None, placed: Mapping[str, tuple[str, str]]) -> None:
        """`placed`: memory id -> space and path where it was last, as far as known; only a hint."""
        self._spaces = {space.name: space for space in spaces}
        self._lookup = lookup
        self._placed = placed

    def at(self, space: str, path: str) -> Found:
        """The memory in one file.

        Raises:
            NotFound: no such file. InvalidInput: it leads elsewhere or is not UTF-8.
        """
        file = Path(self._spaces[space].root) / check_path(path)
        raw = read_bytes(file)
        modified = modified_at(stat_text(file.stat()))
        return Found(read_memory(raw, self._spaces[space], path, modified), raw.decode())

    def one(self, reference: str) -> Found:
        """The one memory that a reference names: id, beginning of an id, alias, path, slug, title, [[link]] or memory:// URI.

        A live memory goes before one that was set aside under the same name.

        Raises:
            NotFound: nothing fits. Ambiguous: several fit equally well.
        """
        name = _bare(reference)
        if not name:
            raise InvalidInput("Say which memory is meant.", "By id, path, title or alias; see: vade list")
        found = self._by_path(name) or self._best(self._looked_up(name), name) or self._best(self._searched(name), name)
        if not found:
            raise NotFound(f"No memory is called {reference!r}.", f"Look for it with: vade search {name!r}")
        return self._only(found, name)

    def _by_path(self, name: str) -> list[Found]:
        space, colon, path = name.partition(":")
        places = [(space, path)] if colon and space in self._spaces else [(each, name) for each in self._spaces]
        return [found for place in places if "/" in place[1] or place[1].endswith(".md") for found in self._tried(*place)]

    def _tried(self, space: str, path: str) -> list[Found]:
        root = self._spaces[space].root.rstrip("/") + "/"
        path = path.removeprefix(root)
        try:
            return [self.at(space, path if path.endswith(".md") else f"{path}.md")]
        except (NotFound, InvalidInput):
            return []

    def _looked_up(self, name: str) -> Iterator[Found]:
        placed = self._placed.get(name.upper())
        for space, path in (*([placed] if placed else []), *(self._lookup(name) if self._lookup else ())):
            if space in self._spaces:
                yield from self._tried(space, path)

    def _searched(self, name: str) -> Iterator[Found]:
        """Memories whose file's head or name holds `name`. Reads the beginning of every file.

        A space that is not there hides its own memories, not those of the others.
        """
        slug, folded = slugify(name), name.casefold()
        there = [space for space in self._spaces.values() if Path(space.root).is_dir()]
        if not there and self._spaces:
            raise VaultMissing(next(iter(self._spaces.values())).root)
        for space in there:
            for source in scan_memories(space).files:
                if slug == slugify(stem(source.path)) or _may_hold(Path(space.root) / source.path, folded, is_id(name.upper())):
                    yield from self._tried(space.name, source.path)

    def _best(self, candidates: Iterable[Found], name: str) -> list[Found]:
        """Those that fit best: by id before beginning of an id before alias before slug before title."""
        ranked: dict[int, list[Found]] = {}
        for found in candidates:
            rank = _fit(found.memory, name)
            if rank is not None:
                ranked.setdefault(rank, []).append(found)
        return ranked[min(ranked)] if ranked else []

    def _only(self, found: list[Found], name: str) -> Found:
        live = [one for one in found if one.memory.status not in _SET_ASIDE] or found
        if len({one.memory.id for one in live}) > 1:
            raise Ambiguous(name, sorted(f"{one.memory.id} ({one.memory.title})" for one in live))
        return min(live, key=lambda one: (is_conflict_copy(one.memory.path), len(one.memory.path), one.memory.path))


def _bare(reference: str) -> str:
    text = reference.strip().removeprefix("memory://")
    return (link_targets(text) or [text])[0]


def _fit(memory: Memory, name: str) -> int | None:
    """How a name fits, best 0; None when it does not."""
    folded = name.casefold()
    ways = (
        memory.id == name.upper(),
        len(name) >= ID_PREFIX_MIN_CHARS and memory.id.startswith(name.upper()),
        any(alias.casefold() == folded for alias in memory.aliases),
        stem(memory.path).casefold() in (folded, slugify(name)),
        memory.title.casefold() == folded,
    )
    return ways.index(True) if True in ways else None


def _may_hold(file: Path, folded: str, sought_by_id: bool) -> bool:
    """Whether the head of a file mentions a name; a file without an id may be meant by any id."""
    try:
        with file.open("rb") as handle:
            head = handle.read(_HEAD_BYTES).decode(errors="replace").casefold()
    except OSError:
        return False
    return folded in head or (sought_by_id and not _WRITTEN_ID.search(head))

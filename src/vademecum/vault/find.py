"""Resolve the name that a person or a link uses for a memory to its file.

An index may be asked first; its answer is checked against the file. If it has none, the files themselves are searched.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import Ambiguous, Conflict, InvalidInput, NotFound, VaultMissing
from vademecum.domain.ids import SHORT_ID_CHARS, is_id, short_id
from vademecum.domain.item import Status
from vademecum.domain.memory import Memory, Space
from vademecum.vault.evidence import Known
from vademecum.vault.files import read_note
from vademecum.vault.journal import Change, Version, version
from vademecum.vault.markup import link_targets
from vademecum.vault.note import Identity, Reading, read_identity, read_memory
from vademecum.vault.places import check_path, signs_of, slugify, stem
from vademecum.vault.scan import modified_at, scan_memories, stat_text
from vademecum.vault.shown import whole

#: Returns possible places for a reference: (space, path) pairs, unordered. Empty if it has none.
Lookup = Callable[[str], Iterable[tuple[str, str]]]

#: Memory ids -> their files according to the newest journal records.
Latest = Callable[[Collection[str]], Mapping[str, Version | None]]

#: Minimum length of an id prefix that names a memory.
ID_PREFIX_MIN_CHARS = 6

#: Maximum number of suggestions when no memory has the exact name.
NEARLY_SHOWN = 5

#: Maximum characters of a memory's first line in the list of ambiguous matches.
FIRST_LINE_CHARS = 80

#: Usual size of frontmatter in bytes. Enough to see whether a file can match; if so, it is read completely.
_HEAD_BYTES = 8192

_WRITTEN_ID = re.compile(r"^id:\s*['\"]?[0-7][0-9a-z]{25}\b", re.MULTILINE)
#: Rank of a match by slug alone, which another memory's title may fit better.
_SLUG = 6
_SET_ASIDE = frozenset({"superseded", "archived"})
_SYNC_NAME = re.compile(r"conflicted copy|sync-conflict-|\(case conflict", re.IGNORECASE)
_CONFLICT_NAME = re.compile(r"conflicted copy|sync-conflict-|\(case conflict| \d{1,2}\.md$|\(\d{1,2}\)\.md$", re.IGNORECASE)


class Found(Struct, frozen=True):
    """A memory with the exact text that it was read from, and the stat of its file as in a scan."""

    reading: Reading
    text: str
    stat: str = ""

    @property
    def memory(self) -> Memory:
        return self.reading.memory

    @property
    def whole(self) -> str:
        """The text with the evidence added to its frontmatter: the base for changes."""
        return whole(self.text, self.memory.evidence, self.memory.status)

    def to(self, text: str, path: str = "", space: str = "") -> Change:
        """Return the change to another text, at the same place unless one is given."""
        memory = self.memory
        before = version(memory.space, memory.path, self.text)
        return Change(memory.id, before, version(space or memory.space, path or memory.path, text))


def is_conflict_copy(path: str) -> bool:
    """Return whether a file is named like a sync tool's conflict copy (Dropbox, Syncthing, iCloud, Obsidian...)."""
    return bool(_CONFLICT_NAME.search(path))


def is_named_by_sync(path: str) -> bool:
    """Return whether only a sync tool would choose such a file name."""
    return bool(_SYNC_NAME.search(path))


def is_copy_of(path: str, main: str) -> bool:
    """Return whether a file is a sync tool's copy of another, by its name. A copy that a person made in Obsidian ends in " 1"."""
    beside = path.startswith(f"{main.removesuffix('.md')}-") and "/" not in path[len(main) - 3 :]  # OneDrive: the device's name
    return beside or (is_conflict_copy(path) and not path.endswith(" 1.md"))


def came_back_hint(identity: str) -> str:
    """Return the advice for a forgotten note whose file came back."""
    return f"Remove it again: vade forget {identity}. To have it again, remove it, then save it again: vade save"


def standing_order(path: str, etag: str, status: Status, last: Version | None) -> tuple[bool, bool, bool, bool, int, str]:
    """Return the sort key of a file among those with the same id. The first is the memory, on every device, whatever its index contains.

    Order: active before archived; no sync tool's name before one; path as in the newest journal record; text as in that record;
    then the shortest path.

    Args:
        last: the memory's file according to the newest journal record.
    """
    elsewhere, otherwise = last is None or last.path != path, last is None or last.etag != etag
    return (status in _SET_ASIDE, is_conflict_copy(path), elsewhere, otherwise, len(path), path)


class Finder:
    """Resolves references to memories of the given spaces."""

    def __init__(
        self,
        spaces: Sequence[Space],
        lookup: Lookup | None,
        placed: Mapping[str, tuple[str, str]],
        latest: Latest,
        is_forgotten: Callable[[str, str], bool],
        known_of: Callable[[str], Known],
    ) -> None:
        """Store the sources for resolving references.

        Args:
            placed: memory id -> last known space and path; only a hint.
            latest: asked which of several files with one id is the memory.
            is_forgotten: returns for an id and body whether the note is a forgotten one that came back.
            known_of: memory id -> its evidence in the journals.
        """
        self._known_of = known_of
        self._spaces = {space.name: space for space in spaces}
        self._lookup = lookup
        self._placed = placed
        self._latest = latest
        self._is_forgotten = is_forgotten
        self.hides: Callable[[Memory], bool] = _nothing

    @property
    def hides_nothing(self) -> bool:
        """Whether nothing is hidden from the caller."""
        return self.hides is _nothing

    def at(self, space: str, path: str) -> Found:
        """Return the memory in one file.

        Raises:
            NotFound: no such file. InvalidInput: not UTF-8, or the path leads out of the space.
        """
        raw, stat = self._file(space, path)
        reading = read_memory(raw, self._spaces[space], path, modified_at(stat), self._known_of)
        return Found(reading, raw.decode(), stat)

    def identity_at(self, space: str, path: str) -> Identity:
        """Return the identity of a file without parsing the rest of it. Raises as :meth:`at`."""
        raw, stat = self._file(space, path)
        return read_identity(raw, self._spaces[space], path, modified_at(stat), self._known_of)

    def _file(self, space: str, path: str) -> tuple[bytes, str]:
        raw, stat = read_note(Path(self._spaces[space].root) / check_path(path))
        return raw, stat_text(stat)

    def one(self, reference: str, *, forgotten: bool = False) -> Found:
        """Return the one memory that a reference names.

        A reference is an id, its beginning or end, an alias, path, slug, title, [[link]] or memory:// URI. An active memory
        takes precedence over an archived one of the same name. A conflict copy resolves to the memory it is a copy of.

        Args:
            forgotten: include a forgotten note that came back.

        Raises:
            NotFound: no match. Ambiguous: several equally good matches.
        """
        name = _bare(reference)
        if not name:
            raise InvalidInput("Say which memory is meant.", "By id, path, title or alias; see: vade list")
        matches = (
            self._by_path(name)
            or self._best(self._looked_up(name), name, surely=True)
            or self._best(self._searched(name), name, surely=False)
        )
        if not matches:
            raise NotFound(f"No memory is called {reference!r}.", f"{self._nearly(name)}Look for it with: vade search {name!r}")
        matches = [match for match in matches if not self.hides(match.memory)] or matches
        known = (
            matches if forgotten else [match for match in matches if not self._is_forgotten(match.memory.id, match.memory.body)]
        )
        if not known:
            raise NotFound(f"{reference!r} was forgotten, and its file came back.", came_back_hint(matches[0].memory.id))
        standing = self._standing(self._only(known, name))
        if self.hides(standing.memory):
            raise NotFound(f"No memory is called {reference!r}.", f"Look for it with: vade search {name!r}")
        return standing

    def current(self, reference: str, etag: str | None) -> Found:
        """Return the memory that a reference names, if it is unchanged since the caller saw it.

        Args:
            etag: of the text that the caller has seen; None: any.

        Raises:
            Conflict: it has another text now. NotFound, Ambiguous: as of :meth:`one`.
        """
        match = self.one(reference)
        if etag is not None and etag != match.memory.etag:
            raise Conflict(
                f"{match.memory.title!r} changed since it was read. Nothing was written.", "Read it again and repeat."
            )
        return match

    def _nearly(self, name: str) -> str:
        """Return a sentence that suggests memories with the name in their title; "" if there are none."""
        folded = _folded(name)
        titles = {
            match.memory.id: match.memory.title
            for match in self._searched(name)
            if folded in _folded(match.memory.title) and match.memory.status not in _SET_ASIDE and not self.hides(match.memory)
            and not self._is_forgotten(match.memory.id, match.memory.body)
        }  # fmt: skip
        named = [f"{title} ({short_id(identity)})" for identity, title in sorted(titles.items(), reverse=True)]
        return f"Was it one of these? {'; '.join(named[:NEARLY_SHOWN])}.\n" if named else ""

    def _standing(self, match: Found) -> Found:
        """Return the main file among those with the same id: `match`, unless that is a copy."""
        files = {(found.memory.space, found.memory.path): found for found in self._looked_up(match.memory.id)}
        same = {place: file for place, file in files.items() if file.memory.id == match.memory.id}
        same[match.memory.space, match.memory.path] = match
        if len(same) == 1:
            return match
        last = self._latest({match.memory.id}).get(match.memory.id)
        return min(
            same.values(), key=lambda match: standing_order(match.memory.path, match.memory.etag, match.memory.status, last)
        )

    def _by_path(self, name: str) -> list[Found]:
        space, colon, path = name.partition(":")
        places = [(space, path)] if colon and space in self._spaces else [(each, name) for each in self._spaces]
        places = [(space, form) for space, path in places if "/" in path or path.endswith(".md") for form in _forms(path)]
        return [match for place in places for match in self._tried(*place)]

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
        """Yield memories with `name` in the beginning or the name of their file. Reads the beginning of every file.

        A missing space hides only its own memories.
        """
        slug, folded = slugify(name), _folded(name)
        there = [space for space in self._spaces.values() if Path(space.root).is_dir()]
        if not there and self._spaces:
            raise VaultMissing(next(iter(self._spaces.values())).root)
        for space in there:
            for source in scan_memories(space).files:
                if slug == slugify(stem(source.path)) or _may_hold(Path(space.root) / source.path, folded, is_id(name.upper())):
                    yield from self._tried(space.name, source.path)

    def _best(self, candidates: Iterable[Found], name: str, *, surely: bool) -> list[Found]:
        """Return the best matches. Order: id, beginning of an id, end of an id, alias, title, file name, slug.

        Args:
            surely: leave out those of which only the slug matches.
        """
        ranked: dict[int, list[Found]] = {}
        for match in candidates:
            rank = _fit(match.memory, name)
            if rank is not None and (rank < _SLUG or not surely):
                ranked.setdefault(rank, []).append(match)
        return ranked[min(ranked)] if ranked else []

    def _only(self, matches: list[Found], name: str) -> Found:
        live = [match for match in matches if match.memory.status not in _SET_ASIDE] or matches
        live = [
            match for match in live if match.memory.status != "inbox"
        ] or live  # a proposal has the same name as the memory it would replace
        if len({match.memory.id for match in live}) > 1:
            raise Ambiguous(name, candidate_lines([match.memory for match in live]))
        return min(live, key=lambda match: (is_conflict_copy(match.memory.path), len(match.memory.path), match.memory.path))


def candidate_lines(memories: Sequence[Memory]) -> list[str]:
    """Return one line per memory that a name matches: id, as short as is unique, kind, title, path, first line."""
    short = [short_id(other.id) for other in memories]
    lines = []
    for memory, identity in sorted(zip(memories, short, strict=True), key=lambda pair: pair[0].path):
        first = next((line.strip() for line in memory.body.splitlines() if line.strip()), "")
        text = first if len(first) <= FIRST_LINE_CHARS else first[:FIRST_LINE_CHARS].rstrip() + "..."
        name = identity if short.count(identity) == 1 else memory.id
        lines.append(f"{name}  {memory.kind}  {memory.title}  ({memory.path}): {text}".rstrip(": "))
    return lines


def _nothing(memory: Memory) -> bool:
    return False


def _bare(reference: str) -> str:
    text = reference.strip().removeprefix("memory://")
    return (link_targets(text) or [text])[0]


def _folded(name: str) -> str:
    """Return a name with case and Unicode form normalised."""
    return unicodedata.normalize("NFC", name).casefold()


def _forms(path: str) -> Iterable[str]:
    """Return a path as typed, and in the Unicode forms that disks use (older Macs: decomposed)."""
    return dict.fromkeys((path, unicodedata.normalize("NFC", path), unicodedata.normalize("NFD", path)))


def _fit(memory: Memory, name: str) -> int | None:
    """Return the rank of a match, best 0; None if the name does not match."""
    folded = _folded(name)
    ways = (
        memory.id == name.upper(),
        len(name) >= ID_PREFIX_MIN_CHARS and memory.id.startswith(name.upper()),
        len(name) >= SHORT_ID_CHARS and memory.id.endswith(name.upper()),
        any(_folded(alias) == folded for alias in memory.aliases),
        _folded(memory.title) == folded,
        _folded(stem(memory.path)) == folded,
        _folded(stem(memory.path)) == slugify(name) and signs_of(name) == signs_of(memory.title),
    )
    return ways.index(True) if True in ways else None


def _may_hold(file: Path, folded: str, sought_by_id: bool) -> bool:
    """Return whether the beginning of a file contains a name. A file without an id may match any id."""
    try:
        with file.open("rb") as handle:
            head = _folded(handle.read(_HEAD_BYTES).decode(errors="replace"))
    except OSError:
        return False
    return folded in head or (sought_by_id and not _WRITTEN_ID.search(head))

"""What was last known of the files of memories: by id, and by place."""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from vademecum.vault.places import all_on_any_disk

#: Space and path of a file.
Place = tuple[str, str]


def other_than(stats: Mapping[Place, str], was: Mapping[Place, str]) -> list[Place]:
    """Return the places of files that are new, or whose stat is not what it was."""
    return [place for (place, stat), before in zip(stats.items(), map(was.get, stats), strict=True) if stat != before]


class Known(Struct, frozen=True):
    """Last known state of a memory's file.

    Attributes:
        stat: as in :class:`vademecum.vault.scan.SourceFile`; a file with an equal stat is not read. "" if unknown.
        etag: of its text; "" if unknown, then the journal is used.
    """

    space: str
    path: str
    stat: str = ""
    etag: str = ""


class KnownFiles:
    """Last known files of all memories. Most of them have not changed, so what is known of one is put together when it is asked for.

    Args:
        ids, places, stats: of the files, in one order. etag_of: returns the etag of the file of a memory, by its id.

    Attributes:
        stats: place -> stat; "" where several memories were last seen, so that the file there is read.
    """

    def __init__(
        self, ids: Sequence[str], places: Sequence[Place], stats: Sequence[str], etag_of: Callable[[str], str]
    ) -> None:
        self._ids, self._places, self._stats, self._etag_of = ids, places, stats, etag_of
        self.stats = dict(zip(places, stats, strict=True))
        if len(self.stats) < len(places):
            self.stats |= {place: "" for place, count in Counter(places).items() if count > 1}

    @classmethod
    def of(cls, files: Mapping[str, Known]) -> "KnownFiles":
        """Return the files, given by id."""
        known = files.values()
        places = [(file.space, file.path) for file in known]
        return cls(list(files), places, [file.stat for file in known], lambda identity: files[identity].etag)

    def get(self, identity: str) -> Known | None:
        """Return the file of a memory."""
        number = self._numbers.get(identity)
        return None if number is None else Known(*self._places[number], self._stats[number], self._etag_of(identity))

    def __getitem__(self, identity: str) -> Known:
        file = self.get(identity)
        if file is None:
            raise KeyError(identity)
        return file

    def __contains__(self, identity: object) -> bool:
        return identity in self._numbers

    def holder(self, place: Place) -> str | None:
        """Return the id of a memory that was last seen at a place."""
        return self._holders.get(place)

    def at(self, places: Collection[Place]) -> set[str]:
        """Return the ids of all memories that were last seen at these places."""
        pairs = zip(self._ids, self._places, strict=True) if places else ()
        return {identity for identity, place in pairs if place in places}

    def at_one_place(self) -> set[str]:
        """Return the ids of memories that were last seen where another one was too."""
        twice = len(self.stats) < len(self._places)
        return self.at({place for place, count in Counter(self._places).items() if count > 1}) if twice else set()

    def alike(self, wanted: Collection[Place]) -> list[tuple[Place, str]]:
        """Return the places among those wanted, which are written as disks see them that ignore case, each with the id of its memory."""
        paths = {path for _, path in wanted}
        rows = zip(self._places, self._ids, self._folded, strict=True) if paths else ()
        return [(place, identity) for place, identity, path in rows if path in paths and (place[0], path) in wanted]

    def folded(self, space: str, there: Container[Place]) -> Iterator[str]:
        """Yield every path of a space that is still there, as disks see it that ignore case."""
        pairs = zip(self._places, self._folded, strict=True)
        return (path for place, path in pairs if place[0] == space and place in there)

    def count(self, space: str) -> int:
        """Return the number of memories in a space."""
        return sum(other == space for other, _ in self._places)

    def without(self, identities: Collection[str]) -> "KnownFiles":
        """Return the files except those of some memories."""
        if not any(identity in self._numbers for identity in identities):
            return self
        kept = [row for row in zip(self._ids, self._places, self._stats, strict=True) if row[0] not in identities]
        return KnownFiles([row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept], self._etag_of)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {identity: number for number, identity in enumerate(self._ids)}

    @cached_property
    def _holders(self) -> dict[Place, str]:
        return dict(zip(self._places, self._ids, strict=True))

    @cached_property
    def _folded(self) -> list[str]:
        return all_on_any_disk([path for _, path in self._places])

"""The ports of stores as dictionaries: the references that the conformance tests hold the real ones against."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from vademecum.adapters.stores.archive import digest_of, must_have_room, unknown
from vademecum.domain.archive import Archived, ArchiveSize, Packed
from vademecum.domain.errors import InvalidInput, Problem
from vademecum.domain.lifecycle import Marker, Stage


def plain(data: bytes) -> Packed:
    """Return a piece as it is."""
    return Packed(digest_of(data), len(data), data)


class MemoryMarkers:
    """The Markers port as a dictionary: the reference."""

    def __init__(self) -> None:
        self._markers: dict[str, Marker] = {}

    def get(self, session: str) -> Marker | None:
        return self._markers.get(session)

    def change(self, session: str, change: Callable) -> Marker | None:
        new = change(self._markers.get(session))
        if new is None:
            self._markers.pop(session, None)
        else:
            self._markers[session] = replace(new, session=session)
        return self._markers.get(session)

    def all(self, stages: Collection[Stage] | None = None) -> tuple[Marker, ...]:
        found = [one for one in self._markers.values() if stages is None or one.stage in stages]
        return tuple(sorted(found, key=lambda one: (one.seen, one.session)))

    def compact(self) -> None: ...

    def close(self) -> None: ...


def _key(record: Archived) -> tuple[str, int]:
    return record.path, record.version


class MemoryArchive:
    """The Archive port as dictionaries: the reference."""

    pack = staticmethod(plain)

    def __init__(self, *, cap_bytes: int = 0) -> None:
        self._cap_bytes = cap_bytes
        self._pieces: dict[bytes, bytes] = {}
        self._context: dict[tuple[str, int], tuple[bytes, ...]] = {}
        self._records: dict[tuple[str, int], Archived] = {}

    def known(self, sources: Collection[bytes]) -> frozenset[bytes]:
        return frozenset(source for source in sources if source in self._pieces)

    def keep(self, pieces: Mapping[bytes, Packed]) -> None:
        must_have_room(self.size().disk_bytes, self._cap_bytes, pieces)
        self._pieces = {**{source: piece.body for source, piece in pieces.items()}, **self._pieces}

    def put(self, record: Archived, sources: Sequence[bytes], *, cut: Archived | None, gone: Iterable[Archived]) -> None:
        if any(source not in self._pieces for source in sources):
            raise InvalidInput(f"A piece of {record.path} was never archived.")
        before = self._context.get(_key(record), ())
        record = replace(record, bytes=sum(len(self._pieces[source]) for source in sources))
        self._records[_key(record)], self._context[_key(record)] = record, tuple(sources)
        if cut is not None:
            self._records[_key(cut)] = cut
        self._let_go(before)
        self.drop(gone)

    def sources(self, record: Archived) -> tuple[bytes, ...]:
        return self._context.get(_key(record), ())

    def records(self) -> tuple[Archived, ...]:
        by_path = sorted(self._records.values(), key=lambda record: (record.path, -record.version))
        return tuple(sorted(by_path, key=lambda record: record.kept, reverse=True))

    def stats(self) -> Mapping[str, str]:
        return {path: record.stat for (path, _), record in sorted(self._records.items())}

    def of_session(self, session: str) -> tuple[Archived, ...]:
        found = (record for record in self._records.values() if record.session == session)
        return tuple(sorted(found, key=lambda record: (record.kept, *_key(record))))

    def incomplete(self) -> tuple[Archived, ...]:
        return ()

    def read(self, record: Archived) -> Iterator[bytes]:
        if _key(record) not in self._context:
            raise unknown(record.path)
        return iter([self._pieces[source] for source in self._context[_key(record)]])

    def drop(self, records: Iterable[Archived]) -> None:
        for record in records:
            self._records.pop(_key(record), None)
            self._let_go(self._context.pop(_key(record), ()))

    def rewrite(self, change: Callable[[bytes], bytes], retitle: Callable[[str], str]) -> int:
        fresh = {source: change(data) for source, data in self._pieces.items()}
        changed = sum(fresh[source] != data for source, data in self._pieces.items())
        self._pieces = fresh
        for key, record in self._records.items():
            held = sum(len(fresh[source]) for source in self._context[key])
            self._records[key] = replace(record, title=retitle(record.title), bytes=held)
        return changed

    def check(self) -> tuple[Problem, ...]:
        return ()

    def compact(self) -> None: ...

    def size(self) -> ArchiveSize:
        sources = sum(record.source_bytes for record in self._records.values())
        held = sum(map(len, self._pieces.values()))
        return ArchiveSize(len({path for path, _ in self._records}), len(self._pieces), sources, held, self._cap_bytes)

    def close(self) -> None: ...

    def _let_go(self, before: Iterable[bytes]) -> None:
        needed = {source for sources in self._context.values() for source in sources}
        for source in before:
            if source not in needed:
                self._pieces.pop(source, None)

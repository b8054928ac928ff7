"""Base class for databases in which hosts store many conversations. They are never written to."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import vademecum.adapters.stores.host_databases as host
from vademecum.ports.transcripts import Member


class Database:
    """A host's SQLite database: a TranscriptLibrary. Subclasses define `marks` and `document`.

    Attributes:
        name: of the host. needs: sets of tables; a file with all tables of one set is this host's.
        generations: tables that are read although their names look like those of a later version.
    """

    name = ""
    needs: tuple[frozenset[str], ...] = ()
    generations: frozenset[str] = frozenset()

    def marks(self, base: host.Connection, path: str) -> Iterable[tuple[str, str]]:
        """Return (name, fingerprint that changes with it) of each conversation in an open database."""
        raise NotImplementedError

    def document(self, base: host.Connection, path: str, name: str) -> bytes | None:
        """Return a conversation in a format of this host; None when it no longer exists."""
        raise NotImplementedError

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether the file is a database with such tables."""
        if not head.startswith(host.MAGIC):
            return False
        with host.opened(Path(path)) as base:
            there = host.tables(base)
        return any(needed <= there for needed in self.needs)

    def members(self, path: str) -> Sequence[Member]:
        with host.opened(Path(path)) as base:
            return [Member(name, mark) for name, mark in self.marks(base, path)]

    def read(self, path: str, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        with host.opened(Path(path)) as base:
            for name in names:
                document = self.document(base, path, name)
                if document is not None:
                    yield name, document

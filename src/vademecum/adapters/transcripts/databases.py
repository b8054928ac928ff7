"""Base class for databases in which hosts store many conversations. They are never written to."""

from pathlib import Path

import vademecum.adapters.stores.host_databases as host


class Database:
    """A host's SQLite database: a TranscriptLibrary except for `members` and `read`.

    Attributes:
        name: of the host. needs: sets of tables; a file with all tables of one set is this host's.
        generations: tables that are read although their names look like those of a later version.
    """

    name = ""
    needs: tuple[frozenset[str], ...] = ()
    generations: frozenset[str] = frozenset()

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether the file is a database with such tables."""
        if not head.startswith(host.MAGIC):
            return False
        with host.opened(Path(path)) as base:
            there = host.tables(base)
        return any(needed <= there for needed in self.needs)

"""What databases in which hosts keep many conversations have in common. They are never written to."""

from pathlib import Path

import vademecum.adapters.stores.host_databases as host


class Database:
    """A file of SQLite with the tables of a host: a TranscriptLibrary but for `members` and `read`.

    Attributes:
        name: of the host. needs: sets of tables; where all of one set are there, the file is this host's.
        generations: those of its tables that are called as if they were of a later version, and are read.
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

"""Number of passages that contain a stem, cached.

SQLite counts by reading the complete list of a stem's passages, which takes milliseconds for a common word in a large index. So
counts are cached as long as all changes are known: a write of this process that only adds passages updates them, any other
write clears them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import apsw

from vademecum.adapters.stores.sqlite.schema import state

#: Most cached counts; most added passages of one write by which they are updated.
_KEPT, _ADDED = 50_000, 20_000


class Frequencies:
    """Counts of stems, kept equal to the database."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._known = ("", -1)

    def of(self, db: apsw.Connection, stems: Iterable[str]) -> list[int]:
        """Return the number of passages that contain each stem, as this transaction sees it."""
        now = state(db)
        if now != self._known or len(self._counts) > _KEPT:
            self._counts.clear()
            self._known = now
        wanted = list(stems)
        for stem in wanted:
            if stem not in self._counts:
                self._counts[stem] = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (stem,)).get or 0
        return [self._counts[stem] for stem in wanted]

    def follow(self, before: tuple[str, int], after: tuple[str, int], added: Sequence[frozenset[str]] | None) -> None:
        """Update the counts after a committed write.

        Args:
            before, after: identity and generation of the index. added: the stems of each new passage; None: passages were
                removed too.
        """
        if before != self._known or added is None or len(added) > _ADDED:
            return  # the next query detects the unknown generation and clears the cache
        more = Counter(chain.from_iterable(added))
        for stem in more.keys() & self._counts.keys():
            self._counts[stem] += more[stem]
        self._known = after

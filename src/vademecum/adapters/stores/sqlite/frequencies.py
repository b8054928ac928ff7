"""How many passages hold a stem.

SQLite reads the whole list of a stem's passages to count them, for a common word in a large index milliseconds. So counts are kept
as long as it is known what changed: a write by this process that only added passages is added to them, any other makes them
be asked for anew.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

import apsw

from vademecum.adapters.stores.sqlite.schema import state

#: Stems whose counts are kept at most; passages of one write that are added to them at most.
_KEPT, _ADDED = 50_000, 20_000


class Frequencies:
    """Counts of stems, following the database."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._known = ("", -1)

    def of(self, db: apsw.Connection, stems: Iterable[str]) -> list[int]:
        """Return passages that hold each stem, as this transaction sees it."""
        now = state(db)
        if now != self._known or len(self._counts) > _KEPT:
            self._counts.clear()
            self._known = now
        return [self._of_one(db, stem) for stem in stems]

    def _of_one(self, db: apsw.Connection, stem: str) -> int:
        count = self._counts.get(stem)
        if count is None:
            count = self._counts[stem] = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (stem,)).get or 0
        return count

    def follow(self, before: tuple[str, int], after: tuple[str, int], added: Sequence[frozenset[str]] | None) -> None:
        """Note a write that is on disk now.

        Args:
            before, after: identity and generation of the index. added: the stems of each passage that it brought; None: it took
                some away.
        """
        if before != self._known or added is None or len(added) > _ADDED:
            return  # the next question finds another generation than the one that is known
        more = Counter(chain.from_iterable(added))
        for stem in more.keys() & self._counts.keys():
            self._counts[stem] += more[stem]
        self._known = after

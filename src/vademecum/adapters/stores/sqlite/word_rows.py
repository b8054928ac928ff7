"""The index for a hook without the helper: rows and words, without arrays, opened read-only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vademecum.adapters.stores.sqlite import schema
from vademecum.adapters.stores.sqlite.conditions import condition
from vademecum.adapters.stores.sqlite.rows import OpenedRows, RowReader
from vademecum.adapters.stores.stems import Stemmer
from vademecum.ports.index import Term

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from vademecum.domain.query import Scope

#: Longest wait for another process that holds the file, in seconds.
_BUSY_S = 0.1


class _Opened(OpenedRows):
    def __init__(self, path: Path, db: apsw.Connection) -> None:
        super().__init__(path, db)
        self.stemmer = Stemmer(db)


class WordRows(RowReader[_Opened]):
    """Index reads for a hook without the helper: rows that need no arithmetic, and passages that contain a word."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, busy_timeout_s=_BUSY_S)

    def _connect(self) -> apsw.Connection:
        return schema.connect_to_read(self._path, self._busy_timeout_s)

    def _is_frozen(self, db: apsw.Connection) -> bool:
        return False  # it writes nothing, but sees what others write

    def _opened(self, db: apsw.Connection) -> _Opened:
        return _Opened(self._path, db)

    def terms(self, text: str, stop: frozenset[str]) -> tuple[Term, ...]:
        with self._reading() as opened:
            asked = opened.stemmer.asked(text, stop)
            statement = "SELECT term, doc FROM vocabulary WHERE term IN (SELECT value FROM json_each(?))"
            counts = dict(opened.db.execute(statement, (json.dumps(list(asked), ensure_ascii=False),)))
            code_of = opened.stemmer.code_of
            return tuple(Term(word, code_of[stem], counts.get(stem, 0), stem) for stem, word in asked.items())

    def holders(self, term: Term, scope: Scope) -> tuple[tuple[str, int], ...]:
        """Return (item key, ordinal of the passage) of the passages in scope that contain a term of :meth:`terms`.

        Times of passages, speakers and `without` are ignored.
        """
        sql, values = condition(scope)
        with self._reading() as opened:
            rows: list[Any] = opened.db.execute(
                "SELECT key, m.ordinal FROM holders h JOIN marks m ON m.number = h.doc JOIN items ON items.id = m.place >> 36"
                f" WHERE h.term = ? AND {sql}",
                (term.stem, *values),
            ).fetchall()
        return tuple(rows)

    def passages_in_all(self) -> int:
        """Return the total number of passages."""
        with self._reading() as opened:
            count: int = opened.db.execute("SELECT value FROM meta WHERE name = 'passages'").get
            return count

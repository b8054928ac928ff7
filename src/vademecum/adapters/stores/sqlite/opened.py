"""An open index file, with its copies in memory."""

from pathlib import Path

import apsw

from vademecum.adapters.stores.analysis import Analyser
from vademecum.adapters.stores.sqlite import snapshot
from vademecum.adapters.stores.sqlite.columns import Columns
from vademecum.adapters.stores.sqlite.follow import Numbers
from vademecum.adapters.stores.sqlite.frequencies import Frequencies
from vademecum.adapters.stores.sqlite.rows import OpenedRows
from vademecum.adapters.stores.sqlite.schema import read_as_memory, state
from vademecum.adapters.stores.sqlite.scope import Masks, numbers_of
from vademecum.adapters.stores.sqlite.topic_rows import TopicMeans
from vademecum.adapters.stores.sqlite.vectors import Floats, Vectors
from vademecum.adapters.stores.sqlite.vocabulary import Vocabulary
from vademecum.domain.errors import InvalidInput
from vademecum.domain.query import Scope, Scored
from vademecum.ports.index import Term

#: Most scopes whose size is cached while the index does not change.
_SIZES_KEPT = 32
#: Most terms whose passages are cached, and most passages of one; a query has few terms, with some thousand passages together.
_TERMS_KEPT, _PASSAGES_KEPT = 64, 10_000


class Opened(OpenedRows):
    """An open file, and the copies in memory that are updated from it."""

    def __init__(self, path: Path, db: apsw.Connection) -> None:
        super().__init__(path, db)
        self.analyser = Analyser(db)
        self.columns = Columns(path.with_name(f"{path.name}.columns"))
        self.masks = Masks(self.columns, self.ids_of)
        self.vocabulary = Vocabulary()
        self.frequencies = Frequencies()
        self.topics = TopicMeans()
        self._vectors: dict[tuple[str, int], Vectors] = {}
        self._sizes: dict[Scope, tuple[int, float]] = {}
        self._sized_for = ("", -1)
        self._holding: dict[str, Numbers] = {}
        self._held_for = ("", -1)

    def size(self) -> tuple[int, int]:
        """Return the number of passages, and the total number of their stems."""
        meta = dict(self.db.execute("SELECT name, value FROM meta WHERE name IN ('passages', 'stems')"))
        return meta["passages"], meta["stems"]

    def size_of(self, scope: Scope) -> tuple[int, float]:
        """Return the number of passages in scope, and their mean number of stems."""
        self.columns.follow(self.db)
        now = state(self.db)
        if now != self._sized_for or len(self._sizes) > _SIZES_KEPT:
            self._sizes.clear()
            self._sized_for = now
        if scope not in self._sizes:
            self._sizes[scope] = self.masks.size(self.db, scope)
        return self._sizes[scope]

    def vector_counts(self) -> dict[str, int]:
        """Return the number of passages with a vector, by model."""
        return dict(self.db.execute("SELECT name, vectors FROM models WHERE vectors > 0 ORDER BY name"))

    def holding(self, term: Term) -> Numbers:
        """Return numbers of the passages that contain a term of :meth:`Index.terms` or :meth:`Index.like`.

        Recent results are cached while the index does not change, since each pool asks for the same terms.
        """
        now = state(self.db)
        if now != self._held_for or len(self._holding) > _TERMS_KEPT:
            self._holding.clear()
            self._held_for = now
        known = f"{term.stem}\n{term.word}"
        values = self._holding.get(known)
        if values is None:
            values = self._read_holding(term)
            if len(values) <= _PASSAGES_KEPT:
                self._holding[known] = values
        return values

    def _read_holding(self, term: Term) -> Numbers:
        if term.stem:  # stemming it again could give another stem
            return numbers_of(self.db.execute("SELECT group_concat(doc) FROM holders WHERE term = ?", (term.stem,)).get)
        quoted = '"' + term.word.replace('"', '""') + '"'
        return numbers_of(self.db.execute("SELECT group_concat(rowid) FROM words WHERE words MATCH ?", (quoted,)).get)

    def speakers(self) -> dict[int, str]:
        """Return names of speakers, by the ids of :attr:`Columns.speaker`."""
        return dict(self.db.execute("SELECT id, name FROM speakers"))

    def scored(self, numbers: Numbers, scores: Floats) -> tuple[Scored, ...]:
        """Return the passages with their scores."""
        items = self.columns.items(numbers)
        keys = self.keys_of(items.tolist())
        rows = zip(numbers.tolist(), items.tolist(), self.columns.turns(numbers).tolist(), scores.tolist(), strict=True)
        return tuple(Scored(number, keys[item], turn, score) for number, item, turn, score in rows)

    def vectors(self, model_id: str) -> Vectors | None:
        """Return the searchable vectors of a model, or None when there are none."""
        row = self.db.execute("SELECT id, dim FROM models WHERE name = ? AND vectors > 0", (model_id,)).fetchone()
        if row is None:
            return None
        owner = (state(self.db)[0], row[0])
        if owner not in self._vectors:
            self._vectors[owner] = Vectors(self._vector_path(row[0]), *row)
        return self._vectors[owner]

    def model_for(self, model_id: str, dim: int) -> int:
        """Return the id of a model, which is created if new.

        Raises:
            InvalidInput: the model is known with another number of dimensions.
        """
        self.db.execute("INSERT OR IGNORE INTO models(name, dim, vectors) VALUES(?, ?, 0)", (model_id, dim))
        model, known = self.db.execute("SELECT id, dim FROM models WHERE name = ?", (model_id,)).get
        if known != dim:
            raise InvalidInput(f"Vectors of {model_id} have {known} numbers, not {dim}.")
        return int(model)

    def let_go(self) -> None:
        read_as_memory(self.db)
        self.db.pragma("shrink_memory")
        for vectors in self._vectors.values():
            vectors.let_go()

    def forget_vectors(self, model: int) -> None:
        """Drop the copies of a model's vectors."""
        self._vectors = {owner: vectors for owner, vectors in self._vectors.items() if owner[1] != model}
        self._vector_path(model).unlink(missing_ok=True)

    def _vector_path(self, model: int) -> Path:
        return self._path.with_name(f"{self._path.name}.vectors-{model}")

    def damage(self) -> str:
        """Read everything; return a description of the damage, or ""."""
        result = [row[0] for row in self.db.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
        passages = self.size()[0]
        for table in ("marks", "texts"):
            count = self.db.execute(f"SELECT count(*) FROM {table}").get
            if count != passages:
                result.append(f"{table} holds {count} of {passages} passages")
        files = [self.columns.path, *(self._vector_path(row[0]) for row in self.db.execute("SELECT id FROM models"))]
        result += [damage for file in files if file.exists() and (damage := snapshot.damage(file, state(self.db)[0]))]
        return "; ".join(result)

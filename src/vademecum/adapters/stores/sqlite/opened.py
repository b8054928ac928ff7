"""An open index file, with the copies in memory that follow it."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from vademecum.adapters.stores.analysis import Analyser
from vademecum.adapters.stores.sqlite import snapshot
from vademecum.adapters.stores.sqlite.columns import Columns
from vademecum.adapters.stores.sqlite.follow import Numbers, distinct, state
from vademecum.adapters.stores.sqlite.records import ITEM_QUERY
from vademecum.adapters.stores.sqlite.scope import Masks, numbers_of
from vademecum.adapters.stores.sqlite.topic_rows import TopicMeans
from vademecum.adapters.stores.sqlite.vectors import Floats, Vectors
from vademecum.adapters.stores.sqlite.vocabulary import Vocabulary
from vademecum.model.errors import InvalidInput
from vademecum.model.ports import Term
from vademecum.model.query import Scored

#: Item ids remembered while the index does not change.
_IDS_KEPT = 20_000


class Opened:
    """An open file and the copies in memory that follow it."""

    def __init__(self, path: Path, db: apsw.Connection) -> None:
        self._path = path
        self.db = db
        self.file = file_id(path)
        self.analyser = Analyser(db)
        self.columns = Columns(path.with_name(f"{path.name}.columns"))
        self.masks = Masks(self.columns)
        self.vocabulary = Vocabulary()
        self.topics = TopicMeans()
        self._vectors: dict[tuple[str, int], Vectors] = {}
        self._ids: dict[str, int] = {}
        self._ids_of_state = ("", -1)

    def size(self) -> tuple[int, int]:
        """Passages, and stems of all together."""
        meta = dict(self.db.execute("SELECT name, value FROM meta WHERE name IN ('passages', 'stems')"))
        return meta["passages"], meta["stems"]

    def vector_counts(self) -> dict[str, int]:
        """Passages with a vector, by model."""
        return dict(self.db.execute("SELECT name, vectors FROM models WHERE vectors > 0 ORDER BY name"))

    def holding(self, term: Term) -> Numbers:
        """Numbers of the passages that hold a term, as one of :meth:`Index.terms` or :meth:`Index.like`."""
        if term.stem:  # stemming it once more could give another
            return numbers_of(self.db.execute("SELECT group_concat(doc) FROM holders WHERE term = ?", (term.stem,)).get)
        quoted = '"' + term.word.replace('"', '""') + '"'
        return numbers_of(self.db.execute("SELECT group_concat(rowid) FROM words WHERE words MATCH ?", (quoted,)).get)

    def ids_of(self, keys: Iterable[str]) -> dict[str, int]:
        """Key -> item id, of those keys that an item has, in the order given."""
        wanted, known = list(keys), self._known_ids()
        missing = {key for key in wanted if key not in known}
        if missing:
            given = (apsw.carray(tuple(sorted(missing)), flags=apsw.SQLITE_CARRAY_TEXT),)
            known |= self.db.execute("SELECT key, id FROM items WHERE key IN carray(?)", given)
        return {key: known[key] for key in wanted if key in known}

    def item_rows(self, keys: Iterable[str]) -> list[Any]:
        """Rows of ITEM_QUERY, in any order, of those keys that an item has."""
        ids = np.array(sorted(self.ids_of(keys).values()), np.int64)
        return self.db.execute(f"{ITEM_QUERY} WHERE id IN carray(?)", (apsw.carray(ids),)).fetchall() if len(ids) else []

    def _known_ids(self) -> dict[str, int]:
        """Ids that were asked for since the index changed: a question asks for the same items three times."""
        now = state(self.db)
        if now != self._ids_of_state or len(self._ids) > _IDS_KEPT:
            self._ids_of_state, self._ids = now, {}
        return self._ids

    def speakers(self) -> dict[int, str]:
        """Names of speakers, by the ids of :attr:`Columns.speaker`."""
        return dict(self.db.execute("SELECT id, name FROM speakers"))

    def scored(self, numbers: Numbers, scores: Floats) -> tuple[Scored, ...]:
        """The passages with their scores."""
        items = self.columns.items(numbers)
        keys: dict[int, str] = {}
        if len(items):
            keys = dict(self.db.execute("SELECT id, key FROM items WHERE id IN carray(?)", (apsw.carray(distinct(items)),)))
            self._known_ids().update((key, item) for item, key in keys.items())
        rows = zip(numbers.tolist(), items.tolist(), self.columns.turns(numbers).tolist(), scores.tolist(), strict=True)
        return tuple(Scored(number, keys[item], turn, score) for number, item, turn, score in rows)

    def vectors(self, model_id: str) -> Vectors | None:
        """The searchable vectors of a model, or None when there are none."""
        row = self.db.execute("SELECT id, dim FROM models WHERE name = ? AND vectors > 0", (model_id,)).fetchone()
        if row is None:
            return None
        owner = (state(self.db)[0], row[0])
        if owner not in self._vectors:
            self._vectors[owner] = Vectors(self._vector_path(row[0]), *row)
        return self._vectors[owner]

    def model_for(self, model_id: str, dim: int) -> int:
        """Id of a model, made when it is new.

        Raises:
            InvalidInput: the model is known with another number of dimensions.
        """
        self.db.execute("INSERT OR IGNORE INTO models(name, dim, vectors) VALUES(?, ?, 0)", (model_id, dim))
        model, known = self.db.execute("SELECT id, dim FROM models WHERE name = ?", (model_id,)).get
        if known != dim:
            raise InvalidInput(f"Vectors of {model_id} have {known} numbers, not {dim}.")
        return int(model)

    def forget_vectors(self, model: int) -> None:
        """Let go of a model's copies."""
        self._vectors = {owner: vectors for owner, vectors in self._vectors.items() if owner[1] != model}
        self._vector_path(model).unlink(missing_ok=True)

    def _vector_path(self, model: int) -> Path:
        return self._path.with_name(f"{self._path.name}.vectors-{model}")

    def damage(self) -> str:
        """Read everything; what is wrong, or ""."""
        found = [row[0] for row in self.db.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
        passages = self.size()[0]
        for table in ("marks", "texts"):
            count = self.db.execute(f"SELECT count(*) FROM {table}").get
            if count != passages:
                found.append(f"{table} holds {count} of {passages} passages")
        files = [self.columns.path, *(self._vector_path(row[0]) for row in self.db.execute("SELECT id FROM models"))]
        found += [damage for file in files if file.exists() and (damage := snapshot.damage(file, state(self.db)[0]))]
        return "; ".join(found)


def file_id(path: Path) -> tuple[int, int] | None:
    """What stays the same while it is the same file; None when there is no file."""
    try:
        stat = os.stat(path)  # noqa: PTH116 -- called before every question
    except OSError:
        return None
    return stat.st_dev, stat.st_ino

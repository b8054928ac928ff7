"""The index port over one SQLite file. FTS5 searches words, arrays search meaning; both are scored and filtered as arrays."""

import contextlib
import glob
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from msgspec.structs import replace

from vademecum.adapters.stores.device_file import file_id, transaction
from vademecum.adapters.stores.sqlite import records, schema
from vademecum.adapters.stores.sqlite.faults import deleted, explained
from vademecum.adapters.stores.sqlite.follow import Numbers, distinct, record
from vademecum.adapters.stores.sqlite.opened import Opened
from vademecum.adapters.stores.sqlite.quotes import quoted
from vademecum.adapters.stores.sqlite.rows import BUSY_TIMEOUT_S, PASSAGE, RowReader, stored_of_row
from vademecum.adapters.stores.sqlite.scope import numbers_of
from vademecum.adapters.stores.sqlite.snapshot import IN_MEMORY
from vademecum.adapters.stores.sqlite.surroundings import window
from vademecum.adapters.stores.sqlite.vectors import Floats, best, quantise
from vademecum.adapters.stores.sqlite.vocabulary import longer
from vademecum.adapters.stores.texts import clean, clean_item
from vademecum.adapters.stores.word_scores import K1, B, edits_allowed, frequency_weight, weights_like, within_budget
from vademecum.domain.errors import IndexDamaged
from vademecum.domain.item import FILED_SOURCES, Item, StoredPassage
from vademecum.domain.query import Scope, Scored
from vademecum.domain.topics import Topic
from vademecum.ports.index import IndexHealth, IndexStats, Surroundings, Term

_FILED, _LOGS = Scope(sources=FILED_SOURCES, statuses=None), Scope(sources=("log",), statuses=None)


def _no_callback() -> None:
    """No-op callback."""


class SqliteIndex(RowReader[Opened]):
    """An :class:`~vademecum.ports.index.Index` in the file `path`, with snapshot files beside it, or in memory. Opened at first
    use.

    Args:
        changed: called after memories have changed on disk, before the operation returns.
        busy_timeout_s: how long a write waits for another process.
    """

    def __init__(
        self, path: Path, changed: Callable[[], None] = _no_callback, *, busy_timeout_s: float = BUSY_TIMEOUT_S
    ) -> None:
        super().__init__(path, busy_timeout_s=busy_timeout_s)
        self._changed = changed

    def _opened(self, db: apsw.Connection) -> Opened:
        return Opened(self._path, db)

    @contextlib.contextmanager
    def _writing(self) -> Iterator["Opened"]:
        """Run the block in a write transaction; changes are on disk afterwards."""
        with self._lock, explained(self._path, writing=True):
            opened = self._connected()
            with transaction(opened.db):
                yield opened
                if file_id(self._path) != opened.file:
                    raise deleted(self._path)

    @contextlib.contextmanager
    def _putting(self, *, memories: bool) -> Iterator[records.Writer]:
        """Yield the writer of items; changes are on disk after the block.

        Args:
            memories: memories are among the items. Only they are used in briefings, so `changed` is called only then.
        """
        with self._lock:
            try:
                with self._writing() as opened:
                    before = schema.state(opened.db)
                    writer = records.Writer(opened.db, opened.analyser)
                    yield writer
                    after = schema.state(opened.db)
            finally:
                if memories:
                    self._changed()
            opened.frequencies.follow(before, after, writer.added)

    # ------------------------------------------------------------------ records

    def apply(self, put: Sequence[Item], drop: Iterable[str] = ()) -> None:
        items, gone = [clean_item(item) for item in put], [clean(key) for key in drop]
        if not items and not gone:
            return
        with self._putting(memories=bool(gone) or any(item.source in FILED_SOURCES for item in items)) as writer:
            writer.apply(items, gone)

    def extend(self, item: Item) -> None:
        tidy = clean_item(item)
        with self._putting(memories=tidy.source in FILED_SOURCES) as writer:
            writer.extend(tidy)

    def passages(self, numbers: Sequence[int]) -> Mapping[int, StoredPassage]:
        with self._reading() as opened:
            rows: list[Any] = []
            if len(numbers):
                given = (apsw.carray(_array(numbers)),)
                rows = opened.db.execute(f"{PASSAGE} WHERE m.number IN carray(?)", given).fetchall()
        return {row[0]: stored_of_row(row) for row in rows}

    def topics(self, scope: Scope, model_id: str) -> tuple[Topic, ...]:
        with self._reading() as opened:
            return opened.topics.of(opened, scope, model_id)

    # ------------------------------------------------------------------ words

    def terms(self, text: str, stop: frozenset[str], *, counted: int | None = None) -> tuple[Term, ...]:
        with self._reading() as opened:
            asked = opened.analyser.asked(text, stop)
            stems = list(asked)
            codes = opened.analyser.codes(stems).tolist()
            counts = opened.frequencies.of(opened.db, stems[:counted]) if counted != 0 else []
        return tuple(map(Term, asked.values(), codes, (*counts, *[0] * (len(stems) - len(counts)))))

    def like(self, terms: Sequence[Term], *, fuzzy: float, prefix: bool, limit: int) -> tuple[Term, ...]:
        with self._reading() as opened:
            opened.vocabulary.follow(opened.db)
            return tuple(replace(term, like=_like(opened, term, fuzzy, prefix, limit)) for term in terms)

    def words(self, terms: Sequence[Term], scope: Scope, limit: int, *, budget: int) -> tuple[Scored, ...]:
        with self._reading() as opened:
            opened.columns.follow(opened.db)
            lengths = opened.columns.stems
            total, stems = opened.size()
            holding = [(term.weight, opened.holding(term)) for term in within_budget(terms, budget)]
            values = distinct(np.concatenate([numbers for _, numbers in holding])) if holding else np.zeros(0, np.int64)
            scores = np.zeros(len(values))
            for share, numbers in holding:
                norm = K1 * (1 - B + B * lengths[numbers] / max(stems / max(total, 1), 1))
                weight = share * frequency_weight(len(numbers), total)
                scores[np.searchsorted(values, numbers)] += weight * (K1 + 1) / (1 + norm)
            inside = opened.masks.passages(opened.db, scope, values)
            return opened.scored(*best(values[inside], scores[inside], limit))

    def frequencies(self, terms: Sequence[Term], scope: Scope) -> tuple[int, ...]:
        with self._reading() as opened:
            opened.columns.follow(opened.db)
            holding = [opened.holding(term) for term in terms]
            if not holding:
                return ()
            inside = opened.masks.passages(opened.db, scope, np.concatenate(holding))
            ends = np.cumsum([len(numbers) for numbers in holding])
        return tuple(int(part.sum()) for part in np.split(inside, ends[:-1]))

    def quoted(self, text: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        with self._reading() as opened:
            opened.columns.follow(opened.db)
            return opened.scored(*quoted(opened, clean(text), scope, limit))

    def stats(self) -> IndexStats:
        with self._reading() as opened:
            passages, stems = opened.size()
            return IndexStats(passages, stems / passages if passages else 0.0, opened.vector_counts())

    def size(self, scope: Scope) -> tuple[int, float]:
        with self._reading() as opened:
            return opened.size_of(scope)

    def window(self, turns: Sequence[tuple[str, int]], reach: int) -> Surroundings:
        with self._reading() as opened:
            return window(opened, turns, reach)

    def near(self, vector: Floats, model_id: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        with self._reading() as opened:
            vectors = opened.vectors(model_id)
            if vectors is None:
                return ()
            opened.columns.follow(opened.db)
            vectors.follow(opened.db)
            inside = opened.masks.passages(opened.db, scope)
            return opened.scored(*vectors.nearest(np.asarray(vector, np.float32), inside, limit))

    def cosines(self, vector: Floats, model_id: str, numbers: Sequence[int] | Numbers) -> Floats:
        with self._reading() as opened:
            vectors = opened.vectors(model_id)
            if vectors is None or not len(numbers):
                return np.full(len(numbers), np.nan, np.float32)
            vectors.follow(opened.db)
            return vectors.cosines(np.asarray(vector, np.float32), _array(numbers))

    def vectors(self, model_id: str, numbers: Sequence[int] | Numbers) -> Floats:
        with self._reading() as opened:
            vectors = opened.vectors(model_id)
            if vectors is None:
                return np.zeros((len(numbers), 0), np.float32)
            vectors.follow(opened.db)
            return vectors.of(_array(numbers))

    def without_vectors(self, model_id: str, limit: int) -> tuple[StoredPassage, ...]:
        with self._reading() as opened:
            columns, vectors = opened.columns, opened.vectors(model_id)
            columns.follow(opened.db)
            waiting = columns.place > 0
            if vectors is not None:
                vectors.follow(opened.db)
                waiting &= ~vectors.having(columns.size)
            numbers = np.flatnonzero(waiting)
            times = opened.masks.times(opened.db, numbers).astype(np.float64)
            rank = np.ones(len(numbers))
            for scope, place in ((_FILED, 2), (_LOGS, 0)):
                rank[opened.masks.passages(opened.db, scope, numbers)] = place
            by_place = [best(numbers[rank == place], times[rank == place], limit)[0] for place in (2, 1, 0)]
            numbers = np.concatenate(by_place)[:limit]
        stored = self.passages(numbers.tolist())
        return tuple(stored[number] for number in numbers.tolist() if number in stored)

    def add_vectors(self, model_id: str, numbers: Sequence[int], rows: Floats) -> None:
        if not len(numbers):
            return
        order = np.argsort(_array(numbers), kind="stable")  # in the order of their numbers, rows fill their pages
        given = _array(numbers)[order]
        small, scales = quantise(np.asarray(rows, np.float32)[order])
        with self._writing() as opened:
            db = opened.db
            model = opened.model_for(model_id, small.shape[1])
            standing = numbers_of(
                db.execute("SELECT group_concat(number) FROM marks WHERE number IN carray(?)", (apsw.carray(given),)).get
            )
            at = np.flatnonzero(np.isin(given, standing))
            db.execute("DELETE FROM vectors WHERE model = ? AND number IN carray(?)", (model, apsw.carray(given)))
            replaced = db.changes()
            db.executemany(
                "INSERT OR REPLACE INTO vectors VALUES(?, ?, ?, ?)",
                ((model, int(given[row]), float(scales[row]), small[row].tobytes()) for row in at),
            )
            added = len(distinct(given[at])) - replaced
            db.execute("UPDATE models SET vectors = vectors + ? WHERE id = ?", (added, model))
            record(db, {model: distinct(given[at])})

    def drop_vectors(self, model_id: str) -> None:
        with self._writing() as opened:
            model = opened.db.execute("SELECT id FROM models WHERE name = ?", (model_id,)).get
            if model is None:
                return
            opened.db.execute("DELETE FROM vectors WHERE model = ?", (model,))
            opened.db.execute("UPDATE models SET vectors = 0 WHERE id = ?", (model,))
            record(opened.db, {})
            opened.forget_vectors(model)

    # ------------------------------------------------------------------ state

    def let_go(self) -> None:
        with self._lock, explained(self._path):
            if self._open is not None:
                self._open.let_go()

    def is_held(self) -> bool:
        with self._lock, explained(self._path):
            db = self._connected().db
            db.set_busy_timeout(0)
            try:
                with transaction(db):
                    return False
            except apsw.BusyError:
                return True
            finally:
                db.set_busy_timeout(int(self._busy_timeout_s * 1000))

    def note_complete(self) -> None:
        with self._writing() as opened:
            opened.db.execute("INSERT OR IGNORE INTO meta VALUES('complete', 1)")

    def health(self, *, deep: bool = False) -> IndexHealth:
        try:
            with self._reading() as opened:
                stats = opened.size()
                items = opened.db.execute("SELECT count(*) FROM items").get
                vectors = opened.vector_counts()
                damage = opened.damage() if deep else ""
        except IndexDamaged as error:
            return IndexHealth(error.message, 0, 0, self._bytes(), {})
        return IndexHealth(damage, items, stats[0], self._bytes(), vectors)

    def _bytes(self) -> int:
        own = [self._path.with_name(f"{self._path.name}{suffix}") for suffix in ("", "-wal", "-shm")]
        return sum(file.stat().st_size for file in (*own, *self._snapshots()) if file.exists())

    def _snapshots(self) -> list[Path]:
        """Return snapshots, and temporary files of killed writers."""
        beside = sorted(self._path.parent.glob(f"{glob.escape(self._path.name)}.*"))
        return [file for file in beside if file.suffix == ".new" or file.suffix.startswith((".columns", ".vectors-"))]

    def make_room(self) -> None:
        with self._lock, explained(self._path, writing=True):
            self._release()
            self._forget_snapshots()

    def wipe(self) -> None:
        with self._lock, explained(self._path):
            try:
                if self._path == IN_MEMORY or self._path.exists():
                    schema.empty(self._connected().db)
                    self._release()
            except (IndexDamaged, apsw.CorruptError, apsw.NotADBError, apsw.IOError, apsw.SQLError, apsw.CantOpenError):
                self._release()
                for suffix in ("", "-wal", "-shm"):
                    self._path.with_name(f"{self._path.name}{suffix}").unlink(missing_ok=True)
            self._forget_snapshots()
            self._lost = False
            self._connected()
        self._changed()

    def _forget_snapshots(self) -> None:
        for file in self._snapshots():
            file.unlink(missing_ok=True)

    def compact(self) -> None:
        if self._path == IN_MEMORY:
            return
        with self._lock, explained(self._path, writing=True):
            db = self._connected().db
            with transaction(db):
                db.execute("INSERT INTO words(words) VALUES('optimize')")
                db.execute("DELETE FROM stems WHERE stem NOT IN (SELECT term FROM vocabulary)")
            db.execute("VACUUM")
            db.pragma("wal_checkpoint", "truncate")
            self._release()
            self._forget_snapshots()


def _like(opened: Opened, term: Term, fuzzy: float, prefix: bool, limit: int) -> tuple[Term, ...]:
    """Return the terms similar to a term that still occur in a passage, the largest weights first."""
    stem = opened.analyser.stems(term.word)[0]
    edits = opened.vocabulary.almost(stem, edits_allowed(stem, fuzzy))
    terms: list[Term] = []
    for weight, other in weights_like(stem, edits, longer(opened.db, stem) if prefix else set()):
        passages = opened.db.execute("SELECT doc FROM vocabulary WHERE term = ?", (other,)).get
        if passages and len(terms) < limit:
            terms.append(Term(term.word, int(opened.analyser.codes([other])[0]), passages, other, weight))
    return tuple(terms)


def _array(numbers: Sequence[int] | Numbers) -> Numbers:
    return np.ascontiguousarray(numbers, np.int64)

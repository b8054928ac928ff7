"""Writes items and passages as rows, changing only rows that differ."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import apsw
import numpy as np
from msgspec import Struct
from msgspec.structs import fields, replace

from vademecum.adapters.stores import links
from vademecum.adapters.stores.analysis import Analyser
from vademecum.adapters.stores.sqlite.conditions import last_part, micros
from vademecum.adapters.stores.sqlite.follow import PASSAGES, Numbers, distinct, record
from vademecum.adapters.stores.sqlite.rows import COLUMNS, TIMES
from vademecum.adapters.stores.sqlite.schema import MOST_PARTS, MOST_TURNS, place, turn_of
from vademecum.adapters.stores.stems import date_words, own_words
from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Item, Passage, Touch
from vademecum.domain.scope import folded_label, folded_path

Row = tuple[Any, ...]

#: Tables with rows of an item, and the column with its id.
_ROWS_OF_ITEM = (
    ("items", "id"), ("details", "item"), ("tags", "item"), ("topics", "item"), ("names", "item"), ("edges", "item"),
)  # fmt: skip
#: The other fields, with their defaults: only values that differ from them are stored.
_DETAILS = {f.name: f.default for f in fields(Item) if f.name not in (*COLUMNS, "edges", "passages", "touches")}


def _columns(item: Item) -> list[Any]:
    return [micros(getattr(item, name)) if name in TIMES else getattr(item, name) for name in COLUMNS]


def _details(item: Item) -> str:
    values = {name: getattr(item, name) for name, default in _DETAILS.items() if getattr(item, name) != default}
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _hash(*parts: object) -> int:
    digest = blake2b("\0".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def _same(passage: Passage) -> int:
    """Return the hash of a passage; while it is unchanged, the passage keeps its number."""
    return _hash(passage.text, passage.heading, passage.speaker, micros(passage.time), passage.role)


def _chain(start: int, hashes: Iterable[int]) -> int:
    """Return a hash of hashes that can be extended later."""
    for count in hashes:
        start = _hash(start, count)
    return start


def _shifted(passages: Sequence[Passage], turn: int) -> list[Passage]:
    """Return the passages with their turns shifted so that the first is `turn`."""
    first = passages[0].turn if passages else 0
    return [replace(passage, turn=passage.turn - first + turn) for passage in passages]


class _Known(Struct, frozen=True):
    """An item that has a row: its id, and the hashes of its passages' content and of their positions."""

    id: int
    content: int
    layout: int


@dataclass(slots=True)
class Standing:
    """A passage as stored in the database."""

    number: int
    place: int
    ordinal: int
    hash: int
    stems: int
    time: int | None
    ref: str


@dataclass(slots=True)
class Writes:
    """Rows to delete and rows to insert, collected over many items; deletions are executed first."""

    numbers_gone: list[int] = field(default_factory=list)
    places_gone: list[int] = field(default_factory=list)
    words_gone: list[int] = field(default_factory=list)
    marks: list[Row] = field(default_factory=list)
    texts: list[Row] = field(default_factory=list)
    items_gone: list[int] = field(default_factory=list)
    items: dict[str, list[Row]] = field(default_factory=lambda: {table: [] for table, _ in _ROWS_OF_ITEM})
    words: list[Row] = field(default_factory=list)
    added: list[frozenset[str]] = field(default_factory=list)
    touched: list[int] = field(default_factory=list)
    passages: int = 0
    stems: int = 0


class Writer:
    """Writes and deletes items within one transaction of the caller."""

    def __init__(self, db: apsw.Connection, analyser: Analyser) -> None:
        self._db = db
        self._analyser = analyser
        self._writes = Writes()
        meta = dict(db.execute("SELECT name, value FROM meta WHERE name IN ('next_item', 'next_number')"))
        self._first_new = meta["next_item"]
        self._next_item, self._next_number = meta["next_item"], meta["next_number"]
        self._speakers: dict[tuple[str, str], int] = {
            row[:2]: row[2] for row in db.execute("SELECT name, role, id FROM speakers")
        }

        self._tools: dict[str, Any] = {}
        self._files: dict[str, Any] = {}

    def apply(self, put: Iterable[Item], drop: Iterable[str]) -> None:
        """Implement :meth:`Index.apply`, except for the transaction."""
        new = {item.key: item for item in put}
        gone = {key: known for key in drop if key not in new and (known := self._known(key))}
        by_content = {known.content: known for known in gone.values() if known.content}
        kept = set()
        for item in new.values():
            hashes = [_same(passage) for passage in item.passages]
            content = _chain(0, hashes)
            known = self._known(item.key) or by_content.pop(content, None) or self._fresh()
            kept.add(known.id)
            layout = _chain(0, (_hash(passage.turn, passage.ref) for passage in item.passages))
            if (content, layout) != (known.content, known.layout):
                self._place(known.id, item.passages, hashes)
            self._write_item(_Known(known.id, content, layout), item)
            self._write_touches(known.id, item.touches, 0, anew=True)
        for known in gone.values():
            if known.id not in kept:
                self._remove(self._standing(known.id))
                self._writes.items_gone.append(known.id)
                self._write_touches(known.id, (), 0, anew=True)
        self._write()

    def extend(self, item: Item) -> None:
        """Implement :meth:`Index.extend`, except for the transaction."""
        known = self._known(item.key) or self._fresh()
        last = self._db.execute(
            "SELECT place, ordinal FROM marks WHERE place >= ? AND place < ? ORDER BY place DESC LIMIT 1",
            (place(known.id), place(known.id + 1)),
        ).get
        turn, ordinal = (turn_of(last[0]) + 1, last[1] + 1) if last else (0, 0)
        passages = _shifted(item.passages, turn)
        hashes = [_same(passage) for passage in passages]
        for (at, passage), hashed in zip(_places(known.id, passages), hashes, strict=True):
            self._add(Standing(0, at, ordinal, hashed, 0, micros(passage.time), passage.ref), passage)
            ordinal += 1
        content = _chain(known.content, hashes)
        layout = _chain(known.layout, (_hash(passage.turn, passage.ref) for passage in passages))
        self._write_item(_Known(known.id, content, layout), item)
        first = item.passages[0].turn if item.passages else 0
        self._write_touches(known.id, item.touches, turn - first, anew=False)
        self._write()

    @property
    def added(self) -> Sequence[frozenset[str]] | None:
        """Distinct stems of each added passage; None when passages were removed as well."""
        return None if self._writes.words_gone else self._writes.added

    def _write_touches(self, identity: int, touches: Sequence[Touch], shift: int, *, anew: bool) -> None:
        """Append touches to the stored ones, their turns increased by `shift`; `anew`: replace the stored ones."""
        if anew and identity < self._first_new:
            self._db.execute("DELETE FROM touches WHERE item = ?", (identity,))
        rows = []
        for touch in touches:
            turn = max(touch.turn + shift, 0)
            rows.append((identity, self._tool(touch.tool), self._file(touch.file), turn, micros(touch.time), touch.ref))
        self._db.executemany("INSERT INTO touches VALUES(?, ?, ?, ?, ?, ?)", rows)

    def _tool(self, name: str) -> int:
        if name not in self._tools:
            self._db.execute("INSERT OR IGNORE INTO tools(name) VALUES(?)", (name,))
            self._tools[name] = self._db.execute("SELECT id FROM tools WHERE name = ?", (name,)).get
        return int(self._tools[name])

    def _file(self, path: str) -> int:
        if path not in self._files:
            folded = folded_path(path)
            row = (path, folded, last_part(folded))
            self._db.execute("INSERT OR IGNORE INTO files(file, folded, name) VALUES(?, ?, ?)", row)
            self._files[path] = self._db.execute("SELECT id FROM files WHERE file = ?", (path,)).get
        return int(self._files[path])

    def _known(self, key: str) -> "_Known | None":
        row = self._db.execute("SELECT id, content, layout FROM items WHERE key = ?", (key,)).get
        return _Known(*row) if row else None

    def _fresh(self) -> "_Known":
        self._next_item += 1
        return _Known(self._next_item - 1, 0, 0)

    def _write_item(self, known: "_Known", item: Item) -> None:
        identity, rows = known.id, self._writes.items
        if identity < self._first_new:
            self._writes.items_gone.append(identity)
        rows["items"].append((identity, *_columns(item), known.content, known.layout))
        rows["details"].append((identity, _details(item)))
        rows["tags"] += [(tag, identity) for tag in set(map(folded_label, item.tags))]
        topics = {folded_label(topic): topic for topic in sorted(item.topics, reverse=True)}
        rows["topics"] += [(topic, identity, topics[topic]) for topic in topics]
        rows["names"] += [(name, identity, rank) for name, rank in links.names_of(item).items()]
        rows["edges"] += [
            (identity, ordinal, edge.type, edge.target, links.last_part(links.fold(edge.target)))
            for ordinal, edge in enumerate(item.edges)
        ]

    def _standing(self, item: int) -> list[Standing]:
        rows = self._db.execute(
            "SELECT number, place, ordinal, hash, stems, time, ref FROM marks WHERE place >= ? AND place < ? ORDER BY place",
            (place(item), place(item + 1)),
        )
        return [Standing(*row) for row in rows]

    def _remove(self, standing: Iterable[Standing]) -> None:
        writes = self._writes
        for old in standing:
            writes.numbers_gone.append(old.number)
            writes.places_gone.append(old.place)
            writes.words_gone.append(old.number)
            writes.touched.append(old.number)
            writes.passages -= 1
            writes.stems -= old.stems

    def _place(self, identity: int, passages: Sequence[Passage], hashes: Sequence[int]) -> None:
        """Match the passages with the stored ones, and collect the required writes."""
        known: dict[int, list[Standing]] = {}
        for old in reversed(self._standing(identity) if identity < self._first_new else []):
            known.setdefault(old.hash, []).append(old)
        for ordinal, (at, passage) in enumerate(_places(identity, passages)):
            new = Standing(0, at, ordinal, hashes[ordinal], 0, micros(passage.time), passage.ref)
            same = known.get(new.hash)
            if same:
                self._keep(same.pop(), new, passage)
            else:
                self._add(new, passage)
        self._remove(old for rest in known.values() for old in rest)

    def _add(self, new: Standing, passage: Passage) -> None:
        new.number = self._next_number
        self._next_number += 1
        self._writes.passages += 1
        own = own_words(passage)
        stems = self._analyser.stems(own)
        self._write_text(new, passage, stems)
        dated = date_words(passage.time)
        self._writes.words.append((new.number, f"{dated}\n{own}"))
        self._writes.added.append(frozenset(stems).union(self._analyser.stems(dated) if dated else ()))

    def _keep(self, old: Standing, new: Standing, passage: Passage) -> None:
        """Write the differences of a passage that is already stored."""
        new.number, new.stems = old.number, old.stems
        if new == old:
            return
        if new.place == old.place:
            self._mark(new, passage)
            return
        self._writes.places_gone.append(old.place)
        self._writes.stems -= old.stems
        self._write_text(new, passage, self._analyser.stems(own_words(passage)))

    def _write_text(self, new: Standing, passage: Passage, stems: Sequence[str]) -> None:
        codes = self._analyser.codes(stems)
        new.stems = len(codes) + len(self._analyser.dated(passage.time))
        self._writes.stems += new.stems
        time = micros(passage.time)
        row = (new.place, new.number, time, passage.speaker, passage.heading, codes.tobytes(), passage.text)
        self._writes.texts.append(row)
        self._mark(new, passage)

    def _mark(self, new: Standing, passage: Passage) -> None:
        speaker = self._speaker(passage.speaker, passage.role)
        self._writes.marks.append((new.number, new.place, new.ordinal, new.hash, new.stems, new.time, speaker, new.ref))
        self._writes.touched.append(new.number)

    def _speaker(self, name: str, role: str) -> int:
        if (name, role) not in self._speakers:
            made: Any = self._db.execute("INSERT INTO speakers(name, role) VALUES(?, ?) RETURNING id", (name, role)).get
            self._speakers[name, role] = made
        return self._speakers[name, role]

    def _write(self) -> None:
        db, writes = self._db, self._writes
        for table, column in _ROWS_OF_ITEM:
            db.executemany(f"DELETE FROM {table} WHERE {column} = ?", _singles(writes.items_gone))
        for table, rows in writes.items.items():
            columns = f"(id, {', '.join(COLUMNS)}, content, layout)" if table == "items" else ""
            marks = ", ".join("?" * len(rows[0])) if rows else ""
            db.executemany(f"INSERT INTO {table}{columns} VALUES({marks})", rows)
        gone = np.array(writes.numbers_gone, np.int64)
        delete_vectors(db, gone)
        db.executemany("DELETE FROM marks WHERE number = ?", _singles(writes.numbers_gone))
        db.executemany("DELETE FROM texts WHERE place = ?", _singles(writes.places_gone))
        db.executemany("DELETE FROM words WHERE rowid = ?", _singles(writes.words_gone))
        db.executemany("INSERT OR REPLACE INTO marks VALUES(?, ?, ?, ?, ?, ?, ?, ?)", writes.marks)
        db.executemany("INSERT INTO texts VALUES(?, ?, ?, ?, ?, ?, ?)", writes.texts)
        db.executemany("INSERT INTO words(rowid, own) VALUES(?, ?)", writes.words)
        if stemmed := frozenset[str]().union(*writes.added):
            listed = apsw.carray(tuple(sorted(stemmed)), flags=apsw.SQLITE_CARRAY_TEXT)
            db.execute(
                "INSERT INTO stems(stem) SELECT value FROM carray(?) WHERE value NOT IN (SELECT stem FROM stems)", (listed,)
            )
        db.execute(
            "UPDATE meta SET value = CASE name WHEN 'next_item' THEN ? WHEN 'next_number' THEN ?"
            " WHEN 'passages' THEN value + ? ELSE value + ? END"
            " WHERE name IN ('next_item', 'next_number', 'passages', 'stems')",
            (self._next_item, self._next_number, writes.passages, writes.stems),
        )
        record(db, {PASSAGES: distinct(np.array(writes.touched, np.int64))})


def delete_vectors(db: apsw.Connection, numbers: Numbers) -> None:
    """Delete the vectors of those passages, for every model."""
    if not len(numbers):
        return
    for model in [row[0] for row in db.execute("SELECT id FROM models")]:
        db.execute("DELETE FROM vectors WHERE model = ? AND number IN carray(?)", (model, apsw.carray(numbers)))
        db.execute("UPDATE models SET vectors = vectors - ? WHERE id = ?", (db.changes(), model))


def _singles(values: Iterable[int]) -> Iterator[tuple[int]]:
    return ((value,) for value in values)


def _places(item: int, passages: Sequence[Passage]) -> Iterator[tuple[int, Passage]]:
    """Yield each passage with its place.

    Raises:
        InvalidInput: turns decrease, or there are more turns or parts than a place can encode.
    """
    turn, part = -1, 0
    for passage in passages:
        part = part + 1 if passage.turn == turn else 0
        if passage.turn < turn or passage.turn >= MOST_TURNS or part >= MOST_PARTS:
            raise InvalidInput(f"The passages of an item are out of order or too many, at turn {passage.turn}.")
        turn = passage.turn
        yield place(item, turn, part), passage

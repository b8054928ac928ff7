"""The index as plain Python: slow, in memory, and simple enough to be obviously right. Other stores are held against it."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise, product
from typing import Any, Literal

import apsw
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from vademecum.adapters.stores import links
from vademecum.adapters.stores.analysis import Analyser, Codes
from vademecum.adapters.stores.sqlite.quotes import WHOLE_WORDS
from vademecum.adapters.stores.stems import date_words, own_words
from vademecum.adapters.stores.texts import clean, clean_item
from vademecum.adapters.stores.word_scores import K1, B, edits_allowed, frequency_weight, weights_like, within_budget
from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import FILED_SOURCES, Edge, Fingerprint, Item, Passage, StoredPassage, Touch
from vademecum.domain.query import Scope, Scored
from vademecum.domain.scope import item_fits, time_fits, touch_fits
from vademecum.domain.topics import Topic
from vademecum.language.text import one_line
from vademecum.ports.index import Facet, IndexHealth, IndexStats, Surroundings, Term

Floats = NDArray[np.float32]


@dataclass(slots=True)
class _Row:
    """A passage with the stems it is found by; `length` counts them with repeats."""

    number: int
    passage: Passage
    stems: frozenset[str]
    length: int
    codes: Codes


@dataclass(slots=True)
class _Entry:
    """An item with its passages; `names` as :func:`links.names_of` gives them."""

    item: Item
    rows: list[_Row]
    names: dict[str, int]


class MemoryIndex:
    """An :class:`~vademecum.ports.index.Index` that lives as long as the process."""

    def __init__(self) -> None:
        self._connection = apsw.Connection(":memory:")
        self._analyser = Analyser(self._connection)
        self._next = 1
        self._entries: dict[str, _Entry] = {}
        self._vectors: dict[str, dict[int, Floats]] = {}
        self._complete = False

    def fingerprints(self, space: str | None = None) -> Mapping[str, Fingerprint]:
        items = (entry.item for entry in self._entries.values())
        return {i.key: Fingerprint(i.space, i.path, i.stat, i.digest) for i in items if space is None or i.space == space}

    def apply(self, put: Sequence[Item], drop: Iterable[str] = ()) -> None:
        new = {item.key: item for item in map(clean_item, put)}
        for item in new.values():
            if any(later.turn < turn.turn for turn, later in pairwise(item.passages)):
                raise InvalidInput(f"The passages of {item.key} are out of order.")
        gone = {key: self._entries.pop(key) for key in map(clean, drop) if key in self._entries and key not in new}
        renamed = {_shape(entry.item): entry for entry in gone.values() if entry.rows}
        for item in new.values():
            old = self._entries.get(item.key) or renamed.pop(_shape(item), None)
            self._entries[item.key] = self._entry(item, old.rows if old else [])
        standing = {row.number for _, row in self._rows()}
        for rows in self._vectors.values():
            for number in rows.keys() - standing:
                del rows[number]

    def _entry(self, item: Item, old: list[_Row]) -> _Entry:
        known: dict[tuple[object, ...], list[int]] = {}
        for row in reversed(old):
            known.setdefault(_same(row.passage), []).append(row.number)
        rows = []
        for passage in item.passages:
            kept = known.get(_same(passage))
            rows.append(self._row(kept.pop() if kept else self._new_number(), passage))
        return _Entry(item, rows, links.names_of(item))

    def _new_number(self) -> int:
        self._next += 1
        return self._next - 1

    def _row(self, number: int, passage: Passage) -> _Row:
        stems = self._analyser.stems(own_words(passage))
        dated = self._analyser.stems(date_words(passage.time))
        return _Row(number, passage, frozenset(stems + dated), len(stems) + len(dated), self._analyser.codes(stems))

    def _rows(self) -> Iterator[tuple[_Entry, _Row]]:
        for entry in self._entries.values():
            for row in entry.rows:
                yield entry, row

    def extend(self, item: Item) -> None:
        tidy = clean_item(item)
        known = self._entries.get(tidy.key)
        before = [row.passage for row in known.rows] if known else []
        turn = before[-1].turn + 1 if before else 0
        first = tidy.passages[0].turn if tidy.passages else 0
        behind = [replace(passage, turn=passage.turn - first + turn) for passage in tidy.passages]
        earlier = known.item.touches if known else ()
        touches = tuple(replace(touch, turn=max(touch.turn - first + turn, 0)) for touch in tidy.touches)
        self.apply([replace(tidy, passages=(*before, *behind), touches=(*earlier, *touches))])

    def passages(self, numbers: Sequence[int]) -> Mapping[int, StoredPassage]:
        asked = set(numbers)
        return {
            row.number: StoredPassage(row.number, entry.item.key, ordinal, row.passage)
            for entry in self._entries.values()
            for ordinal, row in enumerate(entry.rows)
            if row.number in asked
        }

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]:
        entry = self._entries.get(clean(key))
        rows = list(enumerate(entry.rows))[max(start, 0) : stop] if entry else []
        return tuple(StoredPassage(row.number, clean(key), ordinal, row.passage) for ordinal, row in rows)

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]:
        known = [self._entries[key].item for key in map(clean, keys) if key in self._entries]
        return {item.key: _bare(item) for item in known}

    def select(
        self,
        scope: Scope,
        *,
        order: Literal["priority", "recent", "importance", "confirmed"] = "recent",
        limit: int = 100,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Item, ...]:
        found = [e.item for e in self._entries.values() if item_fits(e.item, scope) and time_fits(e.item.updated, scope)]
        if after is not None:
            place = -_seconds(after[0]), after[1]
            found = [item for item in found if (-_seconds(item.updated), item.key) > place]
        found.sort(key=lambda item: item.key)
        weigh: dict[str, Callable[[Item], Any]] = {
            "recent": lambda item: _seconds(item.updated),
            "confirmed": lambda item: _seconds(item.last_confirmed or item.created),
            "priority": lambda item: (item.priority, item.importance, _seconds(item.updated)),
            "importance": lambda item: item.importance,
        }
        found.sort(key=weigh[order], reverse=True)
        return tuple(map(_bare, found[: max(limit, 0)]))

    # Words

    def terms(self, text: str, stop: frozenset[str]) -> tuple[Term, ...]:
        asked = self._analyser.asked(text, stop)
        codes = self._analyser.codes(list(asked))
        rows = [row.stems for _, row in self._rows()]
        return tuple(
            Term(word, int(code), sum(stem in stems for stems in rows))
            for (stem, word), code in zip(asked.items(), codes, strict=True)
        )

    def like(self, terms: Sequence[Term], *, fuzzy: float, prefix: bool, limit: int) -> tuple[Term, ...]:
        return tuple(replace(term, like=self._like(term, fuzzy, prefix, limit)) for term in terms)

    def _like(self, term: Term, fuzzy: float, prefix: bool, limit: int) -> tuple[Term, ...]:
        stem = next(iter(self._analyser.stems(term.word)), "")
        if not stem:
            return ()
        having = Counter(other for _, row in self._rows() for other in row.stems)
        edits = {other: edits_between(stem, other) for other in having}
        near = {other: count for other, count in edits.items() if count <= edits_allowed(stem, fuzzy)}
        longer = {other for other in having if prefix and other.startswith(stem)}
        return tuple(
            Term(term.word, int(self._analyser.codes([other])[0]), having[other], other, weight)
            for weight, other in weights_like(stem, near, longer)[:limit]
        )

    def words(self, terms: Sequence[Term], scope: Scope, limit: int, *, budget: int) -> tuple[Scored, ...]:
        total, mean = self._size()
        scores: dict[int, float] = {}
        for term in within_budget(terms, budget):
            stem = term.stem or self._analyser.stems(term.word)[0]
            having = sum(stem in row.stems for _, row in self._rows())
            for _, row in self._rows():
                if stem in row.stems:
                    norm = K1 * (1 - B + B * row.length / mean)
                    worth = term.weight * frequency_weight(having, total) * (K1 + 1) / (1 + norm)
                    scores[row.number] = scores.get(row.number, 0) + worth
        return self._best(scores, scope, limit)

    def frequencies(self, terms: Sequence[Term], scope: Scope) -> tuple[int, ...]:
        stems = [term.stem or self._analyser.stems(term.word)[0] for term in terms]
        holding = [{row.number: 0.0 for _, row in self._rows() if stem in row.stems} for stem in stems]
        return tuple(len(self._best(numbers, scope, len(numbers))) for numbers in holding)

    def quoted(self, text: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        wanted, words = one_line(clean(text)), list(self._analyser.asked(clean(text), frozenset()))
        found: tuple[Scored, ...] = ()
        for asked in (words, words[1:-1] if len(words) > WHOLE_WORDS else []):
            if wanted and asked and not found:
                rows = (row for _, row in self._rows() if row.stems.issuperset(asked) and wanted in one_line(row.passage.text))
                found = self._best({row.number: 0.0 for row in rows}, scope, len(self._entries) + self._next)
        return tuple(sorted(found, key=lambda one: -one.number)[: max(limit, 0)])

    def touches(self, scope: Scope, limit: int) -> tuple[tuple[str, Touch], ...]:
        inside = [
            entry.item for entry in self._entries.values() if entry.item.source == "session" and item_fits(entry.item, scope)
        ]
        found = [
            (item.key, touch)
            for item in inside
            for touch in item.touches
            if touch_fits(touch, scope) and time_fits(touch.time or item.updated, scope)
        ]
        found.sort(key=lambda one: one[0])
        found.sort(key=lambda one: one[1].time.timestamp() if one[1].time else -math.inf, reverse=True)
        return tuple(found[: max(limit, 0)])

    def stats(self) -> IndexStats:
        total, mean = self._size()
        return IndexStats(total, mean if total else 0.0, self.health().vectors)

    def size(self, scope: Scope) -> tuple[int, float]:
        lengths = [
            row.length
            for entry, row in self._rows()
            if item_fits(entry.item, scope) and passage_fits(row.passage, entry.item, scope)
        ]
        return len(lengths), sum(lengths) / len(lengths) if lengths else 0.0

    def window(self, turns: Sequence[tuple[str, int]], reach: int) -> Surroundings:
        wanted = {(key, turn + step) for key, turn in turns for step in range(-reach, reach + 1)}
        entries = [(key, entry.rows) for key, entry in sorted(self._entries.items())]
        found = [(key, row) for key, rows in entries for row in rows if (key, row.passage.turn) in wanted]
        keys = sorted({key for key, _ in found})
        speakers = sorted({row.passage.speaker for _, row in found})
        codes = [np.zeros(0, np.uint32), *(row.codes for _, row in found)]
        return Surroundings(
            keys=tuple(keys),
            speakers=tuple(speakers),
            dates=tuple(self._analyser.dated(row.passage.time) for _, row in found),
            numbers=_integers(row.number for _, row in found),
            item=_integers(keys.index(key) for key, _ in found),
            turn=_integers(row.passage.turn for _, row in found),
            speaker=_integers(speakers.index(row.passage.speaker) for _, row in found),
            date=np.arange(len(found)),
            codes=np.concatenate(codes),
            ends=np.cumsum(_integers(len(row.codes) for _, row in found)),
        )

    def _size(self) -> tuple[int, float]:
        """Return passages, and mean stems of one (1 when there is none)."""
        lengths = [row.length for _, row in self._rows()]
        return len(lengths), sum(lengths) / len(lengths) if lengths else 1.0

    def _best(self, scores: Mapping[int, float], scope: Scope, limit: int) -> tuple[Scored, ...]:
        inside = [
            Scored(row.number, entry.item.key, row.passage.turn, scores[row.number])
            for entry, row in self._rows()
            if row.number in scores and item_fits(entry.item, scope) and passage_fits(row.passage, entry.item, scope)
        ]
        return tuple(sorted(inside, key=lambda one: (-one.score, one.number))[: max(limit, 0)])

    def near(self, vector: Floats, model_id: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        rows = self._vectors.get(model_id, {})
        return self._best({number: float(row @ vector) for number, row in rows.items() if row.any()}, scope, limit)

    def cosines(self, vector: Floats, model_id: str, numbers: Sequence[int] | NDArray[np.int64]) -> Floats:
        rows = self._vectors.get(model_id, {})
        found = [float(rows[number] @ vector) if number in rows else np.nan for number in map(int, numbers)]
        return np.array(found, np.float32)

    def vectors(self, model_id: str, numbers: Sequence[int] | NDArray[np.int64]) -> Floats:
        rows = self._vectors.get(model_id, {})
        empty = np.zeros_like(next(iter(rows.values()), np.zeros(0, np.float32)))
        return np.array([rows.get(number, empty) for number in map(int, numbers)], np.float32).reshape(len(numbers), len(empty))

    def without_vectors(self, model_id: str, limit: int) -> tuple[StoredPassage, ...]:
        rows = self._vectors.get(model_id, {})
        waiting = [(entry, row) for entry, row in self._rows() if row.number not in rows]
        waiting.sort(key=lambda pair: _newest_first(pair[1].passage.time or pair[0].item.updated, pair[1].number))
        waiting.sort(key=lambda pair: (pair[0].item.source not in FILED_SOURCES, pair[0].item.source == "log"))
        found = self.passages([row.number for _, row in waiting[: max(limit, 0)]])
        return tuple(found[row.number] for _, row in waiting[: max(limit, 0)])

    def add_vectors(self, model_id: str, numbers: Sequence[int], rows: Floats) -> None:
        standing = {row.number for _, row in self._rows()}
        known = self._vectors.setdefault(model_id, {})
        known.update({n: np.array(row, dtype=np.float32) for n, row in zip(numbers, rows, strict=True) if n in standing})

    def drop_vectors(self, model_id: str) -> None:
        self._vectors.pop(model_id, None)

    def topics(self, scope: Scope, model_id: str) -> tuple[Topic, ...]:
        members: dict[str, list[tuple[str, _Entry]]] = {}
        for entry in self._entries.values():
            if item_fits(entry.item, scope):
                for label in {label.casefold(): label for label in sorted(entry.item.topics, reverse=True)}.values():
                    members.setdefault(label.casefold(), []).append((label, entry))
        found = [self._topic(having, scope, model_id) for having in members.values()]
        return tuple(sorted(found, key=lambda topic: (-topic.items, topic.label)))

    def _topic(self, having: Sequence[tuple[str, _Entry]], scope: Scope, model_id: str) -> Topic:
        rows = self._vectors.get(model_id, {})
        vectors = [
            rows[row.number]
            for _, entry in having
            for row in entry.rows
            if row.number in rows and rows[row.number].any() and passage_fits(row.passage, entry.item, scope)
        ]
        mean = np.asarray(np.mean(vectors, axis=0) if vectors else [], np.float32)
        return Topic(min(label for label, _ in having), len(having), len(vectors), mean)

    # Links

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]:
        every = [(key, *edge) for key, entry in sorted(self._entries.items()) for edge in self._resolved(entry)]
        answer = {}
        for key in map(clean, keys):
            if key in self._entries:
                out = [Edge(kind, target) for source, kind, target in every if source == key]
                into = [Edge(kind, source) for source, kind, target in every if target == key]
                answer[key] = tuple(dict.fromkeys(out + into))
        return answer

    def with_edge(self, kind: str) -> tuple[str, ...]:
        return tuple(key for key, entry in sorted(self._entries.items()) if any(edge.type == kind for edge in entry.item.edges))

    def _resolved(self, entry: _Entry) -> Iterator[tuple[str, str]]:
        for edge in entry.item.edges:
            link = links.fold(edge.target)
            target = links.choose(link, entry.item.space, self._candidates(link))
            if target and target != entry.item.key:
                yield edge.type, target

    def _candidates(self, link: str) -> list[links.Named]:
        part = links.last_part(link)
        return [
            links.Named(other.item.key, other.item.space, other.item.path, other.names[part])
            for other in self._entries.values()
            if part in other.names
        ]

    def named(self, text: str) -> tuple[str, ...]:
        folded = links.fold(clean(text))
        return links.ordered(folded, self._candidates(folded))

    # State

    def counts(self) -> Mapping[tuple[str, str], int]:
        return Counter((entry.item.source, entry.item.status) for entry in self._entries.values())

    def facets(self, scope: Scope, fields: Sequence[Facet]) -> Mapping[tuple[str, ...], int]:
        found = (e.item for e in self._entries.values() if item_fits(e.item, scope) and time_fits(e.item.updated, scope))
        return Counter(values for item in found for values in product(*(_values(item, field) for field in fields)))

    def held(self) -> Mapping[str, str]:
        return {key: e.item.branch for key, e in sorted(self._entries.items()) if e.item.branch}

    def let_go(self) -> None: ...

    def health(self, *, deep: bool = False) -> IndexHealth:
        vectors = {model: len(rows) for model, rows in sorted(self._vectors.items()) if rows}
        return IndexHealth("", len(self._entries), sum(1 for _ in self._rows()), 0, vectors)

    def wipe(self) -> None:
        self._entries.clear()
        self._vectors.clear()
        self._complete = False

    def is_held(self) -> bool:
        return False

    def is_complete(self) -> bool:
        return self._complete

    def note_complete(self) -> None:
        self._complete = True

    def compact(self) -> None: ...

    def close(self) -> None:
        self._connection.close()


def _same(passage: Passage) -> tuple[object, ...]:
    """Return the fields of a passage that must stay for it to keep its number."""
    return passage.text, passage.heading, passage.speaker, passage.time, passage.role


def _shape(item: Item) -> tuple[tuple[object, ...], ...]:
    return tuple(map(_same, item.passages))


def _seconds(moment: datetime | None) -> float:
    return moment.timestamp() if moment else -math.inf


def _values(item: Item, field: Facet) -> tuple[str, ...]:
    if field == "tag":
        return tuple(dict.fromkeys(tag.casefold() for tag in item.tags)) or ("",)
    if field == "quarter":
        return (str(int(item.updated.timestamp() / 900)) if item.updated else "",)
    if field == "created_day":
        return (str(int(item.created.timestamp() / 86400)) if item.created else "",)
    if field == "size":
        return (item.stat.partition(":")[0] or "0",)
    return (getattr(item, field),)


def _integers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(values), np.int64)


def _newest_first(time: datetime | None, number: int) -> tuple[float, int]:
    return (-time.timestamp() if time else math.inf), number


def _bare(item: Item) -> Item:
    return replace(item, passages=(), edges=(), touches=())


def passage_fits(passage: Passage, item: Item, scope: Scope) -> bool:
    """Return whether everything in `scope` that speaks of passages allows this one."""
    spoken = (scope.speakers is None or passage.speaker in scope.speakers) and (
        scope.roles is None or passage.role in scope.roles
    )
    return spoken and time_fits(passage.time or item.updated, scope)


def edits_between(one: str, other: str) -> int:
    """Return Levenshtein's distance: single characters inserted, deleted or replaced."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        before, row[0] = row[0], number
        for at, other_letter in enumerate(other, 1):
            cost = min(row[at] + 1, row[at - 1] + 1, before + (letter != other_letter))
            before, row[at] = row[at], cost
    return row[-1]

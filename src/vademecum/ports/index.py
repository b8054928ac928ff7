"""The index: items and their passages, searched by words, by meaning and by links.

An *item* is a memory, a document or a session; a *passage* is a piece of it (see :mod:`vademecum.domain.item`). There is one
protocol for each task; a store implements them together as :class:`Index`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    import numpy as np

    from vademecum.domain.item import Edge, Fingerprint, Item, StoredPassage, Touch
    from vademecum.domain.query import Scope, Scored
    from vademecum.domain.topics import Topic


#: Fields by which items can be counted.
Facet = Literal["source", "kind", "status", "project", "agent", "host", "tag", "quarter", "created_day", "size"]


class Term(Struct, frozen=True):
    """A content word of a query, with its data from the index.

    Attributes:
        word: as in the query. code: 32-bit code of its stem, as in `Surroundings.codes`.
        passages: number of passages that contain the stem; 0 when it never occurs.
        stem: for a similar term that is not in the query: the stem as stored in the index; else "".
        weight: weight of an occurrence, above 0 to 1; 1 for a word of the query.
        like: similar terms of the index, as :meth:`Index.like` returned them.
    """

    word: str
    code: int
    passages: int
    stem: str = ""
    weight: float = 1.0
    like: tuple[Term, ...] = ()


class Surroundings(NamedTuple):
    """Passages of turns and of their neighbouring turns, as columns, since a thousand are read for one query.

    They are sorted by item key, turn and piece of the turn. All arrays but `codes` are int64 with one number for each passage.

    Attributes:
        keys: distinct keys of items, sorted; `item` is the index of each passage's item in it.
        speakers, dates: distinct values that `speaker` and `date` index in the same way; of each date the uint32 stem codes of
            its words ("8 May 2023 Monday"), empty without a date.
        numbers, turn: numbers and turns of the passages, as in :class:`StoredPassage`.
        codes: uint32, stem codes of speaker, heading and text in order, with repeats, concatenated over the passages.
        ends: end of each passage's codes in `codes`.
    """

    keys: tuple[str, ...]
    speakers: tuple[str, ...]
    dates: tuple[np.ndarray, ...]
    numbers: np.ndarray
    item: np.ndarray
    turn: np.ndarray
    speaker: np.ndarray
    date: np.ndarray
    codes: np.ndarray
    ends: np.ndarray


class IndexStats(Struct, frozen=True):
    """Size of the collection.

    Attributes:
        passages: number of passages. mean_stems: mean number of stems of a passage, date included.
        vectors: model id -> number of passages with a vector.
    """

    passages: int
    mean_stems: float
    vectors: Mapping[str, int]


class IndexHealth(Struct, frozen=True):
    """State of an index.

    Attributes:
        damage: description of a fault; "" for none. items, passages: counts. bytes: size on disk.
        vectors: model id -> number of passages with a vector.
    """

    damage: str
    items: int
    passages: int
    bytes: int
    vectors: Mapping[str, int]


class IndexedItems(Protocol):
    """Items and passages as stored. Raises as :class:`Index` says."""

    def fingerprints(self, space: str | None = None, *, begins: str = "") -> Mapping[str, Fingerprint]:
        """Return item key -> recorded state of its file, of one space or all, and of keys that begin so."""

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]:
        """Return items by key, without their passages, edges and touches; missing ones are omitted."""

    def select(
        self,
        scope: Scope,
        *,
        order: Literal["priority", "recent", "importance", "confirmed"] = "recent",
        limit: int = 100,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Item, ...]:
        """Return items in scope without a query, the largest first (ties by key), without passages, edges and touches.

        "recent" sorts by `updated`, "importance" by the base value, "confirmed" by `last_confirmed` or else `created`. `since`
        and `until` apply to `updated`; `speakers` is ignored.

        Args:
            after: `updated` and key of the item after which to continue, with the order "recent" only; the item need not exist
                any more.
        """

    def passages(self, numbers: Sequence[int]) -> Mapping[int, StoredPassage]:
        """Return the passages with these numbers; missing ones are omitted."""

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]:
        """Return passages of one item with `start` <= ordinal < `stop`, in order."""

    def touches(self, scope: Scope, limit: int) -> tuple[tuple[str, Touch], ...]:
        """Return (session's key, touch) of the tool uses that match `scope`, latest first; those without a time come last."""

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return (source, status) -> number of items."""

    def facets(self, scope: Scope, fields: Sequence[Facet]) -> Mapping[tuple[str, ...], int]:
        """Return (a value of each field, in the order of `fields`) -> number of items in scope with these values. An empty
        field counts as "".

        `since` and `until` apply to `updated`. An item with several tags counts under each. The field "quarter" is the quarter
        of an hour of `updated`, as its number since 1970, UTC, from which the days of any time zone can be computed.
        "created_day" is the day of `created`, as its number since 1970, UTC. "size" is the file's size in bytes, "0" without a
        file.
        """

    def held(self) -> Mapping[str, str]:
        """Return key -> branch (see :attr:`Item.branch`) of the items that hold only on a branch, sorted by key."""


class WordSearch(Protocol):
    """Search by words, and the data for its ranking. Raises as :class:`Index` says."""

    def terms(self, text: str, stop: frozenset[str], *, counted: int | None = None) -> tuple[Term, ...]:
        """Return the distinct stems of `text` in order, without those whose lower-cased word is in `stop`.

        Scripts without spaces give overlapping pairs of characters. A text of only stop-words gives all its stems.

        Args:
            counted: number of stems, from the first, whose passages are counted, which takes long; the others have 0. None: all.
        """

    def like(self, terms: Sequence[Term], *, fuzzy: float, prefix: bool, limit: int) -> tuple[Term, ...]:
        """Return the same terms, each with similar terms of the index: of nearly the same spelling, or with the term as a
        prefix.

        Nearly the same: at most `fuzzy` x length edits of the stem, rounded (insert, delete, replace one character). Weights as
        MiniSearch publishes them, with n the length of the similar term: .375 x n / (n + .3 x number of further characters) for
        a prefix, else .45 x n / (n + edits). Largest weight first, ties in the order of the stems, at most `limit` for each
        term.
        """

    def words(self, terms: Sequence[Term], scope: Scope, limit: int, *, budget: int) -> tuple[Scored, ...]:
        """Return passages that contain any of the terms or their `like` terms, best first by BM25 (score > 0); ties by number.

        Args:
            budget: most postings to read. The rarest terms are read first, at least one; common ones only add cost. Similar
                terms are read after all terms of the query.
        """

    def frequencies(self, terms: Sequence[Term], scope: Scope) -> tuple[int, ...]:
        """Return how many passages in scope contain each of those terms; similar terms do not count."""

    def quoted(self, text: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        """Return passages that contain `text` literally, the last written first (score 0).

        White space and case are ignored. If no passage contains the complete words and there are more than two, the first and
        the last one may be parts of words.
        """

    def stats(self) -> IndexStats:
        """Return the size of the collection."""

    def size(self, scope: Scope) -> tuple[int, float]:
        """Return the number of passages in scope, and the mean number of stems of a passage (date included); 0 for none."""

    def window(self, turns: Sequence[tuple[str, int]], reach: int) -> Surroundings:
        """Return passages of the given (item key, turn) and of up to `reach` turns before and after each, each once."""


class VectorSearch(Protocol):
    """Search by meaning, and access to the vectors. Raises as :class:`Index` says."""

    def near(self, vector: np.ndarray, model_id: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        """Return the passages nearest to `vector` (unit row) by the vectors of this model, with their cosines, best first."""

    def cosines(self, vector: np.ndarray, model_id: str, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return float32, the cosine of each passage; NaN without a vector of this model, 0 for a row of zeros."""

    def vectors(self, model_id: str, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return float32, one unit row for each passage, as precise as stored; zeros without a vector of this model."""

    def topics(self, scope: Scope, model_id: str) -> tuple[Topic, ...]:
        """Return topics of the items in scope with the mean of their passages' vectors; most items first, ties by label.

        Labels that differ only in case are one topic. A model without any stored vectors gives topics without centroids.
        """

    def without_vectors(self, model_id: str, limit: int) -> tuple[StoredPassage, ...]:
        """Return passages without a vector of this model: memories first, tool logs last.

        Each group is sorted by the passages' own time, or else their item's `updated`, newest first; ties by number.
        """

    def add_vectors(self, model_id: str, numbers: Sequence[int], rows: np.ndarray) -> None:
        """Store vectors (float32 unit rows, one for each number); numbers removed meanwhile are skipped."""

    def drop_vectors(self, model_id: str) -> None:
        """Delete the vectors of a model that is no longer used."""


class LinkGraph(Protocol):
    """Names of items and the links between them. Raises as :class:`Index` says."""

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]:
        """Return edges from and to the given items: item key -> edges whose target is the *other* item's key.

        Wikilinks and ids are resolved at the time of the call; a target that cannot be resolved is omitted.
        """

    def with_edge(self, kind: str) -> tuple[str, ...]:
        """Return keys of the items whose file has an edge of that type, whatever its target, sorted."""

    def named(self, text: str) -> tuple[str, ...]:
        """Return keys of the items with `text` as key, id, path, file name, title or alias (case ignored), best match first."""


class IndexUpkeep(Protocol):
    """Writing to the index, and maintenance of its file. Raises as :class:`Index` says."""

    def apply(self, put: Sequence[Item], drop: Iterable[str] = ()) -> None:
        """Store the items of `put` exactly as given and delete the keys of `drop`, all or nothing.

        A passage whose text, heading, speaker and time did not change keeps its number and its vectors, also when its complete
        item returns under a new key in the call that drops the old one. A number is never reused. Unknown keys in `drop` are no
        error; a key in both is stored. Characters that UTF-8 cannot encode are replaced.

        Raises:
            InvalidInput: the turn numbers of an item decrease. Locked, WriteFailed: as below. Nothing was changed.
        """

    def extend(self, item: Item) -> None:
        """Append the passages of `item` to the stored ones of its key, and replace all its other fields.

        Turn numbers of the new passages continue from the last one. Its touches are appended with the same offset. An unknown
        key is added. The cost does not grow with the number of stored passages (X-55).
        """

    def let_go(self) -> None:
        """Free caches that can be read again from the files. Takes milliseconds; results stay the same."""

    def is_held(self) -> bool:
        """Return whether another process is writing at this moment, so that a write would have to wait."""

    def is_complete(self) -> bool:
        """Return whether it was once filled completely; false for a new, wiped or other-version file."""

    def note_complete(self) -> None:
        """Record that everything known is in the index.

        Raises:
            Locked, WriteFailed: as above.
        """

    def health(self, *, deep: bool = False) -> IndexHealth:
        """Report the contents of the index and whether it can be trusted.

        `deep` reads everything. Damage is reported, never raised.
        """

    def compact(self) -> None:
        """Free disk space, and ensure that no byte of deleted content remains on disk. May take seconds; results stay the same.

        Raises:
            Locked, WriteFailed: as above. Nothing was changed.
        """

    def make_room(self) -> None:
        """Remove files that can be rebuilt from the index. Needs no free space on the disk; results stay the same."""

    def wipe(self) -> None:
        """Start empty, whatever state the file is in."""

    def close(self) -> None:
        """Release files and memory. Further calls are errors."""


class SearchIndex(IndexedItems, WordSearch, VectorSearch, LinkGraph, Protocol):
    """The index as queries use it: everything except writing."""


class Index(SearchIndex, IndexUpkeep, Protocol):
    """The derived copy of vault and transcripts. It can be deleted at any time; a rebuilt one gives the same results.

    Writes are atomic: after :meth:`apply` returned, records, words and edges are on disk together; after a crash within it,
    none are. One process writes at a time (others wait, then get Locked); readers never wait.

    Every method raises IndexDamaged when the file is damaged or missing, Locked when another process holds it too long, and
    WriteFailed when the disk is full or refuses. The constructor never raises these. :meth:`wipe` always works. An index with
    an unknown schema starts empty.
    """

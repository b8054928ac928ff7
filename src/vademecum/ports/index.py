"""The index: items and their passages, found by words, by meaning and by links.

An *item* is a memory, a document or a session; a *passage* is a piece of it (see :mod:`vademecum.domain.item`). One protocol for
each job; a store implements them together as :class:`Index`.
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


#: What items are counted by.
Facet = Literal["source", "kind", "status", "project", "agent", "host", "tag", "quarter", "created_day", "size"]


class Term(Struct, frozen=True):
    """A content word of a question as the index knows it.

    Attributes:
        word: as asked. code: 32 bits that stand for its stem, as in `Surroundings.codes`.
        passages: how many passages hold the stem; 0 when nobody ever wrote it.
        stem: for a term that nobody asked for but that is like one of the question's: the stem as the index keeps it; else "".
        weight: what an occurrence counts, above 0 to 1; 1 for what was asked.
        like: terms of the index that stand in for this one, as :meth:`Index.like` gave them.
    """

    word: str
    code: int
    passages: int
    stem: str = ""
    weight: float = 1.0
    like: tuple[Term, ...] = ()


class Surroundings(NamedTuple):
    """Passages of turns and of the turns around them, as columns: a thousand are read for one question.

    They come by item key, turn and piece of the turn. All arrays but `codes` are int64 with one number for each passage.

    Attributes:
        keys: distinct keys of items, sorted; `item` says whose each passage is, by its place among them.
        speakers, dates: what `speaker` and `date` count into likewise; of each date the uint32 stems of its words
            ("8 May 2023 Monday"), none without one.
        numbers, turn: as elsewhere.
        codes: uint32, stems of speaker, heading and text in order, repeats kept, of one passage behind the other.
        ends: where those of each passage end.
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
    """Size of the collection: passages, mean number of stems (date included) of one, and passages with a vector by model."""

    passages: int
    mean_stems: float
    vectors: Mapping[str, int]


class IndexHealth(Struct, frozen=True):
    """State of an index: `damage` is "" or what is wrong; counts of what it holds; bytes on disk, vectors by model."""

    damage: str
    items: int
    passages: int
    bytes: int
    vectors: Mapping[str, int]


class IndexedItems(Protocol):
    """Items and passages as they were stored. Raises as :class:`Index` says."""

    def fingerprints(self, space: str | None = None) -> Mapping[str, Fingerprint]:
        """Return item key -> what was known of its file, for one space or all."""

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]:
        """Return items by key, without their passages, edges and touches; those that are gone are left out."""

    def select(
        self,
        scope: Scope,
        *,
        order: Literal["priority", "recent", "importance", "confirmed"] = "recent",
        limit: int = 100,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Item, ...]:
        """Return items in scope without any question, the largest first (ties by key), without passages, edges and touches.

        "recent" goes by `updated`, "importance" by the base value, "confirmed" by `last_confirmed` or else `created`. `since` and
        `until` look at `updated`, `speakers` at nothing.

        Args:
            after: `updated` and key of the item to go on behind, with the order "recent" only; whether it still stands is no matter.
        """

    def passages(self, numbers: Sequence[int]) -> Mapping[int, StoredPassage]:
        """Return the passages with these numbers; those that are gone are left out."""

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]:
        """Return passages of one item with `start` <= ordinal < `stop`, in order."""

    def touches(self, scope: Scope, limit: int) -> tuple[tuple[str, Touch], ...]:
        """Return (session's key, touch) of the uses that `scope` speaks of, the latest first; without a time they come last."""

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return (source, status) -> items."""

    def facets(self, scope: Scope, fields: Sequence[Facet]) -> Mapping[tuple[str, ...], int]:
        """Return a value of each field, in the order of `fields` -> items in scope that have all of them; "" is no value.

        `since` and `until` look at `updated`. An item with several tags counts under each. The field "quarter" is the quarter of an
        hour in which `updated` lies, as its number since 1970, UTC: days of any zone are made of such. "created_day" is the day of
        `created`, as its number since 1970, UTC. "size" is that of the file in
        bytes, "0" of what has none.
        """

    def held(self) -> Mapping[str, str]:
        """Return key -> branch, as :attr:`Item.branch` names it, of the items that hold on one only, in the order of the keys."""


class WordSearch(Protocol):
    """Search by words, and what ranking needs of them. Raises as :class:`Index` says."""

    def terms(self, text: str, stop: frozenset[str]) -> tuple[Term, ...]:
        """Return the distinct stems of `text` in order, without those whose lower-cased word is in `stop`.

        Scripts without spaces give overlapping pairs of characters. A text of nothing but stop-words gives all its stems.
        """

    def like(self, terms: Sequence[Term], *, fuzzy: float, prefix: bool, limit: int) -> tuple[Term, ...]:
        """Return the same terms, each with the index's terms that are like it: written almost so, or beginning so.

        Almost: at most `fuzzy` x length edits of the stem, rounded (insert, delete, replace one character). Weights as
        MiniSearch publishes them: beginning so .375 x n / (n + .3 x what it is longer by), else almost .45 x n / (n + edits),
        n the length of what is like it. Heaviest first, ties in the order of the stems, at most `limit` for each term.
        """

    def words(self, terms: Sequence[Term], scope: Scope, limit: int, *, budget: int) -> tuple[Scored, ...]:
        """Return passages that hold any of the terms or of what is `like` them, best first by BM25 (score > 0); ties by number.

        Args:
            budget: postings to read at most. The rarest terms are taken first, at least one; common ones only add cost. What is
                only like a term comes after all that were asked for.
        """

    def frequencies(self, terms: Sequence[Term], scope: Scope) -> tuple[int, ...]:
        """Return how many passages in scope hold each of those terms, what is only like them left out."""

    def quoted(self, text: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        """Return passages that hold `text` word for word, the last written first (score 0).

        White space and case do not matter. When nothing holds the words whole, the first and the last of more than two may be
        parts of words.
        """

    def stats(self) -> IndexStats:
        """Return the size of the collection."""

    def size(self, scope: Scope) -> tuple[int, float]:
        """Return passages in scope, and the mean number of stems (date included) of one; 0 for none."""

    def window(self, turns: Sequence[tuple[str, int]], reach: int) -> Surroundings:
        """Return passages of the given (item key, turn) and of up to `reach` turns before and behind each, each once."""


class VectorSearch(Protocol):
    """Search by meaning, and the vectors that it needs. Raises as :class:`Index` says."""

    def near(self, vector: np.ndarray, model_id: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        """Return passages nearest to `vector` (unit row) among those with a vector of this model; score is the cosine, best first."""

    def cosines(self, vector: np.ndarray, model_id: str, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return float32, the cosine of each given passage; NaN for one without a vector of this model, 0 for a row of zeros, which is
        near to nothing."""

    def vectors(self, model_id: str, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """Return float32, a unit row for each given passage as near as they are kept; zeros for one without a vector of this model."""

    def topics(self, scope: Scope, model_id: str) -> tuple[Topic, ...]:
        """Return topics of the items in scope with the mean of their passages' vectors; most items first, ties by label.

        Labels that differ only in case are one topic. A model nobody has vectors of gives topics without centroids.
        """

    def without_vectors(self, model_id: str, limit: int) -> tuple[StoredPassage, ...]:
        """Return passages without a vector of this model: memories first, what tools did last, each newest first by their time or else
        their item's `updated`; ties by number."""

    def add_vectors(self, model_id: str, numbers: Sequence[int], rows: np.ndarray) -> None:
        """Store vectors (float32 unit rows, one for each number); numbers that are gone meanwhile are passed over."""

    def drop_vectors(self, model_id: str) -> None:
        """Forget the vectors of a model that is no longer used."""


class LinkGraph(Protocol):
    """Names of items and the links between them. Raises as :class:`Index` says."""

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]:
        """Return edges out of and into the given items: item key -> edges whose target is the *other* item's key.

        Wikilinks and ids are resolved when asked; a target that names nothing is left out.
        """

    def with_edge(self, kind: str) -> tuple[str, ...]:
        """Return keys of the items whose file has an edge of that type, whatever it leads to, sorted."""

    def named(self, text: str) -> tuple[str, ...]:
        """Return keys of the items that a key, id, path, file name, title or alias names, surest first; case does not matter."""


class IndexUpkeep(Protocol):
    """Writing, and keeping the file small and sound. Raises as :class:`Index` says."""

    def apply(self, put: Sequence[Item], drop: Iterable[str] = ()) -> None:
        """Make the items of `put` stand exactly as given and forget the keys of `drop`, all or nothing.

        A passage whose text, heading, speaker and time did not change keeps its number and its vectors, also when its whole
        item comes back under a new key in the call that drops the old one. A number is never given twice. Unknown keys in
        `drop` are no error; a key in both stands. Characters that UTF-8 cannot hold are replaced.

        Raises:
            InvalidInput: turns of an item go back. Locked, WriteFailed: as below. Nothing was changed.
        """

    def extend(self, item: Item) -> None:
        """Put the passages of `item` behind those that stand under its key, and take over everything else of it.

        Turn numbers of the new passages go on from the last one, and its touches with them, behind those that stand. An
        unknown key is added. The cost does not grow with what stands there already (X-55).
        """

    def let_go(self) -> None:
        """Give back memory that holds nothing but what its files say. Takes milliseconds; answers stay the same."""

    def is_held(self) -> bool:
        """Return whether another process is writing at this moment, which a write would have to wait for."""

    def is_complete(self) -> bool:
        """Return whether it was once filled with all that is known; a new file, one of another version and one wiped are not."""

    def note_complete(self) -> None:
        """Note that it holds all that is known.

        Raises:
            Locked, WriteFailed: as above.
        """

    def health(self, *, deep: bool = False) -> IndexHealth:
        """Report what the index holds and whether it can be trusted. `deep` reads everything. Never raises for damage: it reports it."""

    def compact(self) -> None:
        """Give back room, and let no byte of what was dropped remain on disk. May take seconds; answers stay the same.

        Raises:
            Locked, WriteFailed: as above. Nothing was changed.
        """

    def make_room(self) -> None:
        """Remove files that are made again from what the index holds. Needs no room on the disk; answers stay the same."""

    def wipe(self) -> None:
        """Start empty, whatever state the file is in."""

    def close(self) -> None:
        """Release files and memory. Further calls are errors."""


class SearchIndex(IndexedItems, WordSearch, VectorSearch, LinkGraph, Protocol):
    """The index as a question sees it: everything but writing."""


class Index(SearchIndex, IndexUpkeep, Protocol):
    """The derived copy of vault and transcripts. It can be deleted at any time and rebuilt to give the same answers.

    Writes are atomic: after :meth:`apply` returned, records, words and edges are on disk together; after a crash within
    it, none are. One writer at a time (others wait, then get Locked); readers never wait.

    Every method raises IndexDamaged when the file cannot be trusted or was taken away, Locked when another process holds it too
    long, and WriteFailed when the disk is full or refuses. The constructor never does. :meth:`wipe` always works. An index of an
    unknown schema starts empty.
    """

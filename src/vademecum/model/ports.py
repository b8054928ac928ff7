"""What the road needs from the outside: small protocols, each with its vocabulary, its order and its errors.

An *item* is a memory, a document or a session; a *passage* is a piece of it (see :mod:`vademecum.model.item`). A *vector*
is a row of unit length that stands for the meaning of a passage under one *model id*; vectors of two models are never
compared. Every port has an in-memory reference in `adapters/` and one conformance suite in `tests/` that all adapters pass.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from vademecum.model.item import Edge, Fingerprint, Item, StoredPassage
from vademecum.model.query import Scope, Scored, WordQuery
from vademecum.model.session import Cursor, Session, Turn

if TYPE_CHECKING:
    import numpy as np


class Clock(Protocol):
    """Time and chance. The only source of either."""

    def now(self) -> datetime:
        """This moment; aware, UTC."""
        ...

    def elapsed_s(self) -> float:
        """Seconds since some fixed moment; never goes back, whatever happens to the wall clock."""
        ...

    def new_id(self) -> str:
        """A fresh id (:mod:`vademecum.model.ids`); later calls of one clock sort later."""
        ...


class Embedder(Protocol):
    """Text -> meaning as a vector."""

    @property
    def model_id(self) -> str:
        """Weights, quantisation and version, such as "minilm-l6-int8@1". Keys caches and stored vectors."""
        ...

    @property
    def dim(self) -> int:
        """Numbers in a vector."""
        ...

    @property
    def background(self) -> tuple[float, float]:
        """Mean and standard deviation of the cosine of unrelated texts, measured once for the model.

        They make cosines of two models comparable: (cosine - mean) / deviation.
        """
        ...

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> "np.ndarray":
        """Vectors of `texts`: float32, shape (len(texts), dim), unit rows, in the order given.

        A text without any token gives a zero row. The result of a text does not depend on the others in the call.

        Raises:
            EmbedderUnavailable: the model cannot be loaded or reached.
        """
        ...


@dataclass(frozen=True, slots=True)
class WordHits:
    """Answer of the word index.

    Attributes:
        passages: best first; ties by number. `score` is BM25 >= 0, comparable between questions of the same index.
        weights: for each asked word the inverse document frequency it counts with; a word nobody ever wrote has the
            largest one. Tells how much of a question the hits could have covered.
    """

    passages: tuple[Scored, ...]
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class IndexHealth:
    """State of an index: `damage` is "" or what is wrong; counts of what it holds; bytes on disk, vectors by model."""

    damage: str
    items: int
    passages: int
    bytes: int
    vectors: Mapping[str, int]


class Index(Protocol):
    """The derived copy of vault and transcripts. It can be deleted at any time and rebuilt to give the same answers.

    Writes are atomic: after :meth:`apply` returned, records, words and edges are on disk together; after a crash within
    it, none are. One writer at a time (others wait, then get Locked); readers never wait.

    Every method raises IndexDamaged when the file cannot be trusted; :meth:`wipe` always works.
    """

    def fingerprints(self, space: str | None = None) -> Mapping[str, Fingerprint]:
        """Item key -> what was known of its file, for one space or all."""
        ...

    def apply(self, put: Sequence[Item], drop: Iterable[str] = ()) -> None:
        """Make the items of `put` stand exactly as given and forget the keys of `drop`, all or nothing.

        A passage whose text, context, heading and speaker did not change keeps its number and its vectors.
        Unknown keys in `drop` are no error.
        """
        ...

    def words(self, query: WordQuery, scope: Scope, limit: int) -> WordHits:
        """Passages that hold any of the words, by BM25 over title, tags, heading, text and context."""
        ...

    def items_by_words(self, query: WordQuery, scope: Scope, limit: int) -> Mapping[str, float]:
        """Item key -> BM25 of the whole item as one text, best `limit` items, best first."""
        ...

    def near(self, vector: "np.ndarray", model_id: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        """Passages nearest to `vector` (unit row) among those with a vector of this model; score is the cosine, best first."""
        ...

    def cosines(self, vector: "np.ndarray", model_id: str, numbers: Sequence[int]) -> Mapping[int, float]:
        """Cosine of each given passage that has a vector of this model."""
        ...

    def passages(self, numbers: Sequence[int]) -> Mapping[int, StoredPassage]:
        """The passages with these numbers; those that are gone are left out."""
        ...

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]:
        """Passages of one item with `start` <= ordinal < `stop`, in order."""
        ...

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]:
        """Items by key, without their passages and edges; those that are gone are left out."""
        ...

    def select(self, scope: Scope, *, order: Literal["priority", "recent", "importance"] = "recent", limit: int = 100) -> tuple[Item, ...]:
        """Items in scope without any question, in that order (ties by key), without passages and edges."""
        ...

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]:
        """Edges out of and into the given items: item key -> edges whose target is the *other* item's key.

        Wikilinks and ids are resolved when asked; a target that names nothing is left out.
        """
        ...

    def without_vectors(self, model_id: str, limit: int) -> tuple[StoredPassage, ...]:
        """Passages that have no vector of this model yet, newest items first."""
        ...

    def add_vectors(self, model_id: str, numbers: Sequence[int], rows: "np.ndarray") -> None:
        """Store vectors (float32 unit rows, one for each number); numbers that are gone meanwhile are passed over."""
        ...

    def drop_vectors(self, model_id: str) -> None:
        """Forget the vectors of a model that is no longer used."""
        ...

    def health(self, *, deep: bool = False) -> IndexHealth:
        """What it holds and whether it can be trusted. `deep` reads everything. Never raises for damage: it reports it."""
        ...

    def wipe(self) -> None:
        """Start empty, whatever state the file is in."""
        ...

    def close(self) -> None:
        """Release files and memory. Further calls are errors."""
        ...


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a transcript gave since the cursor.

    Attributes:
        session: header as far as known, `turns` holding only the new ones.
        cursor: where to go on.
        unknown: line type -> how often it was met and not understood.
        broken: how many lines could not be read at all.
        replaced: how many records held bytes that are not UTF-8; they were read with U+FFFD in their place.
    """

    session: Session
    cursor: Cursor
    unknown: Mapping[str, int]
    broken: int
    replaced: int = 0


class TranscriptFormat(Protocol):
    """A host's way of writing down a conversation."""

    @property
    def name(self) -> str:
        """Of the host, as in session URIs."""
        ...

    def recognises(self, head: bytes, path: str) -> bool:
        """Whether a file that starts with `head` (some complete lines) is of this format. Content decides, the path breaks ties."""
        ...

    def complete(self, data: bytes) -> int:
        """How many bytes of `data`, the end of a file, can be read now; the rest waits for more to be written.

        A record that is whole counts even when its newline is missing: half of all transcripts end so.
        """
        ...

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        """Turns in `data`, the complete lines that follow `cursor.offset` in the file. Bad lines are counted, never raised.

        The cursor that comes back stands behind `data`; its prefix_hash is the given one (the reader knows the bytes).
        """
        ...


__all__ = [
    "Clock", "Embedder", "Index", "IndexHealth", "Parsed", "TranscriptFormat", "Turn", "WordHits",
]  # fmt: skip

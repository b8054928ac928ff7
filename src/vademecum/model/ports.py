"""What the road needs from the outside: small protocols, each with its vocabulary, its order and its errors.

An *item* is a memory, a document or a session; a *passage* is a piece of it (see :mod:`vademecum.model.item`). A *vector*
is a row of unit length that stands for the meaning of a passage under one *model id*; vectors of two models are never
compared. Every port has an in-memory reference in `adapters/` and one conformance suite in `tests/` that all adapters pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeVar

from vademecum.model.records import record

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    import numpy as np

    from vademecum.model.archive import Archived, ArchiveSize, Packed
    from vademecum.model.errors import Problem
    from vademecum.model.extraction import Extraction, Stop, Wait
    from vademecum.model.host import Checked, Delivery, HookEvent, HostFolders, Programs, Reach, Waiting
    from vademecum.model.ideas import WebPage
    from vademecum.model.item import Edge, Fingerprint, Item, StoredPassage, Touch
    from vademecum.model.lifecycle import Marker, Stage
    from vademecum.model.llm import Answer, DayUse, Prompt, Usage
    from vademecum.model.pause import Pause
    from vademecum.model.query import Scope, Scored
    from vademecum.model.session import Cursor, Session, Snapshot
    from vademecum.model.topics import Topic, TopicLock
    from vademecum.model.verdict import Verdicts

T = TypeVar("T")


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

    def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"] = "passage") -> np.ndarray:
        """Vectors of `texts`: float32, shape (len(texts), dim), unit rows, in the order given.

        A text without any token gives a zero row. A passage's row does not depend on the others in the call; a question's may
        in its last bits.

        Raises:
            EmbedderUnavailable: the model cannot be loaded or reached.
        """
        ...


class LLM(Protocol):
    """A question with material -> a JSON object of a schema. Slow, costly, and often not there."""

    @property
    def model_id(self) -> str:
        """Service and model, such as "ollama:qwen3". Keys the ledger."""
        ...

    def ask(self, prompt: Prompt) -> Answer:
        """The object asked for: it has every member that the schema requires, each of its type. Entries of lists are the
        caller's to judge, one by one.

        Raises:
            LLMRefused: it will not answer before the person does something. BadAnswer: it does not answer with what was asked.
            BudgetSpent: enough was spent today. LLMUnavailable: it cannot be had now; later it may.
        """
        ...


class Ledger(Protocol):
    """What models took, by day and model, on this device. What was noted survives kill -9 when the call returns."""

    def spend(self, day: str, model: str, usage: Usage, cost: float) -> None:
        """Add to what a model took on a day; negative numbers take back. Nothing falls below 0."""
        ...

    def spent(self, since: str = "") -> tuple[DayUse, ...]:
        """What each model took on each day from `since` on (YYYY-MM-DD; "": ever), the last day first, then by model."""
        ...

    def close(self) -> None:
        """Release files."""
        ...


class Witness(Protocol):
    """What a folder can bear witness to of what was done in it. One that nobody knows anything of knows nothing, and raises nothing."""

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of its files, POSIX, relative to it."""
        ...

    @property
    def subjects(self) -> tuple[tuple[str, str], ...]:
        """(commit, subject) of its last commits, the newest first."""
        ...

    def commit_of(self, path: str) -> str:
        """The last commit that changed a file; "" for none."""
        ...

    def holding(self, word: str) -> str:
        """A file in whose text the word stands; "" for none."""
        ...


class Hands(Protocol):
    """Does what needs only a processor, at the same time as its caller where the machine has one to spare."""

    @property
    def spare(self) -> bool:
        """Whether somebody besides the caller is at it."""
        ...

    def begin(self, work: Callable[..., T], *given: object, soon: bool = False) -> Callable[[], T]:
        """Have `work(*given)` done; call what is returned, once, for its result.

        Args:
            work: a function of a module, that changes nothing and reads nothing but what it is given; it may be done twice.
            soon: before what waits.

        Returns:
            Gives the result, and raises what `work` raised; does the work itself when nobody began it.
        """
        ...

    def close(self) -> None:
        """Leave what was not begun, and release what it took."""
        ...


class Extractions(Protocol):
    """What a model is to read (:mod:`vademecum.model.extraction`), one row for each conversation. Several processes may change them.

    What a call changed survives kill -9 of the process from the moment at which the call returns.
    """

    def get(self, session: str) -> Extraction | None:
        """The row of the session with this URI; None when it was never queued."""
        ...

    def change(self, session: str, change: Callable[[Extraction | None], Extraction | None]) -> Extraction | None:
        """Put in the place of a row what `change` makes of it, with nobody in between; None removes it.

        Whatever `change` raises is passed on, and nothing was changed.
        """
        ...

    def all(self, stages: Collection[Wait] | None = None) -> tuple[Extraction, ...]:
        """Rows in these stages (None: in any), those due first first; ties by session."""
        ...

    def stopped(self) -> Stop | None:
        """Why no model is asked; None when nothing speaks against it."""
        ...

    def stop(self, stop: Stop | None) -> None:
        """Note that no model is to be asked any more, or that one may be."""
        ...

    def close(self) -> None:
        """Release files."""
        ...


@record
class Term:
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


@record
class IndexStats:
    """Size of the collection: passages, mean number of stems (date included) of one, and passages with a vector by model."""

    passages: int
    mean_stems: float
    vectors: Mapping[str, int]


@record
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

    Every method raises IndexDamaged when the file cannot be trusted or was taken away, Locked when another process holds it too
    long, and WriteFailed when the disk is full or refuses. The constructor never does. :meth:`wipe` always works. An index of an
    unknown schema starts empty.
    """

    def fingerprints(self, space: str | None = None) -> Mapping[str, Fingerprint]:
        """Item key -> what was known of its file, for one space or all."""
        ...

    def apply(self, put: Sequence[Item], drop: Iterable[str] = ()) -> None:
        """Make the items of `put` stand exactly as given and forget the keys of `drop`, all or nothing.

        A passage whose text, heading, speaker and time did not change keeps its number and its vectors, also when its whole
        item comes back under a new key in the call that drops the old one. A number is never given twice. Unknown keys in
        `drop` are no error; a key in both stands. Characters that UTF-8 cannot hold are replaced.

        Raises:
            InvalidInput: turns of an item go back. Locked, WriteFailed: as below. Nothing was changed.
        """
        ...

    def extend(self, item: Item) -> None:
        """Put the passages of `item` behind those that stand under its key, and take over everything else of it.

        Turn numbers of the new passages go on from the last one, and its touches with them, behind those that stand. An
        unknown key is added. The cost does not grow with what stands there already (X-55).
        """
        ...

    def terms(self, text: str, stop: frozenset[str]) -> tuple[Term, ...]:
        """The distinct stems of `text` in order, without those whose lower-cased word is in `stop`.

        Scripts without spaces give overlapping pairs of characters. A text of nothing but stop-words gives all its stems.
        """
        ...

    def like(self, terms: Sequence[Term], *, fuzzy: float, prefix: bool, limit: int) -> tuple[Term, ...]:
        """The same terms, each with the index's terms that are like it: written almost so, or beginning so.

        Almost: at most `fuzzy` x length edits of the stem, rounded (insert, delete, replace one character). Weights as
        MiniSearch publishes them: beginning so .375 x n / (n + .3 x what it is longer by), else almost .45 x n / (n + edits),
        n the length of what is like it. Heaviest first, ties in the order of the stems, at most `limit` for each term.
        """
        ...

    def words(self, terms: Sequence[Term], scope: Scope, limit: int, *, budget: int) -> tuple[Scored, ...]:
        """Passages that hold any of the terms or of what is `like` them, best first by BM25 (score > 0); ties by number.

        Args:
            budget: postings to read at most. The rarest terms are taken first, at least one; common ones only add cost. What is
                only like a term comes after all that were asked for.
        """
        ...

    def quoted(self, text: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        """Passages that hold `text` word for word, the last written first (score 0).

        White space and case do not matter. When nothing holds the words whole, the first and the last of more than two may be
        parts of words.
        """
        ...

    def touches(self, scope: Scope, limit: int) -> tuple[tuple[str, Touch], ...]:
        """(session's key, touch) of the uses that `scope` speaks of, the latest first; without a time they come last."""
        ...

    def stats(self) -> IndexStats:
        """Size of the collection."""
        ...

    def window(self, turns: Sequence[tuple[str, int]], reach: int) -> Surroundings:
        """Passages of the given (item key, turn) and of up to `reach` turns before and behind each, each once."""
        ...

    def near(self, vector: np.ndarray, model_id: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        """Passages nearest to `vector` (unit row) among those with a vector of this model; score is the cosine, best first."""
        ...

    def cosines(self, vector: np.ndarray, model_id: str, numbers: Sequence[int] | np.ndarray) -> np.ndarray:
        """float32, the cosine of each given passage; NaN for one without a vector of this model, 0 for a row of zeros, which is
        near to nothing."""
        ...

    def passages(self, numbers: Sequence[int]) -> Mapping[int, StoredPassage]:
        """The passages with these numbers; those that are gone are left out."""
        ...

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]:
        """Passages of one item with `start` <= ordinal < `stop`, in order."""
        ...

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]:
        """Items by key, without their passages, edges and touches; those that are gone are left out."""
        ...

    def select(
        self, scope: Scope, *, order: Literal["priority", "recent", "importance", "confirmed"] = "recent", limit: int = 100
    ) -> tuple[Item, ...]:
        """Items in scope without any question, the largest first (ties by key), without passages, edges and touches.

        "recent" goes by `updated`, "importance" by the base value, "confirmed" by `last_confirmed` or else `created`. `since` and
        `until` look at `updated`, `speakers` at nothing.
        """
        ...

    def topics(self, scope: Scope, model_id: str) -> tuple[Topic, ...]:
        """Topics of the items in scope with the mean of their passages' vectors; most items first, ties by label.

        Labels that differ only in case are one topic. A model nobody has vectors of gives topics without centroids.
        """
        ...

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]:
        """Edges out of and into the given items: item key -> edges whose target is the *other* item's key.

        Wikilinks and ids are resolved when asked; a target that names nothing is left out.
        """
        ...

    def with_edge(self, kind: str) -> tuple[str, ...]:
        """Keys of the items whose file has an edge of that type, whatever it leads to, sorted."""
        ...

    def named(self, text: str) -> tuple[str, ...]:
        """Keys of the items that a key, id, path, file name, title or alias names, surest first; case does not matter."""
        ...

    def counts(self) -> Mapping[tuple[str, str], int]:
        """(source, status) -> items."""
        ...

    def without_vectors(self, model_id: str, limit: int) -> tuple[StoredPassage, ...]:
        """Passages without a vector of this model: what tools did last, else newest first by their time or else their item's
        `updated`; ties by number."""
        ...

    def add_vectors(self, model_id: str, numbers: Sequence[int], rows: np.ndarray) -> None:
        """Store vectors (float32 unit rows, one for each number); numbers that are gone meanwhile are passed over."""
        ...

    def drop_vectors(self, model_id: str) -> None:
        """Forget the vectors of a model that is no longer used."""
        ...

    def let_go(self) -> None:
        """Give back memory that holds nothing but what its files say. Takes milliseconds; answers stay the same."""
        ...

    def health(self, *, deep: bool = False) -> IndexHealth:
        """What it holds and whether it can be trusted. `deep` reads everything. Never raises for damage: it reports it."""
        ...

    def compact(self) -> None:
        """Give back room, and let no byte of what was dropped remain on disk. May take seconds; answers stay the same.

        Raises:
            Locked, WriteFailed: as above. Nothing was changed.
        """
        ...

    def wipe(self) -> None:
        """Start empty, whatever state the file is in."""
        ...

    def close(self) -> None:
        """Release files and memory. Further calls are errors."""
        ...


@record
class Use:
    """How often something was told to an agent, and when last (aware, UTC)."""

    count: int
    last: datetime


class State(Protocol):
    """What this device remembers of its own work. Losing it costs a second reading, never a memory."""

    def cursor(self, path: str) -> Cursor:
        """How far the transcript at this absolute path was read; a fresh cursor when never."""
        ...

    def set_cursor(self, path: str, cursor: Cursor) -> None:
        """Remember how far it was read."""
        ...

    def cursor_paths(self) -> tuple[str, ...]:
        """Absolute paths of the transcripts that were ever read, in order."""
        ...

    def note_strange(self, path: str, host: str, found: Mapping[str, int], *, anew: bool) -> None:
        """Count what was passed over in a transcript because nobody knows what it is.

        Args:
            found: kind of line -> how many; under "" those that could not be read at all.
            anew: the transcript was read from its beginning, so that this is all there is.
        """
        ...

    def strange(self) -> Mapping[tuple[str, str], int]:
        """(host, kind of line, "" for those that could not be read) -> how many in all transcripts; hosts and kinds in order."""
        ...

    def claim_turns(self, session: str, turns: Sequence[str]) -> frozenset[str]:
        """Which of these turns, whose names are known everywhere, another session had first. The rest belong to this one.

        A host that resumes a conversation in a new file copies what was said into it: each turn is heard once. Asking again
        gives the same answer.
        """
        ...

    def keep_trace(self, trace: str, text: str) -> None:
        """Keep the story of a recall (JSON) under its id. The oldest beyond a few hundred are dropped."""
        ...

    def trace(self, trace: str = "") -> str | None:
        """The story kept under that id (or its start), or of the last recall; None when there is none."""
        ...

    def record_use(self, keys: Iterable[str], moment: datetime) -> None:
        """Count one use of each item."""
        ...

    def uses(self, keys: Sequence[str]) -> Mapping[str, Use]:
        """Uses of those items that were ever used."""
        ...

    def told(self, session: str) -> frozenset[str]:
        """Keys of what an agent was told in this session (its URI) and still has before it."""
        ...

    def record_told(self, session: str, keys: Iterable[str], moment: datetime) -> None:
        """Remember what was told. Sessions that were told nothing for 30 days are forgotten."""
        ...

    def forget_told(self, session: str) -> None:
        """The agent's context was emptied: it has nothing of it any more."""
        ...

    def claim(self, name: str, moment: datetime, within_s: float) -> bool:
        """Whether this caller is the first to claim `name` within so many seconds; between processes too."""
        ...

    def snapshot(self, session: str) -> Snapshot | None:
        """The last words of the session with this URI, None when none are known."""
        ...

    def set_snapshot(self, snapshot: Snapshot) -> None:
        """Remember the last words of a session. Beyond some hundred, those not set for longest are dropped."""
        ...

    def snapshots(self, project: str) -> tuple[Snapshot, ...]:
        """The last words of every session of a project ("": of none), last set first."""
        ...

    def topic_lock(self, session: str) -> TopicLock | None:
        """What a session is about, as it was last set; None when it was not."""
        ...

    def set_topic_lock(self, session: str, lock: TopicLock) -> None:
        """Remember what a session is about; an empty lock forgets it. Beyond some hundred, those not set for longest are dropped."""
        ...

    def erase(self, holds: Callable[[str], bool], keys: Collection[str]) -> int:
        """Remove everything that tells what `holds` finds or is about one of the keys (item keys, URIs, ids, paths), and let no
        byte of it remain on disk. Gives how many rows went. A cursor that goes means that its transcript is read anew.
        """
        ...

    def record_verdict(self, pattern: str, *, accepted: int = 0, rejected: int = 0) -> None:
        """Add to what the person accepted and rejected of a pattern's proposals; negative numbers take back. Never below 0."""
        ...

    def verdicts(self) -> Mapping[str, Verdicts]:
        """Pattern -> what the person made of its proposals, in the order of the names."""
        ...

    def close(self) -> None:
        """Release files."""
        ...


class Web(Protocol):
    """The network, for looking up ideas. It is asked only when the person configured it."""

    def search(self, question: str, within_s: float) -> tuple[str, ...]:
        """Addresses of pages about a question, best first.

        Raises:
            WebUnavailable: no answer within so many seconds, or there is nobody to ask.
        """
        ...

    def fetch(self, url: str, within_s: float) -> WebPage:
        """One page as text, read up to a limit of bytes; redirections are followed, and rules for robots kept.

        Raises:
            WebUnavailable: it is not allowed, not there, no text, or there was no answer within so many seconds.
        """
        ...


class Archive(Protocol):
    """Transcripts, kept verbatim but for secrets. A transcript is a list of *pieces*, each kept once under its *source*: the hash
    of the bytes that the host wrote. What is kept of a piece is what the guard left of it.

    Every change is atomic and on disk when the call returns. All methods raise ArchiveDamaged when the file cannot be read, Locked
    when another process holds it too long, and WriteFailed when the disk is full or refuses.
    """

    def known(self, sources: Collection[bytes]) -> frozenset[bytes]:
        """Those sources whose piece is kept already."""
        ...

    @property
    def pack(self) -> Callable[[bytes], Packed]:
        """A function of a module that makes of a piece what :meth:`keep` takes; it needs nothing of the archive."""
        ...

    def keep(self, pieces: Mapping[bytes, Packed]) -> None:
        """Keep pieces: source -> piece. Each is read back and compared before the call returns; a known source stays as it is.

        Raises:
            ArchiveFull: the cap is reached. Nothing was kept.
        """
        ...

    def put(self, record: Archived, sources: Sequence[bytes]) -> None:
        """Make the transcript at `record.path` consist of these pieces, in order; pieces that nobody needs any more are let go.

        Raises:
            InvalidInput: a source is not kept.
        """
        ...

    def sources(self, path: str) -> tuple[bytes, ...]:
        """The pieces of which a transcript consists, in order; none for one that is not kept."""
        ...

    def records(self) -> tuple[Archived, ...]:
        """Every transcript, last kept first; ties by path."""
        ...

    def of_session(self, session: str) -> tuple[Archived, ...]:
        """Transcripts of one conversation, in the order of their paths."""
        ...

    def read(self, path: str) -> Iterator[bytes]:
        """The pieces of a transcript, in order, each compared with its hash.

        Raises:
            NotFound: no such transcript. ArchiveDamaged: a piece is gone or not what it was.
        """
        ...

    def drop(self, paths: Iterable[str]) -> None:
        """Let go of transcripts, and of pieces that nobody else needs. Unknown paths are no error."""
        ...

    def rewrite(self, change: Callable[[bytes], bytes], retitle: Callable[[str], str]) -> int:
        """Put what `change` makes of each piece, and `retitle` of each title, in its place; how many pieces changed.

        A piece stays under the source it was kept for, so the host's bytes are not taken again. A damaged one is passed over.
        Whatever was replaced may stay on disk until :meth:`compact`.
        """
        ...

    def compact(self) -> None:
        """Give back room, and let no byte of what was dropped or replaced remain on disk."""
        ...

    def check(self) -> tuple[Problem, ...]:
        """Read everything; one problem for each transcript that can no longer be given back as it was kept."""
        ...

    def size(self) -> ArchiveSize:
        """How much it holds."""
        ...

    def close(self) -> None:
        """Release files."""
        ...


class Pauses(Protocol):
    """Times in which nothing that is said is kept, and conversations that nothing is learnt from; on this device and for good."""

    def all(self) -> tuple[Pause, ...]:
        """Every pause that was noted, in the order in which they began."""
        ...

    def stopped_at(self) -> datetime | None:
        """Since when a file STOP switches memory off for every conversation; None when there is none."""
        ...

    def begin(self, at: datetime, session: str = "") -> None:
        """Note that a pause begins, for one conversation or for all; one that goes on already goes on.

        Raises:
            OSError: it cannot be noted.
        """
        ...

    def end(self, at: datetime, session: str = "", written: Mapping[str, tuple[int, int]] | None = None) -> None:
        """Note that it ends, and what was written meanwhile, as in :class:`Pause`. Without a pause nothing happens.

        Raises:
            OSError: it cannot be noted.
        """
        ...

    def excluded(self) -> frozenset[str]:
        """URIs of the conversations that nothing is to be learnt from."""
        ...

    def exclude(self, session: str, at: datetime, *, out: bool = True) -> None:
        """Note that nothing is to be learnt from a conversation any more, or with `out` false that it may be again.

        Raises:
            OSError: it cannot be noted.
        """
        ...


class EventQueue(Protocol):
    """Events that hooks left as files, so that nothing is lost, whoever was down."""

    def waiting(self) -> Iterator[Waiting]:
        """Events in the order in which they were left. One stays until it is done or set aside."""
        ...

    def done(self, event: Waiting) -> None:
        """What it tells is noted; it need not be met again. No error when another reader was faster."""
        ...

    def set_aside(self, event: Waiting) -> None:
        """It cannot be understood: keep it where it is not met again; a newer version may understand it."""
        ...

    def count_aside(self) -> int:
        """How many were set aside."""
        ...


class Markers(Protocol):
    """The lives of sessions (:mod:`vademecum.model.lifecycle`), one marker each. Several processes may change them at once.

    What a call changed survives kill -9 of the process from the moment at which the call returns.
    """

    def get(self, session: str) -> Marker | None:
        """The marker of the session with this URI; None when it was never heard of."""
        ...

    def change(self, session: str, change: Callable[[Marker | None], Marker | None]) -> Marker | None:
        """Put in the place of a marker what `change` makes of it, with nobody in between; None removes it.

        Whatever `change` raises is passed on, and nothing was changed.
        """
        ...

    def all(self, stages: Collection[Stage] | None = None) -> tuple[Marker, ...]:
        """Markers in these stages (None: in any), those longest silent first."""
        ...

    def compact(self) -> None:
        """Let no byte of what was removed remain on disk."""
        ...

    def close(self) -> None:
        """Release files."""
        ...


@record
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
        """Of the host, as in session URIs. A host that writes in several ways has a format for each, all of that name."""
        ...

    @property
    def whole(self) -> bool:
        """Whether the host writes the file anew as a whole, so that it is read anew when it changed at all."""
        ...

    def recognises(self, head: bytes, path: str) -> bool:
        """Whether a file that starts with `head` (complete lines) is of this format. Content decides, the path breaks ties."""
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


class Edit(Protocol):
    """A change of a text file that touches nothing else: comments, order, indentation and newline style stay.

    `put(put(t)) == put(t)`. A text that cannot be understood is refused, never repaired.
    """

    def put(self, text: str) -> str:
        """`text` ("" for a file that is not there) with our entry, in place of an older one of ours.

        Raises:
            InvalidInput: the text is not what the host could read. Refused: somebody else's text stands where ours would.
        """
        ...

    def take(self, text: str, before: str = "") -> str:
        """`text` without our entry; "" when nothing remains of a file that is wholly ours.

        Args:
            before: the text from before our first change: what stood in it returns or stays.
        """
        ...

    def ours(self, text: str) -> bool:
        """Whether an entry of ours stands there, in this form or an older one."""
        ...


@record
class Wanted:
    """What a file of a host's should hold.

    Attributes:
        role: what the file is to the host: hooks, mcp, rule, plugin, instructions, tasks.
    """

    path: str
    role: str
    edits: tuple[Edit, ...]


class Member(NamedTuple):
    """A transcript that lies in a library.

    Attributes:
        name: names it within the library, always the same; "" when there is only one. mark: changes when the transcript does.
    """

    name: str
    mark: str


class TranscriptLibrary(Protocol):
    """A file that holds transcripts which cannot be read by offset: a host's database, an export archive, a packed transcript.

    It gives each of them as bytes that one of the :class:`TranscriptFormat` reads. The file is never changed.
    """

    @property
    def name(self) -> str:
        """What sort of file it is."""
        ...

    def recognises(self, head: bytes, path: str) -> bool:
        """Whether the file at `path`, which starts with `head`, is of this sort.

        Raises:
            OSError: it looks like one, and cannot be read.
        """
        ...

    def members(self, path: str) -> Sequence[Member]:
        """The transcripts in it.

        Raises:
            OSError: it cannot be read, or is damaged.
        """
        ...

    def read(self, path: str, names: Sequence[str]) -> Iterable[tuple[str, bytes]]:
        """(name, bytes) of these transcripts, those that are gone left out. One is held in memory at a time.

        Raises:
            OSError: as above, also in the midst.
        """
        ...


class Host(Protocol):
    """A program an agent runs in: how its hooks speak. One that is told nothing must be answered with nothing at all."""

    @property
    def name(self) -> str:
        """As on the command line and in session URIs: claude-code, codex, gemini, cursor, vscode, antigravity, opencode."""
        ...

    @property
    def title(self) -> str:
        """As a person writes it."""
        ...

    def read(self, payload: Mapping[str, object], cwd: str = "") -> HookEvent:
        """What the JSON object on a hook's standard input says. Unknown fields are passed over, missing ones are empty.

        Args:
            cwd: folder that the hook was started in, for hosts that do not tell.

        Raises:
            InvalidInput: no event name, or a field of the wrong type that we need.
        """
        ...

    def write(self, event: HookEvent, delivery: Delivery) -> str:
        """What the hook prints: exactly the keys that this host allows at this event, within its size limits; "" for nothing.

        A text over the limit is cut at the end of a paragraph or line, never inside a word.
        """
        ...

    @property
    def program(self) -> str:
        """Name of its executable, asked for `--version`; "" when it has none."""
        ...

    @property
    def checked(self) -> Checked:
        """The versions that the table of this host was compared with."""
        ...

    @property
    def next_step(self) -> str:
        """What a person still has to do after an installation; "" for nothing."""
        ...

    def files(
        self, folders: HostFolders, programs: Programs, reach: Reach, project: str, *, mcp: bool = True
    ) -> tuple[Wanted, ...]:
        """What must stand in which files so that this host calls us. Nothing is read or written.

        Args:
            project: folder of the project, for reach "project".
            mcp: register the MCP server as well, where this host has a file for that.

        Raises:
            InvalidInput: this host has no files of that reach.
        """
        ...

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        """(folder, pattern below it) of the files that this host writes conversations to, for counting."""
        ...


__all__ = [
    "LLM", "Archive", "Clock", "Edit", "Embedder", "EventQueue", "Extractions", "Host", "Index", "IndexHealth", "IndexStats",
    "Ledger", "Markers", "Member", "Parsed", "Pauses", "State", "Surroundings", "Term", "TranscriptFormat", "TranscriptLibrary", "Use",
    "Wanted", "Witness",
]  # fmt: skip

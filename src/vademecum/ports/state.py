"""What this device remembers of its own work."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from vademecum.domain.benefit import Lot, Need
    from vademecum.domain.clocks import ClockAhead
    from vademecum.domain.jobs import JobRun
    from vademecum.domain.session import Cursor, Snapshot
    from vademecum.domain.topics import TopicLock
    from vademecum.domain.verdict import Verdicts


Outcome = Literal["found", "told", "used"]


class Use(Struct, frozen=True):
    """What became of something in memory.

    Attributes:
        found: times that it answered a question that somebody asked. told: times that an agent was told it without asking.
        used: conversations in which it was taken up after that. last_used: when last; aware, UTC, None: never.
    """

    found: int = 0
    told: int = 0
    used: int = 0
    last_used: datetime | None = None


class Unused(Struct, frozen=True):
    """How often something was told in a project since it was last taken up there or elsewhere, and when last (aware, UTC)."""

    times: int
    last: datetime


class ToldTo(Struct, frozen=True):
    """What an agent was told in a session: its URI, keys of what it was told, and when last (aware, UTC)."""

    session: str
    keys: tuple[str, ...]
    last: datetime


class Cursors(Protocol):
    """How far transcripts were read."""

    def get(self, path: str) -> Cursor:
        """Return how far the transcript at this absolute path was read; a fresh cursor when never."""

    def set(self, path: str, cursor: Cursor) -> None:
        """Remember how far it was read."""

    def all(self) -> Mapping[str, Cursor]:
        """Return absolute path -> how far, of the transcripts that were ever read, in order of paths."""


class UnknownLines(Protocol):
    """Counts of what was passed over in transcripts."""

    def note(self, path: str, host: str, found: Mapping[str, int], *, anew: bool) -> None:
        """Count what was passed over in a transcript because nobody knows what it is.

        Args:
            found: kind of line -> how many; under "" those that could not be read at all.
            anew: the transcript was read from its beginning, so that this is all there is.
        """

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return (host, kind of line, "" for those that could not be read) -> how many in all transcripts; hosts and kinds in order."""


class KnownTurn(Struct, frozen=True):
    """A turn of a conversation that was captured.

    Attributes:
        words: its mark (:meth:`TurnOwners.mark`). time: milliseconds since 1970, None: not known.
        owner: number of the session it was captured with first (:meth:`TurnOwners.number`).
        elsewhere: only a second file of the session held it so far.
    """

    words: int
    time: int | None
    owner: int
    elsewhere: bool = False


class TurnOwners(Protocol):
    """Which session each turn belongs to. Hashes are kept, never words."""

    def number(self, session: str) -> int:
        """Return the number under which the session with this URI is known here."""

    def mark(self, words: str) -> int:
        """Return the keyed hash of a text, 64 bits; the same text has the same on this device."""

    def of(self, session: int) -> tuple[KnownTurn, ...]:
        """Return the captured turns of a session, in the order in which they were said."""

    def holding(self, marks: Sequence[int]) -> frozenset[int]:
        """Return numbers of the sessions that hold a turn with one of these marks."""

    def put(self, session: int, first: int, turns: Sequence[KnownTurn]) -> None:
        """Set the captured turns of a session from number `first` on."""

    def fill(self, sessions: Iterable[tuple[int, Sequence[KnownTurn]]]) -> None:
        """Set the captured turns of sessions of which none is known, all or nothing."""

    def sharing(self, session: int) -> frozenset[int]:
        """Return numbers of the sessions that hold copies of turns of this one, and of those that hold all of it: its continuations,
        whichever was captured first.
        """

    def is_empty(self) -> bool:
        """Return whether no captured turn is known."""

    def claim(self, session: str, turns: Sequence[str]) -> frozenset[str]:
        """Return which of these turns, whose names are known everywhere, another session had first. The rest belong to this one.

        A host that resumes a conversation in a new file copies what was said into it: each turn is heard once. Asking again
        gives the same answer.
        """


class Identities(Protocol):
    """Which session a transcript is whose host gives it no id."""

    def get(self, path: str) -> str:
        """Return the URI of the session at this path; "" when none was set."""

    def set(self, path: str, session: str) -> None:
        """Set the session at a path; it lies at no other any more."""

    def path(self, session: str) -> str:
        """Return the path of a session; "" when none was set."""

    def with_beginning(self, marks: Sequence[int]) -> tuple[str, ...]:
        """Return the URIs of set sessions whose first captured turns have these marks."""


class ClocksAhead(Protocol):
    """Conversations whose last time cannot be true."""

    def all(self) -> Mapping[str, ClockAhead]:
        """Return URI of a session -> what is known of when it was held."""

    def get(self, session: str) -> ClockAhead | None:
        """Return what is known of one; None when its times are true."""

    def set(self, session: str, known: ClockAhead | None) -> None:
        """Set what is known of one; None: its times are true."""


class Traces(Protocol):
    """How recalls came to their answers."""

    def keep(self, trace: str, text: str) -> None:
        """Keep the story of a recall (JSON) under its id. The oldest beyond a few hundred are dropped."""

    def get(self, trace: str = "") -> str | None:
        """Return the story kept under that id (or its start), or of the last recall; None when there is none."""

    def latest(self, limit: int, before: str = "") -> tuple[str, ...]:
        """Return the stories of the last recalls, the last first; only of those before the one named."""


class Usage(Protocol):
    """What became of items: being found or told is not being used."""

    def note(self, outcome: Outcome, keys: Iterable[str], moment: datetime, project: str = "") -> None:
        """Count one outcome of each item. Told counts as unused in that project ("": in none) until the item is used."""

    def of(self, keys: Sequence[str]) -> Mapping[str, Use]:
        """Return what became of those items of which anything is known."""

    def unused(self, project: str | None, keys: Sequence[str]) -> Mapping[str, Unused]:
        """Return how often each of those items was told in that project since it was last used, None: in all together; of those that
        were.
        """


class Told(Protocol):
    """What agents were told in each session."""

    def keys(self, session: str) -> frozenset[str]:
        """Return keys of what an agent was told in this session (its URI) and still has before it."""

    def times(self, session: str) -> Mapping[str, datetime]:
        """Return the same keys with when each was told."""

    def record(self, session: str, keys: Iterable[str], moment: datetime) -> None:
        """Remember what was told. After 30 days it is forgotten, but not a key of the person's that names nothing (no URI)."""

    def since(self) -> datetime | None:
        """Return when the oldest of what is remembered was told; None: nothing is."""

    def sessions(self, limit: int, key: str = "") -> tuple[ToldTo, ...]:
        """Return the sessions that were told something, or this item or a piece of it, and still have it before them; the last first."""

    def forget(self, session: str) -> None:
        """Forget what an agent was told: its context was emptied, and it has nothing of it any more."""


class Lots(Protocol):
    """Which memories were left out of which sessions on purpose, and whether they were needed there (:mod:`vademecum.domain.benefit`)."""

    def note(self, session: str, told: Mapping[str, bool], moment: datetime) -> None:
        """Note how lots fell in a session (its URI): key of a memory -> whether it is told. What was drawn before stays."""

    def drawn(self, session: str) -> Mapping[str, datetime]:
        """Return keys of the memories for which lots were drawn in a session, and when; not how they fell."""

    def left_out(self, session: str) -> frozenset[str]:
        """Return keys of the memories that are left out of a session."""

    def need(self, session: str, needs: Mapping[str, Need], moment: datetime) -> None:
        """Note how memories were needed in a session; what was noted first stays, and what has no lot is passed over."""

    def all(self) -> tuple[Lot, ...]:
        """Return all lots, in the order in which they were drawn."""


class Claims(Protocol):
    """Names that callers claim, one at a time."""

    def claim(self, name: str, moment: datetime, within_s: float) -> bool:
        """Return whether this caller is the first to claim `name` within so many seconds; between processes too."""

    def release(self, name: str) -> bool:
        """Let the next caller be the first to claim `name`, and return whether anybody had claimed it."""


class Snapshots(Protocol):
    """The last words of sessions."""

    def get(self, session: str) -> Snapshot | None:
        """Return the last words of the session with this URI, None when none are known."""

    def set(self, snapshot: Snapshot) -> None:
        """Remember the last words of a session. Beyond some hundred, those not set for longest are dropped."""

    def of_project(self, project: str) -> Iterator[Snapshot]:
        """Yield the last words of every session of a project ("": of none), the one heard of last first."""


class TopicLocks(Protocol):
    """What sessions are about."""

    def get(self, session: str) -> TopicLock | None:
        """Return what a session is about, as it was last set; None when it was not."""

    def set(self, session: str, lock: TopicLock) -> None:
        """Remember what a session is about; an empty lock forgets it. Beyond some hundred, those not set for longest are dropped."""


class ReviewVerdicts(Protocol):
    """What the person made of proposals."""

    def record(self, pattern: str, *, accepted: int = 0, rejected: int = 0) -> None:
        """Add to what the person accepted and rejected of a pattern's proposals; negative numbers take back. Never below 0."""

    def all(self) -> Mapping[str, Verdicts]:
        """Return pattern -> what the person made of its proposals, in the order of the names."""


class Jobs(Protocol):
    """Work that is done later."""

    def lease(self, name: str, wait_s: float = 0) -> AbstractContextManager[bool]:
        """Hold a job while it is done; gives False when another process holds it for so many seconds. The lease ends with the
        process.

        Raises:
            WriteFailed: the disk gives no lock.
        """

    def note(self, run: JobRun) -> None:
        """Note how a job went, in place of what was noted before."""

    def all(self) -> Mapping[str, JobRun]:
        """Return name -> how each job went last; those that never ran are left out."""


class State(Protocol):
    """What this device remembers of its own work. Losing it costs a second reading, never a memory."""

    @property
    def cursors(self) -> Cursors:
        """How far transcripts were read."""

    @property
    def unknown_lines(self) -> UnknownLines:
        """Counts of what was passed over in transcripts."""

    @property
    def turns(self) -> TurnOwners:
        """Which session each turn belongs to."""

    @property
    def identities(self) -> Identities:
        """Which sessions transcripts are whose hosts give them no id."""

    @property
    def clocks_ahead(self) -> ClocksAhead:
        """Which conversations have times that cannot be true."""

    @property
    def traces(self) -> Traces:
        """How recalls came to their answers."""

    @property
    def usage(self) -> Usage:
        """How often items were told."""

    @property
    def told(self) -> Told:
        """What agents were told in each session."""

    @property
    def lots(self) -> Lots:
        """Which memories were left out of sessions on purpose."""

    @property
    def claims(self) -> Claims:
        """Names that callers claim, one at a time."""

    @property
    def snapshots(self) -> Snapshots:
        """The last words of sessions."""

    @property
    def topic_locks(self) -> TopicLocks:
        """What sessions are about."""

    @property
    def verdicts(self) -> ReviewVerdicts:
        """What the person made of proposals."""

    @property
    def jobs(self) -> Jobs:
        """Work that is done later."""

    def erase(self, holds: Callable[[str], bool], keys: Collection[str]) -> int:
        """Remove everything that tells what `holds` finds or is about one of the keys (item keys, URIs, ids, paths), and let no
        byte of it remain on disk. Gives how many rows went. A cursor that goes means that its transcript is read anew.
        """

    def problems(self) -> tuple[str, ...]:
        """Return what is wrong with where this is kept, and what to do about it: a sentence each."""

    def close(self) -> None:
        """Release files."""

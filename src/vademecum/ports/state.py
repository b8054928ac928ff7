"""State that this device stores about its own work."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from vademecum.domain.benefit import Lot, Need
    from vademecum.domain.clocks import ClockAhead
    from vademecum.domain.feed import Use
    from vademecum.domain.jobs import JobRun
    from vademecum.domain.session import Cursor, Snapshot
    from vademecum.domain.topics import TopicLock
    from vademecum.domain.verdict import Verdicts


Outcome = Literal["found", "told", "used"]


class Unused(Struct, frozen=True):
    """How often an item was shown in a project since it was last used there or elsewhere, and when last (aware, UTC)."""

    times: int
    last: datetime


class ShownTo(Struct, frozen=True):
    """Items shown to an agent in a session: its URI, their keys, and when the last one was shown (aware, UTC)."""

    session: str
    keys: tuple[str, ...]
    last: datetime


class Cursors(Protocol):
    """Read positions in transcripts."""

    def get(self, path: str) -> Cursor:
        """Return how far the transcript at this absolute path was read; a new cursor when never."""

    def set(self, path: str, cursor: Cursor) -> None:
        """Store how far it was read."""

    def all(self) -> Mapping[str, Cursor]:
        """Return absolute path -> cursor of all transcripts that were ever read, sorted by path."""


class UnknownLines(Protocol):
    """Counts of unknown lines in transcripts."""

    def note(self, path: str, host: str, found: Mapping[str, int], *, anew: bool) -> None:
        """Count the unknown lines of a transcript, which were skipped.

        Args:
            found: kind of line -> count; under "" the lines that could not be parsed at all.
            anew: the transcript was read from its beginning, so these counts replace earlier ones.
        """

    def counts(self) -> Mapping[tuple[str, str], int]:
        """Return (host, kind of line, "" for unparsable lines) -> count over all transcripts; sorted by host and kind."""


class KnownTurn(Struct, frozen=True):
    """A captured turn of a conversation.

    Attributes:
        words: its mark (:meth:`TurnOwners.mark`). time: milliseconds since 1970, None: not known.
        owner: number of the session in which it was captured first (:meth:`TurnOwners.number`).
        elsewhere: so far it was only in a second file of the session.
    """

    words: int
    time: int | None
    owner: int
    elsewhere: bool = False


class TurnOwners(Protocol):
    """Session that owns each turn. Only hashes are stored, never words."""

    def number(self, session: str) -> int:
        """Return the number of the session with this URI on this device."""

    def mark(self, words: str) -> int:
        """Return the keyed hash of a text, 64 bits; equal texts have equal hashes on this device."""

    def of(self, session: int) -> tuple[KnownTurn, ...]:
        """Return the captured turns of a session, in chronological order."""

    def holding(self, marks: Sequence[int]) -> frozenset[int]:
        """Return numbers of the sessions that contain a turn with one of these marks."""

    def put(self, session: int, first: int, turns: Sequence[KnownTurn]) -> None:
        """Set the captured turns of a session from index `first` on."""

    def fill(self, sessions: Iterable[tuple[int, Sequence[KnownTurn]]]) -> None:
        """Set the captured turns of sessions without any, all or nothing."""

    def sharing(self, session: int) -> frozenset[int]:
        """Return numbers of the sessions that share turns with this one: with copies of its turns, or with all of it.

        Sessions that contain all of it are its continuations, whichever was captured first.
        """

    def is_empty(self) -> bool:
        """Return whether no captured turn is stored."""

    def claim(self, session: str, turns: Sequence[str]) -> frozenset[str]:
        """Return the turns, by globally unique names, that another session had first. The others belong to this session.

        A host that resumes a conversation in a new file copies its turns; each turn must be counted once. A repeated call gives
        the same result.
        """


class Identities(Protocol):
    """Session identity of transcripts whose host gives them no id."""

    def get(self, path: str) -> str:
        """Return the URI of the session at this path; "" when none was set."""

    def set(self, path: str, session: str) -> None:
        """Set the session at a path; it is removed from any other path."""

    def path(self, session: str) -> str:
        """Return the path of a session; "" when none was set."""

    def with_beginning(self, marks: Sequence[int]) -> tuple[str, ...]:
        """Return the URIs of set sessions whose first captured turns have these marks."""


class ClocksAhead(Protocol):
    """Conversations whose last time cannot be correct."""

    def all(self) -> Mapping[str, ClockAhead]:
        """Return URI of a session -> bounds on its real time."""

    def get(self, session: str) -> ClockAhead | None:
        """Return the bounds of one session; None when its times are correct."""

    def set(self, session: str, known: ClockAhead | None) -> None:
        """Set the bounds of one session; None: its times are correct."""


class Traces(Protocol):
    """Explanations of recalls."""

    def keep(self, trace: str, text: str) -> None:
        """Store the explanation of a recall (JSON) under its id. The oldest beyond a few hundred are deleted."""

    def get(self, trace: str = "") -> str | None:
        """Return the explanation with that id (or prefix of it), or of the last recall; None when there is none."""

    def latest(self, limit: int, before: str = "") -> tuple[str, ...]:
        """Return the explanations of the last recalls, latest first; with `before` only those before that one."""


class Usage(Protocol):
    """Counts of items returned, shown and used: returned or shown does not count as used."""

    def note(self, outcome: Outcome, keys: Iterable[str], moment: datetime, project: str = "") -> None:
        """Count one outcome of each item. A shown item counts as unused in that project ("": in none) until it is used."""

    def of(self, keys: Sequence[str]) -> Mapping[str, Use]:
        """Return the counts of those items; items without any are omitted."""

    def unused(self, project: str | None, keys: Sequence[str]) -> Mapping[str, Unused]:
        """Return how often each item was shown in a project (None: in all) since it was last used.

        Items that were not shown are omitted.
        """


class Shown(Protocol):
    """Items that were shown to agents in each session."""

    def keys(self, session: str) -> frozenset[str]:
        """Return keys of the items that were shown in this session (its URI) and are still in the agent's context."""

    def times(self, session: str) -> Mapping[str, datetime]:
        """Return the same keys with the time each was shown."""

    def record(self, session: str, keys: Iterable[str], moment: datetime) -> None:
        """Record items as shown.

        Records expire after 30 days, except those of the person (`session` is no session URI) with a key that is no URI.
        """

    def since(self) -> datetime | None:
        """Return the time of the oldest record; None: there is none."""

    def sessions(self, limit: int, key: str = "") -> tuple[ShownTo, ...]:
        """Return the sessions in which items (or this item, or a piece of it) were shown and are in context; latest first."""

    def forget(self, session: str) -> None:
        """Delete the records of a session whose context was emptied."""


class Lots(Protocol):
    """Memories held out of sessions on purpose, and whether they were needed there (:mod:`vademecum.domain.benefit`)."""

    def note(self, session: str, shown: Mapping[str, bool], moment: datetime) -> None:
        """Record the draws of a session (its URI): key of a memory -> True: shown, False: held out. Earlier draws stay."""

    def drawn(self, session: str) -> Mapping[str, datetime]:
        """Return keys of the memories with a draw in a session, and its time; not the result."""

    def left_out(self, session: str) -> frozenset[str]:
        """Return keys of the memories held out of a session."""

    def need(self, session: str, needs: Mapping[str, Need], moment: datetime) -> None:
        """Record how memories were needed in a session; the first record stays, and memories without a draw are skipped."""

    def all(self) -> tuple[Lot, ...]:
        """Return all draws, in order."""


class Claims(Protocol):
    """Names that callers claim, one at a time."""

    def claim(self, name: str, moment: datetime, within_s: float) -> bool:
        """Return whether this caller is the first to claim `name` within `within_s` seconds; valid across processes."""

    def release(self, name: str) -> bool:
        """Allow the next caller to claim `name`, and return whether it was claimed."""


class Snapshots(Protocol):
    """The last messages of sessions."""

    def get(self, session: str) -> Snapshot | None:
        """Return the last messages of the session with this URI; None when none are stored."""

    def set(self, snapshot: Snapshot) -> None:
        """Store the last messages of a session. Beyond some hundred, the least recently set are deleted."""

    def of_project(self, project: str) -> Iterator[Snapshot]:
        """Yield the last messages of every session of a project ("": of none), the most recent one first."""


class TopicLocks(Protocol):
    """Topics of sessions."""

    def get(self, session: str) -> TopicLock | None:
        """Return the topic lock of a session as last set; None when none was set."""

    def set(self, session: str, lock: TopicLock) -> None:
        """Store the topic lock of a session; an empty lock deletes it.

        Beyond some hundred, the least recently set are deleted.
        """


class ReviewVerdicts(Protocol):
    """The person's decisions on proposals."""

    def record(self, pattern: str, *, accepted: int = 0, rejected: int = 0) -> None:
        """Add to a pattern's numbers of accepted and rejected proposals; negative numbers subtract, but never below 0."""

    def all(self) -> Mapping[str, Verdicts]:
        """Return pattern -> the person's decisions on its proposals, sorted by name."""


class Jobs(Protocol):
    """Background jobs."""

    def lease(self, name: str, wait_s: float = 0) -> AbstractContextManager[bool]:
        """Hold the lease of a job while it runs; yields False when another process still has it after `wait_s` seconds.

        The lease ends with the process.

        Raises:
            WriteFailed: the lock cannot be created on the disk.
        """

    def note(self, run: JobRun) -> None:
        """Record the last run of a job, replacing the earlier record."""

    def all(self) -> Mapping[str, JobRun]:
        """Return name -> last run of each job; jobs that never ran are omitted."""


class State(Protocol):
    """State that this device stores about its own work. If it is lost, transcripts must be read again; no memory is lost."""

    cursors: Cursors
    unknown_lines: UnknownLines
    turns: TurnOwners
    identities: Identities
    clocks_ahead: ClocksAhead
    traces: Traces
    usage: Usage
    shown: Shown
    lots: Lots
    claims: Claims
    snapshots: Snapshots
    topic_locks: TopicLocks
    verdicts: ReviewVerdicts
    jobs: Jobs

    def erase(self, holds: Callable[[str], bool], keys: Collection[str]) -> int:
        """Remove every row about one of the keys or with a text that `holds` accepts; return the number of rows.

        No byte of them remains on disk. The transcript of a removed cursor is read again.

        Args:
            keys: item keys, URIs, ids and paths.
        """

    def problems(self) -> tuple[str, ...]:
        """Return faults of this storage and what to do about them: one sentence each."""

    def close(self) -> None:
        """Release files."""

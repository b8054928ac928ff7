"""Values for new content of a transcript, and for the state of one reading of all transcripts."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.tombstones import forgotten
from vademecum.domain.clocks import ClockAhead
from vademecum.domain.errors import Problem
from vademecum.domain.saved import Saved
from vademecum.domain.session import Candidate, Cursor, Session
from vademecum.guard.records import rewrite_records
from vademecum.ingest.ledger import Ledger
from vademecum.ingest.paused_turns import without_words
from vademecum.ingest.reader import Reading
from vademecum.ports.transcripts import Parsed

#: (candidates, ideas) of a session.
Found = tuple[tuple[Candidate, ...], tuple[Candidate, ...]]


class Captured(Struct, frozen=True):
    """Result of reading one transcript.

    Attributes:
        session: its URI.
        turns: number of new turns by role.
        saved: outcome of each candidate.
        unknown: line types that were not understood -> count.
        broken: number of unreadable lines.
        copied: number of turns that the host copied from another session; they belong to that one.
    """

    path: str
    session: str
    title: str
    turns: Mapping[str, int]
    saved: tuple[Saved, ...] = ()
    unknown: Mapping[str, int] = msgspec.field(default_factory=dict)
    broken: int = 0
    copied: int = 0


class Growth(Struct, frozen=True):
    """New content of a transcript.

    Attributes:
        session: its new turns, cleaned.
        stamp: stamp of the file before it was read.
        fresh: replaces everything in the index about the session; None when the new turns are appended.
        begun: whether part of it was read before.
        killed: whether an earlier run was interrupted before it stored its cursor.
        known: refs of turns that were mined before, because the file was rewritten or moved.
        copied: number of turns that belong to another session.
        copy: whether the file is a second one of its session.
        found: returns the candidates in it, if a worker was asked to find them.
    """

    path: Path
    session: Session
    reading: Reading
    stamp: str
    fresh: Session | None
    begun: bool
    killed: bool = False
    known: frozenset[str] = frozenset()
    copied: int = 0
    copy: bool = False
    found: Callable[[], Found] | None = None


class Round(Struct, frozen=True):
    """State of one reading of all transcripts: what it needs from the index, and the problems that it meets.

    Attributes:
        indexed: path -> stamp of the transcript in the index.
        logged: path -> bytes whose tool calls are indexed.
        places: session -> path of its transcript.
        strange: files of no known format.
        libraries: cursors of libraries, stored after all of their conversations are processed.
        ledger: turns that were captured before.
        ahead: conversations whose clock was ahead.
        last: (URI, end) of the sessions that ended last before this reading.
    """

    indexed: Mapping[str, str]
    logged: Mapping[str, int]
    places: dict[str, str]
    problems: list[Problem]
    strange: list[Path]
    libraries: dict[str, Cursor]
    ledger: Ledger
    ahead: dict[str, ClockAhead]
    last: tuple[tuple[str, datetime], ...]


def size_in(stat: str) -> int:
    """Return the bytes of a file from its stamp; 0 for ""."""
    return int(stat.partition(":")[0] or 0)


def kept_cursor(context: Context, parsed: Parsed) -> Cursor:
    """Return the cursor as it may be stored: its `carry` may contain words of the conversation, so it is cleaned (X-37)."""
    carry = context.guard.clean_records(parsed.cursor.carry.encode("utf-8", "replace"))
    unsaid = without_words(parsed.session, context.storage.pauses.all())
    carry = rewrite_records(carry, lambda text: unsaid(forgotten(context).blank(text)))
    return replace(parsed.cursor, carry=carry.decode("utf-8", "replace"))


def note_unknown(context: Context, path: str, got: Reading, *, anew: bool) -> None:
    """Count unknown line types, so that `doctor` can report when a host changed its format."""
    result = Counter({"": got.parsed.broken})
    for kind, count in got.parsed.unknown.items():
        result[context.guard.clean(kind)] += count
    context.state.unknown_lines.note(path, got.parsed.session.host, result, anew=anew)


def captured(session: Session, path: Path, got: Reading, saved: tuple[Saved, ...]) -> Captured:
    return Captured(
        path=str(path),
        session=session.uri,
        title=session.title,
        turns=dict(Counter("program" if turn.speaker == "program" else turn.role for turn in session.turns)),
        saved=saved,
        unknown=got.parsed.unknown,
        broken=got.parsed.broken,
    )

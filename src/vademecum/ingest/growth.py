"""What is new in a transcript, and what a reading of all transcripts knows."""

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
from vademecum.domain.session import Candidate, Cursor, Session
from vademecum.guard.records import rewrite_records
from vademecum.ingest.ledger import Ledger
from vademecum.ingest.paused_turns import without_words
from vademecum.ingest.reader import Reading
from vademecum.ports.transcripts import Parsed
from vademecum.write.gate import Saved

#: Candidates among what was said, and ideas.
Found = tuple[tuple[Candidate, ...], tuple[Candidate, ...]]


class Captured(Struct, frozen=True):
    """What one transcript gave.

    Attributes:
        session: its URI. turns: new ones since the last reading, by role.
        saved: what became of each candidate.
        unknown: line types that were not understood, with counts. broken: lines that could not be read.
        copied: turns that the host copied from another session, where they stand.
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
    """What is new in a transcript.

    Attributes:
        session: its new turns, cleansed. stamp: stat of the file before it was read.
        fresh: what replaces everything that the index knows of the session; None when the new turns go behind it.
        begun: part of it was read before. killed: a reading was killed before it remembered how far it had come.
        known: refs of turns that were mined before, because the file was rewritten or moved.
        copied: how many turns another session had first. copy: the file is a second one of its session.
        found: gives what was found in it, when somebody was asked to look for it.
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
    """What one reading of all transcripts needs to know of the index, and what it finds wrong.

    Attributes:
        indexed: path -> stat of the transcript as the index keeps it. logged: path -> bytes, of what its tools did.
        places: session -> path of its transcript. strange: files of no format we know.
        libraries: how far they were read, to be kept when all of it is settled.
        ledger: which turns were captured before.
        ahead: conversations whose clocks were ahead. last: URI and end of those that ended last, before this reading.
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
    """Return bytes of a file by its stat; 0 for none."""
    return int(stat.partition(":")[0] or 0)


def kept_cursor(context: Context, parsed: Parsed) -> Cursor:
    """Return the cursor as it may lie on our disk: what a format carries along holds words of the conversation (X-37)."""
    carry = context.guard.clean_records(parsed.cursor.carry.encode("utf-8", "replace"))
    unsaid = without_words(parsed.session, context.storage.pauses.all())
    carry = rewrite_records(carry, lambda text: unsaid(forgotten(context).blank(text)))
    return replace(parsed.cursor, carry=carry.decode("utf-8", "replace"))


def note_unknown(context: Context, path: str, got: Reading, *, anew: bool) -> None:
    """Count the kinds of lines that nobody knows, so that `doctor` can tell when a host has changed what it writes."""
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

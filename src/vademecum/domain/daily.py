"""What was done on a day, as its note tells it: one block for each conversation, and one JSON line beside it."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from msgspec import Struct

#: What the last run of tests said; "" when none ran.
Validation = Literal["", "passed", "failed", "run, result unknown"]


class Commit(Struct, frozen=True):
    """A commit of a repository. `hash`: abbreviated. `time`: when it was committed; aware. `subject`: first line of its message."""

    hash: str
    time: datetime
    subject: str


class Activity(Struct, frozen=True):
    """What one conversation brought on one day. Every text is one line; lists are in the order in which it was said.

    Attributes:
        session: URI. day: in the person's own time; start, end: the day's first and last moment of it, in that time too.
        delivered: what the agent reported. outputs: what came of it that can be opened: files made, pull requests, addresses.
        rejected: what was tried or weighed and not taken. signals: what from outside made the person ask.
        reflections: how the work itself went. next: the step that was named last, "" for none.
        incident: the sentence that tells of something that went badly wrong, "" for none.
        cursor: ref of the day's last turn. handoff: where its handoff stands, from the vault's root; "" when it left none there.
    """

    session: str
    day: date
    start: datetime
    end: datetime
    title: str
    host: str = ""
    project: str = ""
    branch: str = ""
    turns: int = 0
    topics: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    delivered: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    reflections: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    next: str = ""
    files: tuple[str, ...] = ()
    commits: tuple[Commit, ...] = ()
    validation: Validation = ""
    incident: str = ""
    cursor: str = ""
    handoff: str = ""


class Block(Struct, frozen=True):
    """A block of a day's note before it has found its place.

    Attributes:
        session: URI, by which it is known. time: "HH:MM", by which it is sorted. title: one line.
        body: Markdown behind the heading; no heading of the first or second level in it. facts: the sidecar's fields.
        incident: whether the day had something that went badly wrong.
    """

    session: str
    time: str
    title: str
    body: str
    facts: Mapping[str, Any]
    incident: bool = False


class DailyNote(Struct, frozen=True):
    """A day's note as it stands.

    Attributes:
        path: of the file, absolute. text: "" when there is none. sessions: how many blocks of ours it holds.
        sidecar: its JSON lines.
    """

    day: date
    path: str
    text: str
    sessions: int = 0
    sidecar: tuple[Mapping[str, Any], ...] = ()


class DayText(Struct, frozen=True):
    """The texts of a day's note and of its sidecar ("" for none), and the note's absolute path."""

    day: date
    path: str
    text: str
    sidecar: str


def midnight(day: date, local: Callable[[datetime], datetime]) -> datetime:
    """Return the moment at which a day begins on the person's clocks; aware, UTC."""
    guess = datetime.combine(day, time(), UTC)
    for _ in range(2):  # where clocks are set meanwhile, the first guess has the other offset
        guess = datetime.combine(day, time(), UTC) - (local(guess).utcoffset() or timedelta())
    return guess

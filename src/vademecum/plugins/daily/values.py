"""Values of daily notes."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from vademecum.domain.daily import Commit, Validation


class Activity(Struct, frozen=True):
    """The work of one conversation on one day. Every text is one line; lists are in chronological order.

    Attributes:
        session: URI. day: in the person's time zone; start, end: first and last moment on that day, in the same zone.
        delivered: results that the agent reported. outputs: results that can be opened: files, pull requests, addresses.
        rejected: alternatives that were tried or considered and not chosen. signals: outside events that prompted the work.
        reflections: remarks on the work itself. next: the next step that was named last, "" for none.
        incident: the sentence that reports a serious failure, "" for none.
        cursor: ref of the day's last turn. handoff: path of its handoff from the vault's root; "" when it left none there.
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


class DailyNote(Struct, frozen=True):
    """The current note of a day.

    Attributes:
        path: of the file, absolute. text: "" when there is none. sessions: number of generated blocks in it.
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

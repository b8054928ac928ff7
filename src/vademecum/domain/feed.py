"""What was done with memories, and what agents were shown of them."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.domain.memory import Actor


class Touched(Struct, frozen=True):
    """A memory that an operation changed: its title and kind after the operation, "" where unknown."""

    id: str
    title: str
    kind: str


class Operation(Struct, frozen=True):
    """One operation on memories from the journal; `undo` takes its id.

    Attributes:
        time: aware, UTC.
        op: its name: save, edit, approve, ...
        undoes: id of the operation that it reversed, or "".
        memories: each once, in the order of their last change.
    """

    id: str
    time: datetime
    op: str
    actor: Actor
    interface: str
    device: str
    reason: str
    undoes: str
    memories: tuple[Touched, ...]


class LogFilter(Struct, frozen=True):
    """Which operations of the log are returned; without a field, all.

    Attributes:
        since, until: aware; only those from `since` on and before `until`.
        before: id of an operation; only earlier ones.
        evolution: only those on what was learnt: corrections, competence and the like.
    """

    since: datetime | None = None
    until: datetime | None = None
    before: str = ""
    evolution: bool = False


#: All operations.
ALL = LogFilter()


class Use(Struct, frozen=True):
    """How often an item of memory was returned, shown and used.

    Attributes:
        found: number of times it was returned for a query. shown: number of times it was shown to an agent that did not ask.
        used: number of conversations that used it after that. last_used: time of the last use; aware, UTC, None: never.
    """

    found: int = 0
    shown: int = 0
    used: int = 0
    last_used: datetime | None = None


class ShownSession(Struct, frozen=True):
    """What agents were shown in one conversation.

    Attributes:
        session: its URI.
        title: its title; "" when not known yet.
        shown: shown items that still exist.
        last: time of the last one.
    """

    session: str
    title: str
    shown: tuple[Item, ...]
    last: datetime


class ShownLog(Struct, frozen=True):
    """What agents were shown.

    Attributes:
        sessions: conversations that still have it in context.
        use: usage counts of the requested memory; None if none was requested.
    """

    sessions: tuple[ShownSession, ...]
    use: Use | None = None

"""What happened, as a person looks at it: changes of memories, what agents were told, questions that were asked."""

from datetime import datetime

from msgspec import Struct

from vademecum.domain.item import Item, Passage, Touch
from vademecum.domain.memory import Actor


class Touched(Struct, frozen=True):
    """A memory that an operation changed: its title and kind behind the operation, "" where they are not known."""

    id: str
    title: str
    kind: str


class Operation(Struct, frozen=True):
    """One operation on memories, as the journal keeps it; `undo` takes its id.

    Attributes:
        op: the verb: save, edit, approve, ... time: aware, UTC.
        undoes: id of the operation that it took back, or "".
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


class ToldSession(Struct, frozen=True):
    """What agents were told in a conversation: its URI and title ("": not known yet), what of it still stands, and when last."""

    session: str
    title: str
    told: tuple[Item, ...]
    last: datetime


class SessionPage(Struct, frozen=True):
    """Some passages of a conversation.

    Attributes:
        item: the conversation, without its passages. passages: from number `start` on, in order.
        more: there are passages behind them. touches: tools used after the turns in sight, in order.
        kept: memories that came of the conversation, each with the ref of the turn it begins at ("": not known).
    """

    item: Item
    passages: tuple[Passage, ...]
    start: int
    more: bool
    touches: tuple[Touch, ...] = ()
    kept: tuple[tuple[Item, str], ...] = ()

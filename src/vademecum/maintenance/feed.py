"""What happened lately: operations on memories, and what agents were told."""

from collections.abc import Iterator
from datetime import datetime

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.item import Item
from vademecum.domain.memory import Actor
from vademecum.ports.state import Use
from vademecum.vault.frontmatter import read
from vademecum.vault.journal import GENERATED, Change, Record


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


def operations(context: Context, limit: int = 50, *, since: datetime | None = None, before: str = "") -> tuple[Operation, ...]:
    """Return the last operations on memories, of all devices, newest first. What only renewed pages of ours is none.

    Args:
        since: aware; older ones are left out. before: id of an operation; only those before it.
    """
    found: list[Operation] = []
    for one in _operations(context, since, before):
        found.append(one)
        if len(found) == limit:
            break
    return tuple(found)


def _operations(context: Context, since: datetime | None, before: str) -> Iterator[Operation]:
    for record in context.vault.history.newest_first():
        if since is not None and record.time < since:
            return
        if before and record.id >= before:
            continue
        touched = tuple(_touched(change) for change in record.changes if _is_memory(change))
        if touched:
            yield _operation(record, touched)


def _is_memory(change: Change) -> bool:
    side = change.after or change.before
    return bool(change.memory) and side is not None and not side.space.endswith(GENERATED)


def _operation(record: Record, touched: tuple[Touched, ...]) -> Operation:
    return Operation(
        record.id, record.time, record.op, record.actor, record.interface, record.device, record.reason, record.undoes, touched
    )


def _touched(change: Change) -> Touched:
    side = change.after if change.after and change.after.text else change.before
    said = read(side.text).texts() if side and side.text else {}
    return Touched(change.memory, str(said.get("title", "")), str(said.get("kind", "")))


def use_of(context: Context, key: str) -> Use:
    """Return what came of an item: how often it was found and told, and in how many conversations it was taken up after that."""
    return context.state.usage.of([key]).get(key, Use())


def told(context: Context, limit: int = 20, key: str = "") -> tuple[ToldSession, ...]:
    """Return the conversations in which agents were told something, or the item of this key, the last first."""
    sessions = context.state.told.sessions(limit, key)
    items = context.index.items([one for told in sessions for one in (told.session, *told.keys)])
    return tuple(
        ToldSession(
            one.session,
            items[one.session].title if one.session in items else "",
            tuple(items[key] for key in one.keys if key in items),
            one.last,
        )
        for one in sessions
    )

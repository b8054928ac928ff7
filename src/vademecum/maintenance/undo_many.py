"""Undo many related changes: all memories from one conversation, or everything that one run of a job did."""

import itertools
from collections.abc import Iterable

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.errors import Conflict, InvalidInput, NotFound
from vademecum.domain.memory import BY_PERSON, By, Memory
from vademecum.sessions.lookup import named
from vademecum.sync.index import follow
from vademecum.vault.frontmatter import read
from vademecum.vault.journal import Record


class Undone(Struct, frozen=True):
    """Result of undoing related changes.

    Attributes:
        what: URI of a conversation, or name of a job.
        titles: memories that were restored or removed.
        stay: (title, reason) of changes that could not be undone.
    """

    what: str
    titles: tuple[str, ...]
    stay: tuple[tuple[str, str], ...] = ()


def undo_session(context: Context, session: str, *, by: By = BY_PERSON) -> Undone:
    """Undo what capture and the language model saved from a conversation, latest first. What the person changed since stays.

    Memories that it had replaced become current again. Each undo can itself be undone.

    Args:
        session: see :func:`vademecum.sessions.lookup.named`.

    Raises:
        NotFound, Ambiguous: no conversation fits, or several do.
    """
    uri = named(context, session)
    kept = [
        memory
        for memory in context.vault.list()
        if memory.source == uri and memory.kind != "handoff" and memory.trust == "extracted"
    ]
    newest_first = sorted(kept, key=lambda memory: memory.id, reverse=True)
    return _taken_back(context, uri, ((memory.title, _kept_in(context, memory)) for memory in newest_first), by)


def undo_operations(context: Context, what: str, ids: Iterable[str], *, by: By = BY_PERSON) -> Undone:
    """Undo operations, latest first; those on memories that were changed since are left alone.

    Args:
        what: name of what they were part of.
        ids: ids of the operations.
    """
    wanted = frozenset(ids)
    known = itertools.takewhile(lambda record: record.id >= min(wanted, default="Z"), context.vault.history.newest_first())
    return _taken_back(context, what, [(_title(record), record) for record in known if record.id in wanted], by)


def _taken_back(context: Context, what: str, changes: Iterable[tuple[str, Record | None]], by: By) -> Undone:
    undone: list[str] = []
    stay: list[tuple[str, str]] = []
    for title, record in changes:
        try:
            if record is None:
                raise Conflict("its origin is unknown")
            context.vault.history.undo_record(record, by=by)
            undone.append(title)
        except (Conflict, NotFound, InvalidInput) as error:
            stay.append((title, error.message))
    follow(context, quick=True)
    return Undone(what, tuple(dict.fromkeys(undone)), tuple(stay))


def _title(record: Record) -> str:
    """Return the title of the memory that an operation was about."""
    sides = (side for change in record.changes for side in (change.after, change.before) if change.memory)
    return next((str(read(side.text).texts().get("title", "")) for side in sides if side and side.text), record.op)


def _kept_in(context: Context, memory: Memory) -> Record | None:
    """Return the change by which a program created the memory; None when a person did."""
    for record in context.vault.history.of(memory.id):
        made = any(change.memory == memory.id and change.before is None for change in record.changes)
        if made:
            return record if record.actor == "extraction" else None
    return None

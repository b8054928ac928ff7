"""Take back everything that was kept from one conversation: one word for a whole reading."""

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.errors import Conflict, NotFound
from vademecum.domain.memory import BY_PERSON, By, Memory
from vademecum.sessions.lookup import named
from vademecum.sync.index import follow
from vademecum.vault.journal import Record


class SessionUndone(Struct, frozen=True):
    """What was taken back of a conversation.

    Attributes:
        session: its URI. titles: of the memories that are gone. stay: (title, why) of those that could not be taken back.
    """

    session: str
    titles: tuple[str, ...]
    stay: tuple[tuple[str, str], ...] = ()


def undo_session(context: Context, session: str, *, by: By = BY_PERSON) -> SessionUndone:
    """Take back what capture and a reader kept from a conversation, the last first; what the person changed since stays.

    Memories that gave way to it stand again. It can be brought back, change by change.

    Args:
        session: as of :func:`vademecum.sessions.lookup.named`.

    Raises:
        NotFound, Ambiguous: the conversation.
    """
    uri = named(context, session)
    kept = [one for one in context.vault.list() if one.source == uri and one.kind != "handoff" and one.trust == "extracted"]
    undone: list[str] = []
    stay: list[tuple[str, str]] = []
    for memory in sorted(kept, key=lambda one: one.id, reverse=True):
        record = _kept_in(context, memory)
        try:
            if record is None:
                raise Conflict("nobody knows how it came")
            context.vault.history.undo(record.id, by=by)
            undone.append(memory.title)
        except (Conflict, NotFound) as error:
            stay.append((memory.title, error.message))
    follow(context, quick=True)
    return SessionUndone(uri, tuple(undone), tuple(stay))


def _kept_in(context: Context, memory: Memory) -> Record | None:
    """Return the change by which a program made the memory; None when a person made it."""
    for record in context.vault.history.of(memory.id):
        made = any(change.memory == memory.id and change.before is None for change in record.changes)
        if made:
            return record if record.actor == "extraction" else None
    return None

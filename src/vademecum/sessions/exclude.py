"""Exclude single conversations from learning, and include them again.

An excluded conversation is still archived, readable and searchable. But no memory, handoff or daily note is made of it, no
language model reads it, and no answer uses it. To store nothing at all, pause memory, mark text as `<private>`, or forget the
conversation.
"""

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.errors import NotFound
from vademecum.domain.item import FILED_SOURCES
from vademecum.domain.query import EXCLUDED, Scope
from vademecum.index.items import SESSIONS, log_key
from vademecum.sessions.lookup import named

#: Maximum memories searched for those from a conversation.
LOOKED_THROUGH = 100_000


class Eligible(Struct, frozen=True):
    """Whether memories are taken from a conversation.

    Attributes:
        session: its URI.
        title: its title in the index, or "".
        learnt: ids of memories that came from it earlier and still exist.
    """

    session: str
    title: str
    eligible: bool
    learnt: tuple[str, ...] = ()


def exclude(context: Context, session: str = "") -> Eligible:
    """Exclude a conversation from learning, now and later. It stays archived and searchable, and no answer uses it.

    Args:
        session: a URI (also of a conversation that was not read yet), an id or its beginning, a path or a title; "": the
            conversation with the latest turn.

    Raises:
        NotFound, Ambiguous: no conversation, or several, are called so.
    """
    return _set_eligible(context, session, eligible=False)


def include(context: Context, session: str) -> Eligible:
    """Include an excluded conversation again, from its next turn on.

    Raises:
        NotFound, Ambiguous: no conversation, or several, are called so.
    """
    return _set_eligible(context, session, eligible=True)


def _set_eligible(context: Context, ref: str, *, eligible: bool) -> Eligible:
    uri = ref if ref.startswith("session://") else named(context, ref) if ref else _last(context)
    uris = [uri] if eligible else [uri, *_copies(context, uri)]
    for entry in uris:
        context.storage.pauses.exclude(entry, context.clock.now(), out=not eligible)
        if not eligible:
            context.storage.extractions.change(entry, lambda known: None)
    items = context.index.items([name for element in uris for name in (element, log_key(element))])
    for item in items.values():
        tags = tuple(tag for tag in item.tags if tag != EXCLUDED)
        context.indexer.set_tags(item, tags if eligible else (*tags, EXCLUDED))
    learnt = context.index.select(Scope(sources=FILED_SOURCES, branches=None), limit=LOOKED_THROUGH)
    title = items[uri].title if uri in items else ""
    return Eligible(uri, title, eligible, tuple(item.key.removeprefix("memory://") for item in learnt if item.origin in uris))


def _copies(context: Context, uri: str) -> list[str]:
    """Return URIs of conversations that share turns with this one: its continuations and forks."""
    sharing = context.state.turns.sharing(context.state.turns.number(uri))
    known = context.index.fingerprints(SESSIONS) if sharing else ()
    return [entry for entry in known if entry != uri and context.state.turns.number(entry) in sharing]


def _last(context: Context) -> str:
    last = context.index.select(Scope(sources=("session",), statuses=None), limit=1)
    if not last:
        raise NotFound("No conversation is known yet.", "Read them with: vade capture")
    return last[0].key

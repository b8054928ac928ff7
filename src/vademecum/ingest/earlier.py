"""Turns that a conversation had before: a host that cut or rewrote its transcript takes none of them out of the index."""

from collections import defaultdict

from vademecum.context.context import Context
from vademecum.domain.session import Session
from vademecum.index.items import log_key
from vademecum.ingest.load_session import archived_versions, own_part, with_versions


def was_cut(context: Context, uri: str) -> bool:
    """Return whether the archive has turns of a conversation that its host took away."""
    return any(record.cut is not None for record in archived_versions(context, uri))


def with_earlier(context: Context, session: Session, stamp: str) -> Session:
    """Return a conversation that was just read whole, with the turns that only earlier versions of it have.

    Args:
        session: its own turns. stamp: size and time of the file that it was read from, or the mark of its place in a library.
    """
    records = archived_versions(context, session.uri)
    earlier = [
        archived for archived in records if archived.cut is not None or (archived.path, archived.stat) != (session.path, stamp)
    ]
    if not earlier or (all(archived.cut is None for archived in earlier) and _is_indexed_within(context, session)):
        return session
    return own_part(context, with_versions(context, session, earlier))


def _is_indexed_within(context: Context, session: Session) -> bool:
    """Return whether the session has everything that the index holds of it; False when the index does not know it."""
    stored = context.index.passages_of(session.uri)
    if not stored:
        return False
    texts: dict[str, list[str]] = defaultdict(list)
    for turn in session.turns:
        texts[turn.ref].append(turn.text)
    passages = [other_stored.passage for other_stored in (*stored, *context.index.passages_of(log_key(session.uri)))]
    return all(
        any(
            (passage.text if passage.role != "tool" else passage.text.partition("\n")[0]) in text
            for text in texts.get(passage.ref, ())
        )
        for passage in passages
    )

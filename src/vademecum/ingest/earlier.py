"""Turns of earlier versions: when a host cuts or rewrites a transcript, its turns stay in the index."""

from collections import defaultdict

from vademecum.context.context import Context
from vademecum.domain.session import Session
from vademecum.index.items import log_key
from vademecum.ingest.load_session import archived_versions, own_part, with_versions


def was_cut(context: Context, uri: str) -> bool:
    """Return whether the archive has turns of a conversation that its host removed."""
    return any(record.cut is not None for record in archived_versions(context, uri))


def with_earlier(context: Context, session: Session, stamp: str) -> Session:
    """Add to a conversation that was just read completely the turns that only its earlier versions have.

    Args:
        session: its current turns.
        stamp: stamp of the file, or of its entry in a library, that it was read from.
    """
    records = archived_versions(context, session.uri)
    earlier = [
        archived for archived in records if archived.cut is not None or (archived.path, archived.stat) != (session.path, stamp)
    ]
    if not earlier or (all(archived.cut is None for archived in earlier) and _is_indexed_within(context, session)):
        return session
    return own_part(context, with_versions(context, session, earlier))


def _is_indexed_within(context: Context, session: Session) -> bool:
    """Return whether the session contains everything that the index has of it; False when the index has nothing."""
    stored = context.index.passages_of(session.uri)
    if not stored:
        return False
    texts: dict[str, list[str]] = defaultdict(list)
    for turn in session.turns:
        texts[turn.ref].append(turn.text)
    passages = [row.passage for row in (*stored, *context.index.passages_of(log_key(session.uri)))]
    return all(
        any(
            (passage.text if passage.role != "tool" else passage.text.partition("\n")[0]) in text
            for text in texts.get(passage.ref, ())
        )
        for passage in passages
    )

"""Identify conversations whose host gives them no id, by the path of their transcript."""

import hashlib

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.session import SPOKEN, Session, Turn
from vademecum.ingest.discover import is_there
from vademecum.ingest.growth import Round
from vademecum.ingest.ledger import LONG_CHARS, mark_of

#: Number of first turns that identify a moved or renamed file.
FIRST_TURNS = 3
#: Characters at the beginning of a turn that are compared.
COMPARED_CHARS = 200


def identified(context: Context, session: Session, path: str, now: Round, *, whole: bool) -> Session:
    """Return the session with the id by which it is known here.

    The id is the file name, plus a hash if another conversation has that name or had that path. A file that was moved or
    renamed keeps its id; it is recognised by its first turns.

    Args:
        whole: whether these are all turns of the file, so that they tell whether it contains the same conversation as before.
    """
    if not session.is_named_by_file:
        return session
    identities = context.state.identities
    before = identities.get(path)
    if before and whole and _is_another(context, session, before):
        uri = _moved(context, session) or _made_of(session, f"{path}\0{_long(session)[0].text}")
    else:
        uri = before or _moved(context, session) or _free(context, session, path, now)
    if identities.get(path) != uri:
        identities.set(path, uri)
    return replace(session, id=uri.removeprefix(f"session://{session.host}/"))


def _is_another(context: Context, session: Session, before: str) -> bool:
    """Return whether nothing of what is known of a conversation is said in this one."""
    known = {stored.passage.text[:COMPARED_CHARS] for stored in context.index.passages_of(before)}
    said = _long(session)
    return bool(known and said) and not any(turn.text[:COMPARED_CHARS] in known for turn in said)


def _long(session: Session) -> list[Turn]:
    """Return the spoken turns that hardly occur in other conversations; all spoken ones if there are none."""
    spoken = [turn for turn in session.turns if turn.role in SPOKEN]
    return [turn for turn in spoken if len(turn.text) >= LONG_CHARS] or spoken


def _made_of(session: Session, text: str) -> str:
    return f"{session.uri}-{hashlib.blake2b(text.encode('utf-8', 'surrogatepass'), digest_size=4).hexdigest()}"


def _moved(context: Context, session: Session) -> str:
    """Return the URI of a conversation with the same first turns whose file no longer exists; "" for none."""
    first = [turn for turn in session.turns if turn.role in SPOKEN][:FIRST_TURNS]
    marks = [mark_of(context.state.turns, turn).words for turn in first]
    for uri in context.state.identities.with_beginning(marks):
        is_of_host = uri.startswith(f"session://{session.host}/")
        if is_of_host and not is_there(context.state.identities.path(uri)):
            return uri
    return ""


def _free(context: Context, session: Session, path: str, now: Round) -> str:
    """Return a URI that no conversation at another path has."""
    others = {context.state.identities.path(session.uri), now.places.get(session.uri, "")} - {"", path}
    if context.storage.archive is not None and not others:
        others = {record.path for record in context.storage.archive.of_session(session.uri)} - {path}
    if not others:
        return session.uri
    return _made_of(session, path)

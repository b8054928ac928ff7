"""Log the tool calls of conversations as they are captured."""

from collections.abc import Sequence

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.action import LoggedCall
from vademecum.domain.query import EXCLUDED
from vademecum.domain.session import Session
from vademecum.extract.logged_calls import has_late_answers, logged_calls


def log_calls(context: Context, session: Session, *, whole: bool) -> bool:
    """Log the tool calls of a session's turns, with secrets removed; return whether one of them failed or was refused.

    Nothing is logged for a session that the person excluded.

    Args:
        whole: the session holds all of its turns; else they follow those captured earlier.
    """
    log = context.storage.calls
    left_out = EXCLUDED in session.tags
    waiting = log.of(session.uri) if not (whole or left_out) and has_late_answers(session) else ()
    calls = () if left_out else _clean(context, logged_calls(session, waiting))
    if not whole:
        log.put(calls)
    elif calls or log.of(session.uri):
        log.replace(session.uri, calls)
    return any(call.outcome in ("failed", "refused") for call in calls)


def _clean(context: Context, calls: Sequence[LoggedCall]) -> list[LoggedCall]:
    """Return calls without secrets; in a captured session only the spoken turns are already clean."""
    texts = list(dict.fromkeys(text for call in calls for text in (call.target, call.says) if text))
    clean = dict(zip(texts, context.guard.clean_all(texts), strict=True)) | {"": ""}
    return [replace(call, target=clean[call.target], says=clean[call.says]) for call in calls]

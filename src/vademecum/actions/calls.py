"""Log the tool calls of conversations as they are captured."""

from collections.abc import Sequence

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.action import LoggedCall
from vademecum.domain.query import EXCLUDED
from vademecum.domain.session import Session
from vademecum.extract.logged_calls import has_late_answers, logged_calls


def log_calls(context: Context, session: Session, *, whole: bool) -> bool:
    """Log the calls of a conversation's turns, clean of secrets; whether one of them failed or was refused.

    Of a conversation that the person excluded none are kept.

    Args:
        whole: these are all of its turns; else they go behind those that were captured before.
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
    """Return calls without secrets: of a conversation only what was spoken is clean already."""
    texts = list(dict.fromkeys(text for call in calls for text in (call.target, call.says) if text))
    clean = dict(zip(texts, context.guard.clean_all(texts), strict=True)) | {"": ""}
    return [replace(call, target=clean[call.target], says=clean[call.says]) for call in calls]

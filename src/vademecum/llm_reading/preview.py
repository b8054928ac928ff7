"""Show what a language model would be sent, before anything leaves this machine."""

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.llm_queue import named
from vademecum.domain.query import Scope
from vademecum.domain.reading import ReadingPreview
from vademecum.domain.tokens import estimate_tokens
from vademecum.ingest.load_session import whole_session
from vademecum.llm_reading.read_sessions import question_of


def preview(context: Context, session: str = "") -> ReadingPreview:
    """Return what would be sent of a conversation: the named one, else the next in the queue, else the last captured.

    This records that the person could see it, so that reading may begin.

    Raises:
        NotFound: nothing in the queue has that name.
    """
    uri, path = _chosen(context, session)
    if not uri:
        return ReadingPreview()
    whole, _ = whole_session(context, uri, path)
    asked = question_of(context, whole)
    if asked is None:
        return ReadingPreview(uri, whole.title, whole.project)
    trial = context.storage.extractions.trial(context.models.llm_name)
    context.storage.extractions.note_trial(replace(trial, shown=trial.shown or context.clock.now()))
    tokens = estimate_tokens(asked.prompt.task + asked.prompt.text)
    return ReadingPreview(uri, whole.title, whole.project, tokens, asked.prompt.text)


def _chosen(context: Context, session: str) -> tuple[str, str]:
    """Return (URI, path) of the conversation to show; both "" when there is none."""
    if session:
        extraction = named(context, session)
        return extraction.session, extraction.path
    waiting = [queued for queued in context.storage.extractions.all({"waiting"}) if not queued.rival]
    if waiting:
        return waiting[0].session, waiting[0].path
    newest = context.index.select(Scope(sources=("session",), statuses=None), limit=1)
    return (newest[0].key, newest[0].path) if newest else ("", "")

"""Look up whole conversations: their text, their handoff, and the working set of their agent."""

import contextlib
import io
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import Ambiguous, NotFound, VademecumError
from vademecum.domain.host import HookEvent, uri_of
from vademecum.domain.outline import Outline
from vademecum.domain.query import EXCLUDED, Bundle, Scope
from vademecum.domain.saved import Saved
from vademecum.domain.session import Session
from vademecum.extract.outline import outline
from vademecum.index.items import log_key
from vademecum.ingest import archiver
from vademecum.ingest.discover import is_there
from vademecum.ingest.load_session import session_in, whole_session, with_true_times
from vademecum.sessions.handoff import own_outline, write_handoff
from vademecum.sessions.working_set import compose_working_set

#: Default maximum tokens of the working set that a session gets after compaction.
WORKING_SET_TOKENS = 1500
#: Bytes read from the end of a growing transcript while an agent waits; they take about a tenth of a second.
IN_HAND_BYTES = 2 << 20
GOAL_CHARS = 240
#: Maximum conversations searched for the last ones of each project, newest first.
SESSIONS_FROM = 1000
SEE = "See what is known: vade sessions list"


class SessionLine(Struct, frozen=True):
    """One conversation in a list.

    Attributes:
        updated: time of the last turn; aware, UTC, or None.
        turns: number of spoken turns.
        stage: stage of its life cycle, "" when no hook reported one.
        error: why processing failed, or "".
        there: whether the host still has the transcript.
        archived: whether the archive has it.
        cut: what the host removed from it, in sentences, or "".
        about: summary by the language model that read it, one sentence; "" for none.
        mentions: URLs named in it.
        excluded: whether it is excluded from learning.
    """

    session: str
    title: str
    path: str
    project: str = ""
    updated: datetime | None = None
    turns: int = 0
    stage: str = ""
    error: str = ""
    there: bool = False
    archived: bool = False
    about: str = ""
    mentions: tuple[str, ...] = ()
    excluded: bool = False
    cut: str = ""


def named(context: Context, ref: str) -> str:
    """Return the URI of the session that a URI, an id or its beginning, a path or a title names.

    Raises:
        NotFound: no session fits.
        Ambiguous: several sessions fit.
    """
    wanted = ref.strip()
    known = {marker.session: (marker.transcript, "") for marker in context.storage.markers.all()}
    known |= {record.session: (record.path, record.title) for record in archiver.records(context)}
    items = context.index.select(Scope(sources=("session",), statuses=None), limit=1_000_000)
    known |= {item.key: (item.path, item.title) for item in items}
    if wanted in known:
        return wanted
    tests = (
        lambda uri, path, title: uri.rpartition("/")[2] == wanted or path == wanted,
        lambda uri, path, title: uri.rpartition("/")[2].startswith(wanted),
        lambda uri, path, title: title.casefold() == wanted.casefold(),
        lambda uri, path, title: wanted.casefold() in title.casefold(),
    )
    for test in tests:
        texts = sorted(uri for uri, (path, title) in known.items() if test(uri, path, title)) if wanted else []
        if len(texts) == 1:
            return texts[0]
        if texts:
            raise Ambiguous(wanted, [f"{uri}  {known[uri][1]}".rstrip() for uri in texts], "conversations")
    raise NotFound(f"No session is called {ref!r}.", SEE)


def keys_of(context: Context, ref: str) -> tuple[str, str]:
    """Return the index keys of a conversation: of its speech and of its tool calls.

    Raises:
        NotFound: no session fits.
        Ambiguous: several sessions fit.
    """
    uri = named(context, ref)
    return uri, log_key(uri)


def listed(context: Context, scope: Scope, limit: int) -> tuple[SessionLine, ...]:
    """Return the conversations in scope, newest first."""
    records = archiver.records(context)
    archived = {record.session for record in records}
    markers = {marker.session: marker for marker in context.storage.markers.all()}
    lines = []
    for item in context.index.select(scope, limit=limit):
        marker = markers.get(item.key)
        extraction = context.storage.extractions.get(item.key)
        last = context.index.passages_of(item.key)
        lines.append(
            SessionLine(
                item.key,
                item.title,
                item.path,
                item.project,
                item.updated,
                turns=last[-1].passage.turn + 1 if last else 0,
                stage=marker.stage if marker else "",
                error=marker.error if marker else "",
                there=is_there(item.path),
                archived=item.key in archived,
                about=extraction.about if extraction else "",
                mentions=extraction.mentions if extraction else (),
                excluded=EXCLUDED in item.tags,
                cut=" ".join(record.removed for record in reversed(records) if record.session == item.key and record.cut),
            )
        )
    return tuple(lines)


def last_of_projects(context: Context, most: int, each: int) -> tuple[Session, ...]:
    """Return the last conversations of the most recently used projects and of no project, grouped by project, newest first.

    Conversations that are excluded or unreadable are skipped.

    Args:
        most: maximum number of projects.
        each: maximum conversations of a project.
    """
    last: dict[str, list[str]] = {}
    for item in context.index.select(Scope(sources=("session",)), limit=SESSIONS_FROM):
        if EXCLUDED not in item.tags:
            last.setdefault(item.project, []).append(item.key)
    found = []
    for uri in (uri for uris in list(last.values())[:most] for uri in uris[:each]):
        with contextlib.suppress(VademecumError, OSError):
            found.append(whole(context, uri))
    return tuple(found)


def whole(context: Context, ref: str) -> Session:
    """Return a whole conversation, from its transcript or, if the host deleted it, from the archive.

    Raises:
        NotFound: no session fits.
        Ambiguous: several sessions fit.
    """
    uri = named(context, ref)
    marker = context.storage.markers.get(uri)
    extraction = context.storage.extractions.get(uri)
    session = whole_session(context, uri, marker.transcript if marker else "")[0]
    return replace(session, summary=extraction.summary if extraction else "")


def working_set(context: Context, session: str, budget: int = 0) -> Bundle:
    """Return the working set of a session's agent for the briefing after compaction; never over budget.

    Args:
        budget: maximum tokens; 0: WORKING_SET_TOKENS.

    Raises:
        NotFound: neither the host nor the archive has its transcript.
    """
    return compose_working_set(outline(whole(context, session)), budget or WORKING_SET_TOKENS)


def in_hand(context: Context, event: HookEvent, budget_tokens: int) -> Bundle:
    """Return the working set of a running conversation from the end of its transcript.

    It is empty when the transcript cannot be read. An agent waits, so only the last part of a long transcript is read. The goal
    then comes from the index.
    """
    try:
        with Path(event.transcript).open("rb") as file:
            end = file.seek(0, io.SEEK_END)
            file.seek(max(0, end - IN_HAND_BYTES))
            data = file.read()
    except OSError:
        return compose_working_set(Outline(uri_of(event)), budget_tokens)
    if end > IN_HAND_BYTES:
        data = data[data.find(b"\n") + 1 :]
    session = session_in(context, io.BytesIO(data), event.transcript, placed=end <= IN_HAND_BYTES)
    whole_outline = outline(with_true_times(context, session)) if session else Outline(uri_of(event))
    first = context.index.passages_of(uri_of(event), 0, 1) if end > IN_HAND_BYTES else ()
    goal = tuple(" ".join(stored.passage.text.split())[:GOAL_CHARS] for stored in first)
    return compose_working_set(replace(whole_outline, asked=tuple(dict.fromkeys((*goal, *whole_outline.asked)))), budget_tokens)


def handoff(context: Context, ref: str, project: str) -> Saved:
    """Return the handoff of a session; write it if it does not exist.

    Args:
        project: project whose last session is used when `ref` is "".
    """
    if not ref:
        scope = Scope(sources=("session",), statuses=None, projects=(project,) if project else None)
        last = context.index.select(scope, limit=1)
        if not last:
            raise NotFound("No session is known yet.", "Read them with: vade capture")
        ref = last[0].key
    saved = write_handoff(context, own_outline(context, whole(context, ref)))
    if saved is None:
        raise NotFound(f"{ref} says too little for a handoff.", "Read it with: vade sessions show")
    return saved

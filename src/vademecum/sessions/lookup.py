"""What can be asked of a conversation as a whole: its text, where it stopped, and what was in hand."""

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
from vademecum.domain.session import Session
from vademecum.extract.outline import outline
from vademecum.ingest import archiver as shelve
from vademecum.ingest.discover import is_there
from vademecum.ingest.load_session import session_in, whole_session, with_true_times
from vademecum.sessions.handoff import own_outline, write_handoff
from vademecum.sessions.working_set import compose_working_set
from vademecum.write.gate import Saved

#: Tokens of the working set that a session is given back after its compaction.
WORKING_SET_TOKENS = 1500
#: Of a transcript that is being written, so much is read while an agent waits: about a tenth of a second.
IN_HAND_BYTES = 2 << 20
GOAL_CHARS = 240
#: Conversations that the last one of each project is looked for in, newest first.
SESSIONS_FROM = 1000
SEE = "See what is known: vade sessions list"


class SessionLine(Struct, frozen=True):
    """One conversation in a list.

    Attributes:
        updated: when somebody spoke last; aware, UTC, or None.
        turns: of speech. stage: of its life, "" when no hook told of it. error: why it failed, else "".
        there: whether the host still has the transcript. archived: whether we have it. cut: what the host took out of it, in
            sentences, or "".
        about: what it was about, in a sentence of the language model that read it; "" when none did. mentions: addresses named in it.
        excluded: nothing is learnt from it.
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
    """Return URI of the session that a URI, an id or its beginning, a path or a title names.

    Raises:
        NotFound, Ambiguous.
    """
    wanted = ref.strip()
    known = {marker.session: (marker.transcript, "") for marker in context.storage.markers.all()}
    known |= {record.session: (record.path, record.title) for record in shelve.records(context)}
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
    """Return keys of what the index holds of a conversation: what was said, and what its tools did.

    Raises:
        NotFound, Ambiguous.
    """
    uri = named(context, ref)
    return uri, f"log://{uri.removeprefix('session://')}"


def listed(context: Context, scope: Scope, limit: int) -> tuple[SessionLine, ...]:
    """Return conversations in scope, the last first."""
    records = shelve.records(context)
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
                cut=" ".join(record.told for record in reversed(records) if record.session == item.key and record.cut),
            )
        )
    return tuple(lines)


def last_of_projects(context: Context, most: int, each: int) -> tuple[Session, ...]:
    """Return the last conversations of the projects that were worked in last, and of none: project by project, the newest first.

    Conversations that are excluded, or that can no longer be read, are skipped.

    Args:
        most: number of projects. each: number of conversations of a project.
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
    """Return a whole conversation, from its transcript or, when the host deleted that, from the archive.

    Raises:
        NotFound, Ambiguous.
    """
    uri = named(context, ref)
    marker = context.storage.markers.get(uri)
    extraction = context.storage.extractions.get(uri)
    session = whole_session(context, uri, marker.transcript if marker else "")[0]
    return replace(session, summary=extraction.summary if extraction else "")


def working_set(context: Context, session: str, budget: int = 0) -> Bundle:
    """Return what an agent had in its hands in a session, for the briefing after its compaction; never over budget.

    Args:
        budget: most tokens; 0: WORKING_SET_TOKENS.

    Raises:
        NotFound: there is no transcript of it, here or in the archive.
    """
    return compose_working_set(outline(whole(context, session)), budget or WORKING_SET_TOKENS)


def in_hand(context: Context, event: HookEvent, budget_tokens: int) -> Bundle:
    """Return what was in hand in a conversation that is going on, from the end of its transcript; nothing when that cannot be read.

    An agent waits, so of a long transcript only the last part is read; the goal comes from the index.
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
    """Return the handoff of a session, written now unless it stands already.

    Args:
        project: whose last session is meant when `ref` is "".
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

"""What can be asked of a conversation as a whole: its text, where it stopped, what was in hand, and its transcript back."""

import io
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.compose.working_set import compose_working_set
from vademecum.context.context import Context
from vademecum.domain.archive import Archived, ArchiveSize
from vademecum.domain.errors import Ambiguous, NotFound, Problem
from vademecum.domain.host import HookEvent, uri_of
from vademecum.domain.outline import Outline
from vademecum.domain.query import EXCLUDED, Bundle, Scope
from vademecum.domain.session import Session
from vademecum.extract.outline import outline
from vademecum.ingest import archiver as shelve
from vademecum.ingest.discover import is_there, owner_of, paths_within
from vademecum.ingest.load_session import session_in, whole_session
from vademecum.ports.archive import Archive
from vademecum.sessions.handoff import write_handoff
from vademecum.write.gate import Saved

#: Tokens of the working set that a session is given back after its compaction.
WORKING_SET_TOKENS = 1500
#: Of a transcript that is being written, so much is read while an agent waits: about a tenth of a second.
IN_HAND_BYTES = 2 << 20
GOAL_CHARS = 240
_SEE = "See what is known: vade sessions list"


class SessionLine(Struct, frozen=True):
    """One conversation in a list.

    Attributes:
        updated: when somebody spoke last; aware, UTC, or None.
        turns: of speech. stage: of its life, "" when no hook told of it. error: why it failed, else "".
        there: whether the host still has the transcript. archived: whether we have it.
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


class Restored(Struct, frozen=True):
    """A transcript written back. `placeholders`: secrets that the guard took out; they stay placeholders."""

    session: str
    path: str
    bytes: int
    placeholders: int = 0


class Exported(Struct, frozen=True):
    """A transcript as the archive keeps it."""

    session: str
    text: str


class ArchiveReport(Struct, frozen=True):
    """State of the archive: how much it holds, what is archived and deleted by its host, and what is damaged."""

    size: ArchiveSize
    only_here: tuple[Archived, ...] = ()
    problems: tuple[Problem, ...] = ()


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
        found = sorted(uri for uri, (path, title) in known.items() if test(uri, path, title)) if wanted else []
        if len(found) == 1:
            return found[0]
        if found:
            raise Ambiguous(wanted, found)
    raise NotFound(f"No session is called {ref!r}.", _SEE)


def keys_of(context: Context, ref: str) -> tuple[str, str]:
    """Return keys of what the index holds of a conversation: what was said, and what its tools did.

    Raises:
        NotFound, Ambiguous.
    """
    uri = named(context, ref)
    return uri, f"log://{uri.removeprefix('session://')}"


def listed(context: Context, scope: Scope, limit: int) -> tuple[SessionLine, ...]:
    """Return conversations in scope, the last first."""
    archived = {record.path for record in shelve.records(context)}
    markers = {marker.session: marker for marker in context.storage.markers.all()}
    lines = []
    for item in context.index.select(scope, limit=limit):
        marker = markers.get(item.key)
        told = context.storage.extractions.get(item.key)
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
                archived=item.path in archived,
                about=told.about if told else "",
                mentions=told.mentions if told else (),
                excluded=EXCLUDED in item.tags,
            )
        )
    return tuple(lines)


def whole(context: Context, ref: str) -> Session:
    """Return a whole conversation, from its transcript or, when the host deleted that, from the archive.

    Raises:
        NotFound, Ambiguous.
    """
    uri = named(context, ref)
    marker = context.storage.markers.get(uri)
    told = context.storage.extractions.get(uri)
    found = whole_session(context, uri, marker.transcript if marker else "")[0]
    return replace(found, summary=told.summary if told else "")


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
    found = outline(session) if session else Outline(uri_of(event))
    first = context.index.passages_of(uri_of(event), 0, 1) if end > IN_HAND_BYTES else ()
    goal = tuple(" ".join(one.passage.text.split())[:GOAL_CHARS] for one in first)
    return compose_working_set(replace(found, asked=tuple(dict.fromkeys((*goal, *found.asked)))), budget_tokens)


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
    saved = write_handoff(context, outline(whole(context, ref)))
    if saved is None:
        raise NotFound(f"{ref} says too little to hand over.", "Read it with: vade sessions show")
    return saved


def exported(context: Context, ref: str) -> Exported:
    """Return the transcript of a conversation as the archive keeps it: verbatim, without secrets.

    Raises:
        NotFound: it is not archived. Ambiguous. ArchiveDamaged.
    """
    archive = _archive(context)
    record = _archived(context, archive, ref)
    return Exported(record.session, b"".join(archive.read(record.path)).decode("utf-8", "replace"))


def _archived(context: Context, archive: Archive, ref: str) -> Archived:
    """Return the record of a session's transcript; of several the one of its own name first.

    Raises:
        NotFound: there is none.
    """
    uri = named(context, ref)
    found = archive.of_session(uri)
    if not found:
        raise NotFound(f"{uri} is not in the archive.", _SEE)
    return found[0]


def restore(context: Context, ref: str, to: str = "") -> Restored:
    """Write a transcript back where its host finds it, or to another place. Nothing is overwritten.

    Raises:
        NotFound: it is not archived. AlreadyExists: a file stands there. ArchiveDamaged, WriteFailed.
    """
    archive = _archive(context)
    record = _archived(context, archive, ref)
    path = shelve.restore(archive, record, to)
    taken_out = sum(context.guard.count_placeholders(piece.decode("utf-8", "replace")) for piece in archive.read(record.path))
    return Restored(record.session, str(path), record.bytes, taken_out)


def checked(context: Context) -> ArchiveReport:
    """Read the whole archive and say what can no longer be given back."""
    archive = _archive(context)
    return ArchiveReport(archive.size(), tuple(_only_here(context, archive)), archive.check())


def _only_here(context: Context, archive: Archive) -> list[Archived]:
    """Return what the host deleted, also out of a database or an export that still stands."""
    records = archive.records()
    held: dict[str, frozenset[str]] = {}
    for owner in {owner_of(record.path) for record in records} - {record.path for record in records}:
        held[owner] = paths_within(context, owner)
    return [
        record
        for record in records
        if not is_there(record.path)
        or (owner_of(record.path) != record.path and record.path not in held[owner_of(record.path)])
    ]


def _archive(context: Context) -> Archive:
    if context.storage.archive is None:
        raise NotFound("Transcripts are not archived.", "Switch it on with: archive = true")
    return context.storage.archive

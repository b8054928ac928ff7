"""What can be asked of a conversation as a whole: its text, where it stopped, what was in hand, and its transcript back."""

import io
from dataclasses import replace
from pathlib import Path

from vademecum.capture.outline import outline
from vademecum.compose.working_set import compose_working_set
from vademecum.guard.secrets import placeholders
from vademecum.model.archive import Archived
from vademecum.model.errors import Ambiguous, NotFound
from vademecum.model.host import HookEvent, uri_of
from vademecum.model.outline import Outline
from vademecum.model.ports import Archive
from vademecum.model.query import EXCLUDED, Bundle, Scope
from vademecum.model.reports import ArchiveReport, Exported, Restored, Saved, SessionLine
from vademecum.model.session import Session
from vademecum.upkeep import shelve
from vademecum.upkeep.gather import is_there, owner_of, paths_within
from vademecum.upkeep.hand_over import write_handoff
from vademecum.upkeep.parts import Parts
from vademecum.upkeep.whole import session_in, whole_session

#: Of a transcript that is being written, so much is read while an agent waits: about a tenth of a second.
IN_HAND_BYTES = 2 << 20
GOAL_CHARS = 240
_SEE = "See what is known: vade sessions list"


def named(parts: Parts, ref: str) -> str:
    """URI of the session that a URI, an id or its beginning, a path or a title names.

    Raises:
        NotFound, Ambiguous.
    """
    wanted = ref.strip()
    items = parts.index.select(Scope(sources=("session",), statuses=None), limit=1_000_000)
    known = {item.key: (item.path, item.title) for item in items}
    known |= {record.session: (record.path, record.title) for record in (parts.archive.records() if parts.archive else ())}
    known |= {marker.session: (marker.transcript, "") for marker in parts.markers.all()}
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


def keys_of(parts: Parts, ref: str) -> tuple[str, str]:
    """Keys of what the index holds of a conversation: what was said, and what its tools did.

    Raises:
        NotFound, Ambiguous.
    """
    uri = named(parts, ref)
    return uri, f"log://{uri.removeprefix('session://')}"


def listed(parts: Parts, scope: Scope, limit: int) -> tuple[SessionLine, ...]:
    """Conversations in scope, the last first."""
    archived = {record.path for record in (parts.archive.records() if parts.archive else ())}
    markers = {marker.session: marker for marker in parts.markers.all()}
    lines = []
    for item in parts.index.select(scope, limit=limit):
        marker = markers.get(item.key)
        told = parts.extractions.get(item.key)
        last = parts.index.passages_of(item.key)
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


def whole(parts: Parts, ref: str) -> Session:
    """A whole conversation."""
    uri = named(parts, ref)
    marker = parts.markers.get(uri)
    told = parts.extractions.get(uri)
    found = whole_session(parts, uri, marker.transcript if marker else "")[0]
    return replace(found, summary=told.summary if told else "")


def working_set(parts: Parts, ref: str, budget_tokens: int) -> Bundle:
    """What was in hand in a conversation, within a budget."""
    return compose_working_set(outline(whole(parts, ref)), budget_tokens)


def in_hand(parts: Parts, event: HookEvent, budget_tokens: int) -> Bundle:
    """What was in hand in a conversation that is going on, from the end of its transcript; nothing when that cannot be read.

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
    session = session_in(parts, io.BytesIO(data), event.transcript, placed=end <= IN_HAND_BYTES)
    found = outline(session) if session else Outline(uri_of(event))
    first = parts.index.passages_of(uri_of(event), 0, 1) if end > IN_HAND_BYTES else ()
    goal = tuple(" ".join(one.passage.text.split())[:GOAL_CHARS] for one in first)
    return compose_working_set(replace(found, asked=tuple(dict.fromkeys((*goal, *found.asked)))), budget_tokens)


def handoff(parts: Parts, ref: str, project: str) -> Saved:
    """The handoff of a session, written now unless it stands already.

    Args:
        project: whose last session is meant when `ref` is "".
    """
    if not ref:
        scope = Scope(sources=("session",), statuses=None, projects=(project,) if project else None)
        last = parts.index.select(scope, limit=1)
        if not last:
            raise NotFound("No session is known yet.", "Read them with: vade capture")
        ref = last[0].key
    saved = write_handoff(parts, outline(whole(parts, ref)))
    if saved is None:
        raise NotFound(f"{ref} says too little to hand over.", "Read it with: vade sessions show")
    return saved


def exported(parts: Parts, ref: str) -> Exported:
    """The transcript as it is kept."""
    archive = _archive(parts)
    record = _archived(parts, archive, ref)
    return Exported(record.session, b"".join(archive.read(record.path)).decode("utf-8", "replace"))


def _archived(parts: Parts, archive: Archive, ref: str) -> Archived:
    """The record of a session's transcript; of several the one of its own name first.

    Raises:
        NotFound: there is none.
    """
    uri = named(parts, ref)
    found = archive.of_session(uri)
    if not found:
        raise NotFound(f"{uri} is not in the archive.", _SEE)
    return found[0]


def restore(parts: Parts, ref: str, to: str) -> Restored:
    """Write a transcript back."""
    archive = _archive(parts)
    record = _archived(parts, archive, ref)
    path = shelve.restore(archive, record, to)
    taken_out = sum(len(placeholders(piece.decode("utf-8", "replace"))) for piece in archive.read(record.path))
    return Restored(record.session, str(path), record.bytes, taken_out)


def checked(parts: Parts) -> ArchiveReport:
    """Read the whole archive."""
    archive = _archive(parts)
    return ArchiveReport(archive.size(), tuple(_only_here(parts, archive)), archive.check())


def _only_here(parts: Parts, archive: Archive) -> list[Archived]:
    """What the host deleted, also out of a database or an export that still stands."""
    records = archive.records()
    held: dict[str, frozenset[str]] = {}
    for owner in {owner_of(record.path) for record in records} - {record.path for record in records}:
        held[owner] = paths_within(parts, owner)
    return [
        record
        for record in records
        if not is_there(record.path)
        or (owner_of(record.path) != record.path and record.path not in held[owner_of(record.path)])
    ]


def _archive(parts: Parts) -> Archive:
    if parts.archive is None:
        raise NotFound("Transcripts are not archived.", "Switch it on with: archive = true")
    return parts.archive

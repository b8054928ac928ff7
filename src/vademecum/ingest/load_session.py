"""Load a complete conversation with every turn it ever had.

Turns come from its transcript and, where that lacks some, from the archive.
"""

import contextlib
import io
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.tombstones import forgotten
from vademecum.domain.archive import Archived
from vademecum.domain.clocks import AHEAD
from vademecum.domain.errors import ArchiveDamaged, Locked, NotFound, VademecumError, WriteFailed
from vademecum.domain.query import EXCLUDED
from vademecum.domain.session import SPOKEN, Cursor, Session
from vademecum.ingest.discover import UUID, form_of, is_there, owner_of, stamp_of, transcript_bytes
from vademecum.ingest.ledger import copied_turns
from vademecum.ingest.paused_turns import without_paused
from vademecum.ingest.reader import HEAD_BYTES, head_of, is_prefix, steps_of
from vademecum.ingest.versions import united
from vademecum.write.projects import in_project, worked_in

#: A transcript longer than this is represented by its first and last bytes.
LONG_BYTES, BEGINNING_BYTES, ENDING_BYTES = 3 << 20, 256 << 10, 2 << 20

#: Errors of the archive while it is read.
UNREADABLE = (ArchiveDamaged, Locked, WriteFailed)


def whole_session(context: Context, uri: str, path: str = "") -> tuple[Session, str]:
    """Return every turn of a conversation, cleaned of secrets, and the path of its transcript.

    Args:
        path: path of its transcript; "": the path in the index.

    Raises:
        NotFound: neither the host nor the archive has a transcript.
    """
    item = context.index.items([uri]).get(uri)
    records = archived_versions(context, uri)
    for place in dict.fromkeys(filter(None, (path, item.path if item else ""))):
        data = _standing(context, place)
        session = session_in(context, io.BytesIO(data), place) if data is not None else None
        if data is not None and session is not None and session.uri == uri:
            lacking = [record for record in records if not _goes_on(record, io.BytesIO(data), place)]
            return with_true_times(context, with_versions(context, session, lacking)), place
    archived = archived_conversation(context, records)
    if archived is not None:
        return archived, records[-1].path
    raise NotFound(
        f"The transcript of {uri} is not there{f' ({path})' if path else ''}.",
        "A host may write it later; it is tried again. See what is known: vade sessions list",
    )


def session_at(context: Context, path: str) -> str:
    """Return the URI of the conversation at a path.

    Raises:
        NotFound: there is no readable conversation.
    """
    data = _standing(context, path)
    session = session_in(context, io.BytesIO(data), path) if data is not None else None
    if session is None:
        raise NotFound(f"There is no conversation at {path}.", "First: vade capture")
    return session.uri


def with_versions(context: Context, session: Session, records: Sequence[Archived]) -> Session:
    """Add to a conversation the turns that only these archived versions have. Unreadable versions are skipped.

    Versions are merged with the times that their host wrote: corrected times depend on when a version was archived and would
    not match.
    """
    versions = []
    for record in records:
        with contextlib.suppress(*UNREADABLE):
            versions.append(archived_session(context, record))
    known = [version for version in versions if version is not None]
    return replace(united([*known, session]), path=session.path) if known else session


def archived_conversation(context: Context, records: Sequence[Archived]) -> Session | None:
    """Return the conversation merged from its versions, with plausible times; None when no format recognises any.

    Args:
        records: archived versions, oldest first.

    Raises:
        ArchiveDamaged, Locked, WriteFailed: no version can be read.
    """
    versions: list[Session] = []
    damage: VademecumError | None = None
    for record in records:
        try:
            session = archived_session(context, record)
        except UNREADABLE as error:
            damage = error
            continue
        versions += [session] if session is not None else []
    if not versions and damage is not None:
        raise damage
    return _kept_by(context, united(versions), records[-1]) if versions else None


def _kept_by(context: Context, session: Session, record: Archived) -> Session:
    """Limit the session's times to the time of its last version: when its file was written, or when it was archived."""
    if context.state.clocks_ahead.get(session.uri):
        return with_true_times(context, session)
    written = int(record.stat.partition(":")[2] or 0) / 1e9
    kept = datetime.fromtimestamp(written, UTC) if owner_of(record.path) == record.path and written else record.kept
    return no_later_than(session, min(kept, record.kept))


def archived_versions(context: Context, uri: str) -> tuple[Archived, ...]:
    """Return the archived versions of a conversation, oldest first; none while the archive cannot be read."""
    try:
        return context.storage.archive.of_session(uri) if context.storage.archive else ()
    except UNREADABLE:
        return ()


def _goes_on(record: Archived, file: BinaryIO, place: str) -> bool:
    """Return whether the file at a path still contains this archived version.

    It is unchanged since then, or begins with everything that it contained then.
    """
    if record.cut is not None:
        return False
    if record.path == place and record.stat == stamp_of(place):
        return True
    return record.prefix != "" and is_prefix(file, record.source_bytes, record.prefix)


def long_session(context: Context, uri: str, path: str) -> tuple[Session, str]:
    """Return a session as :func:`whole_session` does, but of a transcript longer than LONG_BYTES only its beginning and end.

    The end shows where a session stopped, the beginning what it was for. Parsing fifty megabytes for two new turns would take
    too long.

    Raises:
        NotFound: neither the host nor the archive has a transcript.
    """
    session = _ends_of(context, Path(path), archived_versions(context, uri)) if path else None
    return (session, path) if session is not None else whole_session(context, uri, path)


def _ends_of(context: Context, path: Path, records: Sequence[Archived]) -> Session | None:
    """Return the beginning and end of a long transcript of lines.

    None for any other, and for one that lacks archived turns: those are read completely.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, io.SEEK_END)
            if size <= LONG_BYTES or not all(_goes_on(archived, file, str(path)) for archived in records):
                return None
            file.seek(0)
            beginning = file.read(BEGINNING_BYTES)
            start = file.seek(size - ENDING_BYTES)
            ending = file.read()
        form = form_of(context.outside.formats, head_of(beginning), path)
    except OSError:
        return None
    if form is None or form.whole:
        return None
    first = form.parse(beginning[: form.complete(beginning)], Cursor(), str(path))
    skipped = ending.find(b"\n") + 1
    lines = ending[skipped:]
    last = form.parse(lines[: form.complete(lines)], replace(first.cursor, offset=start + skipped), str(path))
    return with_true_times(context, cleansed(context, replace(last.session, turns=first.session.turns + last.session.turns)))


def _standing(context: Context, place: str) -> bytes | None:
    """Return the bytes of the transcript at a path, which may be in a library; None when it is missing or unreadable."""
    if not is_there(place):
        return None
    try:
        return transcript_bytes(context, place)
    except OSError:
        return None


def archived_session(context: Context, record: Archived) -> Session | None:
    """Return the archived version of a transcript, with the times that its host wrote; None when no format recognises it."""
    data = b"".join(context.storage.archive.read(record)) if context.storage.archive else b""
    return session_in(context, io.BytesIO(data), record.path, placed=False)


def session_in(context: Context, file: BinaryIO, path: str, *, placed: bool = True) -> Session | None:
    """Return every turn of an open transcript, cleaned of secrets; None when no format recognises it.

    Times are as the host wrote them.

    Args:
        placed: whether `file` is the complete transcript at `path`, so that byte positions are those of the file.
    """
    beginning = file.read(HEAD_BYTES)
    form = form_of(context.outside.formats, head_of(beginning), Path(path), lambda: beginning + file.read())
    if form is None:
        return None
    file.seek(0)
    steps = [step.parsed.session for step in steps_of(file, form, Cursor(), path)]
    whole = replace(steps[-1], turns=tuple(turn for step in steps for turn in step.turns))
    return cleansed(context, whole, placed=placed)


def latest_time(context: Context, session: Session) -> datetime:
    """Return the latest plausible time in a transcript: when its file was written, or now if that is in the future."""
    now = context.clock.now()
    nanoseconds = stamp_of(owner_of(session.path)).partition(":")[2]  # for a database the time of its journal, if newer
    written = datetime.fromtimestamp(int(nanoseconds) / 1e9, UTC) if nanoseconds else now
    return written if written <= now + AHEAD else now


def with_true_times(context: Context, session: Session) -> Session:
    """Limit a session's times to when its file was written at capture: later ones come from a clock that was ahead."""
    known = context.state.clocks_ahead.get(session.uri)
    return no_later_than(session, known.latest if known else latest_time(context, session))


def no_later_than(session: Session, latest: datetime) -> Session:
    """Replace times of a session that are later than `latest` with `latest`."""
    limit = latest + AHEAD
    if all(time is None or time <= limit for time in (session.started, session.ended, *(turn.time for turn in session.turns))):
        return session

    def true(time: datetime | None) -> datetime | None:
        return latest if time is not None and time > limit else time

    turns = tuple(replace(turn, time=true(turn.time)) for turn in session.turns)
    return replace(session, turns=turns, started=true(session.started), ended=true(session.ended))


def cleansed(context: Context, session: Session, *, placed: bool = True) -> Session:
    """Return the session as it may be stored, with its project.

    Removed are secrets, hidden characters (X-37), forgotten text, and turns said while memory was paused. The transcript itself
    belongs to the host and is not changed.

    Args:
        placed: whether the turns' byte positions are those in the transcript.
    """
    gone = forgotten(context)
    known_as = context.state.identities.get(session.path) if session.is_named_by_file else ""
    if known_as:
        session = replace(session, id=known_as.removeprefix(f"session://{session.host}/"))
    session = _placed_by_hook(context, session)
    session = without_paused(session, context.storage.pauses.all(), placed=placed)
    clean_all = iter(context.guard.clean_all([turn.text for turn in session.turns if turn.role in SPOKEN]))
    turns = tuple(
        replace(turn, text=gone.blank(next(clean_all)) or turn.role)
        if turn.role in SPOKEN
        else replace(turn, text=gone.blank(turn.text))
        for turn in session.turns
    )
    turns = tuple(
        replace(turn, question=gone.blank(context.guard.clean(turn.question))) if turn.question else turn for turn in turns
    )
    session = in_project(session, worked_in(context, session))
    tags = (*session.tags, *((EXCLUDED,) if session.uri in context.storage.pauses.excluded() else ()))
    return replace(session, turns=turns, title=gone.blank(context.guard.clean(session.title)), tags=tags)


def _placed_by_hook(context: Context, session: Session) -> Session:
    """If a session's transcript names no folder, add the one that its host reported to a hook."""
    marker = None if session.cwd else context.storage.markers.get(session.uri)
    if marker is None or not marker.cwd:
        return session
    turns = tuple(turn if turn.cwd else replace(turn, cwd=marker.cwd) for turn in session.turns)
    return replace(session, cwd=marker.cwd, turns=turns)


def own_part(context: Context, session: Session) -> Session:
    """Return the session without turns that belong to another one, and without tool turns between those."""
    return without_copies(session, taken_by_name(context, session) | copied_turns(context, session))


def taken_by_name(context: Context, session: Session) -> frozenset[str]:
    """Return refs of turns with globally unique ids that another session had first. The others are claimed for this session."""
    named = [turn.ref for turn in session.turns if turn.role in SPOKEN and UUID.match(turn.ref)]
    return context.state.turns.claim(session.uri, named)


def without_copies(session: Session, taken: Collection[str]) -> Session:
    """Return the session without the turns with these refs, and without tool turns before the last of them."""
    last = max((number for number, turn in enumerate(session.turns) if turn.ref in taken), default=-1)
    if last < 0:
        return session
    turns = tuple(
        turn for number, turn in enumerate(session.turns) if turn.ref not in taken and (number > last or turn.role in SPOKEN)
    )
    return replace(session, turns=turns)

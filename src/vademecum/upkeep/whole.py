"""A whole conversation, every turn of it: from its transcript while the host keeps it, from the archive when it is gone."""

import io
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from vademecum.capture.paused import without_paused
from vademecum.capture.read import HEAD_BYTES, head_of, steps_of
from vademecum.guard.gate import cleanse
from vademecum.guard.records import cleanse_all
from vademecum.model.archive import Archived
from vademecum.model.errors import NotFound
from vademecum.model.query import EXCLUDED
from vademecum.model.session import SPOKEN, Cursor, Session
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.gather import UUID, form_of, is_there, transcript_bytes
from vademecum.upkeep.parts import Parts

#: A longer transcript is handed over by its first and its last bytes.
LONG_BYTES, BEGINNING_BYTES, ENDING_BYTES = 3 << 20, 256 << 10, 2 << 20


def whole_session(parts: Parts, uri: str, path: str = "") -> tuple[Session, str]:
    """Every turn of a conversation, clean of secrets, and the path of the transcript it was read from.

    Args:
        path: of its transcript; "": where the index knows it.

    Raises:
        NotFound: there is no transcript any more, and none in the archive.
    """
    item = parts.index.items([uri]).get(uri)
    for place in dict.fromkeys(filter(None, (path, item.path if item else ""))):
        session = _standing(parts, place)
        if session is not None:
            return session, place
    for record in parts.archive.of_session(uri) if parts.archive else ():
        session = archived_session(parts, record)
        if session is not None:
            return session, record.path
    raise NotFound(
        f"The transcript of {uri} is not there{f' ({path})' if path else ''}.",
        "A host may write it later; it is tried again. See what is known: vade sessions list",
    )


def long_session(parts: Parts, uri: str, path: str) -> tuple[Session, str]:
    """As :func:`whole_session`; of a transcript longer than LONG_BYTES only what was said at its beginning and its end.

    Where a session stopped stands at its end, and what it was for at its beginning: nobody waits for fifty megabytes to be parsed
    because two turns came.

    Raises:
        NotFound: there is no transcript any more, and none in the archive.
    """
    session = _ends_of(parts, Path(path)) if path else None
    return (session, path) if session is not None else whole_session(parts, uri, path)


def _ends_of(parts: Parts, path: Path) -> Session | None:
    """Beginning and end of a long transcript of lines; None for any other, which is read whole."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, io.SEEK_END)
            if size <= LONG_BYTES:
                return None
            file.seek(0)
            beginning = file.read(BEGINNING_BYTES)
            start = file.seek(size - ENDING_BYTES)
            ending = file.read()
        form = form_of(parts.formats, head_of(beginning), path)
    except OSError:
        return None
    if form is None or form.whole:
        return None
    first = form.parse(beginning[: form.complete(beginning)], Cursor(), str(path))
    skipped = ending.find(b"\n") + 1
    lines = ending[skipped:]
    last = form.parse(lines[: form.complete(lines)], replace(first.cursor, offset=start + skipped), str(path))
    return cleansed(parts, replace(last.session, turns=first.session.turns + last.session.turns))


def _standing(parts: Parts, place: str) -> Session | None:
    """The conversation at a path, which may lie in a library; None when there is none, or it cannot be read now."""
    if not is_there(place):
        return None
    try:
        return session_in(parts, io.BytesIO(transcript_bytes(parts, place)), place)
    except OSError:
        return None


def archived_session(parts: Parts, record: Archived) -> Session | None:
    """What the archive holds of a transcript; None when no format knows it."""
    data = b"".join(parts.archive.read(record.path)) if parts.archive else b""
    return session_in(parts, io.BytesIO(data), record.path, placed=False)


def session_in(parts: Parts, file: BinaryIO, path: str, *, placed: bool = True) -> Session | None:
    """Every turn in an open transcript, clean of secrets; None when no format knows it.

    Args:
        placed: `file` is the transcript as it lies at `path`, from its beginning and whole.
    """
    beginning = file.read(HEAD_BYTES)
    form = form_of(parts.formats, head_of(beginning), Path(path), lambda: beginning + file.read())
    if form is None:
        return None
    file.seek(0)
    steps = [step.parsed.session for step in steps_of(file, form, Cursor(), path)]
    return cleansed(parts, replace(steps[-1], turns=tuple(turn for step in steps for turn in step.turns)), placed=placed)


def cleansed(parts: Parts, session: Session, *, placed: bool = True) -> Session:
    """The session without secrets and hidden characters in what is kept of it (X-37), without what was said while memory was
    paused, and with the project it belongs to.

    The transcript itself is the host's.

    Args:
        placed: the turns' places are those in the transcript.
    """
    gone = forgotten(parts)
    session = without_paused(session, parts.pauses.all(), placed=placed)
    said = iter(cleanse_all([turn.text for turn in session.turns if turn.role in SPOKEN], parts.policy))
    turns = tuple(
        replace(turn, text=gone.blank(next(said)) or turn.role)
        if turn.role in SPOKEN
        else replace(turn, text=gone.blank(turn.text))
        for turn in session.turns
    )
    project = parts.project_of(session.cwd) or session.project
    tags = (EXCLUDED,) if session.uri in parts.pauses.excluded() else ()
    return replace(session, turns=turns, title=gone.blank(cleanse(session.title, parts.policy)), project=project, tags=tags)


def own_part(parts: Parts, session: Session) -> Session:
    """The session without the turns that another had first, and without what tools did between those."""
    named = [turn.ref for turn in session.turns if turn.role in SPOKEN and UUID.match(turn.ref)]
    taken = parts.state.claim_turns(session.uri, named)
    if not taken:
        return session
    last = max(number for number, turn in enumerate(session.turns) if turn.ref in taken)
    turns = tuple(
        turn for number, turn in enumerate(session.turns) if turn.ref not in taken and (number > last or turn.role in SPOKEN)
    )
    return replace(session, turns=turns)

"""A whole conversation, every turn of it: from its transcript while the host keeps it, from the archive when it is gone."""

import io
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from vademecum.capture.paused import without_paused
from vademecum.capture.read import HEAD_BYTES, head_of, steps_of
from vademecum.guard.gate import cleanse
from vademecum.model.archive import Archived
from vademecum.model.errors import NotFound
from vademecum.model.session import SPOKEN, Cursor, Session
from vademecum.upkeep.forgotten import forgotten
from vademecum.upkeep.gather import form_of, is_there, transcript_bytes
from vademecum.upkeep.parts import Parts


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
    turns = tuple(
        replace(turn, text=gone.blank(cleanse(turn.text, parts.policy)) or turn.role)
        if turn.role in SPOKEN
        else replace(turn, text=gone.blank(turn.text))
        for turn in session.turns
    )
    project = parts.project_of(session.cwd) or session.project
    return replace(session, turns=turns, title=gone.blank(cleanse(session.title, parts.policy)), project=project)

"""Remove what was said while memory was paused: turns of a session, and bytes of its transcript."""

from collections.abc import Callable, Collection, Sequence
from itertools import groupby

from msgspec.structs import replace

from vademecum.domain.pause import Pause
from vademecum.domain.session import Session, Turn


def without_paused(session: Session, pauses: Sequence[Pause], *, placed: bool = True) -> Session:
    """Return the session without turns said in a pause. A session that began in a pause also loses its title.

    Args:
        placed: whether the turns' byte positions are those in the transcript, which decide for turns without a time.
    """
    about = _about(session, pauses)
    if not about:
        return session
    left_out = paused(session, about, placed=placed)
    first = Turn("", "user", "", time=session.started)
    title = "" if session.started and _in_any(about, first, session.path if placed else "") else session.title
    return replace(session, turns=tuple(turn for turn in session.turns if turn not in left_out), title=title)


def paused(session: Session, pauses: Sequence[Pause], *, placed: bool = True) -> frozenset[Turn]:
    """Return the turns said in a pause: by their own time, else by that of the turn before, else by their position in the file.

    The position decides also when the clock was set back during the pause.
    A pause of a folder applies to conversations that began there, and to turns said there after a `cd`.
    """
    turns = set()
    time = None
    for turn in session.turns:
        time = turn.time or time
        about = [pause for pause in pauses if _is_about(pause, session, turn.cwd)]
        if _in_any(about, replace(turn, time=time), session.path if placed else ""):
            turns.add(turn)
    return frozenset(turns)


def _about(session: Session, pauses: Sequence[Pause]) -> list[Pause]:
    folders = {turn.cwd for turn in session.turns}
    return [pause for pause in pauses if any(_is_about(pause, session, folder) for folder in (session.cwd, *folders))]


def _is_about(pause: Pause, session: Session, folder: str) -> bool:
    return pause.is_about(session.uri, session.cwd) or pause.is_about(session.uri, folder)


def _in_any(pauses: Sequence[Pause], turn: Turn, path: str) -> bool:
    return any(_holds(pause, turn, path) for pause in pauses)


def _holds(pause: Pause, turn: Turn, path: str) -> bool:
    """Return whether a turn was said in a pause.

    Args:
        path: the transcript in which the turn has its position; "": none.
    """
    if turn.time is not None and not pause.is_set_back:
        return pause.covers(turn.time)
    if path not in pause.written:
        return False
    first, end = pause.written[path]
    is_before = turn.time is not None and turn.time >= pause.start  # read in the pause, before the clock was set back
    return turn.end <= end and (first <= turn.start or is_before)


def without_words(session: Session, pauses: Sequence[Pause]) -> Callable[[str], str]:
    """Return a function that empties texts said in a pause, such as a title.

    Texts of one word and all others are returned unchanged.
    """
    about = _about(session, pauses)
    unsaid = [" ".join(turn.text.split()) for turn in paused(session, about)] if about else []

    def changed(text: str) -> str:
        words = " ".join(text.rstrip("… ").split())
        return "" if " " in words and any(words in entry for entry in unsaid) else text

    return changed


def bytes_to_keep(
    session: Session, pauses: Sequence[Pause], size: int, unsaid: Collection[str]
) -> list[tuple[int, int]] | None:
    """Return (first, end) of the byte ranges of a transcript that contain nothing said in a pause, in order.

    Bytes between two turns that stay are kept as well. Bytes before the first turn identify the conversation and are kept. None
    when a record contains turns of both kinds, so that the transcript cannot be divided.

    Args:
        size: bytes of the transcript.
        unsaid: refs of turns that were said in a pause of another conversation.
    """
    left_out = paused(session, _about(session, pauses)) | {turn for turn in session.turns if turn.ref in unsaid}
    kept: list[tuple[int, int]] = []
    begin = reached = 0
    is_out = False
    for is_out, some in groupby(sorted(session.turns, key=lambda turn: turn.start), key=lambda turn: turn in left_out):
        run = list(some)
        if run[0].start < reached:
            return None
        if is_out:
            kept.append((begin, reached or run[0].start))
        elif kept:
            begin = run[0].start
        reached = max(turn.end for turn in run)
    if not is_out:
        kept.append((begin, size))
    return kept

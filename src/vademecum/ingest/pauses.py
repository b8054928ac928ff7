"""Pause and resume memory. What is said in a pause is never stored, not even when its transcript is read later."""

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from vademecum.context.context import Context
from vademecum.domain.errors import WriteFailed
from vademecum.domain.pause import Pause, going_on
from vademecum.ingest.discover import files_below, usual_places
from vademecum.ingest.stop_files import stop_above, stop_marks

#: A turn is in its transcript this long after its time.
WRITTEN_WITHIN = timedelta(minutes=1)


def is_stopped(context: Context, cwd: str) -> bool:
    """Return whether a STOP file applies to this folder; then a pause of its project is recorded, from the file's time on."""
    mark = stop_above(cwd)
    if mark is not None:
        begun = datetime.fromtimestamp(mark.stat().st_mtime, UTC)
        context.storage.pauses.begin(begun, folder=str(mark.parent.parent))
    return mark is not None


def stop(context: Context, folder: str) -> str:
    """Create a STOP file for this folder and everything below it; return its path.

    Raises:
        WriteFailed: the file could not be created.
    """
    mark = stop_marks(folder)[0]
    try:
        mark.parent.mkdir(exist_ok=True)
        mark.touch()
    except OSError as error:
        raise WriteFailed(f"{mark} could not be made: {error.strerror}.", "Check the folder's permissions.") from error
    is_stopped(context, folder)
    return str(mark)


def unstop(context: Context, folder: str) -> Pause | None:
    """Remove the STOP files that apply to this folder; return the pause that ends with the last. None: there was none.

    Raises:
        WriteFailed: one cannot be removed.
    """
    ended = None
    while mark := stop_above(folder):
        try:
            mark.unlink()
        except OSError as error:
            raise WriteFailed(f"{mark} could not be removed: {error.strerror}.", "Remove it by hand.") from error
        with contextlib.suppress(OSError):
            mark.parent.rmdir()  # fails if the folder contains something else
        root = str(mark.parent.parent)
        ended = end(context, folder=root) or Pause(context.clock.now(), folder=root)
    return ended


def follow_stop(context: Context) -> None:
    """Record pauses from STOP files that were created or removed by hand."""
    stopped = context.storage.pauses.stopped_at()
    paused = going_on(context.storage.pauses.all())
    if stopped is not None and paused is None:
        context.storage.pauses.begin(stopped)
    elif stopped is None and paused is not None:
        end(context)
    for folder in [pause.folder for pause in context.storage.pauses.all() if pause.folder and pause.end is None]:
        if stop_above(folder) is None:
            end(context, folder=folder)


def follow_clock(context: Context) -> None:
    """If the clock was set back during a pause, divide the pause there: what was said so far is known by its position alone."""
    now = context.clock.now()
    for pause in context.storage.pauses.all():
        if pause.end is None and now < pause.start:
            end(context, pause.session, pause.folder)
            context.storage.pauses.begin(now - WRITTEN_WITHIN, pause.session, pause.folder)


def end(context: Context, session: str = "", folder: str = "") -> Pause | None:
    """End the current pause of everything, of one conversation or of one folder; return it as it was, None when there is none.

    Copies of a conversation inherited its pause, so theirs ends too. A pause that a person ends for a copy ends for that copy
    alone.
    """
    pauses = context.storage.pauses
    paused = going_on(pauses.all(), session, folder)
    if paused is None:
        return None
    is_set_back = context.clock.now() < paused.start
    written = {}  # path -> (first, end) byte written to each transcript since the start; what was read before is left out
    for path in files_below(usual_places(context), [], context.outside.place_of):
        first = context.state.cursors.get(str(path)).offset
        size, is_changed = _changed(path, paused.start)
        if (first < size or is_changed) if is_set_back else (first < size and is_changed):
            written[str(path)] = (first, size)
    begun = [begun_pause for begun_pause in pauses.all() if begun_pause.session and begun_pause.start == paused.start]
    copies = begun[1:] if session and begun[0].session == session else []
    for pause in (paused, *copies):
        pauses.end(context.clock.now(), pause.session, pause.folder, written)
    return paused


def warnings(context: Context) -> list[str]:
    """Return what is paused or switched off, as sentences."""
    stopped = context.storage.pauses.stopped_at()
    texts = [
        f"memory: paused since {pause.start:%Y-%m-%d %H:%M} UTC"
        + (f" for {pause.session or pause.folder}" if pause.session or pause.folder else "")
        for pause in context.storage.pauses.all()
        if pause.end is None and (pause.session or pause.folder or stopped is not None)
    ]
    if stopped is not None and going_on(context.storage.pauses.all()) is None:
        texts.append(f"memory: switched off by a file STOP since {stopped:%Y-%m-%d %H:%M} UTC")
    if stopped is None and not context.choices.switched_on:
        texts.append("memory: switched off by the setting `enabled` or by VADEMECUM_DISABLED")
    return texts


def _changed(path: Path, since: datetime) -> tuple[int, bool]:
    """Return a file's size, and whether it was changed since a moment."""
    try:
        stat = path.stat()
    except OSError:
        return 0, False
    return stat.st_size, stat.st_mtime >= since.timestamp()

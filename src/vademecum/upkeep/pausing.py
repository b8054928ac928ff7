"""Pause memory and take it up again: what is said meanwhile is kept by nobody, neither now nor when its transcript is read later."""

from datetime import datetime
from pathlib import Path

from vademecum.model.pause import Pause, going_on
from vademecum.upkeep.gather import files_below, usual_places
from vademecum.upkeep.parts import Parts


def follow_stop(parts: Parts) -> None:
    """Note what STOP files tell that were made or removed by hand: a pause that began with the file, or that is over."""
    stopped = parts.pauses.stopped_at()
    paused = going_on(parts.pauses.all())
    if stopped is not None and paused is None:
        parts.pauses.begin(stopped)
    elif stopped is None and paused is not None:
        end(parts)


def end(parts: Parts, session: str = "") -> Pause | None:
    """End the pause that goes on, for all or for one conversation; gives it as it went on, None when there is none."""
    paused = going_on(parts.pauses.all(), session)
    if paused is not None:
        parts.pauses.end(parts.clock.now(), session, _written_since(parts, paused.start))
    return paused


def sorrows(parts: Parts) -> list[str]:
    """What is paused or switched off now, as sentences."""
    stopped = parts.pauses.stopped_at()
    told = [
        f"memory: paused since {pause.start:%Y-%m-%d %H:%M} UTC" + (f" for {pause.session}" if pause.session else "")
        for pause in parts.pauses.all()
        if pause.end is None and (pause.session or stopped is not None)
    ]
    if stopped is not None and going_on(parts.pauses.all()) is None:
        told.append(f"memory: switched off by a file STOP since {stopped:%Y-%m-%d %H:%M} UTC")
    if stopped is None and not parts.switched_on:
        told.append("memory: switched off by the setting `enabled` or by VADEMECUM_DISABLED")
    return told


def _written_since(parts: Parts, start: datetime) -> dict[str, tuple[int, int]]:
    """(first, end) byte of what was written to each transcript since: behind what was read of it, which was before."""
    found = {}
    for path in files_below(usual_places(parts), []):
        size = _size_if_changed(path, start)
        first = parts.state.cursor(str(path)).offset
        if first < size:
            found[str(path)] = (first, size)
    return found


def _size_if_changed(path: Path, since: datetime) -> int:
    try:
        stat = path.stat()
    except OSError:
        return 0
    return stat.st_size if stat.st_mtime >= since.timestamp() else 0

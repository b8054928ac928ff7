"""Waits for changes below some folders.

Native events are used if available. Regular checks are always made as well, because sync clients and sleeping machines lose
events.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from threading import Event
from typing import Literal

try:
    import watchfiles
except ModuleNotFoundError:  # an extra; regular checks replace it
    watchfiles = None  # type: ignore[assignment]

#: Seconds between two ticks.
TICK_S = 1.0

#: "changed": something changed and is quiet now. "look": no event for long, check anyway. "idle": quiet for longer.
Moment = Literal["changed", "look", "idle"]


def changes(
    folders: Sequence[Path],
    stop: Event,
    elapsed_s: Callable[[], float],
    *,
    debounce_s: float,
    idle_s: float,
    look_every_s: float,
) -> Iterator[Moment]:
    """Yield moments to act on changes below these folders and files, until `stop` is set. See :func:`moments`.

    Without native events, and for paths that do not exist yet, changes are detected by checks only.
    """
    there = [folder for folder in folders if folder.exists()]
    native = watchfiles is not None and bool(there)
    ticks = _events(there, stop) if native else _polls(stop)
    often = look_every_s if native and len(there) == len(folders) else min(look_every_s, debounce_s)
    yield from moments(ticks, elapsed_s, debounce_s=debounce_s, idle_s=idle_s, look_every_s=often)


def moments(
    ticks: Iterable[bool], elapsed_s: Callable[[], float], *, debounce_s: float, idle_s: float, look_every_s: float
) -> Iterator[Moment]:
    """Yield moments to act. Each tick says whether something changed since the one before.

    Changes are combined until there are none for `debounce_s`, but for at most `look_every_s`. After `idle_s` of quiet after a
    change, "idle" is yielded once. After `look_every_s` without any other moment, "look" is yielded.
    """
    first = last = None  # time of the first pending change, and of the last change
    acted = elapsed_s()
    for changed in ticks:
        now = elapsed_s()
        if changed:
            first, last = now if first is None else first, now
        if first is not None and last is not None and (now - last >= debounce_s or now - first >= look_every_s):
            first, acted = None, now
            yield "changed"
        elif first is None and last is not None and now - last >= idle_s:
            last, acted = None, now
            yield "idle"
        elif first is None and now - acted >= look_every_s:
            acted = now
            yield "look"


def _events(there: Sequence[Path], stop: Event) -> Iterator[bool]:
    timeout_ms = int(TICK_S * 1000)
    for pairs in watchfiles.watch(*there, stop_event=stop, rust_timeout=timeout_ms, yield_on_timeout=True):
        yield bool(pairs)


def _polls(stop: Event) -> Iterator[bool]:
    while not stop.wait(TICK_S):
        yield False

"""Waits until something changes below some folders: native events where there are any, and always a look at intervals behind
them, because sync clients and sleeping machines lose events."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event

try:
    import watchfiles
except ModuleNotFoundError:  # an extra; looking at intervals does it too
    watchfiles = None  # type: ignore[assignment]

#: Changes that follow each other within this time are one.
DEBOUNCE_MS = 1500


def changes(folders: Sequence[Path], stop: Event, *, look_every_s: float) -> Iterator[None]:
    """Yields after a change, and at the latest after `look_every_s`, until `stop` is set.

    Folders that do not exist are looked at by interval alone.
    """
    there = [folder for folder in folders if folder.is_dir()]
    if watchfiles is None or not there:
        while not stop.wait(look_every_s):
            yield
        return
    interval = max(1000, int(look_every_s * 1000))
    for _ in watchfiles.watch(*there, debounce=DEBOUNCE_MS, stop_event=stop, rust_timeout=interval, yield_on_timeout=True):
        yield

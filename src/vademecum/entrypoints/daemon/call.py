"""Find, start and stop the helper from a command line. Modules are imported only when needed."""

import time
from pathlib import Path
from typing import Any

from vademecum.entrypoints.hooks.carrier import remove_mark, start_helper
from vademecum.entrypoints.hooks.place import client_files
from vademecum.settings import Settings, socket_path

#: How long a helper may take to start; opening a large index takes seconds.
START_S = 40.0
_LOOK_S = 0.05


def call(settings: Settings, what: str) -> dict[str, Any] | None:
    """Return the answer of the helper to "status" or "stop"; None if no helper runs."""
    from vademecum.wiring import ask_helper

    return ask_helper(settings, what)


def stop(settings: Settings) -> dict[str, Any] | None:
    """Stop the helper, also those that are still starting, and return its answer; None if none runs.

    Several hooks may each have started one. None of them serves without the marker of its start, which is taken away here: one that
    has not taken it itself ends when it finds it gone, one that has is listening and is asked. One that restarts makes the marker before
    it closes its socket, so two rounds in which nothing is found miss none.

    Returns:
        {"stopping": process id}; 0 for one that was still starting.
    """
    from vademecum.wiring import system_clock

    clock, place, answered, quiet = system_clock(), str(socket_path(settings)), None, 0
    end = clock.elapsed_s() + START_S
    while quiet < 2 and clock.elapsed_s() < end:
        was_starting = remove_mark(place)
        answer = call(settings, "stop")
        answered = answer or answered or ({"stopping": 0} if was_starting else None)
        quiet = 0 if answer or was_starting else quiet + 1
        if answer:
            time.sleep(_LOOK_S)
    return answered


def ensure(settings: Settings, config: Path | None) -> dict[str, Any] | None:
    """Return the status of the helper, starting it if needed; None if it does not start in time."""
    if there := call(settings, "status"):
        return there
    from vademecum.wiring import system_clock

    clock, conf = system_clock(), _conf(settings, config)
    end = clock.elapsed_s() + START_S
    while clock.elapsed_s() < end:
        start_helper(conf, orphan=True)  # again, because one started before may have failed
        time.sleep(_LOOK_S)
        if there := call(settings, "status"):
            return there
    return None


def _conf(settings: Settings, config: Path | None) -> dict[str, str]:
    """Return the configuration of the hook client."""
    text = next(text for path, text in client_files(settings, config).items() if path.suffix == ".conf")
    return dict(line.partition("=")[::2] for line in text.splitlines())

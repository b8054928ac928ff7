"""Find, start and stop the helper from a command line. Modules are imported only when needed."""

import time
from pathlib import Path
from typing import Any

from vademecum.entrypoints.hooks.carrier import start_helper
from vademecum.entrypoints.hooks.place import client_files, is_starting
from vademecum.settings import Settings, socket_path

#: How long a helper may take to start; opening a large index takes seconds.
START_S = 40.0
_LOOK_S = 0.05


def call(settings: Settings, what: str) -> dict[str, Any] | None:
    """Return the answer of the helper to "status" or "stop"; None if no helper runs."""
    from vademecum.wiring import ask_helper

    return ask_helper(settings, what)


def stop(settings: Settings) -> dict[str, Any] | None:
    """Stop the helper, also one that is still starting, and return its answer; None if none runs.

    Several hooks may each have started one. Only one keeps the lock, but another may take it once that one has ended.
    """
    from vademecum.wiring import system_clock

    clock, place, answered = system_clock(), socket_path(settings), None
    end = clock.elapsed_s() + START_S
    while clock.elapsed_s() < end:
        answer = call(settings, "stop")
        answered = answer or answered
        if answer is None and not is_starting(place, clock.now()):
            break
        time.sleep(_LOOK_S)
    return call(settings, "stop") or answered  # one may have started between the last two calls


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

"""Finding, starting and ending the helper from a command line. Loads nothing before it must."""

import time
from pathlib import Path
from typing import Any

from vademecum.entrypoints.hooks.carrier import start_helper
from vademecum.entrypoints.hooks.place import client_files, is_starting
from vademecum.settings import Settings, socket_path

#: A helper that opens a large index needs some seconds.
START_S = 40.0
_LOOK_S = 0.05


def call(settings: Settings, what: str) -> dict[str, Any] | None:
    """Return what the helper answers to "status" or "stop"; None when there is none."""
    from vademecum.wiring import ask_helper

    return ask_helper(settings, what)


def stop(settings: Settings) -> dict[str, Any] | None:
    """End the helper, one that is still starting too; what it answers, None when there is none.

    Several hooks may have started one each. Only one stays, and another may come up when that one has ended.
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
    return call(settings, "stop") or answered  # it may have come up between the last two questions


def ensure(settings: Settings, config: Path | None) -> dict[str, Any] | None:
    """Return the status of the helper, started when there was none; None when it does not come up in time."""
    if there := call(settings, "status"):
        return there
    from vademecum.wiring import system_clock

    clock, conf = system_clock(), _conf(settings, config)
    end = clock.elapsed_s() + START_S
    while clock.elapsed_s() < end:
        start_helper(conf, orphan=True)  # again, because one that was started a moment ago may have failed
        time.sleep(_LOOK_S)
        if there := call(settings, "status"):
            return there
    return None


def _conf(settings: Settings, config: Path | None) -> dict[str, str]:
    """Return the client's file as the client reads it."""
    text = next(text for path, text in client_files(settings, config).items() if path.suffix == ".conf")
    return dict(line.partition("=")[::2] for line in text.splitlines())

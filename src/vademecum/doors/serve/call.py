"""Talking to the helper from a command line: short, blocking, without loading anything."""

import contextlib
import json
import socket
import time
from pathlib import Path
from typing import Any

from vademecum.doors.hooks.place import client_files, is_starting, start_helper
from vademecum.settings import Settings, socket_path
from vademecum.wiring import system_clock

#: A helper that is there answers at once; one that opens a large index needs some seconds.
ANSWER_S = 2.0
START_S = 40.0
_LOOK_S = 0.05


def call(settings: Settings, what: str) -> dict[str, Any] | None:
    """What the helper answers to "status" or "stop"; None when there is none."""
    with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(ANSWER_S)
        line.connect(str(socket_path(settings)))
        line.sendall(f"{what} 1\n".encode())
        line.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: line.recv(65536), b""))
        found = json.loads(answer)
        return found if isinstance(found, dict) else None
    return None


def stop(settings: Settings) -> dict[str, Any] | None:
    """End the helper, one that is still starting too; what it answers, None when there is none."""
    clock = system_clock()
    end = clock.elapsed_s() + START_S
    while (answer := call(settings, "stop")) is None:
        if clock.elapsed_s() > end or not is_starting(socket_path(settings), clock.now()):
            return call(settings, "stop")  # it may have come up in between
        time.sleep(_LOOK_S)
    return answer


def ensure(settings: Settings, config: Path | None) -> dict[str, Any] | None:
    """The status of the helper, started when there was none; None when it does not come up in time."""
    there = call(settings, "status")
    if there:
        return there
    conf = _conf(settings, config)
    clock = system_clock()
    end = clock.elapsed_s() + START_S
    while clock.elapsed_s() < end:
        start_helper(conf, clock.now())  # again, because one that was started a moment ago may have failed
        time.sleep(_LOOK_S)
        if there := call(settings, "status"):
            return there
    return None


def _conf(settings: Settings, config: Path | None) -> dict[str, str]:
    """What the client's file would say, as the client reads it."""
    text = next(text for path, text in client_files(settings, config).items() if path.suffix == ".conf")
    return dict(line.partition("=")[::2] for line in text.splitlines())

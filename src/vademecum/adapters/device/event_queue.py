"""Events that wait for capture, one small file each, so that an event survives the process that wrote it.

The hook client writes such files too, without this module (it imports nothing): a line `{"host", "cwd"}` and below it the
host's input, byte for byte, in `<folder>/<anything>.json`, written under another name and renamed. This module and earlier
clients write a single object `{"host", "cwd", "payload"}`.
"""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import Waiting
from vademecum.domain.payload import payload_of

#: Suffix of event files that could not be parsed.
ASIDE = ".unreadable"


class Spool:
    """Events in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, host: str, cwd: str, payload: Mapping[str, Any]) -> None:
        """Queue an event; `name` becomes the file's name and must be new.

        Raises:
            OSError: it could not be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._folder / f"{name}.new"
        fresh.write_text(json.dumps({"host": host, "cwd": cwd, "payload": payload}), encoding="utf-8")
        os.replace(fresh, self._folder / f"{name}.json")  # noqa: PTH105 -- as the client does it

    def waiting(self) -> Iterator[Waiting]:
        """Yield events in the order in which they were queued."""
        pairs = []
        for path in self._folder.glob("*.json"):
            try:
                pairs.append((path.stat().st_mtime_ns, path.name, path))
            except FileNotFoundError:
                continue  # another process was faster
        for left, _, path in sorted(pairs):
            try:
                raw = path.read_bytes()
            except FileNotFoundError:
                continue
            yield _read(path, raw, datetime.fromtimestamp(left / 1e9, UTC))

    def count_aside(self) -> int:
        """Return how many events could not be parsed."""
        return sum(1 for _ in self._folder.glob(f"*{ASIDE}"))

    def done(self, event: Waiting) -> None:
        """Remove a processed event."""
        event.path.unlink(missing_ok=True)

    def set_aside(self, event: Waiting) -> None:
        """Move an event that cannot be parsed out of the queue."""
        event.path.replace(event.path.with_suffix(ASIDE))


def _read(path: Path, raw: bytes, left: datetime) -> Waiting:
    host = cwd = ""
    try:
        head, payload = _parts(raw)
        host, cwd = str(head["host"]), str(head["cwd"])
        return Waiting(path, host, cwd, payload if isinstance(payload, dict) else payload_of(payload), left)
    except (ValueError, KeyError, TypeError, RecursionError, InvalidInput):
        return Waiting(path, host, cwd, None, left)


def _parts(raw: bytes) -> tuple[Mapping[str, Any], Any]:
    """Return the head of an event's file, and its payload as an object or as the bytes from the host."""
    line, _, rest = raw.partition(b"\n")
    try:
        head = json.loads(line)
    except ValueError:
        head = json.loads(raw)  # an earlier client, with a payload of several lines
    if not isinstance(head, dict):
        raise InvalidInput("The head of an event is no JSON object.")
    return head, head.get("payload", rest)

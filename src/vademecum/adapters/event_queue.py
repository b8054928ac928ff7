"""Events that wait for capture, one small file each: whoever wrote one may die, it is still there.

The hook client writes such files too, without this module (it imports nothing): a line `{"host", "cwd"}` and below it what the host
gave, byte for byte, in `<folder>/<anything>.json`, written under another name and renamed. Here, and in clients of before, all of it is
one object `{"host", "cwd", "payload"}`.
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

#: Files that nobody could understand end so.
ASIDE = ".unreadable"


class Spool:
    """Events in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: str, host: str, cwd: str, payload: Mapping[str, Any]) -> None:
        """Keep an event; `name` makes the file's name and must be new.

        Raises:
            OSError: it could not be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self._folder / f"{name}.new"
        fresh.write_text(json.dumps({"host": host, "cwd": cwd, "payload": payload}), encoding="utf-8")
        os.replace(fresh, self._folder / f"{name}.json")  # noqa: PTH105 -- as the client does it

    def waiting(self) -> Iterator[Waiting]:
        """Yield events in the order in which they were kept."""
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

    def count(self) -> int:
        """Return how many events wait."""
        return sum(1 for _ in self._folder.glob("*.json"))

    def count_aside(self) -> int:
        """Return how many events could not be understood."""
        return sum(1 for _ in self._folder.glob(f"*{ASIDE}"))

    def done(self, event: Waiting) -> None:
        """Remove an event that was dealt with."""
        event.path.unlink(missing_ok=True)

    def set_aside(self, event: Waiting) -> None:
        """Keep an event that cannot be understood, but do not meet it again."""
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
    """Return the head of an event's file, and its payload as an object or as the bytes that the host gave."""
    line, _, rest = raw.partition(b"\n")
    try:
        head = json.loads(line)
    except ValueError:
        head = json.loads(raw)  # a client of before, and a payload of several lines
    if not isinstance(head, dict):
        raise InvalidInput("The head of an event is no JSON object.")
    return head, head.get("payload", rest)

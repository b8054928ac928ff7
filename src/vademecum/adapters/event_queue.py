"""Events that wait for capture, one small file each: whoever wrote one may die, it is still there.

The hook client writes such files too, without this module (it imports nothing): `{"host", "cwd", "payload"}` in
`<folder>/<anything>.json`, written under another name and renamed.
"""

import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vademecum.domain.host import Waiting

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
        found = []
        for path in self._folder.glob("*.json"):
            try:
                found.append((path.stat().st_mtime_ns, path.name, path))
            except FileNotFoundError:
                continue  # another process was faster
        for left, _, path in sorted(found):
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
    try:
        record = json.loads(raw)
        payload = record["payload"]
        return Waiting(path, str(record["host"]), str(record["cwd"]), payload if isinstance(payload, dict) else None, left)
    except (ValueError, KeyError, TypeError):
        return Waiting(path, "", "", None, left)

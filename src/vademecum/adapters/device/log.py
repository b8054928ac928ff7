"""The log of hooks: one JSON object per line, one file per day, stored for 30 days (MV-46).

A log that cannot be written raises nothing.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

KEPT_DAYS = 30


class HookLog:
    """Lines in `folder`, in files `<name>-YYYY-MM-DD.jsonl` (UTC)."""

    def __init__(self, folder: Path, name: str = "hooks") -> None:
        self._folder = folder
        self._name = name
        self._day = ""

    def write(self, record: Mapping[str, object], now: datetime) -> None:
        """Append one line that begins with the time. Each line is a single write, so lines of several processes do not mix."""
        line = json.dumps({"at": now.isoformat(timespec="milliseconds"), **record}, ensure_ascii=False) + "\n"
        with contextlib.suppress(OSError):
            self._begin(f"{now:%Y-%m-%d}", now)
            descriptor = os.open(self._path(self._day), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, line.encode("utf-8", "replace"))
            finally:
                os.close(descriptor)

    def lines(self, newest_days: int = KEPT_DAYS) -> Iterator[dict[str, Any]]:
        """Return the lines of the last `newest_days` days that have a file, oldest first; broken lines are skipped."""
        for path in sorted(self._folder.glob(f"{self._name}-*.jsonl"))[-newest_days:]:
            with contextlib.suppress(OSError):
                for line in path.read_bytes().splitlines():
                    with contextlib.suppress(ValueError):
                        record = json.loads(line)
                        if isinstance(record, dict):
                            yield record

    def _begin(self, day: str, now: datetime) -> None:
        """Create the folder, and at the first line of a day delete the files that are too old."""
        if day == self._day:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        if not self._path(day).exists():
            oldest = self._path(f"{now - timedelta(days=KEPT_DAYS):%Y-%m-%d}").name
            for path in self._folder.glob(f"{self._name}-*.jsonl"):
                if path.name < oldest:
                    path.unlink(missing_ok=True)
        self._day = day

    def _path(self, day: str) -> Path:
        return self._folder / f"{self._name}-{day}.jsonl"

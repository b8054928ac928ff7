"""The pauses of this device and the conversations excluded from extraction, as JSON lines in an append-only file, and the STOP
files by which memory is switched off.

They are not in a database, because they must outlive every index, and a person may want to read them.
"""

import errno
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from vademecum.domain.pause import Pause, going_on

Written = Mapping[str, tuple[int, int]]
Unsaid = Mapping[str, tuple[tuple[int, int | None], ...]]


class FilePauses:
    """The Pauses port over `path`; `marks` are the possible paths of a STOP file.

    Args:
        changed: called after a pause has begun or ended on disk, before the operation returns.
    """

    def __init__(self, path: Path, marks: Sequence[Path], changed: Callable[[], None] = lambda: None) -> None:
        self._path, self._marks, self._changed = path, marks, changed
        self._stamp: tuple[int, int] | None = None
        self._known: tuple[tuple[Pause, ...], frozenset[str], Unsaid] = ((), frozenset(), {})

    def all(self) -> tuple[Pause, ...]:
        return self._content()[0]

    def excluded(self) -> frozenset[str]:
        return self._content()[1]

    def unsaid(self) -> Unsaid:
        return self._content()[2]

    def begin(self, at: datetime, session: str = "", folder: str = "") -> None:
        if going_on(self.all(), session, folder) is None:
            self._note({"paused": at.isoformat(), "session": session, "folder": folder})

    def end(self, at: datetime, session: str = "", folder: str = "", written: Written | None = None) -> None:
        if going_on(self.all(), session, folder) is not None:
            self._note({"resumed": at.isoformat(), "session": session, "folder": folder, "written": written or {}})

    def exclude(self, session: str, at: datetime, *, out: bool = True) -> None:
        if (session in self.excluded()) != out:
            self._note({"excluded" if out else "included": at.isoformat(), "session": session})

    def leave_out(self, session: str, turns: Sequence[tuple[int, int | None]]) -> None:
        known = set(self.unsaid().get(session, ()))
        new = [turn for turn in turns if turn not in known]
        if new:
            self._note({"left_out": new, "session": session})

    def _content(self) -> tuple[tuple[Pause, ...], frozenset[str], Unsaid]:
        """Return the content of the file, reread when it changed; invalid lines are skipped."""
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            return (), frozenset(), {}
        if self._stamp != (stat.st_size, stat.st_mtime_ns):
            lines = list(_read(self._path.read_bytes()))
            self._known = _pauses(lines), _excluded(lines), _unsaid(lines)
            self._stamp = (stat.st_size, stat.st_mtime_ns)
        return self._known

    def stopped_at(self) -> datetime | None:
        times = []
        for mark in self._marks:
            try:
                times.append(datetime.fromtimestamp(mark.stat().st_mtime, UTC))
            except OSError:
                continue
        return min(times, default=None)

    def _note(self, line: dict[str, Any]) -> None:
        """Append a line and flush it to disk at once, so that words said in a pause are not captured after a crash.

        A line before it that a full disk cut off takes nothing of it away.

        Raises:
            OSError: the disk did not take all of it.
        """
        data = (json.dumps(line, ensure_ascii=True) + "\n").encode()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(self._path, "a+b", buffering=0, opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                if file.tell():
                    file.seek(-1, os.SEEK_END)
                    data = data if file.read(1) == b"\n" else b"\n" + data
                if file.write(data) < len(data):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
                os.fsync(file.fileno())
        finally:
            self._changed()


def _read(data: bytes) -> Iterable[dict[str, Any]]:
    for line in data.splitlines():
        try:
            record = json.loads(line)
        except ValueError:  # the end of a line that a full disk cut off
            continue
        if isinstance(record, dict):
            yield record


def _excluded(lines: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """Return sessions whose last line excludes them."""
    last = {str(line.get("session") or ""): "excluded" in line for line in lines if {"excluded", "included"} & line.keys()}
    return frozenset(session for session, out in last.items() if out and session)


def _unsaid(lines: Iterable[Mapping[str, Any]]) -> Unsaid:
    """Return session -> hash and time of its turns that were left out."""
    by_key: dict[str, tuple[tuple[int, int | None], ...]] = {}
    for line in lines:
        turns = line.get("left_out")
        if isinstance(turns, list):
            session = str(line.get("session") or "")
            by_key[session] = by_key.get(session, ()) + tuple(
                (turn[0], turn[1]) for turn in turns if isinstance(turn, list | tuple) and len(turn) == 2
            )
    return by_key


def _pauses(lines: Iterable[Mapping[str, Any]]) -> tuple[Pause, ...]:
    """Return the pauses in the lines, in the order in which they began."""
    pauses: list[Pause] = []
    for line in lines:
        session, folder = str(line.get("session") or ""), str(line.get("folder") or "")
        try:
            if "paused" in line:
                pauses.append(Pause(datetime.fromisoformat(line["paused"]), session=session, folder=folder))
                continue
            if "resumed" not in line:
                continue
            paused = going_on(pauses, session, folder)
            written = {path: (int(first), int(end)) for path, (first, end) in line["written"].items()}
            if paused is not None:
                ended = replace(paused, end=datetime.fromisoformat(line["resumed"]), written=written)
                pauses[pauses.index(paused)] = ended
        except (KeyError, TypeError, ValueError, AttributeError):
            continue
    return tuple(sorted(pauses, key=lambda pause: pause.start))

"""History as append-only lines: every change with the text before and after it, one file for each device.

A record holds whole texts, so that any version can be shown and any change undone without a second source. Appending costs
the same however long the journal is.
"""

import heapq
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from vademecum.model.memory import Actor
from vademecum.vault.files import write_all
from vademecum.vault.places import JOURNAL

FORMAT = 1
_BLOCK_BYTES = 1 << 20

#: Behind a space's name: not its memories but the vault around it. A version's path is then relative to documents_root, or to the space's
#: own root when there is no vault around it.
DOCUMENTS = ":documents"
#: Behind a space's name: pages that we make of other things. The journal keeps when they changed, not what they said.
GENERATED = ":generated"
_FEW = 64
_LINES_AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Version:
    """A file as it was: space, path in it, text (None when it was never seen) and etag."""

    space: str
    path: str
    etag: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Change:
    """One memory before and after; None: it did not exist, or does no more."""

    memory: str
    before: Version | None
    after: Version | None


@dataclass(frozen=True, slots=True)
class Record:
    """One operation.

    Attributes:
        id: 26 characters, sortable by time. time: aware, UTC.
        op: the verb. reason: why, when one was given.
        interface: "cli", "mcp", "http", "hook", ... or "".
        changes: all of them happened or none.
        undoes: id of the record that this one takes back, or "".
    """

    id: str
    time: datetime
    op: str
    actor: Actor
    interface: str
    device: str
    changes: tuple[Change, ...]
    reason: str = ""
    undoes: str = ""


def to_line(record: Record) -> bytes:
    """One line of JSON, newline included. Text that is not Unicode cannot break it: it is escaped."""
    data = {
        "v": FORMAT, "id": record.id, "time": record.time.astimezone(UTC).isoformat(), "op": record.op,
        "actor": record.actor, "interface": record.interface, "device": record.device,
        "changes": [_change_data(change) for change in record.changes],
        "reason": record.reason, "undoes": record.undoes,
    }  # fmt: skip
    kept = {key: value for key, value in data.items() if value != ""}
    try:
        return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(kept, separators=(",", ":")).encode() + b"\n"


def _change_data(change: Change) -> dict[str, object]:
    data: dict[str, object] = {"memory": change.memory}
    for name, version in (("before", change.before), ("after", change.after)):
        if version is not None:
            data[name] = {"space": version.space, "path": version.path, "etag": version.etag, "text": version.text}
    if change.before and change.after and change.before.text == change.after.text:
        data["before"] = {"space": change.before.space, "path": change.before.path, "etag": change.before.etag}
    return data


def from_line(line: bytes) -> Record | None:
    """The record of a line; None for a torn or foreign one."""
    try:
        data = json.loads(line)
        return Record(
            id=data["id"], time=datetime.fromisoformat(data["time"]), op=data["op"], actor=data["actor"],
            interface=data.get("interface", ""), device=data.get("device", ""),
            changes=tuple(_change_from(change) for change in data["changes"]),
            reason=data.get("reason", ""), undoes=data.get("undoes", ""),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _change_from(data: Mapping[str, Mapping[str, str]]) -> Change:
    before, after = data.get("before"), data.get("after")
    after_version = Version(after["space"], after["path"], after["etag"], after.get("text")) if after else None
    text = before.get("text", after_version.text if after_version else None) if before else None
    before_version = Version(before["space"], before["path"], before["etag"], text) if before else None
    return Change(str(data["memory"]), before_version, after_version)


class Journal:
    """The journal files of one space. Appends go to this device's own."""

    def __init__(self, root: Path, device: str) -> None:
        self._folder = root / JOURNAL
        self._path = self._folder / f"{device}.jsonl"

    def append(self, *records: Record) -> Callable[[], None]:
        """Put the records on disk; after return they are there.

        A torn last line is closed first, so that it is never glued to a good one.

        Returns:
            A function that takes them off again, for a caller whose own write failed. It needs no disk space.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        try:
            size = os.fstat(handle).st_size
            torn = size > 0 and _last_byte(handle, size) != b"\n"
            try:
                start = b"\n" if torn else b""
                for first in range(0, len(records), _LINES_AT_ONCE):
                    write_all(handle, start + b"".join(map(to_line, records[first : first + _LINES_AT_ONCE])))
                    start = b""
                os.fsync(handle)
            except OSError:
                os.ftruncate(handle, size)
                raise
        finally:
            os.close(handle)
        return lambda: os.truncate(self._path, size)

    def holds_last(self, record_id: str) -> bool:
        """Whether this device's last complete record has this id."""
        last = next(_lines_backwards(self._path), b"")
        record = from_line(last)
        return record is not None and record.id == record_id

    def drop_last(self, record_id: str) -> None:
        """Take this device's last record off again when it has this id: its operation never happened."""
        if self.holds_last(record_id):
            with self._path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                closed = _last_byte(file.fileno(), size) == b"\n"
            os.truncate(self._path, size - len(next(_lines_backwards(self._path))) - closed)

    def records(self, about: str = "") -> list[Record]:
        """Records of all devices, oldest first; only those whose line holds the text `about` when it is given."""
        needle = about.encode()
        found = [
            record
            for path in self.files()
            for line in _lines(path)
            if needle in line and (record := from_line(line)) is not None
        ]
        return sorted(found, key=lambda record: record.id)

    def latest(self, identities: Collection[str] | None) -> Iterator[tuple[Record, Change]]:
        """Of each device the last change of every memory asked for (None: of every memory), newest first.

        Reads each file from its end and no further than needed.
        """
        for path in self.files():
            waiting = None if identities is None else set(identities)
            seen: set[str] = set()
            for line in _lines_backwards(path):
                if waiting is not None and not waiting:
                    break
                record = from_line(line) if waiting is None or _mentions_any(line, waiting) else None
                if record is None:
                    continue
                for change in record.changes:
                    if change.memory not in seen and (waiting is None or change.memory in waiting):
                        seen.add(change.memory)
                        yield record, change
                if waiting is not None:
                    waiting -= seen

    def newest_first(self) -> Iterator[Record]:
        """Records of all devices, newest first, read only as far as asked for."""
        streams = [filter(None, map(from_line, _lines_backwards(path))) for path in self.files()]
        yield from heapq.merge(*streams, key=lambda record: record.id, reverse=True)

    def files(self) -> list[Path]:
        """Journal files of all devices, in name order."""
        return sorted(self._folder.glob("*.jsonl"))


def _mentions_any(line: bytes, identities: Collection[str]) -> bool:
    """Whether a line may be about one of the memories. Many are not looked for one by one: parsing is as quick."""
    return len(identities) > _FEW or any(identity.encode() in line for identity in identities)


def _last_byte(handle: int, size: int) -> bytes:
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1)


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def _lines_backwards(path: Path) -> Iterator[bytes]:
    """Complete lines of a file, last first, without reading more than is asked for."""
    if not path.exists():
        return
    with path.open("rb") as file:
        at = file.seek(0, os.SEEK_END)
        rest = b""
        while at > 0:
            step = min(_BLOCK_BYTES, at)
            at -= step
            file.seek(at)
            first, *lines = (file.read(step) + rest).split(b"\n")
            yield from (line for line in reversed(lines) if line)
            rest = first
        if rest:
            yield rest

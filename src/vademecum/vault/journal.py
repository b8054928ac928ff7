"""History as append-only lines: every change with the text before and after it, segment by segment for each device.

A record holds whole texts, so that any version can be shown and any change undone without a second source. Appending costs
the same however long the journal is.
"""

import heapq
import itertools
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.memory import Actor
from vademecum.vault.places import JOURNAL
from vademecum.vault.segments import (
    Marks,
    Segments,
    is_gap,
    is_segment,
    last_byte,
    lines_backwards,
    lines_of,
    marks_below,
    segments_of,
)

#: The first version had one file for each device, `<device>.jsonl`. Its records are read as ever.
FORMAT = 2
_FORMAT = re.compile(rb"^format: (\d+)$", re.MULTILINE)
_OLDER = (
    "An older version of Vademecum wrote here on {day:%Y-%m-%d}, from the device {device}. It cannot read what this version"
    " records, so changes made here look like manual edits there. Nothing is lost; update it there."
)
_NEWER = "A newer version of Vademecum writes here, from the device {device}. Records that only it understands are skipped; update here."

#: Behind a space's name: not its memories but the vault around it. A version's path is then relative to documents_root, or to the space's
#: own root when there is no vault around it.
DOCUMENTS = ":documents"
#: Behind a space's name: pages that we make of other things. The journal keeps when they changed, not what they said.
GENERATED = ":generated"
#: Stands for the place of a memory that is gone: its file's name told its title.
GONE = "_forgotten/{id}.md"
_FEW = 64


class Version(Struct, frozen=True):
    """A file as it was: space, path in it, text (None when it was never seen) and etag."""

    space: str
    path: str
    etag: str
    text: str | None


class Change(Struct, frozen=True):
    """One memory before and after; None: it did not exist, or does no more.

    Attributes:
        evidence: what is known of the memory beside its note since then; see :mod:`vademecum.vault.evidence`. None: no longer so.
        again: it is meant though the note was so before, by an older record; see :mod:`vademecum.vault.merge`.
        doubtful: another memory stood at its place, so that a sync tool may have mixed the two; what it leaves out counts as there.
    """

    memory: str
    before: Version | None
    after: Version | None
    evidence: Mapping[str, object] = msgspec.field(default_factory=dict)
    again: bool = False
    doubtful: bool = False


class Record(Struct, frozen=True):
    """One operation.

    Attributes:
        id: 26 characters, sortable by time. time: aware, UTC.
        op: the verb. reason: why, when one was given.
        interface: "cli", "mcp", "http", "hook", ... or "".
        changes: all of them happened or none.
        undoes: id of the record that this one takes back, or "".
        group: id of the first record of the same action of somebody; "" in that first record itself.
        heard: other device -> id of its last record that had come here by then; a device that is not named: none of it.
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
    group: str = ""
    heard: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def action(self) -> str:
        """Id of the action it is a part of: that of the action's first record."""
        return self.group or self.id

    @property
    def is_generated(self) -> bool:
        """Whether it only renewed pages that we make of other things."""
        sides = [side for change in self.changes for side in (change.before, change.after) if side is not None]
        return all(side.space.endswith(GENERATED) for side in sides)


def to_line(record: Record) -> bytes:
    """Return one line of JSON, newline included. Text that is not Unicode cannot break it: it is escaped."""
    return _line(record, {})


def _line(record: Record, first: Mapping[str, object]) -> bytes:
    """Return the line of a record, with what stands in it before the rest."""
    data = {
        "v": FORMAT, **first, "id": record.id, "time": record.time.astimezone(UTC).isoformat(), "op": record.op,
        "actor": record.actor, "interface": record.interface, "device": record.device,
        "changes": [_change_data(change) for change in record.changes],
        "reason": record.reason, "undoes": record.undoes, "group": record.group,
        "heard": record.heard,
    }  # fmt: skip
    kept = {key: value for key, value in data.items() if value not in ("", {})}
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
    if change.evidence:
        data["evidence"] = change.evidence
    data |= {name: True for name, is_so in (("again", change.again), ("doubtful", change.doubtful)) if is_so}
    return data


def from_line(line: bytes) -> Record | None:
    """Return the record of a line; None for a torn or foreign one."""
    try:
        data = json.loads(line)
        return Record(
            id=data["id"], time=datetime.fromisoformat(data["time"]), op=data["op"], actor=data["actor"],
            interface=data.get("interface", ""), device=data.get("device", ""),
            changes=tuple(_change_from(change) for change in data["changes"]),
            reason=data.get("reason", ""), undoes=data.get("undoes", ""), group=data.get("group", ""),
            heard=dict(data.get("heard") or {}),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _change_from(data: Mapping[str, Mapping[str, Any]]) -> Change:
    before, after = data.get("before"), data.get("after")
    after_version = Version(after["space"], after["path"], after["etag"], after.get("text")) if after else None
    text = before.get("text", after_version.text if after_version else None) if before else None
    before_version = Version(before["space"], before["path"], before["etag"], text) if before else None
    flags = (bool(data.get("again")), bool(data.get("doubtful")))
    return Change(str(data["memory"]), before_version, after_version, dict(data.get("evidence") or {}), *flags)


def _without(record: Record, gone: Collection[str]) -> Record:
    """Return a record without what it tells of memories that were forgotten."""
    if not any(change.memory in gone for change in record.changes):
        return record
    changes = tuple(
        Change(change.memory, _unnamed(change.before, change.memory), _unnamed(change.after, change.memory))
        if change.memory in gone
        else change
        for change in record.changes
    )
    return replace(record, changes=changes, reason="")


def _unnamed(version: Version | None, memory: str) -> Version | None:
    return version and replace(version, path=GONE.format(id=memory), text=None)


#: What every record has.
_NEEDED = frozenset({"id", "time", "op", "changes"})
#: What a segment begins with, and may end with.
_HEAD_LINE = re.compile(rb"---|journal: [\w.-]+|format: \d+|```(?:json)?")
_UNREADABLE = (
    "{count} {lines} of this journal cannot be read: earlier versions of memories, and what undo would bring back, may be lost. The"
    " memories themselves are whole. Put the file back from a backup if there is one; vade sync records the current versions anew."
)
_CUT = (
    "{count} {lines} of this journal {are} missing: they were removed, so earlier versions of memories, and what undo"
    " would bring back, may be lost. The memories themselves are whole. Put the file back from a backup if there is one."
)
#: What is told of a journal that ends before a record that was there.
END_IS_MISSING = (
    "The end of this journal is missing: it held later records, the last of them {last}. Earlier versions of memories, and what undo"
    " would bring back, may be lost. The memories themselves are whole. Put the file back from a backup if there is one."
)
_MISSING = (
    "A part of this journal before it is missing (behind {before}): earlier versions may be lost. Put it back from a backup."
)


class Journal:
    """The journals of one space, of all devices. Appends go to this device's own.

    Args:
        device: names the folder of this device's segments.
        former: name of the one file that this device wrote before journals had segments; it is read, and grows no more.

    Attributes:
        forgotten: ids of memories of which nothing is told any more, also where their device has not yet taken it out.
    """

    forgotten: Callable[[], Collection[str]] = staticmethod(frozenset)

    def __init__(self, root: Path, device: str, former: str = "") -> None:
        self._folder = root / JOURNAL
        self._looked_at: dict[Path, tuple[tuple[int, ...], _Looked]] = {}
        self._former = self._folder / f"{former}.jsonl" if former else None
        self._own = Segments(self._folder / device, _head(device))
        self._left: Path | None = None  # the folder under this device's name until now, in this process

    @property
    def own_folder(self) -> Path:
        """The folder of this device's segments."""
        return self._own.folder

    def append(self, *records: Record) -> Callable[[], None]:
        """Put the records on disk; after return they are there.

        Returns:
            A function that takes them off again, for a caller whose own write failed. It needs no disk space.
        """
        last = self._last_number()  # each record has the next number, so that a line that was cut out is missed
        lines = [_line(record, {"number": number}) for number, record in enumerate(records, last + 1)]
        return self._own.append(f"{records[0].time.astimezone(UTC):%Y-%m}", lines)

    def become(self, device: str) -> None:
        """Write to the folder of another name from now on."""
        self._left = self._own.folder
        self._own = Segments(self._folder / device, _head(device))

    def last_id(self) -> str:
        """Return the id of this device's last complete record; "" when there is none."""
        last = from_line(self._last()[1])
        return last.id if last else ""

    def holds_last(self, record_id: str) -> bool:
        """Return whether this device's last complete record has this id."""
        return self.last_id() == record_id

    def drop_last(self, record_id: str) -> None:
        """Take this device's last record off again when it has this id: its operation never happened."""
        path, line = self._last()
        last = from_line(line)
        if path is None or last is None or last.id != record_id:
            return
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            closed = last_byte(file.fileno(), size) == b"\n"
        os.truncate(path, size - len(line) - closed)

    def _last(self) -> tuple[Path | None, bytes]:
        """Return the last line of this device that is one of records, torn or not, and the file that ends with it."""
        former = [self._former] if self._former else []
        for path in (*segments_of(self._own.folder, newest_first=True), *former):
            line = next(lines_backwards(path), b"")
            if line.startswith(b"{"):
                return path, line
        return None, b""

    def _last_number(self) -> int:
        """Return the number of this device's last complete record; 0 for none, or one of before records had numbers."""
        for path in segments_of(self._own.folder, newest_first=True):
            for line in lines_backwards(path):
                if line.startswith(b"{") and (number := _number_of(line)) is not None:
                    return number
        return 0

    def began(self) -> str:
        """Return the id of the first record of this device's segments; "" when there is none."""
        first = next((record for path in segments_of(self._own.folder) for record in _records(path)), None)
        return first.id if first else ""

    def about(self, identities: Collection[str]) -> Iterator[tuple[Record, Change]]:
        """Yield every change of these memories, of all devices, in no order; some twice, where a sync tool made copies."""
        for path in self.files():
            for record in self._read(line for line in lines_of(path) if _mentions_any(line, identities)):
                yield from ((record, change) for change in record.changes if change.memory in identities)

    def newest(self) -> Iterator[Record]:
        """Yield the last record of every device, of some that sync tools copied more than one."""
        for stream in self._streams():
            yield from itertools.islice(filter(None, map(from_line, _backwards(stream))), 1)

    def records(self, about: str = "") -> list[Record]:
        """Return records of all devices, oldest first; only those whose line holds the text `about` when it is given."""
        needle = about.encode()
        lines = (line for path in self.files() for line in lines_of(path) if needle in line)
        all_records = list(self._read(lines))
        return sorted(all_records, key=lambda record: record.id)

    def latest(self, identities: Collection[str] | None) -> Iterator[tuple[Record, Change]]:
        """Return the last change of every memory asked for (None: of every memory) on each device, newest first.

        Reads each device's files from their end and no further than needed.
        """
        for stream in self._streams():
            waiting = None if identities is None else set(identities)
            seen: set[str] = set()
            for line in _backwards(stream):
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
        """Yield records of all devices, newest first, read only as far as asked for."""
        streams = [self._read(_backwards(stream)) for stream in self._streams()]
        yield from heapq.merge(*streams, key=lambda record: record.id, reverse=True)

    def _read(self, lines: Iterable[bytes]) -> Iterator[Record]:
        """Yield the records in these lines."""
        gone = self.forgotten()
        records = filter(None, map(from_line, lines))
        return (_without(record, gone) for record in records) if gone else records

    def is_own(self, path: Path) -> bool:
        """Return whether nobody but this device changes a file: one of its folder, or one of the first format, which never grows."""
        return path.parent == self._own.folder or path.suffix == ".jsonl"

    def was_own(self, path: Path) -> bool:
        """Return whether a file lies in the folder that this device has just left; perhaps another computer writes there."""
        return path.parent == self._left

    def files(self) -> list[Path]:
        """Journal files of all devices: the oldest segment of each first."""
        return [path for stream in self._streams() for path in reversed(stream)]

    def marks_of_segments(self) -> Marks:
        """Return the size and time of every segment, of all devices: what holds evidence. What the first version of the format
        wrote has none.
        """
        return marks_below(self._folder)

    def _streams(self) -> list[list[Path]]:
        """Return files that hold records in order, newest first: the segments of each device; and one by one what the first
        version of the format
        wrote, and the copies that sync tools make.
        """
        streams = [[path] for path in sorted(self._folder.glob("*.jsonl"))]
        for folder in sorted(path for path in self._folder.glob("*") if path.is_dir()):
            ours = segments_of(folder, newest_first=True)
            streams += [ours, *([path] for path in sorted(folder.glob("*.md")) if path not in ours)]
        return [stream for stream in streams if stream]

    def damage(self) -> Iterator[tuple[Path, str]]:
        """Yield the files of this journal that cannot be read whole, or that one is missing before, and what to tell of each.

        The last line of a file may still be on its way here. Files that stayed as they were are not read again.
        """
        for stream in self._streams():
            last: int | None = 0 if is_segment(stream[-1]) else None
            begun = 0
            for path, following in itertools.zip_longest(reversed(stream), [*reversed(stream)][1:]):
                looked = self._looked(path)
                begun += looked.begun_before
                count, cut = looked.unreadable, looked.cut + _between(last, looked.first)
                if looked.first is not None:
                    count += 0 if _follows(last, looked.first) else begun
                    last, begun = looked.last, 0
                begun += looked.begun_after
                if following is None and not looked.is_open:
                    count += begun
                if count:
                    yield path, _UNREADABLE.format(count=count, lines="line" if count == 1 else "lines")
                elif cut:
                    yield path, _CUT.format(count=cut, lines="line" if cut == 1 else "lines", are="is" if cut == 1 else "are")
                if following is not None and is_gap(path, following):
                    last = None
                    yield following, _MISSING.format(before=path.name)

    def ends(self) -> dict[str, str]:
        """Return for the folder of each device, by name, the id of the last whole record in its segments; "" for none."""
        fields: dict[str, str] = {}
        for folder in sorted(path for path in self._folder.glob("*") if path.is_dir()):
            records = filter(None, map(from_line, _backwards(segments_of(folder, newest_first=True))))
            fields[folder.name] = next((record.id for record in records), "")
        return fields

    def folder_of(self, device: str) -> Path:
        """Return the folder of a device's segments."""
        return self._folder / device

    def _looked(self, path: Path) -> "_Looked":
        stat = path.stat()
        mark = (stat.st_size, stat.st_mtime_ns)
        known = self._looked_at.get(path)
        if known is None or known[0] != mark:
            known = self._looked_at[path] = (mark, _look(path))
        return known[1]

    def other_versions(self, since: datetime) -> Iterator[tuple[Path, str]]:
        """Journal files that another version of the program wrote lately, and what to tell of each.

        What an older version does is known by its record being later than every first segment of the device that it may have become.

        Args:
            since: aware; older records are passed over.
        """
        begun = {
            folder.name: first.id
            for folder in self._folder.glob("*")
            if folder.is_dir() and (first := next((record for path in segments_of(folder) for record in _records(path)), None))
        }
        for path in sorted(self._folder.glob("*.jsonl")) if begun else ():
            last = from_line(next(lines_backwards(path), b""))
            became = [start for name, start in begun.items() if name.rpartition("-")[0] == path.stem]
            if last and last.time >= since and last.id > min(begun.values()) and not any(start > last.id for start in became):
                yield path, _OLDER.format(device=path.stem, day=last.time)
        for folder in sorted(path for path in self._folder.glob("*") if path.is_dir()):
            newest = segments_of(folder, newest_first=True)[:1]
            if newest and _format_of(newest[0]) > FORMAT:
                yield newest[0], _NEWER.format(device=folder.name)


class _Looked(Struct, frozen=True):
    """What the lines of a journal's file show.

    Attributes:
        unreadable: lines that are neither records nor what a segment begins with, and records that were only begun where others
            followed whose numbers do not say that nothing is missing between.
        cut: records that are missing between those that are there, by their numbers.
        first, last: numbers of the first and last record; 0 for one of before records had numbers, None without any.
        begun_before, begun_after: records that were only begun, before the first whole one and behind the last one. Without any whole
            one they are all behind. is_open: the last line of the file has no end: it is being written, or on its way here.
    """

    unreadable: int
    cut: int
    first: int | None
    last: int | None
    begun_before: int
    begun_after: int
    is_open: bool


def _look(path: Path) -> _Looked:
    count, cut, before, begun = 0, 0, 0, 0
    first: int | None = None
    last: int | None = None
    line = b"\n"
    for line in lines_of(path):
        plain = line.strip()
        if not plain or _HEAD_LINE.fullmatch(plain):
            continue
        if plain.startswith(b"{") and not (plain.endswith(b"}") and line.endswith(b"\n")):
            begun += (
                1  # its writer died before it told anybody that it was saved, or the rest is on its way here, or was cut off
            )
            continue
        number = _number_of(line)
        if number is None:
            count += 1
            continue
        if first is None:
            before = begun
        else:
            count += 0 if _follows(last, number) else begun
        cut += _between(last, number)
        first, last, begun = number if first is None else first, number, 0
    return _Looked(count, cut, first, last, before, begun, not line.endswith(b"\n"))


def _follows(before: int | None, after: int) -> bool:
    """Return whether two numbers say that no record is missing between: one that was begun was never finished, and its number was given
    to the next one.
    """
    return before is not None and after > 0 and after == before + 1


def _between(before: int | None, after: int | None) -> int:
    """Return how many records are missing between two numbers. None: there is no record. A device that lost its journal counts anew."""
    return 0 if before is None or after is None else max(0, after - before - 1)


def _number_of(line: bytes) -> int | None:
    """Return the number of a line's record, 0 for one without; None for a line that is none."""
    try:
        raws = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        number = msgspec.json.decode(raws.get("number", b"0"), type=int)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return number if raws.keys() >= _NEEDED else None


def _head(device: str) -> bytes:
    """Return what a segment begins with: an opened code block, so that links in the texts count nowhere as links."""
    return f"---\njournal: {device}\nformat: {FORMAT}\n---\n```json\n".encode()


def _format_of(segment: Path) -> int:
    """Return the version of the format that a segment's head tells; 0 for none."""
    with segment.open("rb") as file:
        match = _FORMAT.search(file.read(200))
    return int(match[1]) if match else 0


def _records(path: Path) -> Iterator[Record]:
    return filter(None, map(from_line, lines_of(path)))


def _backwards(stream: Sequence[Path]) -> Iterator[bytes]:
    """Yield lines of a stream of files, last first."""
    for path in stream:
        yield from lines_backwards(path)


def _mentions_any(line: bytes, identities: Collection[str]) -> bool:
    """Return whether a line may be about one of the memories. Many are not looked for one by one: parsing is as quick."""
    return len(identities) > _FEW or any(identity.encode() in line for identity in identities)

"""Append-only history: every change with the text before and after it, in segment files per device.

A record holds complete texts, so that any version can be shown and any change undone without a second source. The cost of an
append does not depend on the length of the journal.
"""

import contextlib
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

from vademecum.domain.errors import InvalidInput
from vademecum.domain.memory import Actor
from vademecum.vault.files import etag_of
from vademecum.vault.places import JOURNAL
from vademecum.vault.segments import (
    FoundLines,
    Marks,
    Segments,
    in_order,
    is_gap,
    is_segment,
    last_byte,
    lines_backwards,
    lines_of,
    marks_below,
    segments_of,
)

#: The first version of the format had one file per device, `<device>.jsonl`. Its records are still read.
FORMAT = 2
_FORMAT = re.compile(rb"^format: (\d+)$", re.MULTILINE)
_OLDER = (
    "An older version of Vademecum wrote here on {day:%Y-%m-%d}, from the device {device}. It cannot read what this version"
    " records, so changes made here look like manual edits there. Nothing is lost; update it there."
)
_NEWER = "A newer version of Vademecum writes here, from the device {device}. Records that only it understands are skipped; update here."

#: Suffix after a space's name for files of the vault around the memories. A version's path is then relative to documents_root,
#: or to the space's root when there is no surrounding vault.
DOCUMENTS = ":documents"
#: Suffix after a space's name for generated pages. The journal records when they changed, not their text.
GENERATED = ":generated"
#: Replaces the path of a forgotten memory, because the file name revealed its title.
GONE = "_forgotten/{id}.md"
_FEW = 64


class Version(Struct, frozen=True):
    """A file at one point in time: space, path in it, text (None if it was never read) and etag."""

    space: str
    path: str
    etag: str
    text: str | None

    def bare(self) -> "Version":
        """Return the version without its text."""
        return replace(self, text=None)


def encoded(text: str) -> bytes:
    """Return a text encoded as the bytes of its file.

    Raises:
        InvalidInput: the text cannot be stored as UTF-8.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("The text contains half of a character (a lone surrogate).", "Remove it and try again.") from error


def version(space: str, path: str, text: str) -> Version:
    """Return the version of a file that would hold this text."""
    return Version(space, path, etag_of(encoded(text)), text)


class Change(Struct, frozen=True):
    """One memory before and after; None: it did not exist, or no longer does.

    Attributes:
        evidence: facts that this change adds beside the note; see :mod:`vademecum.vault.evidence`. A value of None removes one.
        again: the change counts although an older record already produced this text; see :mod:`vademecum.vault.merge`.
        doubtful: another memory was at this place, so a sync tool may have mixed the two; lines missing in `after` are not deletions.
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
        op: the verb. reason: why, if a reason was given.
        interface: "cli", "mcp", "http", "hook", ... or "".
        changes: all of them happened or none.
        undoes: id of the record that this one undoes, or "".
        group: id of the first record of the same action; "" in that first record itself.
        heard: other device -> id of its last record that had arrived here by then. A missing device: none had.
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
        """Id of the action that the record belongs to: the id of the action's first record."""
        return self.group or self.id

    @property
    def is_generated(self) -> bool:
        """Whether the record only renews generated pages."""
        sides = [side for change in self.changes for side in (change.before, change.after) if side is not None]
        return all(side.space.endswith(GENERATED) for side in sides)

    def without_texts(self) -> "Record":
        """Return the record with the versions' places and etags only."""
        sides = ((change.memory, change.before, change.after) for change in self.changes)
        bare = (Change(memory, before and before.bare(), after and after.bare()) for memory, before, after in sides)
        return replace(self, changes=tuple(bare))


def to_line(record: Record) -> bytes:
    """Return one line of JSON, newline included. Characters that are not valid Unicode are escaped."""
    return _line(record, {})


def _line(record: Record, first: Mapping[str, object]) -> bytes:
    """Return the line of a record; the fields in `first` come before the others."""
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
    """Return the record of a line; None for a torn line or one that is no record."""
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
    """Return a record without paths and texts of forgotten memories."""
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


#: Fields that every record has.
_NEEDED = frozenset({"id", "time", "op", "changes"})
#: Lines of a segment's head and of its closing fence.
_HEAD_LINE = re.compile(rb"---|journal: [\w.-]+|format: \d+|```(?:json)?")
_UNREADABLE = (
    "{count} {lines} of this journal cannot be read: earlier versions of memories, and what undo would bring back, may be lost. The"
    " memories themselves are whole. Put the file back from a backup if there is one; vade sync records the current versions anew."
)
_CUT = (
    "{count} {lines} of this journal {are} missing: they were removed, so earlier versions of memories, and what undo"
    " would bring back, may be lost. The memories themselves are whole. Put the file back from a backup if there is one."
)
#: Message for a journal that ends before a record that was once there.
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
        device: name of the folder with this device's segments.
        former: name of this device's single journal file in the first format; it is read, but no longer written.

    Attributes:
        forgotten: returns ids of forgotten memories. Their data is left out, even while another device's journal still holds it.
    """

    forgotten: Callable[[], Collection[str]] = staticmethod(frozenset)

    def __init__(self, root: Path, device: str, former: str = "") -> None:
        self._folder = root / JOURNAL
        self._looked_at: dict[Path, tuple[tuple[int, ...], _Looked]] = {}
        self._former = self._folder / f"{former}.jsonl" if former else None
        self._own = Segments(self._folder / device, _head(device))
        self._found = FoundLines()
        self._left: Path | None = None  # the folder that this process used for this device before a rename

    def is_there(self) -> bool:
        """Return whether the space has a journal of any device."""
        return self._folder.is_dir()

    @property
    def own_folder(self) -> Path:
        """The folder of this device's segments."""
        return self._own.folder

    def append(self, *records: Record) -> Callable[[], None]:
        """Write the records to disk and flush.

        Returns:
            A function that removes them again, for a caller whose own write failed. It needs no disk space.
        """
        last = self._last_number()  # records are numbered consecutively, so that a removed line is noticed
        lines = [_line(record, {"number": number}) for number, record in enumerate(records, last + 1)]
        return self._own.append(f"{records[0].time.astimezone(UTC):%Y-%m}", lines)

    def become(self, device: str) -> None:
        """Write to the folder of another device name from now on."""
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
        """Remove this device's last record if it has this id: its operation did not happen."""
        path, line = self._last()
        last = from_line(line)
        if path is None or last is None or last.id != record_id:
            return
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            closed = last_byte(file.fileno(), size) == b"\n"
        os.truncate(path, size - len(line) - closed)

    def _last(self) -> tuple[Path | None, bytes]:
        """Return this device's last line that begins like a record, complete or torn, and the file that ends with it."""
        former = [self._former] if self._former else []
        for path in (*segments_of(self._own.folder, newest_first=True), *former):
            line = next(lines_backwards(path), b"")
            if line.startswith(b"{"):
                return path, line
        return None, b""

    def _last_number(self) -> int:
        """Return the number of this device's last complete record; 0 if there is none or it predates record numbers."""
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
        """Yield every change of these memories on all devices, unordered. Some come twice where a sync tool copied a file."""
        for path in self.files():
            few = _are_few(identities)
            for record in self._read(self._found.lines_with(path, identities) if few else lines_of(path)):
                yield from ((record, change) for change in record.changes if change.memory in identities)

    def lines_naming(self, identity: str, paths: Iterable[str]) -> Iterator[bytes]:
        """Yield the lines that name a memory, or every line if it is "", of those of these segments that are of this space."""
        below = f"{self._folder}{os.sep}"
        for path in (Path(path) for path in paths if path.startswith(below)):
            yield from self._found.lines_with(path, (identity,)) if identity else lines_of(path)

    def newest(self) -> Iterator[Record]:
        """Yield the last record of every device; more than one for a device whose journals a sync tool copied."""
        for stream in self._streams():
            yield from itertools.islice(filter(None, map(from_line, _backwards(stream))), 1)

    def records(self, about: str = "") -> list[Record]:
        """Return records of all devices, oldest first; if `about` is given, only those whose line contains that text."""
        needle = about.encode()
        lines = (line for path in self.files() for line in lines_of(path) if needle in line)
        all_records = list(self._read(lines))
        return sorted(all_records, key=lambda record: record.id)

    def latest(self, identities: Collection[str] | None) -> Iterator[tuple[Record, Change]]:
        """Yield the last change of each memory on each device, newest first. None: of all memories.

        Reads each device's files from the end, no further than needed.
        """
        for stream in self._streams():
            waiting = None if identities is None else set(identities)
            seen: set[str] = set()
            for record in filter(None, map(from_line, self._backwards_about(stream, waiting))):
                for change in record.changes:
                    if change.memory not in seen and (waiting is None or change.memory in waiting):
                        seen.add(change.memory)
                        yield record, change
                if waiting is not None:
                    waiting -= seen

    def _backwards_about(self, stream: Sequence[Path], waiting: Collection[str] | None) -> Iterator[bytes]:
        """Yield the lines that may be about the memories still waiting, last line first, until none waits any more.

        Args:
            waiting: the caller removes from it what it has. None: all memories.
        """
        for path in stream:
            if waiting is None or not _are_few(waiting):
                lines = lines_backwards(path)
            else:
                lines = reversed(self._found.lines_with(path, waiting)) if path.exists() else iter(())
            for line in lines:
                if waiting is not None and not waiting:
                    return
                yield line

    def newest_first(self) -> Iterator[Record]:
        """Yield records of all devices, newest first. Files are read only as far as the caller iterates."""
        streams = [self._read(_backwards(stream)) for stream in self._streams()]
        yield from heapq.merge(*streams, key=lambda record: record.id, reverse=True)

    def _read(self, lines: Iterable[bytes]) -> Iterator[Record]:
        """Parse these lines and leave out the data of forgotten memories."""
        gone = self.forgotten()
        records = filter(None, map(from_line, lines))
        return (_without(record, gone) for record in records) if gone else records

    def is_own(self, path: Path) -> bool:
        """Return whether only this device changes a file: it is in its folder, or in the first format, which no longer grows."""
        return path.parent == self._own.folder or path.suffix == ".jsonl"

    def was_own(self, path: Path) -> bool:
        """Return whether a file is in the folder that this process just stopped using; another computer may be writing there."""
        return path.parent == self._left

    def files(self) -> list[Path]:
        """Return the journal files of all devices, the oldest segment of each first."""
        return [path for stream in self._streams() for path in reversed(stream)]

    def marks_of_segments(self) -> Marks:
        """Return the size and time of every segment of all devices. Files of the first format are left out: they hold no evidence."""
        return marks_below(self._folder)

    def _streams(self) -> list[list[Path]]:
        """Return groups of files, newest first within a group.

        A device's segments form one group; every file of the first format and every copy made by a sync tool is a group of its own.
        """
        entries = sorted(_entries(self._folder), key=lambda entry: entry.name)
        streams = [[Path(entry.path)] for entry in entries if entry.name.endswith(".jsonl")]
        for folder in (entry for entry in entries if entry.is_dir()):
            files = sorted(Path(entry.path) for entry in _entries(folder) if entry.name.endswith(".md"))
            streams += [in_order(files, newest_first=True), *([path] for path in files if not is_segment(path))]
        return [stream for stream in streams if stream]

    def damage(self) -> Iterator[tuple[Path, str]]:
        """Yield the journal files that are damaged or follow a gap, with a message for each.

        The last line of a file may still be in transfer, so it does not count. Unchanged files are not read again.
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
        """Return device folder name -> id of the last complete record in its segments; "" for none."""
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
        """Yield journal files that another version of the program wrote recently, with a message for each.

        An older version is recognised by a record that is later than the first segment record of some device, unless the device
        that the older one may have become began later still.

        Args:
            since: aware; older records are skipped.
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
    """Result of checking the lines of one journal file.

    Attributes:
        unreadable: lines that are neither records nor part of a segment's head; also unfinished records, unless the numbers of
            the records around them show that nothing is missing.
        cut: records missing between the present ones, according to their numbers.
        first, last: numbers of the first and last record; 0 for a record without a number, None without any record.
        begun_before, begun_after: unfinished records before the first complete one and after the last one. Without any complete
            record all are in `begun_after`.
        is_open: the file's last line has no newline: it is being written or transferred.
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
            begun += 1  # its writer died before reporting success, or the rest is still in transfer, or it was cut off
            continue
        number = _number_of(line)
        if number is None:
            begun, count = (begun + 1, count) if _is_cut_off(plain) else (begun, count + 1)
            continue
        if first is None:
            before = begun
        else:
            count += 0 if _follows(last, number) else begun
        cut += _between(last, number)
        first, last, begun = number if first is None else first, number, 0
    return _Looked(count, cut, first, last, before, begun, not line.endswith(b"\n"))


def _is_cut_off(line: bytes) -> bool:
    """Return whether a line is the beginning of a record that was cut right behind a brace."""
    try:
        json.loads(line)
    except json.JSONDecodeError as error:
        return line.startswith(b"{") and error.pos >= len(error.doc)
    except UnicodeDecodeError:
        return False
    return False


def _follows(before: int | None, after: int) -> bool:
    """Return whether two numbers are consecutive, so that no record is missing between them.

    An unfinished record between them was then never completed, and its number was given to the next one.
    """
    return before is not None and after > 0 and after == before + 1


def _between(before: int | None, after: int | None) -> int:
    """Return how many records are missing between two numbers; None: there is no record. A device that lost its journal restarts at 1."""
    return 0 if before is None or after is None else max(0, after - before - 1)


def _number_of(line: bytes) -> int | None:
    """Return the number of a line's record, 0 if it has none; None if the line is not a record."""
    try:
        raws = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        number = msgspec.json.decode(raws.get("number", b"0"), type=int)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return number if raws.keys() >= _NEEDED else None


def _head(device: str) -> bytes:
    """Return the head of a segment. It opens a code block, so that links in the texts do not count as links."""
    return f"---\njournal: {device}\nformat: {FORMAT}\n---\n```json\n".encode()


def _format_of(segment: Path) -> int:
    """Return the format version in a segment's head; 0 if there is none."""
    with segment.open("rb") as file:
        match = _FORMAT.search(file.read(200))
    return int(match[1]) if match else 0


def _entries(folder: str | Path | os.DirEntry[str]) -> list[os.DirEntry[str]]:
    """Return what is in a folder; nothing if that is not there or cannot be listed."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(folder) as entries:
        return list(entries)
    return []


def _records(path: Path) -> Iterator[Record]:
    return filter(None, map(from_line, lines_of(path)))


def _backwards(stream: Sequence[Path]) -> Iterator[bytes]:
    """Yield the lines of a sequence of files in reverse, last line first."""
    for path in stream:
        yield from lines_backwards(path)


def _are_few(identities: Collection[str]) -> bool:
    """Return whether it pays to search for these ids: with many of them parsing is as fast. A page has none."""
    return len(identities) <= _FEW and all(identities)

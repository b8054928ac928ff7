"""Evidence: facts about a memory in the journals, beside its note: number of confirmations, edit times, source and reason.

Each change of a memory has the evidence that it adds. Folding the changes in record order gives the current evidence: counters
are summed, of times the latest counts, of other values the last. Changes that were undone do not count.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from vademecum.vault.journal import Journal
from vademecum.vault.segments import Marks

#: Number of confirmations in one change. CARRIED: number that the note had before the property was removed from it.
CONFIRMATIONS, CARRIED = "confirmations", "carried"
#: Properties of which the latest value counts, whatever the order of records.
TIMES = frozenset({"updated", "last_confirmed"})
#: Number of memories looked up one by one before all segments are read at once.
_ONE_BY_ONE = 16
#: Number of bytes before the end that are compared to detect that a segment only grew.
_TAIL_BYTES = 64

#: Evidence: property -> value, as in frontmatter.
Known = Mapping[str, Any]


class _Side(Struct):
    etag: str = ""


class _Change(Struct):
    memory: str
    before: _Side | None = None
    after: _Side | None = None
    evidence: dict[str, Any] | None = None


class _Line(Struct):
    id: str
    time: datetime
    changes: list[_Change]
    undoes: str = ""


class Fact(Struct, frozen=True):
    """Evidence of one change of a memory.

    Attributes:
        record: id of its record. before, after: etag of the note before and after the change, "" for none.
        undoes: id of the record that it undoes, or "".
    """

    record: str
    time: datetime
    before: str
    undoes: str
    evidence: Known
    after: str = ""


class _Seen(Struct, frozen=True):
    """How far a segment was read: its inode, the end position, and the bytes before that."""

    inode: int
    end: int
    tail: bytes


_decoder = msgspec.json.Decoder(_Line)


class EvidenceLog:
    """Evidence from the journals of some spaces. Of a segment that grew, only the new part is read."""

    def __init__(self, journals: Mapping[str, Journal]) -> None:
        self._journals = journals
        self._marks: Marks = {}
        self._facts: dict[str, list[Fact]] = {}
        self._seen: dict[str, _Seen] = {}
        self._asked = 0
        self._has_all = False
        self._is_still = False

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        """Check the files for changes only once, at the start of the context."""
        if not self._is_still:
            self._follow()
        before, self._is_still = self._is_still, True
        try:
            yield
        finally:
            self._is_still = before

    def of(self, identity: str, until: datetime | None = None) -> Known:
        """Return the evidence of a memory.

        Args:
            until: as of this moment; None: now.
        """
        facts = self._of(identity)
        return folded(facts if until is None else [fact for fact in facts if fact.time <= until])

    def etag_of(self, identity: str) -> str:
        """Return the etag of a memory's note in its newest record; "" if it is gone, or no segment has a record of it."""
        last = max(self._of(identity), key=lambda fact: fact.record, default=None)
        return last.after if last else ""

    def _of(self, identity: str) -> Sequence[Fact]:
        """Return the evidence of each change of a memory, unordered."""
        if not self._is_still:
            self._follow()
        if not self._has_all and identity not in self._facts:
            self._asked += 1
            if self._asked > _ONE_BY_ONE:
                self._facts.clear()
                self._has_all = True
                self._read(self._marks)
            else:
                lines = (line for journal in self._journals.values() for line in journal.lines_naming(identity, self._marks))
                self._facts[identity] = [fact for memory, fact in _facts_of(lines) if memory == identity]
        return self._facts.get(identity, ())

    def marks(self) -> Marks:
        """Return path -> size and time of every file that may have evidence. While they are equal, nothing was added."""
        return {path: mark for journal in self._journals.values() for path, mark in journal.marks_of_segments().items()}

    def _follow(self) -> None:
        """Discard outdated data; if all segments had been read and only grew, read just the new lines."""
        marks = self.marks()
        if marks == self._marks:
            return
        other = {path for path in marks.keys() | self._marks.keys() if marks.get(path) != self._marks.get(path)}
        self._marks = marks
        if self._has_all and all(_only_grew(path, self._seen[path]) for path in other & self._seen.keys()):
            self._read(sorted(other))
            return
        self._facts.clear()
        self._seen.clear()
        self._has_all = False

    def _read(self, paths: Iterable[str]) -> None:
        """Read these segments from the position reached before."""
        for path in paths:
            start = self._seen[path].end if path in self._seen else 0
            self._seen[path] = _seen(path)
            for memory, fact in _facts_in(path, start):
                self._facts.setdefault(memory, []).append(fact)


def folded(facts: Iterable[Fact]) -> Known:
    """Return the evidence after these changes of one memory, given in any order."""
    changes = {change.record: change for change in facts}
    undoers: dict[str, list[str]] = {}
    for fact in changes.values():
        if fact.undoes:
            undoers.setdefault(fact.undoes, []).append(fact.record)

    def stands(record: str) -> bool:
        return not any(stands(other) for other in undoers.get(record, ()))

    known, carried = dict[str, Any](), dict[str, int]()
    for record in sorted(changes):
        for name, value in changes[record].evidence.items() if stands(record) else ():
            if name == CARRIED:
                carried[changes[record].before] = value
            elif value is None:
                known.pop(name, None)
                carried = {} if name == CONFIRMATIONS else carried
            elif name == CONFIRMATIONS:
                known[name] = known.get(name, 0) + value
            else:
                known[name] = max(known.get(name, ""), value) if name in TIMES else value
    count = known.pop(CONFIRMATIONS, 0) + sum(carried.values())
    return {**known, CONFIRMATIONS: count} if count else known


def added(known: Known, evidence: Known) -> Known:
    """Return the evidence after one more change."""
    first = Fact("", datetime.min, "", "", known)
    return folded([first, Fact("1", datetime.min, "", "", evidence)])


def together(written: Mapping[str, object], known: Known) -> dict[str, Any]:
    """Combine properties of the note and the evidence: counts are summed, of times the later one counts."""
    fields: dict[str, Any] = {}
    count = count_of(written) + count_of(known)
    if count:
        fields[CONFIRMATIONS] = count
    for name in TIMES & (written.keys() | known.keys()):
        fields[name] = max(str(written.get(name) or ""), str(known.get(name) or ""))
    return fields


def count_of(properties: Mapping[str, object]) -> int:
    """Return the number of confirmations in these properties."""
    value = properties.get(CONFIRMATIONS, 0)
    return value if isinstance(value, int) else 0


def recorded_since(sizes: Mapping[str, int], ends: Mapping[str, int], *, everything: bool = False) -> set[str]:
    """Return ids of memories with evidence beyond these positions of segments. A segment that shrank is read completely.

    Args:
        sizes: path -> current size. ends: path -> position up to which it was read.
        everything: include memories of which only the file changed.
    """
    names: set[str] = set()
    for path, size in sizes.items():
        start = ends.get(path, 0)
        if size != start:
            recorded = _facts_in(path, start if size > start else 0)
            names.update(memory for memory, fact in recorded if everything or fact.evidence or fact.undoes)
    return names


def _facts_in(path: str, start: int = 0) -> Iterator[tuple[str, Fact]]:
    """Yield (memory id, evidence of a change) from the complete lines of a segment after `start`."""
    with Path(path).open("rb") as file:
        file.seek(start)
        yield from _facts_of(file)


def _facts_of(lines: Iterable[bytes]) -> Iterator[tuple[str, Fact]]:
    """Yield (memory id, evidence of a change) from the complete lines among these."""
    for line in lines:
        if not line.startswith(b"{"):
            continue
        try:
            read = _decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # a torn line, or one in another version of the format
        for change in read.changes:
            if change.memory:
                before, after = (side.etag if side else "" for side in (change.before, change.after))
                yield change.memory, Fact(read.id, read.time, before, read.undoes, change.evidence or {}, after)


def _seen(path: str) -> _Seen:
    """Return how far a segment is read: to the end of its last complete line."""
    with Path(path).open("rb") as file:
        inode, size = os.fstat(file.fileno()).st_ino, file.seek(0, 2)
        file.seek(max(0, size - _TAIL_BYTES))
        tail = file.read()
    whole = tail[: tail.rfind(b"\n") + 1]
    return _Seen(inode, size - len(tail) + len(whole) if whole else 0, whole)


def _only_grew(path: str, seen: _Seen) -> bool:
    """Return whether the part of a segment that was read is unchanged."""
    try:
        with Path(path).open("rb") as file:
            file.seek(seen.end - len(seen.tail))
            return os.fstat(file.fileno()).st_ino == seen.inode and file.read(len(seen.tail)) == seen.tail
    except OSError:
        return False


def texts(known: Known) -> dict[str, object]:
    """Return evidence in the form of frontmatter values: every scalar as text."""
    return {
        name: [_text(entry) for entry in value] if isinstance(value, list) else _text(value) for name, value in known.items()
    }


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)

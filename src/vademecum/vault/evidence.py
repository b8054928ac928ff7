"""What the journals know of a memory beside its note: how often it was confirmed, when its text changed, where it came from and why.

Each change of a memory carries what it adds to that. Folding them in the order of their records gives what is known now; counters add
up, times take the latest, everything else the last, and what was undone does not count.
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

#: How often it was confirmed in one change. CARRIED: how often its note said that it had been, before that was taken out of the note.
CONFIRMATIONS, CARRIED = "confirmations", "carried"
#: Of these the latest counts, wherever it was noted.
TIMES = frozenset({"updated", "last_confirmed"})
#: Memories asked for one by one before all segments are read at once.
_ONE_BY_ONE = 16
#: Bytes before the end that tell whether a segment only grew.
_TAIL_BYTES = 64

#: What is known: property -> value, as a frontmatter would have it.
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


class Told(Struct, frozen=True):
    """What one change of a memory tells beside the note.

    Attributes:
        record: its id. before, after: etag of the note until then and from then on, "" for none.
        undoes: the record that it takes back, or "".
    """

    record: str
    time: datetime
    before: str
    undoes: str
    evidence: Known
    after: str = ""


class _Seen(Struct, frozen=True):
    """How far a segment was read: its inode, up to which byte, and the bytes before that."""

    inode: int
    end: int
    tail: bytes


_decoder = msgspec.json.Decoder(_Line)


class EvidenceLog:
    """Evidence on the journals of some spaces. Segments are read again only where they grew."""

    def __init__(self, journals: Mapping[str, Journal]) -> None:
        self._journals = journals
        self._marks: Marks = {}
        self._told: dict[str, list[Told]] = {}
        self._seen: dict[str, _Seen] = {}
        self._asked = 0
        self._has_all = False
        self._is_still = False

    @contextlib.contextmanager
    def still(self) -> Iterator[None]:
        """Look at the files once, at the beginning, for all that is asked inside."""
        if not self._is_still:
            self._follow()
        before, self._is_still = self._is_still, True
        try:
            yield
        finally:
            self._is_still = before

    def of(self, identity: str, until: datetime | None = None) -> Known:
        """Return what is known of a memory beside its note.

        Args:
            until: as it was known at that moment; None: now.
        """
        facts = self._of(identity)
        return folded(facts if until is None else [fact for fact in facts if fact.time <= until])

    def etag_of(self, identity: str) -> str:
        """Return the etag of a memory's note as it was journaled last; "" when it is gone, or no segment tells of it."""
        last = max(self._of(identity), key=lambda fact: fact.record, default=None)
        return last.after if last else ""

    def _of(self, identity: str) -> Sequence[Told]:
        """Return what the changes of a memory tell, in any order."""
        if not self._is_still:
            self._follow()
        if not self._has_all and identity not in self._told:
            self._asked += 1
            if self._asked > _ONE_BY_ONE:
                self._told.clear()
                self._has_all = True
                self._read(self._marks)
            else:
                needle = identity.encode()
                pairs = (pair for path in self._marks for pair in _told_in(path, needle=needle))
                self._told[identity] = [fact for memory, fact in pairs if memory == identity]
        return self._told.get(identity, ())

    def marks(self) -> Marks:
        """Return the size and time of every file that evidence may stand in, by path: while they stay, nothing was noted."""
        return {path: mark for journal in self._journals.values() for path, mark in journal.marks_of_segments().items()}

    def _follow(self) -> None:
        """Forget what is out of date; when all was read, read what came since."""
        marks = self.marks()
        if marks == self._marks:
            return
        other = {path for path in marks.keys() | self._marks.keys() if marks.get(path) != self._marks.get(path)}
        self._marks = marks
        if self._has_all and all(_only_grew(path, self._seen[path]) for path in other & self._seen.keys()):
            self._read(sorted(other))
            return
        self._told.clear()
        self._seen.clear()
        self._has_all = False

    def _read(self, paths: Iterable[str]) -> None:
        """Read these segments from where they were read to."""
        for path in paths:
            start = self._seen[path].end if path in self._seen else 0
            self._seen[path] = _seen(path)
            for memory, fact in _told_in(path, start):
                self._told.setdefault(memory, []).append(fact)


def folded(told: Iterable[Told]) -> Known:
    """Return what is known by these changes of one memory, in whatever order they come."""
    changes = {other_fact.record: other_fact for other_fact in told}
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
    """Return what is known when a change of these tells this evidence too."""
    first = Told("", datetime.min, "", "", known)
    return folded([first, Told("1", datetime.min, "", "", evidence)])


def together(written: Mapping[str, object], known: Known) -> dict[str, Any]:
    """Return what note and journal say together of what both may know: counts add up, of times the later holds."""
    fields: dict[str, Any] = {}
    count = count_of(written) + count_of(known)
    if count:
        fields[CONFIRMATIONS] = count
    for name in TIMES & (written.keys() | known.keys()):
        fields[name] = max(str(written.get(name) or ""), str(known.get(name) or ""))
    return fields


def count_of(properties: Mapping[str, object]) -> int:
    """Return how often something was confirmed by these properties."""
    value = properties.get(CONFIRMATIONS, 0)
    return value if isinstance(value, int) else 0


def told_since(sizes: Mapping[str, int], ends: Mapping[str, int], *, everything: bool = False) -> set[str]:
    """Return the ids of memories that segments of these sizes tell something of behind these ends; of one that shrank all.

    Args:
        everything: also what changed in their files, not only what is known beside them.
    """
    names: set[str] = set()
    for path, size in sizes.items():
        start = ends.get(path, 0)
        if size != start:
            told_in = _told_in(path, start if size > start else 0)
            names.update(memory for memory, fact in told_in if everything or fact.evidence or fact.undoes)
    return names


def _told_in(path: str, start: int = 0, needle: bytes = b"") -> Iterator[tuple[str, Told]]:
    """Yield (memory, what a change tells of it) in the whole lines of a segment from `start` on; lines without `needle` are passed over."""
    with Path(path).open("rb") as file:
        file.seek(start)
        for line in file:
            if not line.startswith(b"{") or needle not in line:
                continue
            try:
                read = _decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue  # torn, or of a version that says it otherwise
            for change in read.changes:
                if change.memory:
                    before, after = (side.etag if side else "" for side in (change.before, change.after))
                    yield change.memory, Told(read.id, read.time, before, read.undoes, change.evidence or {}, after)


def _seen(path: str) -> _Seen:
    """Return how far a segment can be said to be read: to the end of its last whole line."""
    with Path(path).open("rb") as file:
        inode, size = os.fstat(file.fileno()).st_ino, file.seek(0, 2)
        file.seek(max(0, size - _TAIL_BYTES))
        tail = file.read()
    whole = tail[: tail.rfind(b"\n") + 1]
    return _Seen(inode, size - len(tail) + len(whole) if whole else 0, whole)


def _only_grew(path: str, seen: _Seen) -> bool:
    """Return whether a segment is what was read, and perhaps more behind it."""
    try:
        with Path(path).open("rb") as file:
            file.seek(seen.end - len(seen.tail))
            return os.fstat(file.fileno()).st_ino == seen.inode and file.read(len(seen.tail)) == seen.tail
    except OSError:
        return False


def texts(known: Known) -> dict[str, object]:
    """Return what is known as a frontmatter's values are written: every scalar as text."""
    return {
        name: [_text(entry) for entry in value] if isinstance(value, list) else _text(value) for name, value in known.items()
    }


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)

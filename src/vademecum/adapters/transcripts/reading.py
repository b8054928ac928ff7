"""The pass over new records that all formats share: it counts broken and unknown records, names turns and updates the carry.

A format consists of a :class:`Reading` that interprets a record (`take`) and a :class:`Format` that recognises its files. A
turn is named by the host's id if there is one, so that copies of it can be recognised; else by its content, its time and the
number of equal turns before it, so that the name stays the same when the file is rewritten. For a host that only appends to its
file, the name is the offset of the record.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, ClassVar

from msgspec.structs import replace

from vademecum.adapters.transcripts.carry import Carry, Seen, parse_time
from vademecum.adapters.transcripts.jsonl import Record, clean, complete, complete_documents, documents, records
from vademecum.adapters.transcripts.said import Said, call, is_ours, word
from vademecum.domain.session import Cursor, Turn
from vademecum.ports.transcripts import Parsed

#: Most pending entries: messages whose second record, and calls whose result, was not read yet.
PENDING_MAX = 200


class Reading:
    """One pass over new records: collects turns and counts, and updates the carry."""

    #: The host only appends to its file: a turn without an id is named "@<offset of its record>".
    only_grows: ClassVar[bool] = False

    def __init__(self, carry: Carry) -> None:
        self.carry = carry
        self.turns: list[Turn] = []
        #: Working folder of the current record, for formats whose records contain it.
        self.cwd = str(carry.own.get("cwd", ""))
        #: Path of the transcript.
        self.path = ""
        self._beside: str | None = None
        self.unknown: Counter[str] = Counter()
        self._broken = self._replaced = 0
        self._seen = Seen(carry)
        self._halves: list[list[str]] = carry.own.setdefault("halves", [])

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        """Interpret one record."""
        raise NotImplementedError

    def folder_beside(self) -> str:
        """Return the working folder from the transcript's surroundings, else ""; called once, if no record contains it."""
        return ""

    def read(self, found: Iterable[Record]) -> None:
        """Read the records in order; unparsable ones are counted."""
        for record in found:
            self._replaced += record.replaced
            if record.value is None:
                self._broken += 1
            else:
                self.take(record, record.value)
        self.carry.cwd = self._folder()
        self._seen.save()

    def parsed(self, host: str, path: str, cursor: Cursor) -> Parsed:
        """Return the result of the reading, with the cursor after it."""
        session = self.carry.session(host, path, tuple(self.turns))
        return Parsed(session, cursor, self.unknown, self._broken, self._replaced)

    def add(
        self, record: Record, said: Iterable[Said], *, ref: object = "", time: datetime | None = None, sidechain: bool = False
    ) -> None:
        """Add the turns of a record. `ref` is the host's id of the record; a record whose id was seen before is skipped.

        In a conversation that a program or another agent leads (:meth:`led_by`) no turn counts as a conversation with the
        person.
        """
        spoken = [entry for entry in said if entry.text.strip()]
        name = clean(ref) if isinstance(ref, str) and ref else ""
        if name and not self._seen.add(name):
            return
        name = name or self._seen.add_numbered(f"@{record.start}" if self.only_grows else name_of(spoken, time))
        for number, piece in enumerate(spoken):
            # The person is also asked about calls of sub-agents and programs, so a refusal is always theirs.
            aside = (sidechain or self.is_led) and piece.speaker != "refusal"
            turn = replace(piece, speaker="program") if piece.speaker == "user" and self.carry.own.get("driven") else piece
            self._turn(record, turn, f"{name}.{number}" if number else name, time, aside)

    @property
    def is_led(self) -> bool:
        """Whether a program or another agent leads the conversation."""
        return bool(self.carry.own.get("driven") or self.carry.own.get("spawned"))

    def led_by(self, *, program: bool = False, agent: bool = False) -> None:
        """Record that a program or another agent leads the conversation; False leaves the state unchanged."""
        if program:
            self.carry.own["driven"] = True
        if agent:
            self.carry.own["spawned"] = True

    def met(self, name: str) -> bool:
        """Return whether a name was seen before, and mark it as seen."""
        return not self._seen.add(name)

    def other_half(self, where: str, text: str, other: str) -> bool:
        """Return whether record type `other` contained this text before: hosts record words twice, but they count once."""
        if self.completes(other, text):
            return True
        self._halves.append(_half(where, text))
        del self._halves[:-PENDING_MAX]
        return False

    def completes(self, where: str, text: str) -> bool:
        """Return whether record type `where` contained this text and waits for its second record; mark the pair as complete."""
        half = _half(where, text)
        if half not in self._halves:
            return False
        self._halves.remove(half)
        return True

    def pending(self, name: str) -> dict[str, Any]:
        """Return the entries that wait for a later record, by the ids of calls; the oldest beyond PENDING_MAX are deleted."""
        entries: dict[str, Any] = self.carry.own.setdefault(name, {})
        while len(entries) > PENDING_MAX:
            del entries[next(iter(entries))]
        return entries

    def call(self, name: object, given: object, call_id: object) -> Said:
        """Return a tool call, and store which tool was called, so that its result can be attributed."""
        turn = call(name, given, word(call_id))
        if turn.call:
            self.pending("calls")[clean(turn.call)] = clean(turn.tools[0])
        return turn

    def answered(self, call_id: object) -> str:
        """Return the tool of this call; "" when the call was not seen."""
        return str(self.pending("calls").pop(clean(word(call_id)), ""))

    def strange(self, kind: object) -> None:
        """Count a record of unknown kind."""
        self.unknown[clean(str(kind))[:60]] += 1

    def head(self, **fields: object) -> None:
        """Set session fields (id, cwd, branch, project) that are texts and not set yet."""
        for name, value in fields.items():
            if isinstance(value, str) and value and not getattr(self.carry, name):
                setattr(self.carry, name, clean(value))

    def work_in(self, folder: object) -> None:
        """Set the working folder; it is valid until a record names another one."""
        if isinstance(folder, str) and folder:
            self.cwd = clean(folder)
            self.carry.own["cwd"] = self.cwd
            self.head(cwd=folder)

    def _folder(self) -> str:
        if self.carry.cwd:
            return self.carry.cwd
        if self._beside is None:
            self._beside = clean(self.folder_beside())
        return self._beside

    def _turn(self, record: Record, piece: Said, ref: str, time: datetime | None, sidechain: bool) -> None:
        turn = Turn(
            ref=ref,
            speaker="injected" if piece.speaker in ("user", "note") and is_ours(piece.text) else piece.speaker,
            text=clean(piece.text),
            name=clean(piece.name),
            time=time,
            start=record.start,
            end=record.end,
            tools=tuple(map(clean, piece.tools)),
            files=tuple(map(clean, piece.files)),
            sidechain=sidechain,
            call=clean(piece.call),
            outcome=piece.outcome,
            question=clean(piece.question),
            cwd=self.cwd or self._folder(),
        )
        self.turns.append(turn)
        self.carry.date(turn)
        if turn.is_persons:
            self.carry.entitle("prompt", turn.text)


class Format:
    """Base class for formats of consecutive JSON records; implements the TranscriptFormat port. Subclasses define `is_own`.

    A file that is rewritten as one JSON document is such a sequence too, with a single record that spans lines.
    """

    name: ClassVar[str]
    reading: ClassVar[type[Reading]]
    #: Whether a record may span lines.
    spanning: ClassVar[bool] = False
    #: Whether the complete file is rewritten whenever it changes.
    whole: ClassVar[bool] = False
    #: Beginning of a first record that is longer than the head, so that only its beginning can be checked.
    beginning: ClassVar[re.Pattern[bytes] | None] = None

    def recognises(self, head: bytes, path: str) -> bool:
        """Return whether any of the first records is one that only this host writes."""
        values = [record.value for record in self.records(head, 0, closed=False) if record.value is not None]
        if values or self.beginning is None:
            return any(map(self.is_own, values))
        return self.beginning.match(head) is not None

    def is_own(self, value: Mapping[str, Any]) -> bool:
        """Return whether only this host writes such a record."""
        raise NotImplementedError

    def records(self, data: bytes, offset: int, *, closed: bool = True) -> Iterator[Record]:
        """Return the records in `data`, which is at `offset` of the file; `closed`: `data` ends with a complete record."""
        return documents(data, offset, closed=closed) if self.spanning else records(data, offset)

    def complete(self, data: bytes) -> int:
        """Return the number of bytes that can be parsed now; a document is parsed only when it is complete."""
        return complete_documents(data) if self.spanning else complete(data)

    def begin(self, reading: Reading) -> None:
        """Set the state that follows from the transcript's location, before its records are read."""

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        """Return new turns, and the cursor after them."""
        reading = self.reading(Carry.load(cursor.carry))
        reading.path = path
        self.begin(reading)
        reading.read(self.records(data, cursor.offset))
        return reading.parsed(self.name, path, Cursor(cursor.offset + len(data), cursor.prefix_hash, reading.carry.dump()))


def _half(where: str, text: str) -> list[str]:
    """Return a message as it is stored: hashed, because cursors are on disk and must not contain words of a conversation (X-37)."""
    words = " ".join(text.split()).encode("utf-8", "surrogatepass")
    return [where, hashlib.blake2b(words, digest_size=9).hexdigest()]


def name_of(said: Iterable[Said], time: datetime | None) -> str:
    """Return the name of a record without an id: a hash of its content and time, independent of its position."""
    hasher = hashlib.blake2b(time.isoformat().encode() if time else b"", digest_size=6)
    for turn in said:
        hasher.update(f"\0{turn.speaker}\0{turn.text}".encode("utf-8", "surrogatepass"))
    return f"t-{hasher.hexdigest()}"


def sections(text: str, headings: Sequence[re.Match[str]], offset: int) -> Iterator[tuple[re.Match[str], str, Record]]:
    """Yield (heading, text below it, record with the byte range of both) for each section of a text at `offset`."""
    passed, end = offset, 0
    for number, heading in enumerate(headings):
        passed += len(text[end : heading.start()].encode("utf-8"))
        end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
        size = len(text[heading.start() : end].encode("utf-8"))
        yield heading, text[heading.end() : end], Record(None, passed, passed + size)
        passed += size


def first_time(*values: object) -> datetime | None:
    """Return the first of `values` that is a valid time."""
    return next((time for value in values if (time := parse_time(value)) is not None), None)

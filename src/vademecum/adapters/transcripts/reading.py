"""The pass over new records that all formats share: it counts what is broken or unknown, names turns and keeps the carry.

A format is a :class:`Reading` that says what a record holds (`take`) and a :class:`Format` that recognises files of its own.
A turn is named by the host's id where there is one, so that a copy of it is known again; else by what it says, when, and how often
that was said before in its conversation, so that it keeps its name in a file that is written anew. Where a host only ever appends to
its file, the place of the record names it.
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
from vademecum.adapters.transcripts.said import Said, is_ours
from vademecum.domain.session import Cursor, Turn
from vademecum.ports.transcripts import Parsed

#: Records still waiting for the other half that tells the same, and calls for their result, that are remembered.
PENDING_MAX = 200


class Reading:
    """One pass over new records: fills turns and counts, and keeps the carry."""

    #: The host appends to its file and never writes it anew: a turn without an id is named "@<offset of its record>".
    only_grows: ClassVar[bool] = False

    def __init__(self, carry: Carry) -> None:
        self.carry = carry
        self.turns: list[Turn] = []
        #: Working folder of the record that is being read, where the records themselves say it.
        self.cwd = str(carry.own.get("cwd", ""))
        #: Of the transcript.
        self.path = ""
        self._beside: str | None = None
        self.unknown: Counter[str] = Counter()
        self._broken = self._replaced = 0
        self._seen = Seen(carry)
        self._calls: dict[str, str] = carry.own.setdefault("calls", {})
        self._halves: list[list[str]] = carry.own.setdefault("halves", [])

    def take(self, record: Record, value: Mapping[str, Any]) -> None:
        """Read one record."""
        raise NotImplementedError

    def finish(self) -> None:
        """Close the reading behind the last record; what the next reading needs goes into `carry.own`."""

    def folder_beside(self) -> str:
        """Return the working folder by what stands around the transcript; asked once, where no record told it. "" when nothing does."""
        return ""

    def read(self, found: Iterable[Record]) -> None:
        """Read the records in order; one that could not be read is counted."""
        for record in found:
            self._replaced += record.replaced
            if record.value is None:
                self._broken += 1
            else:
                self.take(record, record.value)
        self.finish()
        self.carry.cwd = self._folder()
        self._seen.save()

    def parsed(self, host: str, path: str, cursor: Cursor) -> Parsed:
        """Return what was read, with the cursor that stands behind it."""
        session = self.carry.session(host, path, tuple(self.turns))
        return Parsed(session, cursor, self.unknown, self._broken, self._replaced)

    def add(
        self, record: Record, said: Iterable[Said], *, ref: object = "", time: datetime | None = None, sidechain: bool = False
    ) -> None:
        """Add the turns of what a record says. `ref` is the host's id of it; one met before is not heard again.

        In a conversation that a program or another agent leads (:meth:`led_by`) nothing counts as talk with the person.
        """
        spoken = [entry for entry in said if entry.text.strip()]
        name = clean(ref) if isinstance(ref, str) and ref else ""
        if name and not self._seen.add(name):
            return
        name = name or self._seen.add_numbered(f"@{record.start}" if self.only_grows else name_of(spoken, time))
        for number, other_turn in enumerate(spoken):
            # A person is asked about the calls of sub-agents and programs as well.
            aside = (sidechain or self.is_led) and other_turn.speaker != "refusal"
            turn = (
                replace(other_turn, speaker="program")
                if other_turn.speaker == "user" and self.carry.own.get("driven")
                else other_turn
            )
            self._turn(record, turn, f"{name}.{number}" if number else name, time, aside)

    @property
    def is_led(self) -> bool:
        """Whether the conversation is led by a program or by another agent."""
        return bool(self.carry.own.get("driven") or self.carry.own.get("spawned"))

    def led_by(self, *, program: bool = False, agent: bool = False) -> None:
        """Note that a program or another agent leads the conversation; what is false changes nothing."""
        if program:
            self.carry.own["driven"] = True
        if agent:
            self.carry.own["spawned"] = True

    def met(self, name: str) -> bool:
        """Return whether something of that name was met before; from now on it was."""
        return not self._seen.add(name)

    def other_half(self, where: str, text: str, other: str) -> bool:
        """Return whether this text was told by `other` before: hosts record the same words twice, and each is heard once."""
        # Hashed: what a cursor carries lies on our disk, and must hold no words of a conversation.
        words = hashlib.blake2b(" ".join(text.split()).encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()
        if [other, words] in self._halves:
            self._halves.remove([other, words])
            return True
        self._halves.append([where, words])
        del self._halves[:-PENDING_MAX]
        return False

    def told_by(self, where: str, text: str) -> bool:
        """Return whether `where` told this text and its other half was not met yet; from now on it was."""
        half = [where, hashlib.blake2b(" ".join(text.split()).encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()]
        if half not in self._halves:
            return False
        self._halves.remove(half)
        return True

    def called(self, call_id: object, tool: str) -> None:
        """Remember which tool was called, for its result to be told whose it is."""
        if isinstance(call_id, str) and call_id:
            self._calls[clean(call_id)] = clean(tool)
            while len(self._calls) > PENDING_MAX:
                del self._calls[next(iter(self._calls))]

    def answered(self, call_id: object) -> str:
        """Return the tool that this call was of; "" when the call was not seen."""
        return self._calls.pop(clean(call_id), "") if isinstance(call_id, str) else ""

    def strange(self, kind: object) -> None:
        """Count a kind of record that is not understood."""
        self.unknown[clean(str(kind))[:60]] += 1

    def head(self, **fields: object) -> None:
        """Take header fields (id, cwd, branch, project) that are texts and not known yet."""
        for name, value in fields.items():
            if isinstance(value, str) and value and not getattr(self.carry, name):
                setattr(self.carry, name, clean(value))

    def work_in(self, folder: object) -> None:
        """Take the folder that a record was written in; it holds until a record says another."""
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

    def _turn(self, record: Record, other_turn: Said, ref: str, time: datetime | None, sidechain: bool) -> None:
        turn = Turn(
            ref=ref,
            speaker="injected" if other_turn.speaker in ("user", "note") and is_ours(other_turn.text) else other_turn.speaker,
            text=clean(other_turn.text),
            name=clean(other_turn.name),
            time=time,
            start=record.start,
            end=record.end,
            tools=tuple(map(clean, other_turn.tools)),
            files=tuple(map(clean, other_turn.files)),
            sidechain=sidechain,
            call=clean(other_turn.call),
            outcome=other_turn.outcome,
            question=clean(other_turn.question),
            cwd=self.cwd or self._folder(),
        )
        self.turns.append(turn)
        self.carry.date(turn)
        if turn.is_persons:
            self.carry.entitle("prompt", turn.text)


class Format:
    """A host's way of writing JSON records one behind the other; the TranscriptFormat port but for `recognises`.

    A file that is rewritten as one JSON document is such a sequence too, of a single record that spans lines.
    """

    name: ClassVar[str]
    reading: ClassVar[type[Reading]]
    #: Whether a record may span lines.
    spanning: ClassVar[bool] = False
    #: Whether the file is written anew as a whole whenever it changes.
    whole: ClassVar[bool] = False
    #: How a first record begins that is longer than the head, so that only its beginning can be judged.
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
        """Return the records in `data`, which stands at `offset` of the file; `closed`: it ends with a whole one."""
        return documents(data, offset, closed=closed) if self.spanning else records(data, offset)

    def complete(self, data: bytes) -> int:
        """Return bytes that can be read now; a document is read when it is whole."""
        return complete_documents(data) if self.spanning else complete(data)

    def begin(self, reading: Reading) -> None:
        """Take what the place of a transcript tells, before its records are read."""

    def parse(self, data: bytes, cursor: Cursor, path: str) -> Parsed:
        """Return new turns, and the cursor behind them."""
        reading = self.reading(Carry.load(cursor.carry))
        reading.path = path
        self.begin(reading)
        reading.read(self.records(data, cursor.offset))
        return reading.parsed(self.name, path, Cursor(cursor.offset + len(data), cursor.prefix_hash, reading.carry.dump()))


def name_of(said: Iterable[Said], time: datetime | None) -> str:
    """Return the name of a record that its host gave none: a hash of what it says and when, wherever it stands."""
    hasher = hashlib.blake2b(time.isoformat().encode() if time else b"", digest_size=6)
    for turn in said:
        hasher.update(f"\0{turn.speaker}\0{turn.text}".encode("utf-8", "surrogatepass"))
    return f"t-{hasher.hexdigest()}"


def sections(text: str, headings: Sequence[re.Match[str]], offset: int) -> Iterator[tuple[re.Match[str], str, Record]]:
    """Yield (heading, what stands below it, where both stand in the file) of a text that lies at `offset`."""
    passed, end = offset, 0
    for number, heading in enumerate(headings):
        passed += len(text[end : heading.start()].encode("utf-8"))
        end = headings[number + 1].start() if number + 1 < len(headings) else len(text)
        size = len(text[heading.start() : end].encode("utf-8"))
        yield heading, text[heading.end() : end], Record(None, passed, passed + size)
        passed += size


def first_time(*values: object) -> datetime | None:
    """Return the first of `values` that is a time."""
    return next((time for value in values if (time := parse_time(value)) is not None), None)

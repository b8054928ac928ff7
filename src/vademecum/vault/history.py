"""History queries to the journals, and undo."""

import contextlib
import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import AlreadyExists, Conflict, InvalidInput, NeedsPerson, NotFound
from vademecum.domain.ids import is_id
from vademecum.domain.memory import By, Memory, Space
from vademecum.ports.clock import Clock
from vademecum.vault.find import Finder
from vademecum.vault.frontmatter import read
from vademecum.vault.journal import Change, Record, Version, encoded
from vademecum.vault.merge import MERGE
from vademecum.vault.note import read_memory
from vademecum.vault.writer import USER, Operation, Writer

#: Path prefix of forgotten memories. Forgetting cannot be undone, so "undo" skips to the operation before it.
ERASED = "_forgotten/"
#: Returns records that mention a text (all for ""), oldest first.
Records = Callable[[str], Sequence[Record]]


def memory_records(records: Records, identity: str) -> tuple[Record, ...]:
    """Return changes of a memory and of all its earlier versions, oldest first."""
    ids, waiting, all_records = {identity}, [identity], dict[str, Record]()
    while waiting:
        current = waiting.pop()
        for record in records(current):
            mine = [change for change in record.changes if change.memory == current]
            if not mine:
                continue
            all_records[record.id] = record
            if record.op == "evolve" and mine[0].before is None:
                fresh = {change.memory for change in record.changes} - ids
                ids |= fresh
                waiting += sorted(fresh)
    return tuple(all_records[key] for key in sorted(all_records))


def to_undo(
    records: Records, newest_first: Iterable[Record], what: str | None, id_of: Callable[[str], str]
) -> tuple[Record, str | None]:
    """Return the record to undo, and the id of the named memory; None if no memory was named.

    Args:
        newest_first: records of this device; read only as far as needed.
        what: id of a record, a reference to a memory, or None for the last operation on this device.
        id_of: memory id of a reference.

    Raises:
        NotFound: nothing to undo. InvalidInput: it was undone already.
    """
    if what is not None and is_id(what.upper()):
        exact = [record for record in records(what.upper()) if record.id == what.upper()]
        if exact:
            return _must_stand(exact[0], records(exact[0].changes[0].memory)), None
    identity = id_of(what) if what is not None else None
    undone: set[str] = set()
    for record in newest_first if identity is None else reversed(records(identity)):
        about = record.op != MERGE if identity is None else _is_about(record, identity)
        if about and not record.undoes and record.id not in undone and not _is_erased(record) and not record.is_generated:
            return record, identity
        if record.undoes and record.id not in undone:
            undone.add(record.undoes)
    raise NotFound("There is nothing to undo.", "See what happened with: vade history")


def _is_about(record: Record, identity: str) -> bool:
    return any(change.memory == identity for change in record.changes)


def _is_erased(record: Record) -> bool:
    sides = (side for change in record.changes for side in (change.before, change.after))
    return any(side is not None and side.path.startswith(ERASED) for side in sides)


def _must_stand(record: Record, about: Sequence[Record]) -> Record:
    """Return the record if it is not undone. Reads newest first, since an undo that was itself undone does not count."""
    undone: set[str] = set()
    for later in reversed(about):
        if later.undoes and later.id not in undone:
            undone.add(later.undoes)
    if record.id in undone:
        raise InvalidInput(f"{record.op} of {record.time:%Y-%m-%d %H:%M} was undone already.", "To redo it, undo the undo.")
    return record


def reversed_changes(record: Record) -> list[Change]:
    return [Change(change.memory, change.after, change.before) for change in reversed(record.changes)]


class Heard(Struct, frozen=True):
    """A device that writes to the vault, and the time of its last record by its own clock. `here`: it is this device."""

    device: str
    last: datetime
    here: bool


class Devices(Struct, frozen=True):
    """The devices that share a vault. `unheard`: paths of notes that arrived without the journal of the device that made them."""

    heard: tuple[Heard, ...]
    unheard: tuple[str, ...]


class History:
    """History of some spaces, from their journals."""

    def __init__(self, spaces: Sequence[Space], finder: Finder, writer: Writer, clock: Clock) -> None:
        self._spaces, self._finder, self._writer, self._clock = spaces, finder, writer, clock

    def of(self, reference: str) -> tuple[Record, ...]:
        """Return every change of a memory and of its earlier versions, oldest first. A memory that is gone is named by its id."""
        return memory_records(self._records, self._readable(self._id_of(reference)))

    def versions(self, reference: str) -> tuple[tuple[Record, Version], ...]:
        """Return every text of a memory and of its earlier versions, oldest first, each with the record that made it."""
        by_key: dict[str, tuple[Record, Version]] = {}
        for record in self.of(reference):
            for change in record.changes:
                for version in (change.before, change.after):
                    if version is not None and version.text is not None:
                        by_key.setdefault(version.etag, (record, version))
        return tuple(by_key.values())

    def as_of(self, moment: datetime) -> tuple[Memory, ...]:
        """Return every memory as of a moment, from the journals: its text, place and status then. Unordered.

        A manual change counts from when it was detected. Memories forgotten since are in no journal, so they are left out.
        """
        with self._writer.evidence.still():
            return tuple(self._standing(moment))

    def _standing(self, moment: datetime) -> Iterator[Memory]:
        """Yield the memories of :meth:`as_of`."""
        seen: set[str] = set()
        for record in self.newest_first():
            if record.time > moment:
                continue
            for change in reversed(record.changes):
                if change.memory in seen:
                    continue
                seen.add(change.memory)
                memory = self._then(change, moment)
                if memory is not None and not self._finder.hides(memory):
                    yield memory

    def one_as_of(self, reference: str, moment: datetime) -> Memory:
        """Return a memory as of a moment; if it did not exist yet, the earlier version that it replaced.

        Raises:
            NotFound: neither existed then.
        """
        for record in reversed(self.of(reference)):
            for change in record.changes if record.time <= moment else ():
                memory = self._then(change, moment)
                if memory is not None and memory.status != "superseded":
                    return memory
        raise NotFound(f"Nothing of {reference!r} was known on {moment:%Y-%m-%d %H:%M}.", f"See: vade history {reference}")

    def marks(self) -> tuple[tuple[str, int, int], ...]:
        """Return size and time of every journal: while they are equal, nothing was written."""
        return self._writer.marks()

    def changes(self) -> Iterator[tuple[Record, Change]]:
        """Yield every change in the journals, newest first."""
        return ((record, change) for record in self.newest_first() for change in record.changes)

    def bodies(self, identity: str) -> Iterator[tuple[str, str]]:
        """Yield (title, text) of every journaled version of a memory, by its id."""
        for record in self._records(self._readable(identity)):
            for change in record.changes:
                for side in (change.before, change.after) if change.memory == identity else ():
                    if side is not None and side.text:
                        note = read(side.text)
                        yield str(note.texts().get("title", "")), note.body

    def undo(self, what: str | None = None, *, by: By = USER) -> tuple[Record, ...]:
        """Undo a complete action: the one of the given record, or the last one on this device.

        For a memory (any reference) only the changes that the last action made to it are undone. An undo is itself an action
        and can be undone.

        Returns:
            The new records: one for each record undone, newest of those first.

        Raises:
            Conflict: a file changed since, so that undoing would lose something; nothing was changed. NotFound: there is nothing to undo.
            NeedsPerson: an agent tries to undo an action that was not an agent's.
        """
        with self._writer.held("undo"):
            mine = filter(self._writer.is_of_this_device, self._newest_first())
            record, memory = to_undo(self._records, mine, what, self._id_of)
            return self._undo(
                [undone for undone in self._of_action(record) if memory is None or _is_about(undone, memory)],
                by,
            )

    def undo_record(self, record: Record, *, by: By = USER) -> tuple[Record, ...]:
        """Undo a single record, without the rest of its action. Raises as :meth:`undo`."""
        with self._writer.held("undo"):
            return self._undo([_must_stand(record, self._records(record.changes[0].memory))], by)

    def _undo(self, records: Sequence[Record], by: By) -> tuple[Record, ...]:
        others = [record for record in records if by.actor == "agent" and record.actor != "agent"]
        if others:
            changes = [change for record in records for change in reversed_changes(record)]
            titles = [Path(version.path).stem for change in changes if (version := change.before or change.after)]
            raise NeedsPerson(titles, "undo", tuple(changes), by, f"undo {others[0].op}")
        operations = [Operation("undo", reversed_changes(record), f"undo {record.op}", record.id) for record in records]
        try:
            return tuple(self._writer.commit_in_turn(operations, by, as_is=True))
        except (Conflict, NotFound, AlreadyExists) as error:
            first = records[-1]
            hint = f"See what happened since: vade history {first.changes[0].memory}"
            raise Conflict(f"{first.op} of {first.time:%Y-%m-%d %H:%M} cannot be undone: {error.message}", hint) from error

    def _of_action(self, record: Record) -> list[Record]:
        """Return the records of an action that can still be undone, newest first; the given one in any case."""
        records, undone = list[Record](), set[str]()
        for earlier in self._newest_first():
            if earlier.id < record.action:
                break
            if earlier.undoes and earlier.id not in undone:
                undone.add(earlier.undoes)
            of_memories = earlier.id not in undone and not _is_erased(earlier) and not earlier.is_generated
            if earlier.id == record.id or (earlier.action == record.action and of_memories):
                records.append(earlier)
        return records

    def _then(self, change: Change, moment: datetime) -> Memory | None:
        """Return the memory after a change, with its evidence as of a moment.

        None if the change removed it, or concerns a page instead of a memory.
        """
        after = change.after
        known = {space.name: space for space in self._spaces}
        if not change.memory or after is None or after.text is None or after.space not in known:
            return None
        evidence = partial(self._writer.evidence.of, until=moment)
        return read_memory(encoded(after.text), known[after.space], after.path, self._clock.now(), evidence).memory

    def _readable(self, identity: str) -> str:
        """Return the id of a memory unless the caller may not see it, by its newest journaled version.

        Raises:
            NotFound: the caller may not see it.
        """
        for record in reversed(self._records(identity)):
            for change in record.changes:
                last = change.after or change.before
                if change.memory != identity or last is None or last.text is None:
                    continue
                memory = self._then(replace(change, after=last), record.time)
                if memory is not None and self._finder.hides(memory):
                    raise NotFound(f"No memory is called {identity!r}.", "See what is known: vade list")
                return identity
        return identity

    def _id_of(self, reference: str) -> str:
        try:
            return self._finder.one(reference).memory.id
        except NotFound:
            if is_id(reference.upper()):
                return reference.upper()
            raise

    def _records(self, about: str) -> Sequence[Record]:
        records = {record.id: record for journal in self._writer.journals.values() for record in journal.records(about)}
        return [records[identity] for identity in sorted(records)]

    def _records_by(self, by: By) -> Iterator[Record]:
        whose = (by.actor, by.interface)
        return (record for record in self._records(by.interface) if (record.actor, record.interface) == whose)

    @contextlib.contextmanager
    def noted(self) -> Iterator[list[str]]:
        """Yield a list that collects the record ids of this process's operations on memories in the context, oldest first."""
        ids: list[str] = []
        before, self._writer.heard = (
            self._writer.heard,
            lambda record: None if record.is_generated else ids.append(record.id),
        )
        try:
            yield ids
        finally:
            self._writer.heard = before

    def touched_by(self, by: By, *ops: str) -> frozenset[str]:
        """Return ids of the memories that this actor ever changed through this interface, by these operations (none given: any)."""
        changes = ((record.op, change) for record in self._records_by(by) for change in record.changes)
        return frozenset(change.memory for op, change in changes if not ops or op in ops)

    def pages_moved_by(self, by: By) -> frozenset[str]:
        """Return the previous paths, in the personal space, of generated pages that this actor ever moved through this interface."""
        moved = (change for record in self._records_by(by) for change in record.changes if not change.memory)
        return frozenset(
            change.before.path for change in moved if change.before and change.after and change.before.path != change.after.path
        )

    def devices(self) -> tuple[Heard, ...]:
        """Return the devices whose journals are here, this one first, then by their last record, newest first."""
        records: dict[str, Record] = {}
        for record in sorted(
            (entry for journal in self._writer.journals.values() for entry in journal.newest()),
            key=lambda entry: entry.id,
        ):
            records[record.device] = record
        heard = [Heard(name, record.time, self._writer.is_of_this_device(record)) for name, record in records.items()]
        return tuple(sorted(heard, key=lambda row: (not row.here, -row.last.timestamp(), row.device)))

    def unheard(self) -> tuple[str, ...]:
        """Return the paths of notes that have an id from another device, but no record of that device."""
        came: dict[str, tuple[str, str]] = {}
        for record in self._records('"op":"adopt"'):
            for change in record.changes:
                if record.actor == "hand" and change.before is None and change.after:
                    came.setdefault(change.memory, (record.id, change.after.path))
        folded = self._writer.versions.of(came.keys())
        return tuple(path for identity, (record_id, path) in came.items() if folded[identity].began == record_id)

    def last(self, count: int) -> tuple[Record, ...]:
        """Return the last changes of memories on any device, newest first, without generated pages."""
        records = (record for record in self.newest_first() if not record.is_generated and not _is_erased(record))
        return tuple(itertools.islice(records, count))

    def newest_first(self) -> Iterator[Record]:
        """Yield the operations of all spaces, newest first. Journals are read only as far as needed.

        An operation in several spaces comes once. Changes of memories that the caller may not see are left out.
        """
        for record in self._newest_first():
            changes = tuple(change for change in record.changes if not self._is_hidden(change, record.time))
            if len(changes) == len(record.changes):
                yield record
            elif changes:
                yield replace(record, changes=changes, reason="")

    def _is_hidden(self, change: Change, moment: datetime) -> bool:
        """Return whether the caller may not see a changed memory, by its state before or after the change."""
        if not change.memory or self._finder.hides_nothing:
            return False
        sides = [self._then(replace(change, after=side), moment) for side in (change.before, change.after)]
        return any(self._finder.hides(memory) for memory in sides if memory is not None)

    def _newest_first(self) -> Iterator[Record]:
        streams = [journal.newest_first() for journal in self._writer.journals.values()]
        merged = heapq.merge(*streams, key=lambda record: record.id, reverse=True)
        return (next(same) for _, same in itertools.groupby(merged, key=lambda record: record.id))

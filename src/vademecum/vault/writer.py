"""One operation, or several that belong together, whole or not at all: intent, journal, files, in that order.

The intent lies in the lock folder, outside everything that syncs. A process that dies at any point leaves it there, and the
next one that takes the lock carries the operation to its end, or takes it back when somebody changed a file meanwhile.
"""

import contextlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import (
    Conflict,
    InvalidInput,
    Locked,
    NotFound,
    VademecumError,
    VaultMissing,
    WriteFailed,
    not_written,
    switched_off,
)  # fmt: skip
from vademecum.domain.ids import behind
from vademecum.domain.memory import By, Memory, Space
from vademecum.ports.clock import Clock
from vademecum.vault import files
from vademecum.vault.arriving import is_cut_off
from vademecum.vault.authority import must_be_allowed
from vademecum.vault.by_hand import change_by_hand
from vademecum.vault.clones import OwnRecords
from vademecum.vault.evidence import EvidenceLog, Known, added
from vademecum.vault.frontmatter import read
from vademecum.vault.heads import Heads
from vademecum.vault.journal import DOCUMENTS, GENERATED, Change, Journal, Record, Version, from_line, to_line
from vademecum.vault.lock import SpaceLock, key_of
from vademecum.vault.merge import BY_SYNC
from vademecum.vault.note import read_memory, text_of
from vademecum.vault.scan import evidence_of_edit, modified_at, stat_text
from vademecum.vault.shown import apart
from vademecum.vault.versions import Versions

#: Memories whose place is remembered after a write: what was just written is named again before the index knows it.
_REMEMBERED = 256
_REFUSED = "The journal could not be written: {}. Nothing was changed."
_CHECK = "Check the permissions of the folder, and that its disk is writable."

#: Why a file is left alone that begins as a known text.
ARRIVING = (
    "It ends within a line, like a file that is still being copied here; the earlier version is shown until it is complete."
    " If you cut it yourself, end the line with a newline."
)

#: Who acts when nobody else is named.
USER = By()
#: The person, who changed a file without us.
HAND = By("hand")


class _Step(Struct, frozen=True):
    """One file from one state to another; None: it does not exist. `mode_of` gives a new file its permissions."""

    place: tuple[str, str]
    before: Version | None
    after: Version | None
    mode_of: tuple[str, str] | None = None


class Operation(Struct, frozen=True):
    """What is to be done in one go: history has a record of it. `undoes`: id of the record that it takes back, or ""."""

    op: str
    changes: Sequence[Change]
    reason: str = ""
    undoes: str = ""


class _HalfDone(WriteFailed):
    """Neither done nor taken back, because the disk refused both. The intent stays and is settled later."""


def encoded(text: str) -> bytes:
    """Return the bytes of a text as a file holds them.

    Raises:
        InvalidInput: the text cannot be stored as UTF-8.
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("The text contains half of a character (a lone surrogate).", "Remove it and try again.") from error


def version(space: str, path: str, text: str) -> Version:
    """Return a file as it is going to be."""
    return Version(space, path, files.etag_of(encoded(text)), text)


def ended(change: Change) -> Change:
    """Return a change after which the file ends with a newline. A last line that stood there without one stays as it was."""
    after, before = change.after, change.before
    if after is None or not after.text or after.text.endswith(("\n", "\r")):
        return change
    bare = before.text if before is not None and before.text and not before.text.endswith(("\n", "\r")) else ""
    if bare.splitlines()[-1:] == after.text.splitlines()[-1:]:
        return change
    newline = "\r\n" if "\r\n" in after.text else "\n"
    return replace(change, after=version(after.space, after.path, after.text + newline))


class Device(Struct, frozen=True, kw_only=True):
    """This computer, as it writes to a vault.

    Attributes:
        name: of its folder of journals; a slug. former: what its one journal file of the first format is called.
        new_name: gives this device another name, kept from then on, when its data folder turns out to be a clone's.
        lock_dir: for locks and unfinished operations; outside of any synced folder.
        lock_timeout_s: how long to wait for another writer.
        enabled: whether memory is switched on at this moment; while it is not, nothing is written, and forgetting still works.
    """

    name: str
    lock_dir: Path
    clock: Clock
    lock_timeout_s: float = 10.0
    enabled: Callable[[], bool] = lambda: True
    former: str = ""
    new_name: Callable[[], str] | None = None


class Writer:
    """The one way in which files of the given spaces change.

    Attributes:
        placed: memory id -> space and path where it was put last by this process; only the latest. They may have moved since.
        heard: is told each operation that this process carried out.
        wrote: is told the operations of a verb on memories when its lock is released, so that an index can follow. Not those that
            found the files so already (an erasure) and not those of a sync: whoever does these tells the index itself.
        with_links: changes of an operation -> these, and what follows from them in what links to files that they move.
    """

    def __init__(self, spaces: Sequence[Space], device: Device) -> None:
        lock_dir, name = device.lock_dir, device.name
        self._enabled = device.enabled
        self._spaces = {space.name: space for space in spaces}
        self._homes = {space.name: Path(space.root) for space in spaces}
        around = {space.name + DOCUMENTS: Path(space.documents_root or space.root) for space in spaces}
        generated = {space + GENERATED: root for space, root in self._homes.items()}
        self._roots = self._homes | around | generated
        self.device = name
        self._clock = device.clock
        self._lock_dir = lock_dir
        self._locks = {space: SpaceLock(root, lock_dir, device.lock_timeout_s) for space, root in self._homes.items()}
        self.journals = {space: Journal(root, name, device.former) for space, root in self._homes.items()}
        self.own = OwnRecords(lock_dir, self.journals, device.new_name)
        self.heads = Heads(lock_dir / "heads.json", self.journals)
        self.evidence = EvidenceLog(self.journals)
        self.versions = Versions(self.journals, name, self._at_home)
        self._former_device = device.former
        self.placed: dict[str, tuple[str, str]] = {}
        self.heard: Callable[[Record], None] = lambda record: None
        self.wrote: Callable[[Sequence[Record]], None] = lambda records: None
        self._written: list[Record] = []  # what `wrote` is to be told
        self.with_links: Callable[[Sequence[Change]], list[Change]] = list
        self._newest = ""  # id of the latest record, while the lock is held
        self._heard: dict[str, str] = {}  # device -> id of its latest record, while the lock is held
        self._action: str | None = None  # id of the first record of the action under way; "" before it, None outside of any

    @contextlib.contextmanager
    def held(self, verb: str, *, wait: bool = True, always: bool = False) -> Iterator[None]:
        """Hold the locks of all spaces, always in the same order; whatever a dead process left is settled first. At the end `wrote` is
        told what was written meanwhile; after an error the next one that holds them tells it.

        Args:
            always: also while memory is switched off: what only removes, or finishes what was begun.

        Raises:
            Refused: memory is switched off.
            Locked: another process did not let go in time, or at once when `wait` is off.
        """
        if not (always or self._enabled()):
            raise switched_off("nothing was written")
        with contextlib.ExitStack() as stack:
            for name in sorted(self._locks, key=lambda name: key_of(self._homes[name])):
                stack.enter_context(self._locks[name].held(verb, wait=wait))
            for journal in self.journals.values():
                files.sweep(journal.own_folder)
            if not self._settle() and (name := self.own.other_name()):
                self._become(name)
            self._newest = ""
            yield
        if self._written:
            records, self._written = self._written, []
            self.wrote(records)

    def _become(self, device: str) -> None:
        """Go by another name, because another computer has this one."""
        self.device = self.versions.device = device
        for space, journal in self.journals.items():
            journal.become(device)
            self.own.note(space)

    def now(self) -> datetime:
        """Return this moment, as records have it."""
        return self._clock.now()

    def new_id(self) -> str:
        """Return an id for a new memory."""
        return self._clock.new_id()

    def marks(self) -> tuple[tuple[str, int, int], ...]:
        """Return the size and time of every journal and unfinished operation. While they stay, none of us has written anything:
        every change stands in a journal before it is made.
        """
        paths = [path for journal in self.journals.values() for path in journal.files()]
        paths += [intent for name in self._homes if (intent := self._intent(name)).exists()]
        return tuple((str(path), stat.st_size, stat.st_mtime_ns) for path in paths if (stat := path.stat()))

    def is_of_this_device(self, record: Record) -> bool:
        """Return whether this device wrote a record: under its name, or under its former one before it had this one."""
        if record.device != self._former_device or record.device == self.device:
            return record.device == self.device
        return not any(first and first < record.id for first in (journal.began() for journal in self.journals.values()))

    def settle(self) -> None:
        """Finish what a dead process began, if there is anything. Whoever only reads is not kept from it: when the owner
        lives, or the disk refuses, the next write settles or says why it cannot.
        """
        if any(self._intent(name).exists() for name in self._homes):
            with contextlib.suppress(Locked, WriteFailed), self.held("settling", wait=False, always=True):
                pass

    @contextlib.contextmanager
    def one_action(self) -> Iterator[None]:
        """Record all that is written meanwhile as one action, which one undo takes back; within another, as a part of that.

        What the person did to files by hand, and what sync tools brought, is no part of it.
        """
        outer = self._action
        self._action = outer if outer is not None else ""
        try:
            yield
        finally:
            self._action = outer

    def commit(
        self,
        op: str,
        changes: Sequence[Change],
        by: By,
        *,
        reason: str = "",
        on_disk: bool = False,
        as_is: bool = False,
    ) -> Record:
        """Carry out an operation and record it. Only under the lock.

        Args:
            changes: with whole texts: what a note does not show goes from them into the evidence (:mod:`vademecum.vault.shown`).
            on_disk: the files are so already, because the person changed them; only the record is written.
            as_is: the texts are those that the files shall have.

        Raises:
            Conflict, AlreadyExists, WriteFailed: as of :mod:`vademecum.vault.files`; everything is as before.
            NeedsPerson: an agent changes what stands on the person's word (:mod:`vademecum.vault.authority`).
        """
        must_be_allowed(op, changes, by, reason, self._memory_in)
        if not (on_disk or as_is):
            changes = self.with_links(changes)
            self.record_edits_by_hand(changes)
            changes = self._apart([Operation(op, changes)], by)[0]
        record = self._record(Operation(op, changes, reason), by, self._action or "")
        self._carry_out([record], on_disk=on_disk)
        return record

    def commit_in_turn(self, operations: Sequence[Operation], by: By, *, as_is: bool = False) -> list[Record]:
        """Carry out operations that belong together as one action: all of them or none, each with a record of its own. Only under the
        lock.

        Args:
            as_is: the texts are those that the files shall have.

        Raises:
            Conflict, AlreadyExists, WriteFailed, NeedsPerson: as :meth:`commit`.
        """
        changes = [change for other_operation in operations for change in other_operation.changes]
        must_be_allowed(operations[-1].op, changes, by, operations[-1].reason, self._memory_in)
        if not as_is:
            operations = [
                replace(other_operation, changes=self.with_links(other_operation.changes)) for other_operation in operations
            ]
            self.record_edits_by_hand([change for other_operation in operations for change in other_operation.changes])
            apart = self._apart(operations, by)
            operations = [
                replace(other_operation, changes=some) for other_operation, some in zip(operations, apart, strict=True)
            ]
        records: list[Record] = []
        for operation in operations:
            records.append(self._record(operation, by, self._action or (records[0].id if records else "")))
        self._carry_out(records)
        return records

    def _memory_in(self, other_version: Version) -> Memory | None:
        """Return the memory that a version of a file holds, with what the journals know of one that stands there as it is."""
        space = self._spaces.get(other_version.space)
        if space is None:
            return None
        try:
            text = (
                other_version.text
                if other_version.text is not None
                else text_of(files.read_bytes(self._path(_place(other_version))))
            )
        except NotFound:  # what is forgotten or removed leaves a version without a file
            return None
        raw = encoded(text)
        stands = files.current_etag(self._path(_place(other_version))) == files.etag_of(raw)
        reading = read_memory(raw, space, other_version.path, self.now(), self.evidence.of) if stands else None
        return (reading or read_memory(raw, space, other_version.path, self.now())).memory

    def record_edits_by_hand(self, changes: Sequence[Change]) -> None:
        """Journal what the person did to notes that are about to be written and that no journal knows as they stand (MV-13)."""
        first = {change.memory: change.before for change in reversed(changes) if change.memory}
        for identity, now in first.items():
            if now is None or self.evidence.etag_of(identity) == now.etag:
                continue
            last = self.latest({identity}).get(identity)
            if last is None or last.etag == now.etag or files.current_etag(self._path(_place(now))) != now.etag:
                continue
            stat, folded = self._path(_place(now)).stat(), self.versions.of({identity})[identity]
            age = abs(self.now() - modified_at(stat_text(stat)))
            files.must_be_done(self._path(_place(now)), now.etag, age.total_seconds())
            if self.versions.is_shared() and is_cut_off(folded, now.text or "", age):
                raise Conflict(f"{now.path}: {ARRIVING} Nothing was written.", "Try again when it is there.")
            edit = change_by_hand(identity, folded, now, stat_text(stat), None)
            if edit is not None:
                self.record_all("edit", [[replace(edit, evidence=evidence_of_edit(stat))]], HAND)

    def _apart(self, operations: Sequence[Operation], by: By) -> list[list[Change]]:
        """Return the changes of operations that follow each other, each note taken apart into what it shows and what the journal keeps."""
        made: dict[tuple[tuple[str, str], str], Version] = {}
        known: dict[str, Known] = {}
        result = []
        for operation in operations:
            result.append([self._one_apart(change, made, known, by) for change in operation.changes])
        return result

    def _one_apart(
        self, change: Change, made: dict[tuple[tuple[str, str], str], Version], known: dict[str, Known], by: By
    ) -> Change:
        """Return one change taken apart.

        Args:
            made: versions by place and etag as they were meant, as they are written. known: memory id -> what is known by now.
        """
        if change.before is not None:
            change = replace(change, before=made.get((_place(change.before), change.before.etag), change.before))
        meant = change.after
        if meant is None:
            return change
        other_change = change if by.verbatim else ended(change)
        if change.memory:
            before = known.get(change.memory) or ({} if change.before is None else self.evidence.of(change.memory))
            other_change = apart(other_change, before, by)
            known[change.memory] = added(before, other_change.evidence)
        if other_change.after is not None:
            made[_place(meant), meant.etag] = other_change.after
        return other_change

    def _carry_out(self, records: Sequence[Record], *, on_disk: bool = False) -> None:
        intent = self._intent(_home(records[0]))
        for space in set().union(*map(_spaces, records)):
            if not self._homes[space].is_dir():
                raise VaultMissing(str(self._homes[space]))
        steps = [[] if on_disk else _steps(record.changes) for record in records]
        self._must_all_be_possible(steps)
        try:
            with contextlib.ExitStack() as undone:
                if any(steps):
                    _write_intent(intent, records)
                for record, some in zip(records, steps, strict=True):
                    self._do(record, some, undone)
                undone.pop_all()
        except _HalfDone:
            raise
        except VademecumError:
            intent.unlink(missing_ok=True)
            raise
        intent.unlink(missing_ok=True)
        for record in records:
            self._remember(record)
            if not on_disk and record.interface != BY_SYNC.interface and any(change.memory for change in record.changes):
                self._written.append(record)
        self._note_end(records)

    def _note_end(self, records: Sequence[Record]) -> None:
        """Note how far the journals go, so that a missing end is noticed."""
        for name in self._homes:
            mine = [record for record in records if name in _spaces(record)]
            if mine:
                self.own.wrote(name, mine[-1].id)
                self.heads.wrote(name, self.device, mine[-1].id)

    def _must_all_be_possible(self, steps: Sequence[Sequence[_Step]]) -> None:
        """Look before anything is written; what an earlier operation makes, a later one may change."""
        made: set[tuple[str, str]] = set()
        for some in steps:
            for step in some:
                if step.place not in made:
                    self._must_be_possible(step)
            made |= {step.place for step in some}

    def _do(self, record: Record, steps: Sequence[_Step], undone: contextlib.ExitStack) -> None:
        """Carry out one of the operations of an intent.

        Args:
            undone: is told how to take it back, should one behind it fail.
        """
        take_back = self._append_one(record)
        try:
            self._apply(steps)
        except _HalfDone:
            raise
        except VademecumError:
            take_back()
            raise
        undone.push(lambda kind, error, trace: self._take_back(steps, take_back, error))

    def _take_back(self, steps: Sequence[_Step], take_back: Callable[[], None], why: BaseException | None) -> None:
        """Undo an operation because one behind it failed. One that is half done is settled later, with this one."""
        if isinstance(why, VademecumError) and not isinstance(why, _HalfDone):
            self._go_back(steps, why)
            take_back()

    def _remember(self, record: Record) -> None:
        if self._action == "" and _is_of_action(record):
            self._action = record.id
        self.heard(record)
        for change in record.changes:
            self.placed.pop(change.memory, None)
            if change.after and change.memory:
                self.placed[change.memory] = _place(change.after)
        while len(self.placed) > _REMEMBERED:
            del self.placed[next(iter(self.placed))]

    def _append_one(self, record: Record) -> Callable[[], None]:
        """Write it into the journals; gives what takes it off again.

        Raises:
            WriteFailed: a journal refused.
        """
        try:
            return self._append([record])
        except OSError as error:
            raise self._never_began(record, error) from error

    def _never_began(self, record: Record, why: OSError) -> VademecumError:
        """Return the error of a journal that refused; an entry that it kept nevertheless must be carried out."""
        if any(self.journals[space].holds_last(record.id) for space in _spaces(record)):
            return _HalfDone(
                f"The journal could not be closed: {why.strerror}.", "Nothing is lost: the next write finishes it."
            )
        return not_written(_REFUSED.format(why.strerror), why, _CHECK)

    def remove(self, space: str, path: str, etag: str) -> None:
        """Remove a file of which a record tells already that it is gone. Only under the lock. Raises as :func:`files.remove`."""
        files.remove(self._homes[space], self._path((space, path)), etag=etag)

    def record_all(self, op: str, groups: Sequence[Sequence[Change]], by: By) -> list[Record]:
        """Record many operations that are on disk already, with one wait for the disk. Only under the lock."""
        records = [self._record(Operation(op, changes), by, "") for changes in groups]
        try:
            self._append(records)
        except OSError as error:
            message = f"The journal could not be written: {error.strerror}. Nothing was recorded."
            raise not_written(message, error, _CHECK) from error
        self._note_end(records)
        return records

    def latest(self, identities: Collection[str] | None, *, own: bool = False) -> dict[str, Version | None]:
        """Return memory id -> its file as the journals last have it, None when they say it is gone; ids they never saw are left out.

        Args:
            identities: the ones asked for; None: all. own: only those that this device wrote last, so that their files have been here.
        """
        by_key: dict[str, tuple[Record, Version | None]] = {}
        for name, journal in self.journals.items():
            for record, change in journal.latest(identities):
                if change.memory not in by_key or record.id >= by_key[change.memory][0].id:
                    by_key[change.memory] = (record, self._at_home(change.after, name))
        return {identity: last for identity, (record, last) in by_key.items() if not own or self.is_of_this_device(record)}

    def _at_home(self, other_version: Version | None, space: str) -> Version | None:
        """Return a version whose space goes by another name on the device that wrote it, under the name it has here."""
        return (
            other_version
            if other_version is None or other_version.space in self._roots
            else replace(other_version, space=space + _about(other_version.space))
        )

    def _record(self, operation: Operation, by: By, group: str) -> Record:
        record = Record(
            self._next_id(), self._clock.now(), operation.op, by.actor, by.interface, self.device, tuple(operation.changes),
            operation.reason, operation.undoes, group, {name: last for name, last in self._heard.items() if name != self.device},
        )  # fmt: skip
        return record if _is_of_action(record) else replace(record, group="")

    def _next_id(self) -> str:
        """Return an id behind those of all records that have come here, however wrong the clocks of other devices are: a hybrid clock."""
        if not self._newest:
            self._heard = {}
            for record in (other_record for journal in self.journals.values() for other_record in journal.newest()):
                self._heard[record.device] = max(self._heard.get(record.device, ""), record.id)
            self._newest = max(self._heard.values(), default="")
        self._newest = behind(self._newest, self._clock.new_id())
        return self._newest

    def version_at(self, space: str, path: str) -> Version:
        """Return a file as it is.

        Raises:
            NotFound, InvalidInput: as of :mod:`vademecum.vault.files` and :func:`vademecum.vault.note.text_of`.
        """
        return version(space, path, text_of(files.read_bytes(self._path((space, path)))))

    def _append(self, records: Sequence[Record]) -> Callable[[], None]:
        """Append a record to the journal of every space that it touches, so that each folder can be understood by itself."""
        with contextlib.ExitStack() as undo:
            for name in self._homes:
                mine = [_journaled(record) for record in records if name in _spaces(record)]
                if mine:
                    self.own.note(name, mine[-1].id)
                    undo.callback(self.own.note, name)
                    undo.callback(self.journals[name].append(*mine))
            return undo.pop_all().close

    def _apply(self, steps: Sequence[_Step]) -> None:
        for count, step in enumerate(steps, 1):
            try:
                self._take(step)
            except VademecumError as error:
                self._go_back(steps[:count], error)
                raise

    def _go_back(self, steps: Sequence[_Step], why: VademecumError) -> None:
        """Undo what these steps did to the files; the last of them may have failed before or after it took effect."""
        try:
            for step in reversed(steps):
                if files.current_etag(self._path(step.place)) == _etag(step.after) != _etag(step.before):
                    self._take(_Step(step.place, step.after, step.before))
        except (VademecumError, OSError) as error:
            raise _HalfDone(
                f"{why.message} The change is incomplete.", "Nothing is lost: the next write finishes it."
            ) from error

    def _take(self, step: _Step) -> None:
        root, path = self._roots[step.place[0]], self._path(step.place)
        if step.after is None:
            files.remove(root, path, etag=step.before.etag if step.before else "")
        elif step.before is None:
            mode_of = self._path(step.mode_of) if step.mode_of else None
            moved = step.after.text is None and mode_of is not None and files.current_etag(mode_of) == step.after.etag
            data = mode_of.read_bytes() if moved and mode_of is not None else _bytes(step.after)
            files.create(root, path, data, mode_of=mode_of if mode_of and mode_of.exists() else None)
        else:
            files.replace(root, path, _bytes(step.after), etag=step.before.etag)

    def _must_be_possible(self, step: _Step) -> None:
        """Refuse before anything is written what would be refused later."""
        path = self._path(step.place)
        files.must_stay_inside(self._roots[step.place[0]], path)
        if step.before is not None:
            files.must_be_unchanged(path, step.before.etag)

    def _path(self, place: tuple[str, str]) -> Path:
        return self._roots[place[0]] / place[1]

    def _intent(self, space: str) -> Path:
        return self._lock_dir / f"{key_of(self._homes[space])}.intent"

    def _settle(self) -> bool:
        """Finish what a dead process began; whether there was anything."""
        left = [intent for space in self._homes if (intent := self._intent(space)).exists()]
        for intent in left:
            for record in self._left_of(intent):
                if not self._finish(record):
                    break
            for space in self._homes:
                self.own.note(space)
            intent.unlink(missing_ok=True)
        return bool(left)

    def _left_of(self, intent: Path) -> list[Record]:
        """Return the operations of an intent from the last one that began, in order; none when it was torn, since nothing was done then."""
        lines = intent.read_bytes().splitlines()
        records = [record for record in map(from_line, lines) if record is not None]
        if len(records) < len(lines) or any(
            other_version.space not in self._roots for record in records for other_version in _versions(record)
        ):
            return []
        begun = [
            number
            for number, record in enumerate(records)
            if any(self.journals[space].holds_last(record.id) for space in _spaces(record))
        ]
        return records[max(begun, default=0) :]

    def _finish(self, record: Record) -> bool:
        """Carry an interrupted operation to its end. When the person meanwhile changed a text that it was to replace or
        remove, take it back instead: their text stays, and the copy made of it goes; False then.
        """
        steps = _steps(record.changes)
        for step in steps:
            files.sweep(self._path(step.place).parent)
        now = {step.place: files.current_etag(self._path(step.place)) for step in steps}
        foreign = {step.place for step in steps if now[step.place] not in (_etag(step.before), _etag(step.after))}
        if all(self._is_done(step, record) for step in steps if step.place in foreign):
            for space in _spaces(record):
                if not self.journals[space].holds_last(record.id):
                    self.journals[space].append(_journaled(record))
            self._apply([step for step in steps if step.place not in foreign and now[step.place] != _etag(step.after)])
            return True
        for space in _spaces(record):
            self.journals[space].drop_last(record.id)
        for step in reversed(steps):
            if now[step.place] == _etag(step.after) != _etag(step.before):
                self._take(_Step(step.place, step.after, step.before))
        return False

    def _is_done(self, step: _Step, record: Record) -> bool:
        """Return whether a file that is neither as before nor as after is a later edit, or deletion, of what was put there."""
        intended = {change.memory for change in record.changes if change.after and _place(change.after) == step.place}
        path = self._path(step.place)
        return not path.exists() or read(path.read_text(errors="replace")).texts().get("id") in intended


def _steps(changes: Sequence[Change]) -> list[_Step]:
    """Return files to touch: new ones first, then replacements, then removals, so that no text is ever only in memory."""
    befores = {_place(change.before): change.before for change in changes if change.before}
    afters = {_place(change.after): change for change in changes if change.after}
    creates, replaces = [], []
    for place, change in afters.items():
        if place not in befores:
            creates.append(_Step(place, None, change.after, _place(change.before) if change.before else None))
        elif befores[place].etag != _etag(change.after):
            replaces.append(_Step(place, befores[place], change.after))
    removes = [_Step(place, before, None) for place, before in befores.items() if place not in afters]
    return creates + replaces + removes


def _place(version: Version) -> tuple[str, str]:
    return version.space, version.path


def _etag(version: Version | None) -> str | None:
    return version.etag if version else None


def _bytes(version: Version) -> bytes:
    if version.text is None:
        raise InvalidInput(f"The text of {version.path} was never recorded.", "It cannot be brought back from the journal.")
    return version.text.encode()


def _versions(record: Record) -> list[Version]:
    return [other_version for change in record.changes for other_version in (change.before, change.after) if other_version]


def _spaces(record: Record) -> set[str]:
    """Return spaces whose journals get the record."""
    return {other_version.space.removesuffix(_about(other_version.space)) for other_version in _versions(record)}


def _about(space: str) -> str:
    """Return what stands behind the name of a space: DOCUMENTS, GENERATED or nothing."""
    return next((suffix for suffix in (DOCUMENTS, GENERATED) if space.endswith(suffix)), "")


def _is_of_action(record: Record) -> bool:
    """Return whether a record can be part of an action: somebody's doing through us, on memories or notes."""
    return record.actor != "hand" and record.interface != BY_SYNC.interface and not record.is_generated


def _journaled(record: Record) -> Record:
    """Return the record as the journal keeps it. A page that grows with every session would fill it many times over."""
    if not record.is_generated:
        return record
    bare = [Change(change.memory, _bare(change.before), _bare(change.after)) for change in record.changes]
    return replace(record, changes=tuple(bare))


def _bare(other_version: Version | None) -> Version | None:
    return other_version and replace(other_version, text=None)


def _home(record: Record) -> str:
    return min(_spaces(record))


def _write_intent(path: Path, records: Sequence[Record]) -> None:
    try:
        with path.open("wb") as file:
            file.write(b"".join(map(to_line, records)))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise not_written(_REFUSED.format(error.strerror), error, _CHECK) from error

"""Execute one operation, or several that belong together, all or nothing: write the intent, then the journal, then the files.

The intent file is in the lock folder, outside everything that syncs. If a process dies at any point, the next process that
takes the lock completes the operation, or rolls it back when somebody changed a file in the meantime.
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
    VaultEmptied,
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
from vademecum.vault.journal import (
    DOCUMENTS,
    GENERATED,
    Change,
    Journal,
    Record,
    Version,
    encoded,
    from_line,
    to_line,
    version,
)
from vademecum.vault.lock import SpaceLock, key_of
from vademecum.vault.merge import BY_SYNC
from vademecum.vault.note import read_memory, text_of
from vademecum.vault.scan import evidence_of_edit, modified_at, scan_memories, stat_text
from vademecum.vault.shown import apart
from vademecum.vault.versions import Versions

#: Number of recently written memories whose place is remembered, so that they can be found before the index knows them.
_REMEMBERED = 256
_REFUSED = "The journal could not be written: {}. Nothing was changed."
_CHECK = "Check the permissions of the folder, and that its disk is writable."

#: Reason given for skipping a file that is the beginning of a known text.
ARRIVING = (
    "It ends within a line, like a file that is still being copied here; the earlier version is shown until it is complete."
    " If you cut it yourself, end the line with a newline."
)

#: Default author of a change.
USER = By()
#: The person, who edited a file directly.
HAND = By("hand")


class _Step(Struct, frozen=True):
    """Change of one file from one state to another; None: it does not exist.

    `mode_of` is the file that a new one copies permissions from.
    """

    place: tuple[str, str]
    before: Version | None
    after: Version | None
    mode_of: tuple[str, str] | None = None


class Operation(Struct, frozen=True):
    """Changes to make together, with one record in history. `undoes`: id of the record that this operation undoes, or ""."""

    op: str
    changes: Sequence[Change]
    reason: str = ""
    undoes: str = ""


class _HalfDone(WriteFailed):
    """The disk refused both the operation and its rollback. The intent stays and is settled later."""


def ended(change: Change) -> Change:
    """Return the change with a newline added at the end of the new text. A last line that had none before and is unchanged gets none."""
    after, before = change.after, change.before
    if after is None or not after.text or after.text.endswith(("\n", "\r")):
        return change
    bare = before.text if before is not None and before.text and not before.text.endswith(("\n", "\r")) else ""
    if bare.splitlines()[-1:] == after.text.splitlines()[-1:]:
        return change
    newline = "\r\n" if "\r\n" in after.text else "\n"
    return replace(change, after=version(after.space, after.path, after.text + newline))


class Device(Struct, frozen=True, kw_only=True):
    """This computer, as a writer to a vault.

    Attributes:
        name: name of its journal folder; a slug. former: name of its single journal file in the first format.
        new_name: returns a new permanent name for this device, for when its data folder turns out to be a clone of another's.
        lock_dir: folder for locks and unfinished operations; outside of any synced folder.
        lock_timeout_s: how long to wait for another writer.
        enabled: whether memory is switched on now. While it is off nothing is written, except that forgetting still works.
    """

    name: str
    lock_dir: Path
    clock: Clock
    lock_timeout_s: float = 10.0
    enabled: Callable[[], bool] = lambda: True
    former: str = ""
    new_name: Callable[[], str] | None = None


class Writer:
    """The only component that changes files of the given spaces.

    Attributes:
        placed: memory id -> space and path where this process last wrote it; latest ones only. They may have moved since.
        heard: called with each record that this process wrote.
        wrote: called with the records of changed memories when the lock is released, so that an index can follow. Left out are
            records of files that were already in place (an erasure) and those of a sync: their callers update the index.
        with_links: changes of an operation -> these, plus the resulting changes in files that link to a moved file.
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
        self._written: list[Record] = []  # to be passed to `wrote`
        self.with_links: Callable[[Sequence[Change]], list[Change]] = list
        self._newest = ""  # id of the latest record, while the lock is held
        self._heard: dict[str, str] = {}  # device -> id of its latest record, while the lock is held
        self._action: str | None = None  # id of the current action's first record; "" before it, None outside of an action

    @contextlib.contextmanager
    def held(self, verb: str, *, wait: bool = True, always: bool = False) -> Iterator[None]:
        """Hold the locks of all spaces, always taken in the same order. Whatever a dead process left unfinished is settled first.

        On release `wrote` is called with the records written meanwhile; after an error the next holder passes them on.

        Args:
            always: hold the lock even while memory is switched off: for operations that only remove, or that complete earlier ones.

        Raises:
            Refused: memory is switched off.
            Locked: another process did not release the lock in time, or at once when `wait` is off.
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
        """Write under another device name, because another computer uses the current one."""
        self.device = self.versions.device = device
        for space, journal in self.journals.items():
            journal.become(device)
            self.own.note(space)

    def now(self) -> datetime:
        """Return the current time for records."""
        return self._clock.now()

    def new_id(self) -> str:
        """Return an id for a new memory."""
        return self._clock.new_id()

    def marks(self) -> tuple[tuple[str, int, int], ...]:
        """Return the size and time of every journal and unfinished operation.

        While they are equal, this program has written nothing, on any device: every change is in a journal before it is made.
        """
        paths = [path for journal in self.journals.values() for path in journal.files()]
        paths += [intent for name in self._homes if (intent := self._intent(name)).exists()]
        return tuple((str(path), stat.st_size, stat.st_mtime_ns) for path in paths if (stat := path.stat()))

    def is_of_this_device(self, record: Record) -> bool:
        """Return whether this device wrote a record: under its current name, or under its former one before the rename."""
        if record.device != self._former_device or record.device == self.device:
            return record.device == self.device
        return not any(first and first < record.id for first in (journal.began() for journal in self.journals.values()))

    def settle(self) -> None:
        """Complete what a dead process left unfinished, if anything. Never blocks a reader.

        When the owner is alive, or the disk refuses, the next write settles it or says why it cannot.
        """
        if any(self._intent(name).exists() for name in self._homes):
            with contextlib.suppress(Locked, WriteFailed), self.held("settling", wait=False, always=True):
                pass

    @contextlib.contextmanager
    def one_action(self) -> Iterator[None]:
        """Record everything written inside the context as one action, which one undo takes back. Nested contexts join the outer action.

        Manual edits by the person and changes by sync tools are not part of it.
        """
        outer = self._action
        self._action = outer if outer is not None else ""
        try:
            yield
        finally:
            self._action = outer

    def commit(
        self, op: str, changes: Sequence[Change], by: By, *, reason: str = "", on_disk: bool = False, as_is: bool = False
    ) -> Record:
        """Carry out one operation and record it; see :meth:`commit_in_turn`."""
        return self.commit_in_turn([Operation(op, changes, reason)], by, on_disk=on_disk, as_is=as_is)[0]

    def commit_in_turn(
        self, operations: Sequence[Operation], by: By, *, on_disk: bool = False, as_is: bool = False
    ) -> list[Record]:
        """Carry out operations as one action, all or nothing, each with its own record. The caller must hold the lock.

        The changes have complete texts; properties that a note does not show are moved to the evidence (:mod:`vademecum.vault.shown`).

        Args:
            on_disk: the files are already as wanted; only the records are written.
            as_is: write the texts exactly as given.

        Raises:
            Conflict, AlreadyExists, WriteFailed: as in :mod:`vademecum.vault.files`; nothing is changed.
            NeedsPerson: an agent changes something that the person stated (:mod:`vademecum.vault.authority`).
        """
        changes = [change for op in operations for change in op.changes]
        if by.actor == "agent" and not by.quoted:
            must_be_allowed(operations[-1].op, changes, by, operations[-1].reason, self._memory_in)
        if not (on_disk or as_is):
            if any(change.before for change in changes):  # only a file that was there can move
                operations = [replace(op, changes=self.with_links(op.changes)) for op in operations]
            self.record_edits_by_hand([change for op in operations for change in op.changes])
            operations = self._apart(operations, by)
        records: list[Record] = []
        for operation in operations:
            records.append(self._record(operation, by, self._action or (records[0].id if records else "")))
        self._carry_out(records, on_disk=on_disk)
        return records

    def _memory_in(self, side: Version) -> Memory | None:
        """Return the memory in a version of a file, with its journaled evidence if the file is currently that version."""
        space = self._spaces.get(side.space)
        if space is None:
            return None
        try:
            text = side.text if side.text is not None else text_of(files.read_bytes(self._path(_place(side))))
        except NotFound:  # a forgotten or removed memory leaves a version without a file
            return None
        raw = encoded(text)
        stands = files.current_etag(self._path(_place(side))) == files.etag_of(raw)
        reading = read_memory(raw, space, side.path, self.now(), self.evidence.of) if stands else None
        return (reading or read_memory(raw, space, side.path, self.now())).memory

    def record_edits_by_hand(self, changes: Sequence[Change]) -> None:
        """Journal unrecorded manual edits to notes that are about to be overwritten (MV-13)."""
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

    def _apart(self, operations: Sequence[Operation], by: By) -> list[Operation]:
        """Return successive operations with each note split into the visible text and the evidence for the journal."""
        made: dict[tuple[tuple[str, str], str], Version] = {}
        known: dict[str, Known] = {}
        return [replace(op, changes=[self._one_apart(change, made, known, by) for change in op.changes]) for op in operations]

    def _one_apart(
        self, change: Change, made: dict[tuple[tuple[str, str], str], Version], known: dict[str, Known], by: By
    ) -> Change:
        """Return one change split into visible text and evidence.

        Args:
            made: (place, etag as requested) -> the version as written, for earlier changes of the same call. Updated.
            known: memory id -> evidence after the changes so far. Updated.
        """
        if change.before is not None:
            change = replace(change, before=made.get((_place(change.before), change.before.etag), change.before))
        meant = change.after
        if meant is None:
            return change
        split = change if by.verbatim else ended(change)
        if change.memory:
            before = known.get(change.memory) or ({} if change.before is None else self.evidence.of(change.memory))
            split = apart(split, before, by)
            known[change.memory] = added(before, split.evidence)
        if split.after is not None:
            made[_place(meant), meant.etag] = split.after
        return split

    def _carry_out(self, records: Sequence[Record], *, on_disk: bool = False) -> None:
        intent = self._intent(min(_spaces(records[0])))
        for space in set().union(*map(_spaces, records)):
            self._must_be_there(space)
        steps = [[] if on_disk else _steps(record.changes) for record in records]
        self._must_be_possible([step for some in steps for step in some])
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

    def _must_be_there(self, space: str) -> None:
        """Refuse to write into the empty folder of a disk that is not mounted: it would be a second memory, hidden by the first (X-41)."""
        home = self._homes[space]
        if not home.is_dir():
            raise VaultMissing(str(home))
        if self.own.are_lost(space) and not scan_memories(self._spaces[space]).files:
            raise VaultEmptied(str(home))

    def _note_end(self, records: Sequence[Record]) -> None:
        """Save the ids of the last records, so that a truncated journal is noticed."""
        for name in self._homes:
            mine = [record for record in records if name in _spaces(record)]
            if mine:
                self.own.wrote(name, mine[-1].id)
                self.heads.wrote(name, self.device, mine[-1].id)

    def _do(self, record: Record, steps: Sequence[_Step], undone: contextlib.ExitStack) -> None:
        """Carry out one operation of an intent.

        Args:
            undone: receives the rollback, which runs if a later operation fails.
        """
        try:
            take_back = self._append([record])
        except OSError as error:
            if any(self.journals[space].holds_last(record.id) for space in _spaces(record)):  # it must be completed
                raise _HalfDone(
                    f"The journal could not be closed: {error.strerror}.", "Nothing is lost: the next write finishes it."
                ) from error
            raise not_written(_REFUSED.format(error.strerror), error, _CHECK) from error
        try:
            self._apply(steps)
        except _HalfDone:
            raise
        except VademecumError:
            take_back()
            raise

        def roll_back(_kind: object, why: BaseException | None, _trace: object) -> None:
            if isinstance(why, VademecumError) and not isinstance(why, _HalfDone):  # else both are settled later
                self._go_back(steps, why)
                take_back()

        undone.push(roll_back)

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

    def remove(self, space: str, path: str, etag: str) -> None:
        """Remove a file whose removal is already recorded. The caller must hold the lock. Raises as :func:`files.remove`."""
        files.remove(self._homes[space], self._path((space, path)), etag=etag)

    def record_all(self, op: str, groups: Sequence[Sequence[Change]], by: By) -> list[Record]:
        """Record many changes that are already on disk, with one flush. The caller must hold the lock.

        Returns:
            The records without their texts, which may be many.
        """
        records = [self._record(Operation(op, changes), by, "") for changes in groups]
        try:
            self._append(records)
        except OSError as error:
            message = f"The journal could not be written: {error.strerror}. Nothing was recorded."
            raise not_written(message, error, _CHECK) from error
        self._note_end(records)
        return [record.without_texts() for record in records]

    def latest(self, identities: Collection[str] | None, *, own: bool = False) -> dict[str, Version | None]:
        """Return memory id -> its file according to the newest journal record, None if it was removed. Unknown ids are left out.

        Args:
            identities: ids to look up; None: all. own: only memories whose newest record is by this device, so that the file was here.
        """
        by_key: dict[str, tuple[Record, Version | None]] = {}
        for name, journal in self.journals.items():
            for record, change in journal.latest(identities):
                if change.memory not in by_key or record.id >= by_key[change.memory][0].id:
                    by_key[change.memory] = (record, self._at_home(change.after, name))
        return {identity: last for identity, (record, last) in by_key.items() if not own or self.is_of_this_device(record)}

    def _at_home(self, side: Version | None, space: str) -> Version | None:
        """Return a version with its space under its local name, when the writing device calls that space something else."""
        return side if side is None or side.space in self._roots else replace(side, space=space + _about(side.space))

    def _record(self, operation: Operation, by: By, group: str) -> Record:
        record = Record(
            self._next_id(), self._clock.now(), operation.op, by.actor, by.interface, self.device, tuple(operation.changes),
            operation.reason, operation.undoes, group, {name: last for name, last in self._heard.items() if name != self.device},
        )  # fmt: skip
        return record if _is_of_action(record) else replace(record, group="")

    def _next_id(self) -> str:
        """Return an id after those of all received records, however wrong other devices' clocks are (a hybrid logical clock)."""
        if not self._newest:
            self._heard = {}
            for record in (entry for journal in self.journals.values() for entry in journal.newest()):
                self._heard[record.device] = max(self._heard.get(record.device, ""), record.id)
            self._newest = max(self._heard.values(), default="")
        self._newest = behind(self._newest, self._clock.new_id())
        return self._newest

    def version_at(self, space: str, path: str) -> Version:
        """Return the current version of a file.

        Raises:
            NotFound, InvalidInput: as of :mod:`vademecum.vault.files` and :func:`vademecum.vault.note.text_of`.
        """
        return version(space, path, text_of(files.read_bytes(self._path((space, path)))))

    def _append(self, records: Sequence[Record]) -> Callable[[], None]:
        """Append records to the journal of every space that they touch, so that each space is complete without the others."""
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
        """Revert the file changes of these steps. The last step may have failed before or after it took effect."""
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

    def _must_be_possible(self, steps: Sequence[_Step]) -> None:
        """Fail before anything is written if a step cannot be carried out. The second step on a file cannot be checked yet."""
        made: set[tuple[str, str]] = set()
        for step in steps:
            if step.place not in made:
                path = self._path(step.place)
                files.must_stay_inside(self._roots[step.place[0]], path)
                if step.before is not None:
                    files.must_be_unchanged(path, step.before.etag)
            made.add(step.place)

    def _path(self, place: tuple[str, str]) -> Path:
        return self._roots[place[0]] / place[1]

    def _intent(self, space: str) -> Path:
        return self._lock_dir / f"{key_of(self._homes[space])}.intent"

    def _settle(self) -> bool:
        """Complete what a dead process left unfinished. Returns whether there was anything."""
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
        """Return the operations of an intent from the last one that began, in order.

        Empty if the intent is torn: then nothing was done.
        """
        lines = intent.read_bytes().splitlines()
        records = [record for record in map(from_line, lines) if record is not None]
        if len(records) < len(lines) or any(side.space not in self._roots for record in records for side in _versions(record)):
            return []
        begun = [
            number
            for number, record in enumerate(records)
            if any(self.journals[space].holds_last(record.id) for space in _spaces(record))
        ]
        return records[max(begun, default=0) :]

    def _finish(self, record: Record) -> bool:
        """Complete an interrupted operation. Returns whether it was completed.

        If the person has meanwhile changed a text that the operation was to replace or remove, roll it back instead: their text
        stays, and the copy that was made of it is removed.
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
        """Return whether a file in neither the old nor the new state is a later edit, or deletion, of what the operation wrote there."""
        intended = {change.memory for change in record.changes if change.after and _place(change.after) == step.place}
        path = self._path(step.place)
        return not path.exists() or read(path.read_text(errors="replace")).texts().get("id") in intended


def _steps(changes: Sequence[Change]) -> list[_Step]:
    """Return the file steps in order: creations, then replacements, then removals, so that no text is ever only in memory."""
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
    return [side for change in record.changes for side in (change.before, change.after) if side]


def _spaces(record: Record) -> set[str]:
    """Return the spaces whose journals get the record."""
    return {side.space.removesuffix(_about(side.space)) for side in _versions(record)}


def _about(space: str) -> str:
    """Return the suffix after the name of a space: DOCUMENTS, GENERATED or ""."""
    return next((suffix for suffix in (DOCUMENTS, GENERATED) if space.endswith(suffix)), "")


def _is_of_action(record: Record) -> bool:
    """Return whether a record can be part of an action: made through this program, on memories or notes."""
    return record.actor != "hand" and record.interface != BY_SYNC.interface and not record.is_generated


def _journaled(record: Record) -> Record:
    """Return the record as the journal stores it: generated pages lose their text.

    A page that grows with every session would fill the journal.
    """
    return record.without_texts() if record.is_generated else record


def _write_intent(path: Path, records: Sequence[Record]) -> None:
    try:
        with path.open("wb") as file:
            file.write(b"".join(map(to_line, records)))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise not_written(_REFUSED.format(error.strerror), error, _CHECK) from error

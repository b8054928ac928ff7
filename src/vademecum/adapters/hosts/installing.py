"""Registers us with a host and removes us: plans are computed from texts, and applying a plan writes them.

The original content before our first change is saved, so that a removal restores the same bytes if nobody else changed the
file. Otherwise only our entries are removed. When one of several files cannot be written, those already written are restored.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from vademecum.adapters.hosts.edits import MARK
from vademecum.adapters.hosts.files import bytes_of, digest, drop_empty, missing_folders, place, read, text_of, written_s
from vademecum.adapters.hosts.record import Entry, Record
from vademecum.domain.errors import Conflict, InvalidInput, Refused, VademecumError
from vademecum.domain.host import Reach
from vademecum.domain.installing import FileChange, Installed, Plan
from vademecum.ports.host import Edit, Wanted

#: Returns the required files of a target: (target, reach, project) -> files.
Wants = Callable[[str, Reach, str], tuple[Wanted, ...]]


def planned(text: str, edits: Sequence[Edit]) -> str:
    """Return a file's text with our entries."""
    for edit in edits:
        text = edit.put(text)
    return text


def cleared(text: str, edits: Sequence[Edit], before: str) -> str:
    """Return a file's text without our entries; content of `before` is restored or stays."""
    for edit in reversed(edits):
        text = edit.take(text, before)
    return text


class Installer:
    """Makes and applies plans. Changes are recorded in `data_dir`."""

    def __init__(self, data_dir: Path, wants: Wants) -> None:
        self._record = Record(data_dir / "hosts")
        self._wants = wants

    def plan(self, target: str, reach: Reach, project: str) -> Plan:
        """Return the changes by which the target's files contain our entries. Nothing is written.

        Raises:
            InvalidInput: a file cannot be parsed. Refused: another program's file is where ours would go.
        """
        changes = tuple(map(self._put, self._wants(target, reach, project)))
        return Plan(target, reach, project if reach == "project" else "", changes)

    def plan_removal(self, target: str, project: str) -> Plan:
        """Return the changes that remove all our entries: those in the record, and those in the usual files.

        Raises:
            InvalidInput: a file with our entries cannot be parsed any more.
        """
        plan, unreadable = self.plan_possible_removal(target, project)
        if unreadable:
            raise unreadable[0]
        return plan

    def plan_possible_removal(self, target: str, project: str) -> tuple[Plan, tuple[InvalidInput | Refused, ...]]:
        """Return :meth:`plan_removal` for the files that can be parsed, and an error for each other file."""
        changes: list[FileChange] = []
        unreadable: list[InvalidInput | Refused] = []
        known = {path for path, _ in self._record.of(target)}
        for path, entry in self._record.of(target):
            try:
                changes.append(self._take(path, entry))
            except (InvalidInput, Refused) as error:
                unreadable.append(error)
        for wanted in (*self._wants(target, "user", project), *self._wants(target, "project", project)):
            if wanted.path not in known:
                known.add(wanted.path)
                try:
                    changes += self._strip(wanted)
                except (InvalidInput, Refused) as error:
                    unreadable.append(error)
        return Plan(target, "user", "", tuple(changes), removes=True), tuple(unreadable)

    def apply(self, plan: Plan) -> tuple[str, ...]:
        """Write a plan; return the changed paths.

        Raises:
            Conflict: a file was changed since the plan was made. WriteFailed: a write failed. In both cases all files are
                unchanged or restored.
        """
        for change in plan.changes:
            if read(Path(change.path)) != change.before:
                raise Conflict(f"{change.path} changed in the meantime. Nothing was written.", "Try again.")
        done: list[FileChange] = []
        try:
            for change in plan.changes:
                self._write(plan, change)
                done.append(change)
        except VademecumError:
            for change in reversed(done):
                place(Path(change.path), change.before)
            raise
        if plan.removes:
            self._forget(plan.changes)
        return tuple(change.path for change in done if change.changes)

    def installed(self, target: str, reach: Reach, project: str) -> tuple[Installed, ...]:
        """Return the current state of a target's files."""
        return tuple(
            Installed(wanted.path, wanted.role, _state(wanted), written_s(Path(wanted.path)))
            for wanted in self._wants(target, reach, project)
        )

    def projects(self, target: str) -> tuple[str, ...]:
        """Return projects in which the target was installed."""
        return tuple(dict.fromkeys(entry.project for _, entry in self._record.of(target) if entry.project))

    def _put(self, wanted: Wanted) -> FileChange:
        with _about(wanted.path):
            before = read(Path(wanted.path))
            after = bytes_of(planned(text_of(before), wanted.edits), before)
            return FileChange(wanted.path, wanted.role, before, after, self._original(wanted, before))

    def _original(self, wanted: Wanted, before: bytes | None) -> bytes | None:
        """Return the content that uninstalling restores.

        It is the first original, or if somebody changed the file since, its text without our entries.
        """
        entry = self._record.get(wanted.path)
        if entry is None:
            return before
        original = self._record.original(wanted.path)
        if before is None or digest(before) == entry.written:
            return original
        return _kept(cleared(text_of(before), wanted.edits, text_of(original)), before, original)

    def _take(self, path: str, entry: Entry) -> FileChange:
        with _about(path):
            before, original = read(Path(path)), self._record.original(path)
            if before is None or digest(before) == entry.written:
                return FileChange(path, entry.role, before, original if before is not None else None, original)
            wanted = [want for want in self._wants(entry.target, entry.reach, entry.project) if want.role == entry.role]
            left = cleared(text_of(before), [edit for file in wanted for edit in file.edits], text_of(original))
            return FileChange(path, entry.role, before, _kept(left, before, original), original)

    def _strip(self, wanted: Wanted) -> Iterator[FileChange]:
        """Yield changes that remove entries that are certainly ours, for a target whose record was lost with its folder."""
        before, state = read(Path(wanted.path)), _state(wanted)
        if state in ("whole", "older") or (state == "unreadable" and MARK.encode() in (before or b"")):
            with _about(wanted.path):
                left = cleared(text_of(before), [edit for edit in wanted.edits if edit.ours(text_of(before))], "")
            yield FileChange(wanted.path, wanted.role, before, bytes_of(left, before) if left else None, None)

    def _write(self, plan: Plan, change: FileChange) -> None:
        path = Path(change.path)
        if not plan.removes and change.after is not None:
            made = (*self._record.made_above(change.path), *map(str, missing_folders(path.parent)))
            entry = Entry(plan.target, plan.reach, plan.project, change.role, "", made, digest(change.after))
            #: The record is written first: an extra record does no harm, but a change without a record cannot be undone.
            self._record.keep(change.path, entry, change.original)
        if change.changes:
            place(path, change.after)

    def _forget(self, changes: Sequence[FileChange]) -> None:
        """Delete the records of restored files, and the folders created for files that are deleted now, innermost first."""
        entries = [(change, self._record.get(change.path)) for change in changes]
        made = {folder for change, entry in entries if entry and change.after is None for folder in entry.folders}
        for folder in sorted(made, key=len, reverse=True):
            drop_empty(Path(folder))
        for change in changes:
            self._record.forget(change.path)


def _state(wanted: Wanted) -> Literal["whole", "older", "missing", "unreadable"]:
    try:
        text = text_of(read(Path(wanted.path)))
        if not any(edit.ours(text) for edit in wanted.edits):
            return "missing"
        return "whole" if planned(text, wanted.edits) == text else "older"
    except (InvalidInput, Refused):
        return "unreadable"


def _kept(left: str, before: bytes | None, original: bytes | None) -> bytes | None:
    """Return the remaining content of a file; None (delete it) if we created it and nothing else is in it."""
    return None if original is None and left.strip() in ("", "{}") else bytes_of(left, before)


@contextmanager
def _about(path: str) -> Iterator[None]:
    """Add the path of the file to an error, and that nothing was written."""
    try:
        yield
    except (InvalidInput, Refused) as error:
        raise type(error)(f"{path}: {error.message} Nothing was written.", error.hint) from error

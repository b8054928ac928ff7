"""Combined state of memories, from the journals of all devices."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from vademecum.vault.journal import Change, Journal, Record, Version
from vademecum.vault.merge import BY_SYNC, Folded, fold

#: Number of memories whose records are held in memory together.
_AT_ONCE = 2000
#: Time after which no sync tool delivers a file with two mixed notes any more; clocks may be a day wrong.
_LATELY = timedelta(days=2)


class Versions:
    """Combined records of all devices, for the memories of some spaces.

    Args:
        device: this one.
        at_home: a version and the space whose journal has it -> the version with the space's local name.
    """

    def __init__(
        self, journals: Mapping[str, Journal], device: str, at_home: Callable[[Version | None, str], Version | None]
    ) -> None:
        self._journals, self.device, self._at_home = journals, device, at_home

    def of(self, identities: Collection[str]) -> dict[str, Folded]:
        """Return the combined state of each memory; one that no journal has is left out."""
        folded: dict[str, Folded] = {}
        ordered = sorted(identities)
        for first in range(0, len(ordered), _AT_ONCE):
            folded |= self._of(frozenset(ordered[first : first + _AT_ONCE]))
        return folded

    def _of(self, identities: frozenset[str]) -> dict[str, Folded]:
        steps: dict[str, dict[str, tuple[Record, Change]]] = {}
        for name, journal in self._journals.items():
            for record, change in journal.about(identities):
                here = replace(change, before=self._at_home(change.before, name), after=self._at_home(change.after, name))
                steps.setdefault(change.memory, {}).setdefault(record.id, (record, here))
        return {identity: fold([some[key] for key in sorted(some)]) for identity, some in steps.items()}

    def may_have_been_overwritten(self, space: str, path: str, identity: str, since: str, now: datetime) -> bool:
        """Return whether a sync tool may have replaced a memory's file with another memory that another device put there.

        That device's record must be unknown to the device that wrote this memory, and later than `since` or recent, because
        clocks differ.
        """
        records = self._journals[space].records(path)
        heard = _heard(records, path, identity)
        return any(
            record.device != self.device
            and record.id > heard.get(record.device, "")
            and _puts(record, path, identity)
            and (abs(now - record.time) < _LATELY or record.id > since)
            for record in records
        )

    def at(self, space: str, path: str) -> list[tuple[str, Version]]:
        """Return every recorded version of a memory at a place on any device, with the memory's id."""
        changes = (change for record in self._journals[space].records(path) for change in record.changes if change.memory)
        sides = ((change.memory, side) for change in changes for side in (change.before, change.after))
        return [(identity, side) for identity, side in sides if side is not None and side.path == path]

    def is_contested(self, space: str, path: str, identity: str, now: datetime) -> bool:
        """Return whether the records have another memory at a place too, or one that a sync recently moved away from it."""
        others = (
            record
            for record in self._journals[space].records(path)
            if record.op == "move" and record.interface == BY_SYNC.interface
        )
        away = (change for record in others if abs(now - record.time) < _LATELY for change in record.changes)
        if any(change.memory != identity and change.before and change.before.path == path for change in away):
            return True
        files = (folded.file for folded in self.of({other for other, _ in self.at(space, path)} - {identity}).values())
        return any(file is not None and (file.space, file.path) == (space, path) for file in files)

    def is_shared(self) -> bool:
        """Return whether other devices have journals here."""
        return any(path.parent.name != self.device for journal in self._journals.values() for path in journal.files())


def _puts(record: Record, path: str, identity: str) -> bool:
    """Return whether a record puts another memory at a place."""
    return any(
        change.memory not in ("", identity) and change.after is not None and change.after.path == path
        for change in record.changes
    )


def _heard(records: Sequence[Record], path: str, identity: str) -> dict[str, str]:
    """Return device -> id of its last record known when the memory was last put at the place.

    Args:
        records: that name the place, oldest first.
    """
    fields = dict[str, str]()
    for record in records:
        if _stands_by(record, path, identity):
            for device, last in (*record.heard.items(), (record.device, record.id)):
                fields[device] = max(fields.get(device, ""), last)
    return fields


def _stands_by(record: Record, path: str, identity: str) -> bool:
    """Return whether a record puts the memory at a place."""
    return any(
        change.memory == identity and change.after is not None and change.after.path == path for change in record.changes
    )

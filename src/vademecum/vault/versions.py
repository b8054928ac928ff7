"""What the journals of all devices together say that memories are."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from vademecum.vault.journal import Change, Journal, Record, Version
from vademecum.vault.merge import BY_SYNC, Folded, fold

#: Memories whose records are held together.
_AT_ONCE = 2000
#: After so long no sync tool brings a file that two notes at one place were mixed into; clocks may be a day wrong.
_LATELY = timedelta(days=2)


class Versions:
    """The memories of some spaces, as the records of all devices have them.

    Args:
        device: this one. at_home: a version and the space whose journal holds it -> the version under the name that its space has here.
    """

    def __init__(
        self, journals: Mapping[str, Journal], device: str, at_home: Callable[[Version | None, str], Version | None]
    ) -> None:
        self._journals, self.device, self._at_home = journals, device, at_home

    def of(self, identities: Collection[str]) -> dict[str, Folded]:
        """Return what each memory comes to; one that no journal tells of is left out."""
        found: dict[str, Folded] = {}
        ordered = sorted(identities)
        for first in range(0, len(ordered), _AT_ONCE):
            found |= self._of(frozenset(ordered[first : first + _AT_ONCE]))
        return found

    def _of(self, identities: frozenset[str]) -> dict[str, Folded]:
        steps: dict[str, dict[str, tuple[Record, Change]]] = {}
        for name, journal in self._journals.items():
            for record, change in journal.about(identities):
                here = replace(change, before=self._at_home(change.before, name), after=self._at_home(change.after, name))
                steps.setdefault(change.memory, {}).setdefault(record.id, (record, here))
        return {identity: fold(some[key] for key in sorted(some)) for identity, some in steps.items()}

    def was_cleared(self, space: str, path: str, identity: str, since: str, now: datetime) -> bool:
        """Return whether another device took something else away from a place, after a record or lately, or lately put another memory
        there: then a sync tool may have taken what stood there here. Lately, because clocks differ. What a device did, or had read of
        others, before it put the memory there itself counts no more.
        """
        told = self._journals[space].records(path)
        answered = _answered(told, path, identity)
        for one in told:
            lately = abs(now - one.time) < _LATELY
            if (
                one.device != self.device
                and one.id > answered.get(one.device, "")
                and ((_clears(one, path) and (lately or one.id > since)) or (_puts(one, path, identity) and lately))
            ):
                return True
        return False

    def at(self, space: str, path: str) -> list[tuple[str, Version]]:
        """Return every version of a memory that stood at a place, by the records of all devices, with the memory's id."""
        changes = (change for record in self._journals[space].records(path) for change in record.changes if change.memory)
        sides = ((change.memory, side) for change in changes for side in (change.before, change.after))
        return [(identity, side) for identity, side in sides if side is not None and side.path == path]

    def is_contested(self, space: str, path: str, identity: str, now: datetime) -> bool:
        """Return whether the records say of another memory too that it stands at a place, or that it lately had to make way there."""
        others = (one for one in self._journals[space].records(path) if one.op == "move" and one.interface == BY_SYNC.interface)
        away = (change for record in others if abs(now - record.time) < _LATELY for change in record.changes)
        if any(change.memory != identity and change.before and change.before.path == path for change in away):
            return True
        files = (one.file for one in self.of({other for other, _ in self.at(space, path)} - {identity}).values())
        return any(file is not None and (file.space, file.path) == (space, path) for file in files)

    def is_shared(self) -> bool:
        """Return whether other devices have journals here."""
        return any(path.parent.name != self.device for journal in self._journals.values() for path in journal.files())


def _puts(record: Record, path: str, identity: str) -> bool:
    """Return whether a record puts another memory at a place."""
    return any(one.memory not in ("", identity) and one.after is not None and one.after.path == path for one in record.changes)


def _answered(told: Sequence[Record], path: str, identity: str) -> dict[str, str]:
    """Return for devices the id of their last record that was known to one that put the memory at the place afterwards: its own earlier
    ones, and those that what it wrote of other memories was made of.

    Args:
        told: the records that name the place, oldest first.
    """
    found = dict[str, str]()
    for device in {record.device for record in told}:
        own = [record for record in told if record.device == device]
        last = max((number for number, record in enumerate(own) if _stands_by(record, path, identity)), default=-1)
        if last < 0:
            continue
        before = (one for record in own[:last] for one in record.changes if one.memory != identity and one.before is not None)
        made_of = {(one.memory, one.before.etag) for one in before if one.before is not None}
        known = [own[last]]
        known += [
            record
            for record in told
            if any(one.after is not None and (one.memory, one.after.etag) in made_of for one in record.changes)
        ]
        for record in known:
            found[record.device] = max(found.get(record.device, ""), record.id)
    return found


def _stands_by(record: Record, path: str, identity: str) -> bool:
    """Return whether a record puts a memory at a place."""
    return any(one.memory == identity and one.after is not None and one.after.path == path for one in record.changes)


def _clears(record: Record, path: str) -> bool:
    """Return whether a record leaves nothing at a place where something stood."""
    before = {change.before.path for change in record.changes if change.before}
    return path in before and path not in {change.after.path for change in record.changes if change.after}

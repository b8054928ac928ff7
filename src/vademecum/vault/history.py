"""What was, and how to go back: questions to the journal. Pure; records come in, changes go out."""

from collections.abc import Callable, Iterable, Sequence

from vademecum.model.errors import InvalidInput, NotFound
from vademecum.model.ids import is_id
from vademecum.vault.journal import GENERATED, Change, Record

#: Where the paths of forgotten memories lead; what was done to them cannot be undone, so "undo" means what was done before.
ERASED = "_forgotten/"
#: Records that mention a text (all for ""), oldest first.
Records = Callable[[str], Sequence[Record]]


def memory_records(records: Records, identity: str) -> tuple[Record, ...]:
    """Changes of a memory and of all it took the place of, oldest first."""
    ids, waiting, found = {identity}, [identity], dict[str, Record]()
    while waiting:
        current = waiting.pop()
        for record in records(current):
            mine = [change for change in record.changes if change.memory == current]
            if not mine:
                continue
            found[record.id] = record
            if record.op == "evolve" and mine[0].before is None:
                fresh = {change.memory for change in record.changes} - ids
                ids |= fresh
                waiting += sorted(fresh)
    return tuple(found[key] for key in sorted(found))


def to_undo(records: Records, newest_first: Iterable[Record], what: str | None, id_of: Callable[[str], str]) -> Record:
    """The record that "undo" means.

    Args:
        newest_first: all records; read only as far as needed.
        what: id of a record, a reference to a memory, or None for the last operation of all.
        id_of: memory id of a reference.

    Raises:
        NotFound: nothing to undo. InvalidInput: it was undone already.
    """
    if what is not None and is_id(what.upper()):
        exact = [record for record in records(what.upper()) if record.id == what.upper()]
        if exact:
            return _must_stand(exact[0], records(exact[0].changes[0].memory))
    identity = id_of(what) if what is not None else None
    undone: set[str] = set()
    for record in newest_first if identity is None else reversed(records(identity)):
        about = identity is None or any(change.memory == identity for change in record.changes)
        if about and not record.undoes and record.id not in undone and not _is_erased(record) and not _is_generated(record):
            return record
        if record.undoes and record.id not in undone:
            undone.add(record.undoes)
    raise NotFound("There is nothing to undo.", "See what happened with: vade history")


def _is_erased(record: Record) -> bool:
    sides = (side for change in record.changes for side in (change.before, change.after))
    return any(side is not None and side.path.startswith(ERASED) for side in sides)


def _is_generated(record: Record) -> bool:
    """Whether it only renewed pages that we make of other things: nobody means that by "undo"."""
    sides = [side for change in record.changes for side in (change.before, change.after) if side is not None]
    return all(side.space.endswith(GENERATED) for side in sides)


def _must_stand(record: Record, about: Sequence[Record]) -> Record:
    """The record, when it does not stand undone. Latest first: an undo that was undone itself does not count."""
    undone: set[str] = set()
    for later in reversed(about):
        if later.undoes and later.id not in undone:
            undone.add(later.undoes)
    if record.id in undone:
        raise InvalidInput(f"{record.op} of {record.time:%Y-%m-%d %H:%M} was undone already.", "To redo it, undo the undo.")
    return record


def reversed_changes(record: Record) -> list[Change]:
    """The changes that lead from after a record to before it."""
    return [Change(change.memory, change.after, change.before) for change in reversed(record.changes)]

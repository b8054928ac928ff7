"""List recent operations on memories, and what agents were shown."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, islice

from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.feed import ALL, LogFilter, Operation, ShownLog, ShownSession, Touched, Use
from vademecum.domain.item import Item
from vademecum.domain.learnt import EVOLUTION
from vademecum.domain.memory import BY_PERSON, By
from vademecum.inject.seen import hidden_from
from vademecum.ports.state import ShownTo
from vademecum.vault.frontmatter import read
from vademecum.vault.journal import GENERATED, Change, Record

_LEARNT = frozenset(evolution_section.facet for evolution_section in EVOLUTION)


def operations(
    context: Context,
    limit: int = 50,
    only: LogFilter = ALL,
    *,
    by: By = BY_PERSON,
) -> tuple[Operation, ...]:
    """Return the last operations on memories, of all devices, newest first. Updates of generated pages are left out.

    Args:
        by: who asks; withheld memories are shown only to the person.
    """
    hidden = hidden_from(context, by)
    whole_actions = _whole_actions(_operations(context, only))
    seen = (
        replace(operation, memories=tuple(entry for entry in operation.memories if f"memory://{entry.id}" not in hidden))
        for operation in whole_actions
    )
    return tuple(islice((operation for operation in seen if operation.memories), limit))


def _operations(context: Context, only: LogFilter) -> Iterator[tuple[str, Operation]]:
    """Yield (action id, operation) for each journal record that changes memories."""
    for record in context.vault.history.newest_first():
        if only.since is not None and record.time < only.since:
            return
        if (only.before and record.id >= only.before) or (only.until is not None and record.time >= only.until):
            continue
        about = (change for change in record.changes if _is_memory(change) and (not only.evolution or _is_learnt(change)))
        touched = tuple(map(_touched, about))
        if touched:
            yield record.action, _operation(record, touched)


def _whole_actions(operations: Iterable[tuple[str, Operation]]) -> Iterator[Operation]:
    """Merge consecutive records of one action into one operation.

    Args:
        operations: (action id, operation of one record), newest first.
    """
    for action, of_action in groupby(operations, key=lambda pair: pair[0]):
        records = [operation for _, operation in of_action]
        first = records[-1]
        memories = {touched.id: touched for operation in reversed(records) for touched in operation.memories}
        undoes = min(operation.undoes for operation in records)
        yield replace(first, id=action, undoes=undoes, memories=tuple(memories.values()))


def _is_learnt(change: Change) -> bool:
    """Return whether a change belongs on the page of what was learnt."""
    sides = (side.text for side in (change.after, change.before) if side and side.text)
    return any(read(text).texts().get("facet") in _LEARNT for text in sides)


def _is_memory(change: Change) -> bool:
    side = change.after or change.before
    return bool(change.memory) and side is not None and not side.space.endswith(GENERATED)


def _operation(record: Record, touched: tuple[Touched, ...]) -> Operation:
    return Operation(
        record.id, record.time, record.op, record.actor, record.interface, record.device, record.reason, record.undoes, touched
    )


def _touched(change: Change) -> Touched:
    side = change.after if change.after and change.after.text else change.before
    texts = read(side.text).texts() if side and side.text else {}
    return Touched(change.memory, str(texts.get("title", "")), str(texts.get("kind", "")))


def shown(context: Context, ref: str = "", limit: int = 20, *, by: By = BY_PERSON) -> ShownLog:
    """Return the conversations in which agents were shown anything, or the given memory, latest first, and how it was used.

    Withheld items are shown only to the person.

    Raises:
        NotFound: `ref` names no memory.
        Ambiguous: `ref` names several.
    """
    key = context.vault.get(ref).uri if ref else ""
    sessions = context.state.shown.sessions(limit, key)
    items = context.index.items(
        [entry for shown_to in sessions for key in shown_to.keys for entry in (shown_to.session, key, _whole(key))]
    )
    hidden = hidden_from(context, by)
    seen = {name: item for name, item in items.items() if name not in hidden}
    sessions_shown = (_shown_session(shown_to, seen) for shown_to in sessions if shown_to.session not in hidden)
    use = context.state.usage.of([key]).get(key, Use()) if ref else None
    return ShownLog(tuple(session for session in sessions_shown if session.shown or by.actor == "user"), use)


def _shown_session(shown_to: ShownTo, items: Mapping[str, Item]) -> ShownSession:
    title = items[shown_to.session].title if shown_to.session in items else ""
    named = dict.fromkeys(key if key in items else _whole(key) for key in shown_to.keys)
    return ShownSession(shown_to.session, title, tuple(items[key] for key in named if key in items), shown_to.last)


def _whole(key: str) -> str:
    """Return the key of the item that a passage key belongs to, because prompts are shown passages."""
    return key.rpartition("#")[0] or key

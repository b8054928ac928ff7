"""Usage of memories: which to load at every start, which no longer, and the share of memories ever shown (MV-31)."""

from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import BY_PERSON, By, Memory
from vademecum.domain.query import Scope, is_withheld
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import Placing, places

#: Minimum sessions with shown memories before anything is reported. A memory loaded at every start is cold if it was shown at
#: least this often and not used.
SESSIONS = 10
#: A hot memory was shown or returned at least HITS times, and used in at least HIT_SESSIONS conversations.
HITS, HIT_SESSIONS = 3, 2
#: Minimum number of memories loaded at every start; most added at once.
ALWAYS_LEAST, MORE_AT_ONCE = 5, 3
LOOKED_AT = 20_000
#: Kinds that are short-lived, or shown in other ways.
_NEVER_ALWAYS = frozenset({"event", "task", "plan", "handoff", "idea", "source", "self"})


class Heat(Struct, frozen=True):
    """Report on usage.

    Attributes:
        sessions: with shown memories, counted up to the required minimum.
        memories: number of valid ones.
        shown, used: how many of them were ever shown or returned, and used.
        hot: titles that could be loaded at every start.
        cold: titles loaded at every start and not used.
        applied: the changes were made.
    """

    sessions: int
    memories: int
    shown: int
    used: int
    hot: tuple[str, ...] = ()
    cold: tuple[str, ...] = ()
    applied: bool = False


def heat(context: Context, apply: bool = False, *, by: By = BY_PERSON) -> Heat:
    """Return a usage report; with `apply`, load hot memories at every start and cold ones no longer, as one operation.

    Pinned memories do not change, and at least ALWAYS_LEAST stay loaded at every start.
    """
    items = context.index.select(Scope(sources=("memory",), statuses=("active", "disputed")), limit=LOOKED_AT)
    uses = context.state.usage.of([item.key for item in items])
    count = sum((use.shown + use.found) > 0 for use in uses.values())
    used = sum(use.used > 0 for use in uses.values())
    sessions = len(context.state.shown.sessions(SESSIONS))
    report = Heat(sessions, len(items), count, used)
    if sessions < SESSIONS:
        return report
    often = [
        item for item in items if (use := uses.get(item.key)) and use.shown + use.found >= HITS and use.used >= HIT_SESSIONS
    ]
    hot = sorted(filter(_could_be_always, often), key=lambda item: (-uses[item.key].used, item.key))[:MORE_AT_ONCE]
    always = [item for item in items if item.always_load]
    unused = context.state.usage.unused(None, [item.key for item in always])
    cold = [item for item in always if not item.pin and item.key in unused and unused[item.key].times >= SESSIONS]
    cold = sorted(cold, key=lambda item: (-unused[item.key].times, item.key))[: max(0, len(always) + len(hot) - ALWAYS_LEAST)]
    if apply and (hot or cold):
        moves = [
            *(_placing(context, item, always=True) for item in hot),
            *(_placing(context, item, always=False) for item in cold),
        ]
        context.vault.place_together("heat", moves, reason="what was used, and what was not", by=by)
    return Heat(sessions, len(items), count, used, _titles(hot), _titles(cold), applied=apply and bool(hot or cold))


def _could_be_always(item: Item) -> bool:
    return not (item.always_load or item.pin or item.agent or item.kind in _NEVER_ALWAYS or is_withheld(item.tags))


def _titles(items: list[Item]) -> tuple[str, ...]:
    return tuple(item.title for item in items)


def _placing(context: Context, item: Item, *, always: bool) -> Placing:
    memory: Memory = context.vault.get(item.key)
    group = places.said_by_path(memory.path)[2]
    path = places.place(KINDS[memory.kind], places.stem(memory.path), group=group, always_load=always)
    return Placing(memory.id, {"always_load": always or None}, path)

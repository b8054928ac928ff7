"""What is used and what is not: which memories to load always, which no more, and how much of memory was ever told (MV-31)."""

from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import BY_PERSON, By, Memory
from vademecum.domain.query import Scope, is_withheld
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import Placing, places

#: Nothing is said before so many sessions were told something; what is always loaded is cold when it was told so often and not used.
SESSIONS = 10
#: Hot is what was found or told so often, and used in so many conversations.
HITS, HIT_SESSIONS = 3, 2
#: So many are always loaded at least; so many more at a time.
ALWAYS_LEAST, MORE_AT_ONCE = 5, 3
LOOKED_AT = 20_000
#: Of the moment, or told in ways of their own.
_NEVER_ALWAYS = frozenset({"event", "task", "plan", "handoff", "idea", "source", "self"})


class Heat(Struct, frozen=True):
    """What use says.

    Attributes:
        sessions: that were told something, as far as needed. memories: that hold; told, used: of them, ever.
        hot: titles of what could be always loaded. cold: of what is and was not used. applied: they were changed so.
    """

    sessions: int
    memories: int
    told: int
    used: int
    hot: tuple[str, ...] = ()
    cold: tuple[str, ...] = ()
    applied: bool = False


def heat(context: Context, apply: bool = False, *, by: By = BY_PERSON) -> Heat:
    """Return what use says of memories; with `apply` load the hot ones always and the cold ones no more, as one operation.

    What is pinned stays as it is, and never fewer than ALWAYS_LEAST stay always loaded.
    """
    items = context.index.select(Scope(sources=("memory",), statuses=("active", "disputed")), limit=LOOKED_AT)
    uses = context.state.usage.of([item.key for item in items])
    count = sum((use.told + use.found) > 0 for use in uses.values())
    used = sum(use.used > 0 for use in uses.values())
    sessions = len(context.state.told.sessions(SESSIONS))
    report = Heat(sessions, len(items), count, used)
    if sessions < SESSIONS:
        return report
    often = [
        item for item in items if (use := uses.get(item.key)) and use.told + use.found >= HITS and use.used >= HIT_SESSIONS
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

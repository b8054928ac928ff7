"""What to tell at the start of a conversation without searching: pools of memories, each weighed by what is known of it.

Reproduces the context composer of a published design, figures included. Its two rules by date never fired there, because the
dates were not handed on; here they do. What a session is about counts by how surely it is about it.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from vademecum.domain.decay import importance_of
from vademecum.domain.item import Item
from vademecum.domain.procedural import DEFAULT_CONTEXT, contexts_of
from vademecum.domain.query import Scope
from vademecum.domain.topics import TopicLock
from vademecum.ports.index import IndexedItems
from vademecum.ports.state import Use
from vademecum.recall.profiles import Pool
from vademecum.recall.topics import weight_of

#: Added to the effective importance, which is 0..1.
ON_TOPIC, LATELY_USED, IDENTITY, OLD_EVENT = 0.20, 0.10, 0.10, -0.10
#: What no longer holds counts so much.
STALE_FACTOR = 0.3
LATELY, OLD = timedelta(days=7), timedelta(days=30)


def candidates(
    index: IndexedItems, scope: Scope, pools: Sequence[Pool], lock: TopicLock | None, contexts: Collection[str] = ()
) -> tuple[Item, ...]:
    """Return memories of the pools, each once, in the order of the pools; of styles those for everywhere and for one of the contexts."""
    found: dict[str, Item] = {}
    for pool in pools:
        topics = tuple(lock.weights) if lock else ()
        if pool.on_topic and not topics:
            continue
        where = replace(scope, sources=("memory",), topics=topics if pool.on_topic else scope.topics)
        if pool.kinds and scope.kinds:
            where = replace(where, kinds=tuple(kind for kind in pool.kinds if kind in scope.kinds))
        elif pool.kinds:
            where = replace(where, kinds=pool.kinds)
        for item in index.select(where, order=pool.order, limit=pool.most):
            if item.kind != "style" or not {DEFAULT_CONTEXT, *contexts}.isdisjoint(contexts_of(item.tags)):
                found.setdefault(item.key, item)
    return tuple(found.values())


def weigh(item: Item, use: Use | None, lock: TopicLock | None, now: datetime) -> dict[str, float]:
    """Return what makes up the score of an item: name -> addend; their sum is the score.

    Args:
        now: aware, UTC.
    """
    last = use.last_used if use else None
    importance = importance_of(item, now, last, use.used if use else 0)
    happened = item.valid_from or item.created
    parts = {
        "importance": importance,
        "topic": ON_TOPIC * weight_of(item.topics, lock),
        "lately used": LATELY_USED if last and now - last <= LATELY else 0.0,
        "identity": IDENTITY if item.kind == "identity" else 0.0,
        "old event": OLD_EVENT if item.kind == "event" and happened and now - happened > OLD else 0.0,
    }
    if item.status == "superseded" or (item.valid_until and item.valid_until <= now):
        parts["stale"] = (STALE_FACTOR - 1) * sum(parts.values())
    return {name: value for name, value in parts.items() if value}

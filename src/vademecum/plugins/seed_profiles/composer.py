"""Choose memories for the start of a conversation without a search: pools of memories, each memory with a weight.

Reproduces the context composer of a published design, with its numbers. Its two rules by date had no effect there, because the
dates were not passed on; here they have. The weight of a topic is multiplied by the confidence that the session is about it.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.decay import importance_of
from vademecum.domain.feed import Use
from vademecum.domain.item import Item
from vademecum.domain.procedural import CODING, DEFAULT_CONTEXT, contexts_of
from vademecum.domain.query import Hit, Left, Recall, Scope
from vademecum.domain.topics import TopicLock
from vademecum.domain.why_nothing import FOUND, NOTHING_KNOWN, OVER_LIMIT
from vademecum.language.text import one_line
from vademecum.plugin_api.recall import (
    Ranker,
    Run,
    Tools,
    answer,
    ask_model,
    look_at_topics,
    query_vector,
    report,
    scope_of,
    weight_of,
)
from vademecum.ports.index import IndexedItems

#: Added to the effective importance, which is 0..1.
ON_TOPIC, LATELY_USED, IDENTITY, OLD_EVENT = 0.20, 0.10, 0.10, -0.10
#: Factor on the weight of invalid memories.
STALE_FACTOR = 0.3
LATELY, OLD = timedelta(days=7), timedelta(days=30)


class Pool(Struct, frozen=True):
    """A pool of memories: the first `most` in `order` with one of the kinds (None: all).

    Attributes:
        on_topic: only those with a topic of the session.
    """

    most: int
    kinds: tuple[str, ...] | None = None
    order: Literal["priority", "recent", "importance", "confirmed"] = "recent"
    on_topic: bool = False


#: The person's identity, the topics of the session, the latest confirmed memories.
POOLS = (Pool(200, ("identity",), "importance"), Pool(200, on_topic=True), Pool(20, order="confirmed"))


class Composer(Ranker, frozen=True):
    """Chooses memories from its pools by weight, without search or threshold."""

    memories: tuple[Pool, ...] = POOLS

    def recall(self, tools: Tools, run: Run) -> Recall:
        """Return the memories with the highest weights, independent of the question."""
        stats, scope = tools.index.stats(), scope_of(run.query, self.profile)
        asked = ask_model(tools, run, stats)
        look_at_topics(tools, run, query_vector(tools, run, stats, asked), scope)
        start = tools.clock.elapsed_s()
        contexts = (*run.query.text.casefold().split(), *((CODING,) if run.query.project else ()))
        pooled = candidates(tools.index, scope, self.memories, run.lock, contexts)
        report(tools, run, "pools", start, len(pooled))
        uses, now = tools.uses([item.key for item in pooled]), tools.clock.now()
        weighed = {item.key: weigh(item, uses.get(item.key), run.lock, now) for item in pooled}
        scores = {key: round(sum(parts.values()), 4) for key, parts in weighed.items()}
        ranked = sorted(pooled, key=lambda item: (-scores[item.key], item.key))
        hits: list[Hit] = []
        known: set[str] = set()
        for item in ranked:
            stored = tools.index.passages_of(item.key, 0, 1)
            if not stored or one_line(stored[0].passage.text) in known:
                continue
            if len(hits) >= (run.query.limit or self.profile.limit):
                run.left.append(Left(item.key, item.title, OVER_LIMIT, scores[item.key]))
                break
            known.add(one_line(stored[0].passage.text))
            parts = {name: round(value, 3) for name, value in weighed[item.key].items()}
            hits.append(Hit(item, stored[0].passage, stored[0].number, scores[item.key], boosts=parts))
        items = tuple((item.key, scores[item.key]) for item in ranked)
        return answer(tools, run, tuple(hits), items, 0.0, FOUND if hits else NOTHING_KNOWN)


def candidates(
    index: IndexedItems, scope: Scope, pools: Sequence[Pool], lock: TopicLock | None, contexts: Collection[str] = ()
) -> tuple[Item, ...]:
    """Return the memories of the pools, each once, in the order of the pools.

    Styles must be for everywhere or one of the contexts.
    """
    items: dict[str, Item] = {}
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
                items.setdefault(item.key, item)
    return tuple(items.values())


def weigh(item: Item, use: Use | None, lock: TopicLock | None, now: datetime) -> dict[str, float]:
    """Return the parts of an item's score by name; their sum is the score.

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

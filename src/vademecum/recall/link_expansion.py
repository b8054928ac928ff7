"""Expand an answer by one hop: memories linked to or from its hits, and memories that share their topic (VO-24).

The caller asks for the surroundings too, so some of the places are reserved for them. Each added hit states how it was reached.
"""

import math
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.item import Item
from vademecum.domain.query import Hit, Left, Query, Recall, Scope
from vademecum.domain.scope import item_fits, time_fits
from vademecum.domain.why_nothing import LINKED_FIRST
from vademecum.ports.index import SearchIndex
from vademecum.recall.numbers import LINK_EXPANSION_LOOKED_AT, LINK_EXPANSION_MOST, OF_A_TOPIC, ONE_IN, USUAL

SOURCES = ("memory", "document")


def limit_of(query: Query) -> int:
    """Return the maximum number of hits for a query with link expansion.

    Raises:
        InvalidInput: the query asks for more.
    """
    if (query.limit or 0) > LINK_EXPANSION_MOST:
        raise InvalidInput(
            f"With linked memories at most {LINK_EXPANSION_MOST} results are shown, not {query.limit}.",
            "Ask for fewer, or leave linked memories out.",
        )
    return query.limit or USUAL


def with_one_hop(index: SearchIndex, found: Recall) -> Recall:
    """Add items one hop from the best hits to an answer, within its scope and limit.

    Raises:
        IndexDamaged: the index cannot be used.
    """
    limit = limit_of(found.query)
    near = _near(index, found, math.ceil(limit / ONE_IN) + max(0, limit - len(found.hits)))
    direct = found.hits[: limit - len(near)] if near else found.hits
    gone = tuple(Left(hit.item.key, hit.item.title, LINKED_FIRST, hit.score) for hit in found.hits[len(direct) :])
    return replace(found, hits=(*direct, *near)[:limit], left=(*gone, *found.left))


def _near(index: SearchIndex, found: Recall, most: int) -> tuple[Hit, ...]:
    """Return at most `most` new hits, linked items before shared topics."""
    sources = [hit.item for hit in found.hits if hit.item.source == "memory" and not hit.via][:LINK_EXPANSION_LOOKED_AT]
    there = {hit.item.key for hit in found.hits}
    scope = _scope_of(found.query)
    weakest = found.hits[-1].score if found.hits else 0.0
    hits: list[Hit] = []
    for item, via in (*_linked(index, sources), *_of_topic(index, sources, scope)):
        if len(hits) == most:
            break
        first = index.passages_of(item.key, 0, 1)
        if item.key in there or not first or not _may_come_along(item, scope):
            continue
        there.add(item.key)
        hits.append(Hit(item, first[0].passage, first[0].number, weakest, boosts={via: 0.0}, via=via))
    return tuple(hits)


def _linked(index: SearchIndex, sources: Sequence[Item]) -> Iterator[tuple[Item, str]]:
    """Yield items at the other end of an edge, in the order of the hits, each with the path to it."""
    edges = index.edges([item.key for item in sources])
    items = index.items([edge.target for ways in edges.values() for edge in ways])
    for source in sources:
        for edge in edges.get(source.key, ()):
            if edge.target in items:
                yield items[edge.target], f"{edge.type} of {source.key}"


def _of_topic(index: SearchIndex, sources: Sequence[Item], scope: Scope) -> Iterator[tuple[Item, str]]:
    """Yield memories with the first topic of a hit, by importance."""
    for source in sources:
        if source.topics:
            topic = source.topics[0]
            for item in index.select(replace(scope, topics=(topic,)), order="importance", limit=OF_A_TOPIC):
                yield item, f"topic {topic} of {source.key}"


def _scope_of(query: Query) -> Scope:
    allowed = query.scope.sources or SOURCES
    sources = tuple(source for source in SOURCES if source in allowed)
    return replace(query.scope, sources=sources, without=query.scope.without | query.seen)


def _may_come_along(item: Item, scope: Scope) -> bool:
    return item.status == "active" and item_fits(item, scope) and time_fits(item.updated, scope)

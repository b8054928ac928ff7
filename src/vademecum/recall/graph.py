"""Walk the typed edges between memories, and to targets outside of them."""

from collections.abc import Collection
from typing import Literal

from msgspec import Struct

from vademecum.domain.item import Edge
from vademecum.domain.relations import MENTION
from vademecum.domain.uris import is_external
from vademecum.ports.index import SearchIndex

Direction = Literal["out", "in", ""]


class Link(Struct, frozen=True):
    """An edge reached by a walk.

    Attributes:
        hop: number of edges from the start of the walk, from 1.
        source: key of the item it was reached from. direction: "out" of the source or "in" to it; "" beyond the first hop.
        type: as in the note: refines, derived_from, contradicts, supersedes, links, mentions, ...
        target: key of the other item, or a URI, or an unresolved name. title: of the other item, else "".
        state: "known", "outside" (an external URI), or "stale" (the name no longer resolves; it stays in the note).
    """

    hop: int
    source: str
    direction: Direction
    type: str
    target: str
    title: str
    state: Literal["known", "outside", "stale"]


class Reach(Struct, frozen=True):
    """Limits of a walk: 1 to 3 hops, edge types to follow (empty: all), and the maximum number of links."""

    hops: int = 1
    types: Collection[str] = ()
    limit: int = 20


def walk(
    index: SearchIndex, start: str, own: Collection[Edge], reach: Reach, without: Collection[str] = ()
) -> tuple[Link, ...]:
    """Walk the edges around an item, nearest first. Within a hop: in the order of the note, then incoming edges.

    Args:
        own: the edges in the item's own file, including unresolved and external ones.
        without: items that are neither returned nor followed.
    """
    out = {(edge.type, key) for edge in own for key in index.named(edge.target)[:1]}
    links: list[Link] = []
    seen, row = {start}, [start]
    for hop in range(1, reach.hops + 1):
        step = _around(index, hop, row, reach.types, out)
        if hop == 1:
            step += _beyond(index, start, own, reach.types)
        step = [link for link in step if link.target not in seen and link.target not in without]
        links += step
        row = list(dict.fromkeys(link.target for link in step if link.state == "known"))
        seen.update(row)
        if len(links) >= reach.limit or not row:
            break
    return tuple(links[: reach.limit])


def _around(
    index: SearchIndex, hop: int, keys: list[str], types: Collection[str], out: Collection[tuple[str, str]]
) -> list[Link]:
    edges = [(key, edge) for key, listed in index.edges(keys).items() for edge in listed if not types or edge.type in types]
    items = index.items(list(dict.fromkeys(edge.target for _, edge in edges)))
    links = []
    for key, edge in edges:
        if edge.target in items:
            direction: Direction = "" if hop > 1 else "out" if (edge.type, edge.target) in out else "in"
            links.append(Link(hop, key, direction, edge.type, edge.target, items[edge.target].title, "known"))
    return links


def _beyond(index: SearchIndex, start: str, own: Collection[Edge], types: Collection[str]) -> list[Link]:
    """Return the edges of the item's own note whose target is no item."""
    links = []
    for edge in own:
        if (types and edge.type not in types) or index.named(edge.target):
            continue
        if edge.type == MENTION and not is_external(edge.target):
            continue  # an unresolved key, perhaps none of ours
        state: Literal["outside", "stale"] = "outside" if is_external(edge.target) else "stale"
        links.append(Link(1, start, "out", edge.type, edge.target, "", state))
    return links

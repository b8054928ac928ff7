"""Find the current successors of a superseded memory, by following its chain of replacements."""

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from vademecum.domain.item import Item
from vademecum.domain.query import Hit, Scope
from vademecum.domain.relations import SUPERSEDING
from vademecum.domain.scope import item_fits
from vademecum.ports.index import SearchIndex
from vademecum.recall.numbers import STEPS_MOST

#: Statuses of current memories; a disputed one is included.
STANDING = ("active", "disputed")


def living_ends(index: SearchIndex, old: Item) -> tuple[Item, ...]:
    """Return the nearest current successors of a superseded memory, newest first; an empty tuple if there are none.

    Edges can be followed in both directions: newer memories are followed first, older ones only if there is no newer one.
    """
    seen, row = {old.key}, [old]
    for _ in range(STEPS_MOST):
        linked = _linked(index, [item.key for item in row], seen)
        if not linked:
            break
        living = [item for item in linked if item.status in STANDING]
        if living:
            return tuple(sorted(living, key=lambda item: item.key, reverse=True))
        seen.update(item.key for item in linked)
        later = [item for item in linked if item.key > row[0].key]
        row = later or linked
    return ()


def in_their_place(index: SearchIndex, hits: Sequence[Hit], scope: Scope, *, instead: bool) -> list[Hit]:
    """Insert the current successors of each superseded memory before it, or in its place (`instead`). Each memory appears once.

    A search for superseded memories only is not changed. A superseded memory without a successor is moved to the end.
    """
    instead = instead and (scope.statuses is None or any(status in scope.statuses for status in STANDING))
    ordered: list[Hit] = []
    behind: list[Hit] = []
    placed: set[str] = set()
    by_key = {hit.item.key: hit for hit in reversed(hits)}
    ends_of = {key: living_ends(index, hit.item) for key, hit in by_key.items() if hit.item.status == "superseded"}
    former = {end.key: by_key[key].item.title for key in reversed(ends_of) for end in ends_of[key]} if instead else {}
    for hit in hits:
        ends = ends_of.get(hit.item.key, ())
        successors = [_as_hit(index, end, hit, by_key) for end in ends if item_fits(end, scope)]
        replaced = hit.item.status == "superseded" and not ends
        own = () if instead and ends else (hit,)
        for successor in (*successors, *own):
            if successor is not None and (successor.item.source != "memory" or successor.item.key not in placed):
                (behind if replaced and instead else ordered).append(_naming(former, successor))
                placed.add(successor.item.key)
    return ordered + behind


def _naming(former: Mapping[str, str], hit: Hit) -> Hit:
    """Return the hit with the title of what it replaces, unless that is its own title."""
    title = former.get(hit.item.key, "")
    return replace(hit, replaces=title) if title and title.casefold() != hit.item.title.casefold() else hit


def _as_hit(index: SearchIndex, end: Item, old: Hit, hits: Mapping[str, Hit]) -> Hit | None:
    if end.key in hits:
        return hits[end.key]
    first = index.passages_of(end.key, 0, 1)
    return Hit(end, first[0].passage, first[0].number, old.score, boosts={f"replaced {old.item.title}": 0.0}) if first else None


def _linked(index: SearchIndex, keys: Sequence[str], seen: set[str]) -> list[Item]:
    targets = [edge.target for edges in index.edges(keys).values() for edge in edges if edge.type in SUPERSEDING]
    return list(index.items([key for key in dict.fromkeys(targets) if key not in seen]).values())

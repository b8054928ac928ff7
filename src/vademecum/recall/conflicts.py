"""Find memories that may be outdated: a later memory has probably replaced them without confirmation, or two devices gave one memory
different successors.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Protocol

from msgspec.structs import replace

from vademecum.domain.item import Edge, Item
from vademecum.domain.query import Hit, MemoryConflict, Scope
from vademecum.domain.relations import CONTRADICTS, MAY_REPLACE, RELATED, SUPERSEDES
from vademecum.domain.scope import item_fits
from vademecum.ports.index import SearchIndex

#: A memory with one of these states points to its successor.
_GAVE_WAY = ("superseded", "archived")
_FIRST = datetime.min.replace(tzinfo=UTC)


class Linked(Protocol):
    """The part of :class:`~vademecum.ports.index.SearchIndex` used here."""

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]: ...

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]: ...


def taken_over(index: Linked, keys: Sequence[str]) -> dict[str, Item]:
    """Return memory key -> the newest active memory that may have replaced it, for those that have one.

    If one memory has several successors, each may have replaced the others: devices edited independently, and their clocks do not show
    which one knew more.
    """
    edges = index.edges(keys)
    later, others = _linked(edges, MAY_REPLACE), _rivals(index, edges)
    items = index.items(sorted({*later, *others, *_all(later), *_all(others)}))
    all_items: dict[str, Item] = {}
    for key in items.keys() & {*later, *others}:
        rivals = [items[entry] for entry in later.get(key, ()) if entry in items and _conflicts(items[entry], items[key])]
        rivals += [items[other] for other in others.get(key, ())]
        if rivals:
            all_items[key] = max(rivals, key=_said)
    return all_items


def conflicts_with(index: SearchIndex, key: str) -> tuple[str, ...]:
    """Return the keys of memories in conflict with an active one.

    Either may have replaced the other, or both succeed the same earlier memory and were not related to each other since.
    """
    edges = index.edges([key])
    return tuple(sorted(_linked(edges, MAY_REPLACE).get(key, set()) | _rivals(index, edges).get(key, set())))


def _rivals(index: Linked, edges: Mapping[str, Sequence[Edge]]) -> dict[str, set[str]]:
    """Return active memory -> the other active successors of the same earlier memory, across any number of later changes."""
    steps = _linked(edges, SUPERSEDES)
    if not steps:
        return {}
    status, related = dict[str, str](), _linked(edges, RELATED)
    reached = {*steps, *_all(steps)}
    while fresh := reached - status.keys():
        by_key = {key: item.status for key, item in index.items(sorted(fresh)).items()}
        status |= dict.fromkeys(fresh, "") | by_key
        passed = [key for key in sorted(fresh - steps.keys()) if by_key.get(key) in _GAVE_WAY]
        steps |= _linked(index.edges(passed), SUPERSEDES)
        reached = {*steps, *_all(steps)}
    rivals = {key: _reached(key, steps, status, related.get(key, set())) for key in edges if status.get(key) == "active"}
    return {key: others for key, others in rivals.items() if others}


def _reached(start: str, steps: Mapping[str, Collection[str]], status: Mapping[str, str], beside: Collection[str]) -> set[str]:
    """Return the active memories reached from `start` through replaced ones. `beside`: memories that are valid together with `start`."""
    seen, waiting, names = {start, *beside}, [start], set[str]()
    while waiting:
        for key in set(steps.get(waiting.pop(), ())) - seen:
            seen.add(key)
            if status.get(key) == "active":
                names.add(key)
            elif status.get(key) in _GAVE_WAY:
                waiting.append(key)
    return names


def _linked(edges: Mapping[str, Sequence[Edge]], kind: str) -> dict[str, set[str]]:
    """Return memory key -> keys of the memories connected to it by an edge of this type, in either direction."""
    named = {key: {edge.target for edge in listed if edge.type == kind} for key, listed in edges.items()}
    return {key: others for key, others in named.items() if others}


def _all(named: Mapping[str, Collection[str]]) -> set[str]:
    return set().union(*named.values())


def marked(index: Linked, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Mark hits that a later memory may have replaced, and put that memory before them. Not for searches of a past date."""
    keys = list(dict.fromkeys(hit.item.key for hit in hits if hit.item.source == "memory"))
    later = taken_over(index, keys) if keys else {}
    return later_first(
        [replace(hit, may_be_replaced_by=later[hit.item.key].key) if hit.item.key in later else hit for hit in hits]
    )


def later_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Move a memory that may have replaced another right before it: what is read first is believed."""
    ordered = list(hits)
    for hit in hits:
        place = ordered.index(hit)
        later = next((at for at in range(place + 1, len(ordered)) if ordered[at].item.key == hit.may_be_replaced_by), None)
        if later is not None:
            ordered.insert(place, ordered.pop(later))
    return tuple(ordered)


def open_conflicts(index: SearchIndex, scope: Scope) -> tuple[MemoryConflict, ...]:
    """Return the unresolved conflicts whose later memory is in scope, newest first."""
    asked = {key for kind in (MAY_REPLACE, CONTRADICTS, SUPERSEDES) for key in index.with_edge(kind)}
    items = index.items(sorted(asked))
    edges = index.edges([*items])
    linked = {kind: _linked(edges, kind) for kind in (MAY_REPLACE, CONTRADICTS)} | {SUPERSEDES: _rivals(index, edges)}
    named = {(key, other, kind) for kind, those in linked.items() for key, others in those.items() for other in others}
    # both orders of each pair: the time when something was said decides which of two is later, not the edge between them
    pairs = named | {(other, key, kind) for key, other, kind in named}
    items = {**items, **index.items(sorted({other for _, other, _ in pairs} - items.keys()))}
    by_key = {
        (key, other): MemoryConflict(items[key], items[other])
        for key, other, kind in sorted(pairs)
        if {key, other} <= items.keys()
        and item_fits(items[key], scope)
        and _conflicts(items[key], items[other], disputed=kind == CONTRADICTS)
    }
    return tuple(sorted(by_key.values(), key=lambda conflict: _said(conflict.later), reverse=True))


def _conflicts(later: Item, earlier: Item, *, disputed: bool = False) -> bool:
    """Return whether both are active (or disputed) and `later` was said after `earlier`."""
    return later.status == earlier.status == ("disputed" if disputed else "active") and _said(later) > _said(earlier)


def _said(item: Item) -> tuple[datetime, str]:
    """Return when it was said, then its key, which orders two of the same second: ids grow with time."""
    return item.said_at or _FIRST, item.key

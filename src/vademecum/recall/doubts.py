"""Which memories may no longer hold, because a later one has likely taken their place and nobody said so for sure yet."""

from collections.abc import Sequence
from datetime import UTC, datetime

from vademecum.domain.item import Item
from vademecum.domain.query import Doubt, Hit, Scope
from vademecum.domain.relations import CONTRADICTS, MAY_REPLACE
from vademecum.domain.scope import item_fits
from vademecum.ports.index import SearchIndex

_FIRST = datetime.min.replace(tzinfo=UTC)


def taken_over(index: SearchIndex, keys: Sequence[str]) -> dict[str, Item]:
    """Return the key of a memory -> the newest active one that may have taken its place, for those that have any."""
    named = {key: [edge.target for edge in edges if edge.type == MAY_REPLACE] for key, edges in index.edges(keys).items()}
    in_doubt = {key: others for key, others in named.items() if others}
    items = index.items(list(dict.fromkeys([*in_doubt, *(other for others in in_doubt.values() for other in others)])))
    found: dict[str, Item] = {}
    for key, others in in_doubt.items():
        later = [items[other] for other in others if key in items and other in items and _doubts(items[other], items[key])]
        if later:
            found[key] = max(later, key=_said)
    return found


def later_first(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits, a memory that may have taken the place of another right before it: what is read first is believed."""
    ordered = list(hits)
    for hit in hits:
        place = ordered.index(hit)
        later = next((at for at in range(place + 1, len(ordered)) if ordered[at].item.key == hit.doubted_by), None)
        if later is not None:
            ordered.insert(place, ordered.pop(later))
    return tuple(ordered)


def open_doubts(index: SearchIndex, scope: Scope) -> tuple[Doubt, ...]:
    """Return all that nobody decided yet of the later memories in scope, the newest first."""
    later = index.items([*index.with_edge(MAY_REPLACE), *index.with_edge(CONTRADICTS)])
    edges = index.edges([key for key, item in later.items() if item_fits(item, scope)])
    pairs = {
        (key, edge.target): edge.type
        for key, listed in edges.items()
        for edge in listed
        if edge.type in (MAY_REPLACE, CONTRADICTS)
    }
    earlier = index.items([target for _, target in pairs])
    found = [
        Doubt(later[key], earlier[target])
        for (key, target), kind in pairs.items()
        if target in earlier and _doubts(later[key], earlier[target], disputed=kind == CONTRADICTS)
    ]
    return tuple(sorted(found, key=lambda doubt: _said(doubt.later), reverse=True))


def _doubts(later: Item, earlier: Item, *, disputed: bool = False) -> bool:
    """Return whether both still stand, or are disputed, in that order: an edge is met from either end."""
    return later.status == earlier.status == ("disputed" if disputed else "active") and _said(later) > _said(earlier)


def _said(item: Item) -> tuple[datetime, str]:
    """Return when it was said; ids grow with time, which tells two of one second apart."""
    return item.valid_from or item.created or _FIRST, item.key

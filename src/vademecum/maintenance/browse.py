"""List everything that is known page by page, and count it by type."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.daily import midnight
from vademecum.domain.item import Item, cursor_of
from vademecum.domain.query import Scope
from vademecum.ports.index import Facet, Index

#: Facet -> the field of a scope that filters by it.
_FIELDS: Mapping[Facet, str] = {"source": "sources", "kind": "kinds", "status": "statuses", "project": "projects"}
#: Number of tags that are reported, most frequent first.
TAGS_SHOWN = 30
_QUARTER_S = 900


class Listing(Struct, frozen=True):
    """A page of items, latest change first. `next` is the cursor of the next page, "" on the last one."""

    items: tuple[Item, ...]
    next: str


class Facets(Struct, frozen=True):
    """Counts of items by facet.

    Attributes:
        total: items that pass all filters.
        by: source, kind, status, project and tag -> value -> number of items that have it and pass all filters except those on
            the same facet; most frequent first. Items without a project are not counted under any.
        days: day on the person's calendar -> kind -> number of items last changed on it that pass all filters; latest day
            first.
    """

    total: int
    by: dict[str, dict[str, int]]
    days: dict[str, dict[str, int]]


def listing(found: Sequence[Item], limit: int) -> Listing:
    """Return a page of `limit` items. `found` contains one more if there is a next page."""
    shown = tuple(found[:limit])
    return Listing(shown, cursor_of(shown[-1].updated, shown[-1].key) if len(found) > len(shown) > 0 else "")


def facets(index: Index, scope: Scope, last: datetime, days: int, local: Callable[[datetime], datetime]) -> Facets:
    """Count the items in scope by facet, and by kind on each of the `days` up to `last`."""
    allowed = {field: getattr(scope, name) for field, name in _FIELDS.items()}
    open_scope = replace(scope, **dict.fromkeys(_FIELDS.values()))
    sorts = index.facets(open_scope, tuple(_FIELDS))
    wide = [(values, count) for values, count in sorts.items() if values[0] != "log"]
    by: dict[str, dict[str, int]] = {
        field: _most_first(_summed(wide, place, {**allowed, field: None})) for place, field in enumerate(_FIELDS)
    }
    tags = Counter({tag: count for (tag,), count in index.facets(replace(scope, tags=None), ("tag",)).items()})
    by["tag"] = dict(list(_most_first(tags).items())[:TAGS_SHOWN])
    total = sum(count for values, count in wide if _fits(values, allowed))
    return Facets(total, by, _days(index, scope, last, days, local) if days else {})


def _summed(
    wide: Sequence[tuple[tuple[str, ...], int]], place: int, allowed: Mapping[Facet, Sequence[str] | None]
) -> Counter[str]:
    result: Counter[str] = Counter()
    for values, count in wide:
        if _fits(values, allowed):
            result[values[place]] += count
    return result


def _fits(values: tuple[str, ...], allowed: Mapping[Facet, Sequence[str] | None]) -> bool:
    """Return whether values of all fields are allowed; items without a project belong to every project."""
    pairs = zip(values, allowed.items(), strict=True)
    return all(wanted is None or value in wanted or (field == "project" and not value) for value, (field, wanted) in pairs)


def _most_first(counts: Counter[str]) -> dict[str, int]:
    return {value: count for value, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])) if value}


def _days(
    index: Index, scope: Scope, last: datetime, days: int, local: Callable[[datetime], datetime]
) -> dict[str, dict[str, int]]:
    first = local(last).date() - timedelta(days=days - 1)
    since = max(filter(None, (scope.since, midnight(first, local))))
    by_key: dict[str, Counter[str]] = {}
    names: dict[str, str] = {}
    for (quarter, kind), count in index.facets(replace(scope, since=since), ("quarter", "kind")).items():
        if quarter not in names:
            names[quarter] = f"{local(datetime.fromtimestamp(int(quarter) * _QUARTER_S, UTC)):%Y-%m-%d}"
        by_key.setdefault(names[quarter], Counter())[kind] += count
    return {day: dict(by_key[day]) for day in sorted(by_key, reverse=True)}

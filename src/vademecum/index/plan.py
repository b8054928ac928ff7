"""Plan, then apply: what must change so that the index equals the files. Pure; the road acts on it."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from vademecum.domain.item import Fingerprint

#: (space, sort, path): where a file stands. `sort` is "memory" or "document".
Place = tuple[str, str, str]


class Plan(Struct, frozen=True):
    """What to do.

    Attributes:
        read: places that are new or not as known, in order.
        gone: item keys whose file is no longer there, or is going to be read again. Reading may bring one back, at the same
            place or another (a moved memory keeps its key), so drop only those that it does not.
        added, changed, same: how many files.
    """

    read: tuple[Place, ...]
    gone: tuple[str, ...]
    added: int
    changed: int
    same: int


def plan(seen: Mapping[Place, str], known: Mapping[str, Fingerprint], hidden: Collection[str] = ()) -> Plan:
    """Compare files with what the index knows.

    Args:
        seen: place -> stat of every file that is there.
        known: item key -> fingerprint, memories and documents only.
        hidden: keys whose folder could not be looked into: they are not gone.
    """
    places = {key: place_of(key, mark) for key, mark in known.items()}
    stats = {place: mark.stat for place, mark in zip(places.values(), known.values(), strict=True)}
    read = {place for place, stat in seen.items() if stats.get(place) != stat}
    touched = read | (stats.keys() - seen.keys())
    gone = [key for key, place in places.items() if place in touched and key not in hidden] if touched else []
    added = len(read - stats.keys())
    return Plan(tuple(sorted(read)), tuple(sorted(gone)), added, len(read) - added, len(seen) - len(read))


def place_of(key: str, mark: Fingerprint) -> Place:
    """Return where the file of an item stands."""
    return (mark.space, key.split("://", 1)[0], mark.path)

"""Plan the changes that make the index equal to the files. Pure; the caller applies them."""

from collections.abc import Collection, Mapping

from msgspec import Struct

from vademecum.domain.item import Fingerprint

#: (space, sort, path) of a file. `sort` is "memory" or "document".
Place = tuple[str, str, str]


class Plan(Struct, frozen=True):
    """The changes to apply.

    Attributes:
        read: places that are new or changed, in order.
        gone: item keys whose file is missing, or will be read again. Reading may restore a key at the same or another place (a moved
            memory keeps its key), so delete only keys that reading does not restore.
        added, changed, same: number of files.
    """

    read: tuple[Place, ...]
    gone: tuple[str, ...]
    added: int
    changed: int
    same: int


def plan(seen: Mapping[Place, str], known: Mapping[str, Fingerprint], hidden: Collection[str] = ()) -> Plan:
    """Compare files with the index.

    Args:
        seen: place -> stat of every existing file.
        known: item key -> fingerprint, memories and documents only.
        hidden: keys whose folder could not be read: they do not count as gone.
    """
    places = {key: place_of(key, mark) for key, mark in known.items()}
    stats = {place: mark.stat for place, mark in zip(places.values(), known.values(), strict=True)}
    read = {place for place, stat in seen.items() if stats.get(place) != stat}
    touched = read | (stats.keys() - seen.keys())
    gone = [key for key, place in places.items() if place in touched and key not in hidden] if touched else []
    added = len(read - stats.keys())
    return Plan(tuple(sorted(read)), tuple(sorted(gone)), added, len(read) - added, len(seen) - len(read))


def place_of(key: str, mark: Fingerprint) -> Place:
    """Return the place of an item's file."""
    return (mark.space, key.split("://", 1)[0], mark.path)

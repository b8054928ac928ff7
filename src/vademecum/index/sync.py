"""Plan, then apply: what must change so that the index equals the files. Pure; the road acts on it."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from vademecum.model.item import Fingerprint

#: (space, sort, path): where a file stands. `sort` is "memory" or "document".
Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Plan:
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
    stats = {place_of(key, mark): mark.stat for key, mark in known.items()}
    added = [place for place in seen if place not in stats]
    changed = [place for place, stat in seen.items() if place in stats and stats[place] != stat]
    read = {*added, *changed}
    gone = [key for key, mark in known.items() if _is_gone(place_of(key, mark), seen, read) and key not in hidden]
    return Plan(tuple(sorted(read)), tuple(sorted(gone)), len(added), len(changed), len(seen) - len(read))


def _is_gone(place: Place, seen: Mapping[Place, str], read: Collection[Place]) -> bool:
    return place not in seen or place in read


def place_of(key: str, mark: Fingerprint) -> Place:
    """Where the file of an item stands."""
    return (mark.space, key.split("://", 1)[0], mark.path)

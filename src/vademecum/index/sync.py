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
        gone: item keys whose file is no longer there. One of them may come back under another place: a moved memory keeps
            its key, so drop only those that reading does not bring back.
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
    places = {place_of(key, mark): (key, mark.stat) for key, mark in known.items()}
    added = [place for place in seen if place not in places]
    changed = [place for place, stat in seen.items() if place in places and places[place][1] != stat]
    gone = [key for place, (key, _) in places.items() if place not in seen and key not in hidden]
    return Plan(tuple(sorted(added + changed)), tuple(sorted(gone)), len(added), len(changed), len(seen) - len(added) - len(changed))


def place_of(key: str, mark: Fingerprint) -> Place:
    """Where the file of an item stands."""
    return (mark.space, key.split("://", 1)[0], mark.path)

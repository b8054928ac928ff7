"""Resolves the text of a link to the item it names. Names are folded; the best match wins.

A key or path is a better match than a file name, then a title, then an alias. An earlier path of a memory still resolves to it
when no file is there any more.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote

from msgspec import Struct

from vademecum.domain.ids import short_id
from vademecum.domain.item import FILED_SOURCES, Item
from vademecum.domain.kinds import was_place_of_memory
from vademecum.domain.late_pattern import late_pattern

#: Quality of a match by the type of name; the smallest wins.
KEY, PATH, STEM, TITLE, ALIAS, MOVED = range(6)

_EXTENSION = late_pattern(r"\.(md|markdown)$")
#: Schemes of notes' and memories' addresses, which are resolved by the rest of the address.
_SCHEME = late_pattern(r"vault://|fact:(?://)?", re.IGNORECASE)
#: Suffix of an archived memory's file name: the day, and a number.
_ARCHIVED_ON = late_pattern(r"\.\d{8}(?:-\d+)?\.md$")
_SPACES = late_pattern(r"\s+")


class Named(Struct, frozen=True):
    """An item that has a link's last part among its names."""

    key: str
    space: str
    path: str
    name_rank: int


def fold(name: str) -> str:
    """Return a link's text or a name for comparison: without heading, label, extension, case and repeated spaces."""
    bare = name.split("|", 1)[0].split("#", 1)[0].replace("\\", "/").strip()
    if scheme := _SCHEME.match(bare):
        bare = unquote(bare[scheme.end() :])
    return _SPACES.sub(" ", _EXTENSION.sub("", bare.casefold()))


def last_part(folded: str) -> str:
    """Return the lookup key of a folded link: a complete URI, or the last part of a path."""
    return folded if "://" in folded else folded.rstrip("/").rsplit("/", 1)[-1]


def names_of(item: Item) -> dict[str, int]:
    """Return folded names of the item -> quality of the match."""
    names: dict[str, int] = {}
    for name, name_rank in _names(item):
        folded = last_part(fold(name))
        if folded:
            names[folded] = min(name_rank, names.get(folded, name_rank))
    return names


def _names(item: Item) -> Iterator[tuple[str, int]]:
    yield item.key, KEY
    if item.source in ("session", "log"):
        return
    if item.source in FILED_SOURCES:
        yield item.key.removeprefix("memory://"), KEY
        yield short_id(item.key), KEY
    name = PurePosixPath(item.path).name
    yield name, STEM
    if item.path.startswith("_archive/"):
        yield _ARCHIVED_ON.sub("", name), STEM
    yield item.title, TITLE
    for alias in item.aliases:
        yield alias, ALIAS


def choose(link: str, space: str, candidates: Iterable[Named]) -> str | None:
    """Return the key of the item to which a folded link from `space` resolves, or None.

    Args:
        candidates: items that have the link's :func:`last_part` among their names.
    """
    fitting = [(_rank(link, space, named), named.key) for named in candidates]
    return min(((rank, key) for rank, key in fitting if rank is not None), default=(None, None))[1]


def ordered(link: str, candidates: Iterable[Named]) -> tuple[str, ...]:
    """Return keys of all items that a folded name can mean, best match first."""
    ranked = [(_rank(link, named.space, named), named.key) for named in candidates]
    return tuple(key for _, key in sorted((rank, key) for rank, key in ranked if rank is not None))


def _rank(link: str, space: str, named: Named) -> tuple[int, bool, int, str] | None:
    path = fold(named.path)
    name_rank = named.name_rank
    if "/" in link and "://" not in link:
        if f"/{path}".endswith(f"/{link.strip('/')}"):
            name_rank = PATH
        elif named.key.startswith("memory://") and was_place_of_memory(link):
            name_rank = MOVED
        else:
            return None
    return name_rank, named.space != space, path.count("/"), path

"""How a link's text finds the item it names. Names are folded; the closest name wins.

A key or path names an item more surely than its file's name, that more than its title, and a title more than an alias. A path at
which a memory stood once still names it when nothing stands there.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote

from msgspec import Struct

from vademecum.domain.ids import short_id
from vademecum.domain.item import FILED_SOURCES, Item
from vademecum.domain.kinds import was_place_of_memory

#: How sure a name is, by where it comes from; the smallest wins.
KEY, PATH, STEM, TITLE, ALIAS, MOVED = range(6)

_EXTENSION = re.compile(r"\.(md|markdown)$")
#: Of addresses of notes and memories, which are looked up by what they name.
_SCHEME = re.compile(r"vault://|fact:(?://)?", re.IGNORECASE)
#: What stands behind the name of an archived memory's file: the day, and a number.
_ARCHIVED_ON = re.compile(r"\.\d{8}(?:-\d+)?\.md$")
_SPACES = re.compile(r"\s+")


class Named(Struct, frozen=True):
    """An item that a link's last part names."""

    key: str
    space: str
    path: str
    sureness: int


def fold(name: str) -> str:
    """Return a link's text or a name as it is compared: without heading, label, extension, case and doubled spaces."""
    bare = name.split("|", 1)[0].split("#", 1)[0].replace("\\", "/").strip()
    if scheme := _SCHEME.match(bare):
        bare = unquote(bare[scheme.end() :])
    return _SPACES.sub(" ", _EXTENSION.sub("", bare.casefold()))


def last_part(folded: str) -> str:
    """Return the key under which a folded link is looked up: a URI whole, a path by its last part."""
    return folded if "://" in folded else folded.rstrip("/").rsplit("/", 1)[-1]


def names_of(item: Item) -> dict[str, int]:
    """Return folded names of the item -> how sure each is."""
    names: dict[str, int] = {}
    for name, sureness in _names(item):
        folded = last_part(fold(name))
        if folded:
            names[folded] = min(sureness, names.get(folded, sureness))
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
    """Return the key of the item that a folded link from `space` means, or None.

    Args:
        candidates: items that have the link's :func:`last_part` among their names.
    """
    fitting = [(_rank(link, space, named), named.key) for named in candidates]
    return min(((rank, key) for rank, key in fitting if rank is not None), default=(None, None))[1]


def ordered(link: str, candidates: Iterable[Named]) -> tuple[str, ...]:
    """Return keys of all items that a folded name can mean, surest first."""
    ranked = [(_rank(link, named.space, named), named.key) for named in candidates]
    return tuple(key for _, key in sorted((rank, key) for rank, key in ranked if rank is not None))


def _rank(link: str, space: str, named: Named) -> tuple[int, bool, int, str] | None:
    path = fold(named.path)
    sureness = named.sureness
    if "/" in link and "://" not in link:
        if f"/{path}".endswith(f"/{link.strip('/')}"):
            sureness = PATH
        elif named.key.startswith("memory://") and was_place_of_memory(link):
            sureness = MOVED
        else:
            return None
    return sureness, named.space != space, path.count("/"), path

"""Draw the origin of a memory as JSON Canvas 1.0 (jsoncanvas.org/spec/1.0), which Obsidian shows. Nothing is written."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from msgspec import Struct

from vademecum.domain.errors import VademecumError
from vademecum.domain.memory import STALE, Memory
from vademecum.domain.query import is_withheld
from vademecum.domain.relations import MAY_REPLACE
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.recall import Link
from vademecum.plugin_api.vault import from_root

WIDTH, HEIGHT, GAP = 400, 240, 120
#: Most memories of a chain of replacements drawn on each side.
CHAIN = 12
#: Rows relative to the memory: contradicting memories above, its sources below, other links below those.
_ABOVE, _SOURCES, _REST = -1, 1, 2
_AGAINST = ("contradicts", MAY_REPLACE)
_MEMORY, _DOUBT, _SOURCE = "6", "1", "4"


class Canvas(Struct, frozen=True):
    """Nodes and edges, with fields as in the specification."""

    nodes: tuple[dict[str, Any], ...]
    edges: tuple[dict[str, Any], ...]


class _Board:
    def __init__(self, context: Context) -> None:
        self._context = context
        self.nodes: dict[str, dict[str, Any]] = {}
        self.edges: list[dict[str, Any]] = []
        self._filled: dict[int, int] = {}

    def place(self, key: str, content: dict[str, str], column: int, row: int, color: str = "") -> None:
        """Put a node at a column and row; an existing node stays where it is."""
        spot = {"x": column * (WIDTH + GAP), "y": row * (HEIGHT + GAP), "width": WIDTH, "height": HEIGHT}
        self.nodes.setdefault(key, {"id": key, **content, **spot, **({"color": color} if color else {})})

    def add(self, key: str, content: dict[str, str], row: int, color: str = "") -> None:
        """Put a node into the next free column of a row, unless it exists."""
        if key not in self.nodes:
            self.place(key, content, self._filled.get(row, 0), row, color)
            self._filled[row] = self._filled.get(row, 0) + 1

    def join(self, one: str, other: str, label: str) -> None:
        """Add an arrow."""
        self.edges.append({"id": f"edge-{len(self.edges) + 1}", "fromNode": one, "toNode": other, "label": label})

    def of(self, memory: Memory) -> dict[str, str]:
        """Return a memory as the content of a node: its file if that is in the same vault, else a text."""
        spaces = {space.name: space for space in self._context.vault.spaces}
        home = self._context.vault.spaces[0]
        if memory.space != home.name:
            return _text(f"**{memory.title}**\n\n{memory.path} ({spaces[memory.space].name})")
        return {"type": "file", "file": from_root(home.root, home.documents_root, memory.path)}


def drawn(context: Context, memory: Memory, links: Sequence[Link], *, withheld: bool) -> Canvas:
    """Return a memory with those it replaced on its left, those that replaced it on its right, and its links.

    Args:
        withheld: whether withheld memories may be drawn.
    """
    board = _Board(context)
    board.place(memory.uri, board.of(memory), 0, 0, _MEMORY)
    for side, relation in ((-1, "supersedes"), (1, "superseded_by")):
        for number, (entry, other) in enumerate(_chain(context, memory, relation, withheld), 1):
            board.place(other.uri, board.of(other), side * number, 0)
            board.join(*((other.uri, entry.uri) if side < 0 else (entry.uri, other.uri)), _why(other if side < 0 else entry))
    if memory.source:
        board.add(memory.source, _outside(context, memory.source), _SOURCES, _SOURCE)
        board.join(memory.source, memory.uri, "taken from")
    for link in links:
        _linked(board, context, memory, link)
    return Canvas(tuple(board.nodes.values()), tuple(board.edges))


def _chain(context: Context, memory: Memory, relation: str, withheld: bool) -> Iterator[tuple[Memory, Memory]]:
    """Yield (memory, next one in its chain of replacements), nearest first."""
    seen = {memory.id}
    while len(seen) <= CHAIN:
        names = [name for name in getattr(memory, relation) if name != STALE and name not in seen]
        following = None
        with suppress(VademecumError):
            following = context.vault.get(names[0]) if names else None
        if following is None or (is_withheld(following.tags) and not withheld):
            return
        yield memory, following
        seen.add(following.id)
        memory = following


def _why(gone: Memory) -> str:
    reason = gone.extra.get("superseded_reason")
    return f"replaced: {reason}" if reason else "replaced by"


def _linked(board: _Board, context: Context, memory: Memory, link: Link) -> None:
    if link.state == "stale" or link.type in ("supersedes", "superseded_by") or link.target == memory.source:
        return
    against = link.type in _AGAINST
    content = _outside(context, link.target)
    if link.target.startswith("memory://"):
        with suppress(VademecumError):
            content = board.of(context.vault.get(link.target))
    board.add(link.target, content, _ABOVE if against else _REST, _DOUBT if against else "")
    text, other = (link.target, memory.uri) if link.direction == "in" else (memory.uri, link.target)
    board.join(text, other, link.type.replace("_", " "))


def _outside(context: Context, uri: str) -> dict[str, str]:
    """Return a URI outside of memory as the content of a node: a web page, a note, or a conversation by its title."""
    if uri.startswith(("https://", "http://")):
        return {"type": "link", "url": uri}
    if uri.startswith("vault://"):
        return {"type": "file", "file": uri.removeprefix("vault://")}
    item = context.index.items([uri]).get(uri)
    if item is not None and item.source == "document":
        return {"type": "file", "file": item.path}
    return _text(f"**{item.title}**\n\n{uri}" if item is not None and item.title else uri)


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}

"""Edits JSON with comments by replacing spans of the original text, so that all other bytes stay unchanged.

Hosts' files are JSON, some with comments and trailing commas, in the styles of various people and programs. A text is parsed
only to find positions, and never re-serialised. New text follows the indentation, newlines and compactness of the surrounding
text.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.late_pattern import late_pattern

#: Keys that lead to a value in nested objects.
Path = Sequence[str]

_BLANK = " \t\r\n"
_SPACE = late_pattern(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_COMMENT = late_pattern(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_WORD = late_pattern(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|true\b|false\b|null\b")
_DECODER = json.JSONDecoder()
#: Nesting limit, deeper than any host's file; the parser is recursive.
MOST_NESTED = 100


class Node(Struct, frozen=True):
    """A value and its position.

    Attributes:
        start, end: its span in the text. value: its Python value.
        keys: of an object, in order. items: values of an object or array. starts: start of each item, its key included.
        commas: positions of the commas; as many commas as items means a trailing one.
    """

    start: int
    end: int
    value: Any
    keys: tuple[str, ...] = ()
    items: tuple["Node", ...] = ()
    starts: tuple[int, ...] = ()
    commas: tuple[int, ...] = ()

    @property
    def trailing(self) -> bool:
        """Whether a comma follows the last item."""
        return bool(self.items) and len(self.commas) == len(self.items)

    def member(self, key: str) -> "Node | None":
        """Return the value under a key; the last one if the key is repeated, as in hosts."""
        places = [place for place, name in enumerate(self.keys) if name == key]
        return self.items[places[-1]] if places else None


def parse(text: str) -> Node:
    """Return the root value.

    Raises:
        InvalidInput: the text is no JSON, even with comments allowed; the message names the position.
    """
    return _Parser(text).root()


def find(root: Node, path: Path) -> Node | None:
    """Return the value at `path`, or None."""
    node: Node | None = root
    for key in path:
        node = node.member(key) if node is not None else None
    return node


def put(text: str, path: Path, value: Any) -> str:
    """Return `text` with `value` at `path`; missing objects on the path are created. An equal value is left unchanged.

    Raises:
        InvalidInput: no JSON, or a value on the path is no object.
    """
    root = _root(text)
    node = find(root, path)
    if node is not None:
        return text if node.value == value else _replaced(text, root, node, value)
    holder, depth = _deepest(root, path)
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _added(text, root, holder, value, path[depth])


def append(text: str, path: Path, value: Any) -> str:
    """Return `text` with `value` as the last entry of the list at `path`, which is created if missing.

    Raises:
        InvalidInput: no JSON, or the value at `path` is no list.
    """
    root = _root(text)
    node = find(root, path)
    if node is None:
        return put(text, path, [value])
    if not isinstance(node.value, list):
        raise InvalidInput(f"{'.'.join(path)} is no list.", "Correct the file by hand, then try again.")
    return _added(text, root, node, value)


def take(text: str, path: Path) -> str:
    """Return `text` without the member at `path`; unchanged when there is none."""
    holder = find(_root(text), path[:-1])
    if holder is None or path[-1] not in holder.keys:
        return text
    place = max(place for place, name in enumerate(holder.keys) if name == path[-1])
    return take(_without(text, holder, place), path)  # a repeated key is removed every time


def entries(text: str, path: Path) -> list[Any]:
    """Return the values in the list at `path`; empty when there is no list."""
    node = find(_root(text), path)
    return list(node.value) if node is not None and isinstance(node.value, list) else []


def take_entries(text: str, path: Path, places: Iterable[int]) -> str:
    """Return `text` without those entries of the list at `path`."""
    for place in sorted(places, reverse=True):
        node = find(_root(text), path)
        assert node is not None
        text = _without(text, node, place)
    return text


def replace_entry(text: str, path: Path, place: int, value: Any) -> str:
    """Return `text` with another value as entry `place` of the list at `path`."""
    root = _root(text)
    node = find(root, path)
    assert node is not None
    entry = node.items[place]
    return text if entry.value == value else _replaced(text, root, entry, value)


def newline_of(text: str) -> str:
    """Return the first newline sequence of a text; "\n" when it has none."""
    match = re.search(r"\r?\n", text)
    return match.group() if match else "\n"


def _root(text: str) -> Node:
    root = parse(text)
    if not isinstance(root.value, dict):
        raise InvalidInput("The file contains no JSON object.", "Correct the file by hand, then try again.")
    return root


def _deepest(root: Node, path: Path) -> tuple[Node, int]:
    """Return the last existing object on the path, and the number of keys that lead to it."""
    node = root
    for depth, key in enumerate(path):
        inner = node.member(key)
        if inner is None:
            return node, depth
        if not isinstance(inner.value, dict):
            raise InvalidInput(f"{'.'.join(path[: depth + 1])} is no object.", "Correct the file by hand, then try again.")
        node = inner
    raise AssertionError("the whole path exists")


class _Style(Struct, frozen=True):
    """Layout of a text: its newline, one step of indentation, whether it is on one line, and whether without spaces."""

    newline: str
    unit: str
    flat: bool
    tight: bool

    def render(self, value: Any, indent: str) -> str:
        """Return a value in this layout; lines after the first are indented by `indent`."""
        if self.flat:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":") if self.tight else (", ", ": "))
        lines = json.dumps(value, ensure_ascii=False, indent=self.unit).split("\n")
        return (self.newline + indent).join(lines)

    def member(self, key: str, value: Any, indent: str) -> str:
        """Return a value with its key in this layout."""
        return json.dumps(key, ensure_ascii=False) + (":" if self.tight else ": ") + self.render(value, indent)


def _style(text: str, root: Node) -> _Style:
    inside = text[root.start : root.end]
    flat = bool(root.items) and "\n" not in inside
    unit = _indent(text, root.starts[0]) if root.items and _leads_line(text, root.starts[0]) else ""
    return _Style(newline_of(text), unit or "  ", flat, flat and '": ' not in inside)


def _indent(text: str, place: int) -> str:
    """Return the white space at the beginning of the line that contains `place`."""
    line = text.rfind("\n", 0, place) + 1
    match = re.compile(r"[ \t]*").match(text, line)
    return match.group() if match else ""


def _leads_line(text: str, place: int) -> bool:
    return text[text.rfind("\n", 0, place) + 1 : place].strip(" \t") == ""


def _replaced(text: str, root: Node, node: Node, value: Any) -> str:
    """Return `text` with another value in place of a node; a value on one line stays on one line."""
    style = _style(text, root)
    flat = style.flat or (bool(node.items) and "\n" not in text[node.start : node.end])
    piece = replace(style, flat=flat).render(value, _indent(text, node.start))
    return text[: node.start] + piece + text[node.end :]


def _added(text: str, root: Node, holder: Node, value: Any, key: str | None = None) -> str:
    """Return `text` with one more item at the end of an object or list."""
    style = _style(text, root)
    inline = style.flat or (bool(holder.items) and "\n" not in text[holder.start : holder.starts[0]])
    outer = _indent(text, holder.start)
    first = holder.starts[0] if holder.items else -1
    indent = _indent(text, first) if holder.items and _leads_line(text, first) else outer + style.unit
    style = replace(style, flat=inline)
    piece = style.render(value, indent) if key is None else style.member(key, value, indent)

    after = _tail(holder)
    place, on_line = _behind_comments(text, after, holder.end - 1)
    comma = "," if holder.items and not holder.trailing else ""
    piece += "," if holder.trailing else ""
    if inline and not on_line:
        gap = "" if style.tight or not holder.items else " "
        return text[:after] + comma + text[after:place] + gap + piece + text[place:]
    closing = text[place : holder.end - 1]
    closing = closing if "\n" in closing else style.newline + outer
    return text[:after] + comma + text[after:place] + style.newline + indent + piece + closing + text[holder.end - 1 :]


def _tail(holder: Node) -> int:
    """Return the end of the last item and its comma; of the opening bracket when there are no items."""
    if not holder.items:
        return holder.start + 1
    return holder.commas[-1] + 1 if holder.trailing else holder.items[-1].end


def _behind_comments(text: str, start: int, end: int) -> tuple[int, bool]:
    """Return the end of the last comment between two positions (`start` without one), and whether it is a line comment."""
    comments = list(_COMMENT.finditer(text, start, end))
    return (comments[-1].end(), comments[-1].group().startswith("//")) if comments else (start, False)


def _without(text: str, holder: Node, place: int) -> str:
    """Return `text` without one item and its separating comma; comments stay."""
    opened = holder.commas[place - 1] + 1 if place else holder.start + 1
    start, on_line = _behind_comments(text, opened, holder.starts[place])
    end = holder.commas[place] + 1 if place < len(holder.commas) else holder.items[place].end
    if start == holder.starts[place]:  # no gap before the item, so none should remain after it either
        end += len(text[end:]) - len(text[end:].lstrip(" \t"))
    before, behind = text[:start], text[end:]
    if on_line and not behind.lstrip(" \t").startswith(("\n", "\r")):
        before += newline_of(text)
    if place and place == len(holder.items) - 1 and not holder.trailing:
        comma = holder.commas[place - 1]
        before = before[:comma] + before[comma + 1 :]
    if len(holder.items) == 1 and start == opened and behind.lstrip(_BLANK)[:1] in ("}", "]"):
        behind = behind.lstrip(_BLANK)
    return before + behind


class _Parser:
    """Recursive-descent parser of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._nested = 0

    def root(self) -> Node:
        start = self._space(1 if self._text.startswith("\ufeff") else 0)
        node = self._value(start)
        end = self._space(node.end)
        if end != len(self._text):
            raise self._wrong(end)
        return node

    def _space(self, place: int) -> int:
        match = _SPACE.match(self._text, place)
        return match.end() if match else place

    def _value(self, place: int) -> Node:
        text = self._text
        if text.startswith("{", place):
            return self._nest(place, self._object)
        if text.startswith("[", place):
            return self._nest(place, self._array)
        if text.startswith('"', place):
            value, end = self._string(place)
            return Node(place, end, value)
        if match := _WORD.match(text, place):
            return Node(place, match.end(), json.loads(match.group()))
        raise self._wrong(place)

    def _nest(self, place: int, read: Callable[[int], Node]) -> Node:
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise InvalidInput(f"The file is nested deeper than {MOST_NESTED} levels.")
        node = read(place)
        self._nested -= 1
        return node

    def _string(self, place: int) -> tuple[str, int]:
        try:
            value, end = _DECODER.raw_decode(self._text, place)
            return str(value), end
        except ValueError:
            raise self._wrong(place) from None

    def _object(self, start: int) -> Node:
        keys: list[str] = []

        def member(place: int) -> Node:
            if not self._text.startswith('"', place):
                raise self._wrong(place)
            key, end = self._string(place)
            colon = self._space(end)
            if not self._text.startswith(":", colon):
                raise self._wrong(colon)
            keys.append(key)
            return self._value(self._space(colon + 1))

        items, starts, commas, end = self._items(start, "}", member)
        values = {key: item.value for key, item in zip(keys, items, strict=True)}
        return Node(start, end, values, tuple(keys), items, starts, commas)

    def _array(self, start: int) -> Node:
        items, starts, commas, end = self._items(start, "]", self._value)
        return Node(start, end, [item.value for item in items], (), items, starts, commas)

    def _items(
        self, start: int, closing: str, read: Callable[[int], Node]
    ) -> tuple[tuple[Node, ...], tuple[int, ...], tuple[int, ...], int]:
        """Return items up to the closing bracket: (items, start of each item, commas, end)."""
        items: list[Node] = []
        starts: list[int] = []
        commas: list[int] = []
        place = self._space(start + 1)
        while not self._text.startswith(closing, place):
            if len(commas) < len(items):
                raise self._wrong(place)
            starts.append(place)
            items.append(read(place))
            place = self._space(items[-1].end)
            if self._text.startswith(",", place):
                commas.append(place)
                place = self._space(place + 1)
        return tuple(items), tuple(starts), tuple(commas), place + 1

    def _wrong(self, place: int) -> InvalidInput:
        line = self._text.count("\n", 0, place) + 1
        column = place - self._text.rfind("\n", 0, place)
        there = repr(self._text[place : place + 1]) if place < len(self._text) else "the end"
        return InvalidInput(
            f"line {line}, column {column}: {there} is not expected there.", "Correct the file by hand, then try again."
        )

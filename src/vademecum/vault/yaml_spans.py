"""Parse YAML into a tree in which every value has its position in the text.

Built from libyaml's events rather than its composer, which overflows the stack on deep nesting: a person's note must not be
able to crash the process.
"""

import functools
import re
from collections.abc import Iterator
from typing import Literal

import yaml
from msgspec import Struct
from msgspec.structs import replace

#: Maximum nesting and number of values of a frontmatter. Real ones stay below 4 and 200.
MAX_DEPTH = 32
MAX_VALUES = 50_000

#: Number of cached trees, and maximum length of a cached text in characters. One change of a memory parses the same few texts
#: many times.
_KEPT_TREES, _KEPT_CHARS = 512, 4096

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_BEGINS_NUMBER = re.compile(r"[-+.\s]*(?:\d|inf|nan)", re.IGNORECASE)
_STR_TAG = "tag:yaml.org,2002:str"


class Unreadable(ValueError):
    """The text is not valid YAML, or exceeds our limits. The message says what is wrong and, if known, in which line."""


class Node(Struct, frozen=True):
    """A value and its position.

    Attributes:
        children: items of a list; key, value, key, value... of a map.
        text: of a scalar, after unquoting. style: "" plain, "'", '"', "|" or ">".
        flow: a list or map in brackets.
        start, end: character positions, end exclusive; a block list ends where its last item ends.
        weight: number of values in it; an alias counts each time it is used.
    """

    sort: Literal["scalar", "list", "map"]
    start: int
    end: int
    text: str = ""
    style: str = ""
    tag: str = ""
    flow: bool = False
    children: tuple["Node", ...] = ()
    weight: int = 1

    @property
    def is_null(self) -> bool:
        """Whether it is a null value."""
        return self.sort == "scalar" and not self.style and not self.tag and self.text in _NULLS

    def pairs(self) -> Iterator[tuple["Node", "Node"]]:
        """Return keys and values of a map, in order."""
        return zip(self.children[::2], self.children[1::2], strict=True)

    def shape(self) -> object:
        """Return everything but the position, for comparing values."""
        if self.sort == "scalar":
            return (self.text, bool(self.style), self.tag)
        return (self.sort, self.tag, tuple(child.shape() for child in self.children))

    def texts(self) -> object:
        """Return the value with every scalar as written text; None for null."""
        if self.sort == "scalar":
            return None if self.is_null else self.text
        if self.sort == "list":
            return [child.texts() for child in self.children]
        return {key.text: value.texts() for key, value in self.pairs()}

    def typed(self) -> object:
        """Return the value with booleans and numbers converted.

        A number is converted only if writing it back gives the same characters: "01234", "1.10" and dates stay text, and so do
        the "yes" and "on" of old YAML.
        """
        if self.sort == "list":
            return [child.typed() for child in self.children]
        if self.sort == "map":
            return {key.text: value.typed() for key, value in self.pairs()}
        if self.is_null:
            return None
        return self.text if self.style or self.tag == _STR_TAG else _scalar(self.text)


def _scalar(text: str) -> object:
    if text in _BOOLS:
        return _BOOLS[text]
    if not _BEGINS_NUMBER.match(text):  # most values are words, and a failed conversion is slow
        return text
    for make in (int, float):
        try:
            number = make(text)
        except ValueError:
            continue
        if str(number) == text and text not in ("nan", "inf", "-inf"):
            return number
    return text


def parse_yaml(text: str) -> Node | None:
    """Return the one value in `text`, or None if there is only white space and comments.

    Raises:
        Unreadable: not YAML, several documents, or beyond MAX_DEPTH and MAX_VALUES.
    """
    return _kept(text) if len(text) <= _KEPT_CHARS else _parsed(text)


def _parsed(text: str) -> Node | None:
    try:
        loader = yaml.CSafeLoader(text)
        try:
            return _Tree(loader).root()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise Unreadable(f"{error.problem or error.context}{line}") from error
    except (yaml.YAMLError, UnicodeError) as error:
        raise Unreadable("a character that YAML does not allow") from error


_kept = functools.lru_cache(_KEPT_TREES)(_parsed)


def _span(event: yaml.Event) -> tuple[int, int]:
    if event.start_mark is None or event.end_mark is None:
        raise Unreadable("the parser does not say where a value stands")
    return event.start_mark.index, event.end_mark.index


class _Tree:
    """Builds nodes from events, without recursion."""

    def __init__(self, loader: yaml.CSafeLoader) -> None:
        self._events = iter(loader.get_event, None)
        self._anchors: dict[str, Node] = {}
        self._open: list[tuple[yaml.CollectionStartEvent, list[Node]]] = []
        self._roots: list[Node] = []
        self._weight = 0

    def root(self) -> Node | None:
        for event in self._events:
            if type(event) is yaml.ScalarEvent:  # the most frequent event
                self._add(event, self._node(event))
            elif isinstance(event, yaml.CollectionStartEvent):
                self._open.append((event, []))
                if len(self._open) > MAX_DEPTH:
                    raise Unreadable(f"it is nested deeper than {MAX_DEPTH} levels")
            elif isinstance(event, (yaml.AliasEvent, yaml.CollectionEndEvent)):
                self._add(event, self._node(event))
            elif isinstance(event, yaml.StreamEndEvent):
                break
        if len(self._roots) > 1:
            raise Unreadable("it holds several documents")
        return self._roots[0] if self._roots else None

    def _node(self, event: yaml.Event) -> Node:
        start, end = _span(event)
        if isinstance(event, yaml.ScalarEvent):
            return Node("scalar", start, end, event.value, event.style or "", event.tag or "")
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise Unreadable(f"*{event.anchor} names nothing")
            return replace(self._anchors[event.anchor], start=start, end=end)
        opening, children = self._open.pop()
        flow = bool(opening.flow_style)
        if not flow:
            end = children[-1].end if children else _span(opening)[1]
        sort: Literal["list", "map"] = "list" if isinstance(opening, yaml.SequenceStartEvent) else "map"
        weight = 1 + sum(child.weight for child in children)
        node = Node(sort, _span(opening)[0], end, "", "", opening.tag or "", flow, tuple(children), weight)
        if opening.anchor:
            self._anchors[opening.anchor] = node
        return node

    def _add(self, event: yaml.Event, node: Node) -> None:
        self._weight += 1
        if node.weight > MAX_VALUES or self._weight > MAX_VALUES:
            raise Unreadable(f"it holds more than {MAX_VALUES} values")
        if isinstance(event, yaml.ScalarEvent) and event.anchor:
            self._anchors[event.anchor] = node
        (self._open[-1][1] if self._open else self._roots).append(node)

"""Entries in a host's file: a JSON member, hooks, a TOML table, a marked block, or the complete file (port `Edit`)."""

import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from vademecum.adapters.hosts import json_spans
from vademecum.adapters.hosts.json_spans import newline_of
from vademecum.domain.errors import InvalidInput, Refused
from vademecum.domain.host import OUR_COMMAND

#: Word that all our texts contain, by which they are recognised.
MARK = "vademecum"


class Member(Struct, frozen=True):
    """A value at a path in a JSON object. Members that a person added to our object stay.

    Attributes:
        yields: an existing value, whatever it is, is not replaced.
    """

    path: tuple[str, ...]
    value: Any
    yields: bool = False

    def put(self, text: str) -> str:
        text = _object(text)
        if self.yields and _stands(text, self.path):
            return text
        if not self.ours(text) or not isinstance(self.value, dict):
            return json_spans.put(text, self.path, self.value)
        for key, value in self.value.items():
            text = json_spans.put(text, (*self.path, key), value)
        return text

    def take(self, text: str, before: str = "") -> str:
        stood = json_spans.find(json_spans.parse(_object(before)), self.path)
        if stood is not None:
            return text if self.yields else json_spans.put(text, self.path, stood.value)
        return _pruned(json_spans.take(_object(text), self.path), self.path[:-1], before)

    def ours(self, text: str) -> bool:
        node = json_spans.find(json_spans.parse(_object(text)), self.path)
        return not self.yields and node is not None and _starts_us(node.value)


class Hooks(Struct, frozen=True):
    """Our handlers in the lists of hooks below the member "hooks"; other handlers are not changed.

    Attributes:
        entries: event -> the entry in its list: a handler, or a group of handlers.
    """

    entries: Mapping[str, Any]

    def put(self, text: str) -> str:
        text = _object(text)
        for event in _events(text):
            if event not in self.entries:
                text = _without_ours(text, ("hooks", event), "")
        for event, entry in self.entries.items():
            text = _placed(text, ("hooks", event), entry)
        return text

    def take(self, text: str, before: str = "") -> str:
        text = _object(text)
        for event in _events(text):
            text = _without_ours(text, ("hooks", event), before)
        return text

    def ours(self, text: str) -> bool:
        hooks = json_spans.find(json_spans.parse(_object(text)), ("hooks",))
        return hooks is not None and _starts_us(hooks.value)


class Listed(Struct, frozen=True):
    """An entry of a JSON list that is identified by one of its members, such as a task by its label."""

    path: tuple[str, ...]
    key: str
    entry: Mapping[str, Any]

    def put(self, text: str) -> str:
        text = _object(text)
        places = self._places(text)
        if not places:
            return json_spans.append(text, self.path, self.entry)
        text = json_spans.replace_entry(text, self.path, places[0], self.entry)
        return json_spans.take_entries(text, self.path, places[1:])

    def take(self, text: str, before: str = "") -> str:
        text = _object(text)
        return _pruned(json_spans.take_entries(text, self.path, self._places(text)), self.path, before)

    def ours(self, text: str) -> bool:
        return bool(self._places(_object(text)))

    def _places(self, text: str) -> list[int]:
        known = self.entry[self.key]
        there = json_spans.entries(text, self.path)
        return [place for place, by_key in enumerate(there) if isinstance(by_key, dict) and by_key.get(self.key) == known]


class TomlTable(Struct, frozen=True):
    """A table of a TOML file, as a block of its own at the end; keys that a person added to it stay.

    The complete file is parsed before and after the change; if any other value differs, nothing is changed.
    """

    path: tuple[str, ...]
    values: Mapping[str, Any]

    def put(self, text: str) -> str:
        before = _toml(text)
        there = _at(before, self.path)
        if there is not None and all(there.get(key) == value for key, value in self.values.items()):
            return text
        newline, block = newline_of(text), _table_block(self.path).search(text)
        # JSON writes strings, numbers, booleans and lists of these in the same way.
        lines = {key: f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in self.values.items()}
        if block is None:
            gap = newline if text.strip() else ""
            text += newline if text and not text.endswith("\n") else ""
            written = text + gap + newline.join([f"[{'.'.join(self.path)}]", *lines.values()]) + newline
        else:
            written = text[: block.start()] + _with_lines(block.group(), lines, newline) + text[block.end() :]
        self._must_hold(written, before, {**(there or {}), **self.values})
        return written

    def take(self, text: str, before: str = "") -> str:
        now = _toml(text)
        if _at(now, self.path) is None:
            return text
        left = _table_block(self.path, below=True).sub("", text)
        self._must_hold(left, now, None)
        stood = _at(_toml(before), self.path)
        return left if stood is None else TomlTable(self.path, stood).put(left)

    def ours(self, text: str) -> bool:
        return _starts_us(_at(_toml(text), self.path))

    def _must_hold(self, text: str, before: dict[str, Any], values: Mapping[str, Any] | None) -> None:
        try:
            after = _toml(text)
        except InvalidInput:
            after = {}
        if _apart(before, self.path) != _apart(after, self.path) or _at(after, self.path) != values:
            name = ".".join(self.path)
            raise InvalidInput(f"[{name}] cannot be changed without changing the lines around it.", "Change it by hand.")


class Block(Struct, frozen=True):
    """A part of a text file between two marks, which are comments in the file's format."""

    body: str
    comment: tuple[str, str] = ("<!-- ", " -->")

    @property
    def _marks(self) -> tuple[str, str]:
        opens, closes = self.comment
        return f"{opens}{MARK}: begin{closes}", f"{opens}{MARK}: end{closes}"

    @property
    def _whole(self) -> re.Pattern[str]:
        begin, end = self._marks
        return re.compile(re.escape(begin) + r".*?" + re.escape(end), re.DOTALL)

    def put(self, text: str) -> str:
        newline = newline_of(text)
        begin, end = self._marks
        block = newline.join([begin, *self.body.strip().splitlines(), end])
        if self._whole.search(text):
            return self._whole.sub(lambda _: block, text, count=1)
        text += newline if text and not text.endswith("\n") else ""
        return text + (newline if text else "") + block + newline

    def take(self, text: str, before: str = "") -> str:
        around = re.compile(r"(?:(?<=\n)\r?\n)?" + self._whole.pattern + r"\r?\n?", re.DOTALL)
        return around.sub("", text, count=1)

    def ours(self, text: str) -> bool:
        return self._whole.search(text) is not None


class WholeFile(Struct, frozen=True):
    """A file that is entirely ours. A file without our mark belongs to another program."""

    body: str

    def put(self, text: str) -> str:
        if text.strip() and not self.ours(text):
            raise Refused("Another file exists there already.", "Move it away, then try again.")
        return self.body

    def take(self, text: str, before: str = "") -> str:
        return "" if self.ours(text) else text

    def ours(self, text: str) -> bool:
        return MARK in text.lower()


def is_ours(entry: Any) -> bool:
    """Return whether every handler of an entry in a list of hooks calls our client."""
    handlers = _handlers(entry)
    return bool(handlers) and all(map(_calls_us, handlers))


def _starts_us(value: Any) -> bool:
    """Return whether a value contains a call of our hook client or our MCP server."""
    if isinstance(value, str):
        return OUR_COMMAND.search(value) is not None
    if isinstance(value, list):
        return any(pair == ("-m", MARK) for pair in itertools.pairwise(value)) or any(map(_starts_us, value))
    return isinstance(value, dict) and any(map(_starts_us, value.values()))


def _handlers(entry: Any) -> list[Any]:
    if not isinstance(entry, dict):
        return []
    inner = entry.get("hooks")
    return inner if isinstance(inner, list) else [entry]


def _calls_us(handler: Any) -> bool:
    return isinstance(handler, dict) and any(isinstance(entry, str) and OUR_COMMAND.search(entry) for entry in handler.values())


def _events(text: str) -> list[str]:
    """Return all events that have a list of hooks."""
    hooks = json_spans.find(json_spans.parse(text), ("hooks",))
    return list(hooks.keys) if hooks is not None else []


def _placed(text: str, path: tuple[str, ...], entry: Any) -> str:
    """Put our entry of one event in place of the first older one, else at the end; never twice."""
    text = _unmixed(text, path)
    places = _our_places(text, path)
    if not places:
        return json_spans.append(text, path, entry)
    text = json_spans.replace_entry(text, path, places[0], entry)
    return json_spans.take_entries(text, path, places[1:])


def _without_ours(text: str, path: tuple[str, ...], before: str) -> str:
    unmixed = _unmixed(text, path)
    places = _our_places(unmixed, path)
    if not places:
        return unmixed
    return _pruned(json_spans.take_entries(unmixed, path, places), path, before)


def _our_places(text: str, path: tuple[str, ...]) -> list[int]:
    return [place for place, entry in enumerate(json_spans.entries(text, path)) if is_ours(entry)]


def _unmixed(text: str, path: tuple[str, ...]) -> str:
    """Return the text without our handlers in groups shared with other handlers: such a group belongs to the others."""
    for place, entry in enumerate(json_spans.entries(text, path)):
        handlers = _handlers(entry)
        if any(map(_calls_us, handlers)) and not is_ours(entry):
            kept = [handler for handler in handlers if not _calls_us(handler)]
            text = json_spans.replace_entry(text, path, place, {**entry, "hooks": kept})
    return text


def _pruned(text: str, path: tuple[str, ...], before: str) -> str:
    """Return the text without empty containers on `path` that did not exist before us."""
    while path:
        node = json_spans.find(json_spans.parse(text), path)
        if node is None or node.items or _stands(_object(before), path):
            return text
        text = json_spans.take(text, path)
        path = path[:-1]
    return text


def _stands(text: str, path: tuple[str, ...]) -> bool:
    return json_spans.find(json_spans.parse(text), path) is not None


def _object(text: str) -> str:
    """Return the text of a JSON file; an empty object for an empty file."""
    return text if text.strip("\ufeff \t\r\n") else "{}\n"


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 -- 3 ms that hooks avoid

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"It is not valid TOML: {error}.", "Correct the file by hand, then try again.") from error


def _table_block(path: tuple[str, ...], *, below: bool = False) -> re.Pattern[str]:
    """Match a table from its header to its last entry; comments after that belong to the following table.

    Args:
        below: also match each table below it, and for each the blank line before and the end of its last line.
    """
    name = r"[ \t]*\.[ \t]*".join(map(re.escape, path)) + (r"(?:[ \t]*\.[^\]\r\n]*)?" if below else "")
    rest = r"(?:\r?\n[ \t]*(?:#[^\r\n]*)?)*"
    whole = rf"^[ \t]*\[[ \t]*{name}[ \t]*\].*?(?={rest}(?:\r?\n[ \t]*\[|\Z))"
    around = rf"(?:(?<=\n)\r?\n)?{whole}(?:\r?\n)?" if below else whole
    return re.compile(around, re.MULTILINE | re.DOTALL)


def _with_lines(block: str, lines: Mapping[str, str], newline: str) -> str:
    """Return a table's block with lines replaced by key; lines with new keys are added after its header."""
    for key, line in reversed(list(lines.items())):
        pattern = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*=[^\r\n]*", re.MULTILINE)
        if pattern.search(block):
            block = pattern.sub(lambda _, line=line: line, block, count=1)  # type: ignore[misc]
        else:
            header, end, rest = block.partition("\n")
            block = f"{header}{end}{line}{newline}{rest}" if end else f"{header}{newline}{line}{newline}"
    return block


def _at(values: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        values = values.get(key) if isinstance(values, dict) else None
    return values


def _apart(values: dict[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return the values without the one at `path`; tables that become empty are removed."""
    rest = dict(values)
    if len(path) == 1:
        rest.pop(path[0], None)
    elif isinstance(rest.get(path[0]), dict):
        inner = _apart(rest[path[0]], path[1:])
        rest[path[0]] = inner
        if not inner:
            del rest[path[0]]
    return rest

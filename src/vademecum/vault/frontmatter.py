"""Edit frontmatter by replacing spans of text: everything that is not to change stays byte for byte.

Text is never dumped from parsed YAML. After every edit the result is parsed again; if any other property, or the body, has
changed, the edit is refused.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise

import yaml
from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import PROPERTY_ORDER
from vademecum.vault.yaml_spans import Node, Unreadable, parse_yaml

Scalar = str | bool | int | float | date | datetime

#: Allowed types of a property's value; None removes the property.
Value = Scalar | Sequence[Scalar] | None

#: A note whose "frontmatter" is longer than this starts with a horizontal rule instead.
MAX_FRONTMATTER_CHARS = 262_144

_NEWLINE = r"(?:\r\n|\n|\r)"
#: The opening fence of a frontmatter block, at the start of a note.
OPENING = late_pattern(rf"\ufeff?---[ \t]*{_NEWLINE}")
_CLOSING = late_pattern(rf"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:{_NEWLINE}|\Z)")
_LINE = late_pattern(rf"[^\r\n]*(?:{_NEWLINE}|\Z)")
_KEY_LINE = late_pattern(r"(?<![^\r\n])(?=[^\s#\-:][^\r\n:]*:(?:[ \t]|[\r\n]|\Z))")
_NUMBER_LIKE = late_pattern(
    r"[-+]?\.?[0-9][0-9_.,:]*(?:e[-+]?[0-9]+)?|[-+]?0(?:x[0-9a-f_]+|o[0-7_]+|b[01_]+)|[-+]?\.(?:inf|nan)", re.IGNORECASE
)
_SAFE_START = late_pattern(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`=<~]")
_UNSAFE = late_pattern(r":(?=\s|$)|\s#|[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
#: What stands between two items in brackets, without a comment.
_FLOW_GAP = late_pattern(r"\s*,\s*")
_NOT_IN_JSON = late_pattern("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_RANK = {name: rank for rank, name in enumerate(PROPERTY_ORDER)}


class Entry(Struct, frozen=True):
    """One property: its key and value, with positions in the YAML text."""

    name: str
    key: Node
    value: Node


class Frontmatter(Struct, frozen=True):
    """A parsed note. `head + yaml + tail + body` always equals the note.

    Attributes:
        head: byte order mark and opening fence. yaml: text between the fences. tail: the closing fence.
        entries: properties in order; of broken frontmatter only those that can be read.
        damage: the reason why it cannot be edited, or "".
        flow: written as one map in braces, which can be read but not edited.
    """

    head: str
    yaml: str
    tail: str
    body: str
    entries: tuple[Entry, ...] = ()
    damage: str = ""
    flow: bool = False

    @property
    def newline(self) -> str:
        """Line ending for new lines: the first one in the note."""
        match = re.search(_NEWLINE, self.head) or re.search(_NEWLINE, self.body)
        return match.group() if match else "\n"

    def texts(self) -> dict[str, object]:
        """Return properties as written, every scalar as text. Of a repeated key the last one counts."""
        return {entry.name: entry.value.texts() for entry in self.entries}

    def values(self) -> dict[str, object]:
        """Return properties with numbers and booleans converted. Of a repeated key the last one counts."""
        return {entry.name: entry.value.typed() for entry in self.entries}


def read(text: str) -> Frontmatter:
    """Parse a note. Never fails: problems are reported in `damage`.

    A note that starts with a horizontal rule and has prose up to the next one has no frontmatter; all of it is body.
    """
    opening = OPENING.match(text)
    closing = closing_of(text, opening.end()) if opening else None
    if not opening or not closing:
        return _without(text)
    parts = (opening.group(), text[opening.end() : closing.start()], closing.group(), text[closing.end() :])
    try:
        root = parse_yaml(parts[1])
    except Unreadable as error:
        return Frontmatter(*parts, tuple(_salvage(parts[1])), f"The frontmatter cannot be read: {error}.")
    if root is None:
        return Frontmatter(*parts)
    if root.sort == "scalar":
        return _without(text)
    if root.sort == "list" or any(key.sort != "scalar" for key, _ in root.pairs()):
        return Frontmatter(*parts, (), "The frontmatter is not a list of properties.")
    return Frontmatter(*parts, tuple(Entry(key.text, key, value) for key, value in root.pairs()), "", root.flow)


def closing_of(text: str, start: int) -> re.Match[str] | None:
    """Return the closing fence of the frontmatter block that begins at `start`; None if there is none."""
    return _CLOSING.search(text, start, start + MAX_FRONTMATTER_CHARS)


def key_lines(block: str) -> list[int]:
    """Return the start positions of the lines with a property name."""
    return [match.start() for match in _KEY_LINE.finditer(block)]


def _without(text: str) -> Frontmatter:
    bom = "\ufeff" if text.startswith("\ufeff") else ""
    return Frontmatter(bom, "", "", text[len(bom) :])


def _salvage(text: str) -> Iterator[Entry]:
    """Yield the properties of broken frontmatter that can be parsed separately; a line that cannot yields its raw text as value."""
    starts = key_lines(text)
    for start, end in zip(starts, [*starts, len(text)][1:], strict=True):
        piece = text[start:end]
        try:
            root = parse_yaml(piece)
        except Unreadable:
            name, _, value = piece.partition(":")
            yield Entry(name.strip(), Node("scalar", start, end), _as_meant(value.strip(), start, end))
            continue
        if root is not None and root.sort == "map":
            yield from (Entry(key.text, key, value) for key, value in root.pairs() if key.sort == "scalar")


def _as_meant(value: str, start: int, end: int) -> Node:
    """Return a value that is no YAML: a list if it is in brackets or each line begins with a hyphen, else its text."""
    lines = value.splitlines()
    if value.startswith("[") and value.endswith("]"):
        items = value[1:-1].split(",")
    elif lines and all(line.lstrip().startswith("- ") for line in lines):
        items = [line.lstrip()[2:] for line in lines]
    else:
        return Node("scalar", start, end, value, '"')
    return Node(
        "list", start, end, children=tuple(Node("scalar", start, end, item.strip().strip("\"'"), '"') for item in items)
    )


def set_properties(text: str, changes: Mapping[str, Value]) -> str:
    """Return `text` with these properties set (None: removed) and every other byte unchanged.

    A property that already has the value stays as written. New ones are inserted in PROPERTY_ORDER among those present, unknown
    ones at the end. A note without frontmatter gets one.

    Raises:
        InvalidInput: the frontmatter cannot be edited safely. The message says why.
    """
    before = read(text)
    _must_be_editable(before, changes)
    after = before
    for name in sorted(changes, key=lambda name: _RANK.get(name, len(_RANK))):
        after = _with(after, name, changes[name])
    result = after.head + after.yaml + after.tail + after.body
    _must_keep_the_rest(before, read(result), changes)
    return result


def with_lines_of(text: str, other: Frontmatter, names: Iterable[str]) -> str:
    """Return `text` with the lines of these properties as they are in another note, which has them too."""
    for name in names:
        front = read(text)
        (start, end), (first, last) = (
            next(
                (_line_start(each.yaml, entry.key.start), _line_end(each.yaml, entry.value.end))
                for entry in each.entries
                if entry.name == name
            )
            for each in (front, other)
        )
        text = front.head + front.yaml[:start] + other.yaml[first:last] + front.yaml[end:] + front.tail + front.body
    return text


def names_of(text: str) -> list[str]:
    """Return the names of a note's properties in order, without parsing their values."""
    opening = OPENING.match(text)
    closing = closing_of(text, opening.end()) if opening else None
    lines = _KEY_LINE.finditer(text, opening.end(), closing.start()) if opening and closing else ()
    return [text[match.start() : text.index(":", match.start())] for match in lines]


def is_in_order(names: Iterable[str]) -> bool:
    """Return whether known properties are in PROPERTY_ORDER; others may be anywhere."""
    ranks = [_RANK[name] for name in names if name in _RANK]
    return ranks == sorted(ranks)


def in_order(text: str) -> str:
    """Return `text` with known properties sorted by PROPERTY_ORDER, each byte for byte; others keep their positions.

    A note with a comment in its frontmatter is returned unchanged, since the comment may belong to any property.
    """
    front = read(text)
    if _why_not_editable(front, front.texts()) or re.search(r"^[ \t]*#", front.yaml, re.MULTILINE):
        return text
    starts = [_line_start(front.yaml, entry.key.start) for entry in front.entries]
    blocks = [front.yaml[start:end] for start, end in zip(starts, [*starts[1:], len(front.yaml)], strict=True)]
    ours = [(_RANK[entry.name], block) for entry, block in zip(front.entries, blocks, strict=True) if entry.name in _RANK]
    sorted_ours = (block for _, block in sorted(ours, key=lambda pair: pair[0]))
    placed = [next(sorted_ours) if entry.name in _RANK else block for entry, block in zip(front.entries, blocks, strict=True)]
    return front.head + front.yaml[: starts[0] if starts else 0] + "".join(placed) + front.tail + front.body


def can_set(front: Frontmatter, names: Iterable[str]) -> bool:
    """Return whether the syntax of the frontmatter allows setting or removing these properties."""
    return not _why_not_editable(front, names)


def set_body(text: str, body: str) -> str:
    """Return `text` with another body and its frontmatter unchanged.

    Raises:
        InvalidInput: the note has no frontmatter, or the new body could not be told apart from it.
    """
    front = read(text)
    tail = front.tail if not body or front.tail.endswith(("\r", "\n")) else front.tail + front.newline
    result = front.head + front.yaml + tail + body
    if not front.tail or read(result).body != body:
        raise InvalidInput("The text cannot be separated from the frontmatter.", "Nothing was written. Edit the file by hand.")
    return result


def with_line_ends(text: str, body: str) -> str:
    """Return `body` with the line endings of the note `text`, so that a Windows file stays one.

    A body with carriage returns is unchanged.
    """
    first = re.search(_NEWLINE, text)
    return body.replace("\n", "\r\n") if first and first.group() == "\r\n" and "\r" not in body else body


def render(properties: Mapping[str, Value], newline: str = "\n") -> str:
    """Return new frontmatter with its fences: properties in PROPERTY_ORDER, then unknown ones as given."""
    ordered = sorted(properties, key=lambda name: _RANK.get(name, len(_RANK)))
    lines = "".join(_property(name, properties[name], newline) for name in ordered if properties[name] is not None)
    return f"---{newline}{lines}---{newline}"


def _why_not_editable(front: Frontmatter, names: Iterable[str]) -> str:
    """Return the reason why these properties cannot be set or removed, or ""."""
    repeated = [name for name in names if sum(entry.name == name for entry in front.entries) > 1]
    indents = {_indent(front.yaml, entry) for entry in front.entries}
    if front.flow:
        return "The frontmatter is written as one map in braces."
    if repeated:
        return f"The frontmatter has {repeated[0]!r} more than once."
    if len(indents) > 1 or any(indent.strip() for indent in indents):
        return "The keys of the frontmatter do not stand at the start of their lines."
    return front.damage


def _must_be_editable(front: Frontmatter, changes: Mapping[str, Value]) -> None:
    reason = _why_not_editable(front, changes)
    if reason:
        raise InvalidInput(reason, "Nothing was written. Correct the frontmatter in an editor and try again.")


def _indent(text: str, entry: Entry) -> str:
    """Return the text before a key on its line; only white space if the frontmatter can be edited."""
    return text[_line_start(text, entry.key.start) : entry.key.start]


def _must_keep_the_rest(before: Frontmatter, after: Frontmatter, changes: Mapping[str, Value]) -> None:
    def others(front: Frontmatter) -> list[object]:
        return [(entry.name, entry.value.shape()) for entry in front.entries if entry.name not in changes]

    wanted = {name: _texts(value) for name, value in changes.items() if value is not None}
    got = {name: value for name, value in after.texts().items() if name in changes}
    if after.damage or after.body != before.body or others(after) != others(before) or got != wanted:
        raise InvalidInput(
            "The frontmatter is written in a way that cannot be edited without changing more than was asked.",
            "Nothing was written. Simplify it in an editor and try again.",
        )


def _texts(value: Value) -> object:
    if isinstance(value, (list, tuple)):
        return [_plain_text(item) for item in value]
    return _plain_text(value)


def _plain_text(value: object) -> str:
    """Return a scalar as written in the file, before quoting."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, (str, int, float)):
        return str(value)
    raise InvalidInput(
        f"A property cannot hold {type(value).__name__}.", "Properties are texts, numbers, dates, or lists of these."
    )


def scalar(value: Scalar) -> str:
    """Return one value as YAML on one line, quoted only if a parser would otherwise read another type or syntax."""
    text = _plain_text(value)
    if not isinstance(value, str) or _is_plain(text):
        return text
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("The text contains half of a character (a lone surrogate).", "Remove it and try again.") from error
    return _NOT_IN_JSON.sub(lambda match: f"\\u{ord(match.group()):04x}", json.dumps(text, ensure_ascii=False))


def _is_plain(text: str) -> bool:
    if not _SAFE_START.match(text) or text != text.strip() or _UNSAFE.search(text) or _NUMBER_LIKE.fullmatch(text):
        return False
    resolver = yaml.SafeLoader.yaml_implicit_resolvers.get(text[0], [])
    return not any(pattern.match(text) for _, pattern in resolver)


def _property(name: str, value: Value, newline: str, indent: str = "") -> str:
    """Return the line or lines of one property."""
    key = indent + scalar(name)
    if isinstance(value, (list, tuple)):
        if not value:
            return f"{key}: []{newline}"
        return f"{key}:{newline}" + "".join(f"{indent}  - {scalar(item)}{newline}" for item in value)
    return f"{key}: {scalar(value)}{newline}"  # type: ignore[arg-type]  # a Value that is no list and not None


def _with(front: Frontmatter, name: str, value: Value) -> Frontmatter:
    """Return `front` with one property set, added or removed, parsed again for new positions."""
    entry = next((entry for entry in front.entries if entry.name == name), None)
    if entry is None and value is None:
        return front
    if not front.tail:
        nl = front.newline
        return read(f"{front.head}---{nl}{_property(name, value, nl)}---{nl}{front.body}")
    if entry is None:
        text = _insert(front, name, value)
    elif value is None:
        text = front.yaml[: _line_start(front.yaml, entry.key.start)] + front.yaml[_line_end(front.yaml, entry.value.end) :]
    elif entry.value.texts() == _texts(value):
        return front
    else:
        text = _replace(front, entry, value)
    return read(front.head + text + front.tail + front.body)


def _insert(front: Frontmatter, name: str, value: Value) -> str:
    text = front.yaml
    indent = _indent(text, front.entries[0]) if front.entries else ""
    lines = _property(name, value, front.newline, indent)
    at = len(text)
    if name in _RANK:
        known = [entry for entry in front.entries if entry.name in _RANK]
        earlier = [entry for entry in known if _RANK[entry.name] < _RANK[name]]
        if earlier:
            nearest = max(earlier, key=lambda entry: _RANK[entry.name])
            at = _line_end(text, nearest.value.end)
        elif known:
            at = _line_start(text, known[0].key.start)
    return text[:at] + lines + text[at:]


def _replace(front: Frontmatter, entry: Entry, value: Value) -> str:
    text, node = front.yaml, entry.value
    colon = text.index(":", entry.key.end) + 1
    start, end = (colon, colon) if node.is_null and not text[node.start : node.end] else (node.start, node.end)
    if node.style in ("|", ">"):
        end = start + len(text[start:end].rstrip())
    many = isinstance(value, (list, tuple)) and len(value) > 0
    if many and node.sort == "list" and node.children and all(child.sort == "scalar" for child in node.children):
        return _replace_items(front, entry, value)  # type: ignore[arg-type]  # `many` says it is a list
    if many:
        nl, indent = front.newline, _indent(text, entry)
        rest = text[end : _line_end(text, end)].rstrip("\r\n")
        lines = _property(entry.name, value, nl, indent).partition(nl)[2]
        return text[:colon] + rest + nl + lines + text[_line_end(text, end) :]
    rendered = _property("x", value, "")[3:]
    gap = " " if start == colon else ""
    if node.sort != "scalar" and not node.flow:
        return f"{text[:colon]} {rendered}{text[end:]}"
    return text[:start] + gap + rendered + text[end:]


def _replace_items(front: Frontmatter, entry: Entry, value: Sequence[Scalar]) -> str:
    """Return the text with another list. Items that stay keep their quotes, comments and style; lines between items stay."""
    text, node = front.yaml, entry.value
    wanted = [_plain_text(item) for item in value]
    if node.flow:
        return text[: node.start] + _flow_items(text, node, wanted, value) + text[node.end :]
    starts = [_line_start(text, child.start) for child in node.children]
    ends = [_line_end(text, child.end) for child in node.children]
    spans = list(zip([starts[0], *ends], starts, ends, strict=False))  # of an item with the lines above it
    dash = re.match(r"[ \t]*- *", text[starts[0] :])
    mark = dash.group() if dash and dash.group().endswith(" ") else "  - "
    kept = _kept(node, wanted)
    if kept is None:
        sources = [(child.text, text[above:end]) for child, (above, _, end) in zip(node.children, spans, strict=True)]
        lines = [_reuse(sources, item) or mark + scalar(item) + front.newline for item in value]
    else:
        lines = [text[above : end if at in kept else start] for at, (above, start, end) in enumerate(spans)]
        lines += [mark + scalar(item) + front.newline for item in value[len(kept) :]]
    return text[: starts[0]] + "".join(lines) + text[ends[-1] :]


def _kept(node: Node, wanted: list[str]) -> list[int] | None:
    """Return the positions of the items that stay in their order, with new ones behind them; None if one changes its place."""
    kept: list[int] = []
    for at, child in enumerate(node.children):
        if len(kept) < len(wanted) and child.text == wanted[len(kept)]:
            kept.append(at)
    gone = {child.text for at, child in enumerate(node.children) if at not in kept}
    return None if gone.intersection(wanted[len(kept) :]) else kept


def _flow_items(text: str, node: Node, wanted: list[str], value: Sequence[Scalar]) -> str:
    """Return a list in brackets with other items. Those that stay in their order keep the signs around them too."""
    kept = _kept(node, wanted)
    if not kept:
        sources = [(child.text, text[child.start : child.end]) for child in node.children]
        return "[" + ", ".join(_reuse(sources, item) or _flow_scalar(item) for item in value) + "]"
    gaps = ["", *(text[before.end : after.start] for before, after in pairwise(node.children))]
    between = gaps[-1] if _FLOW_GAP.fullmatch(gaps[-1]) else ", "
    spans = [text[node.children[at].start : node.children[at].end] for at in kept]
    pieces = [spans[0], *(gaps[at] + span for at, span in zip(kept[1:], spans[1:], strict=True))]
    pieces += [between + _flow_scalar(item) for item in value[len(kept) :]]
    return text[node.start : node.children[0].start] + "".join(pieces) + text[node.children[-1].end : node.end]


def _reuse(sources: list[tuple[str, str]], item: Scalar) -> str:
    """Return the source text of an item that already exists, each used once; else ""."""
    for index, (text, source) in enumerate(sources):
        if text == _plain_text(item):
            del sources[index]
            return source
    return ""


def _flow_scalar(item: Scalar) -> str:
    text = scalar(item)
    return json.dumps(text, ensure_ascii=False) if re.search(r"[,\[\]{}]", text) and not text.startswith('"') else text


def _line_start(text: str, at: int) -> int:
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def _line_end(text: str, at: int) -> int:
    """Return the position after the line ending at or after `at`.

    After a block text, `at` may already be the start of a line: then it is returned.
    """
    if at > 0 and text[at - 1] in "\r\n":
        return at
    match = _LINE.match(text, at)
    return match.end() if match else len(text)

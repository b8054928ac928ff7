"""Properties of notes written by other programs, read as their authors meant them.

Programs write text values without quoting them. YAML then reads "#762" as a comment and rejects a second colon, or quotes
within quotes, and with them the whole block. So each property is parsed separately, and a text value is taken literally.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from vademecum.plugin_api.vault import Frontmatter, Unreadable, frontmatter, parse_yaml

#: Properties with free text: the whole line is the text.
_TEXTS = frozenset({"name", "title", "description", "summary", "hook"})
_NAME = re.compile(r"(?P<name>[^\s:#\-][^:\n]*?)[ \t]*:(?:[ \t]+(?P<value>\S.*?))?[ \t]*$")
#: Values with these first characters use YAML syntax.
_FORMED = re.compile(r"[\[{|>&*!%@`]")
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "„": "“"}


class Properties(NamedTuple):
    """The properties of a note.

    Attributes:
        values: by name.
        unread: (line in the file, name) of properties that could not be read.
    """

    values: dict[str, Any]
    unread: tuple[tuple[int, str], ...]


def properties_of(note: Frontmatter) -> Properties:
    """Return the properties of a note, each parsed separately. Never raises."""
    if note.flow:
        return Properties(dict(note.values()), ())
    values: dict[str, Any] = {}
    unread: list[tuple[int, str]] = []
    for offset, name, lines in _entries(note.yaml):
        try:
            values[name] = _value(name, lines)
        except Unreadable:
            unread.append((2 + offset, name))  # 2: the first line of the file opens the block
    return Properties(values, tuple(unread))


def with_end(text: str) -> str:
    """Return a note in which the block of properties that begins it has an end; `text` if it has one, or does not begin so."""
    opening = frontmatter.OPENING.match(text)
    if not opening or frontmatter.closing_of(text, opening.end()):
        return text
    end = opening.end()
    for number, line in enumerate(text[end:].splitlines(keepends=True)):
        if not (_NAME.match(line.rstrip("\r\n")) or (number and line.strip() and line.startswith((" ", "\t", "- ")))):
            break
        end += len(line)
    return f"{text[:end]}---\n{text[end:]}" if end > opening.end() and text[:end].endswith(("\n", "\r")) else text


def _entries(block: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (line from 0, name, its lines) of each property; lines before the first one are skipped."""
    began, name, lines = 0, "", list[str]()
    for number, line in enumerate(block.splitlines()):
        match = _NAME.match(line)
        if match:
            if name:
                yield began, name, lines
            began, name, lines = number, match["name"].strip("\"'"), [line]
        elif name:
            lines.append(line)
    if name:
        yield began, name, lines


def _value(name: str, lines: list[str]) -> Any:
    """Return the value of one property.

    Raises:
        Unreadable: it uses YAML syntax with an error.
    """
    match = _NAME.match(lines[0])
    written = (match["value"] or "") if match else ""
    alone = not any(line.strip() for line in lines[1:])
    if written and alone and name.lower() in _TEXTS and not _FORMED.match(written):
        return _unquoted(written) if written[0] in _QUOTES else written
    try:
        return _parsed("\n".join(lines))
    except Unreadable:
        if not (written and alone) or _FORMED.match(written):
            raise
        return _unquoted(written)


def _parsed(text: str) -> Any:
    root = parse_yaml(text)
    if root is None or root.sort != "map":
        raise Unreadable("no property")
    return next(value.typed() for _, value in root.pairs())


def _unquoted(written: str) -> str:
    """Return a text without the quotes around it: parsed as YAML if possible, else the literal text between them."""
    closing = _QUOTES.get(written[0])
    if closing is None or len(written) < 2 or written[-1] != closing:
        return written
    if written[0] in "\"'":
        with suppress(Unreadable):
            return str(_parsed(f"text: {written}"))
    return written[1:-1].strip()


def inner(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a property that is a mapping; empty if it is none."""
    value = values.get(name)
    return value if isinstance(value, Mapping) else {}

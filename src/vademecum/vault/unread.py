"""Report, line by line, properties of a note that Obsidian cannot read. Changes nothing."""

import re
from collections.abc import Iterator
from itertools import pairwise

from vademecum.vault.frontmatter import OPENING, closing_of, key_lines
from vademecum.vault.yaml_spans import Unreadable, parse_yaml

NEVER_CLOSED = "The block of properties is never closed: a line with only --- is missing."
TWO_BLOCKS = "It has two blocks of properties; Obsidian reads only the first."
NOT_FIRST = "The block of properties does not begin in the first line, so Obsidian does not read it."
_TEMPLATE = re.compile(r"\{\{.*?\}\}|<%.*?%>")
#: Pattern of a line that is no valid property -> reason.
_REASONS = (
    (_TEMPLATE, "a template that was never filled in"),
    (re.compile(r"^[ ]*\t"), "a tab at the start of the line"),
    (re.compile(r"^[^:\n]*:[ \t]*- "), "a list begins on the line of its name"),
    (re.compile(r"^[ ]*[@`%]"), "a name cannot begin with this sign"),
    (re.compile(r":[ \t]+[@`%]"), "a value with this sign at its start needs quotes"),
    (re.compile(r":[ \t]+[^\"'\n]*:[ \t]"), "a value with a colon needs quotes"),
)
_LINE_SHOWN_CHARS = 60


def unread_properties(text: str) -> tuple[str, ...]:
    """Return sentences about properties of a note that Obsidian cannot read; empty for a note without properties."""
    return tuple(_complaints(text))


def _complaints(text: str) -> Iterator[str]:
    opening = OPENING.match(text)
    if not opening:
        above = text.lstrip("\ufeff \t\r\n")
        if above.startswith("---") and above != text.lstrip("\ufeff") and _is_block(above):
            yield NOT_FIRST
        return
    closing = closing_of(text, opening.end())
    if not closing:
        if key_lines(text[opening.end() :].split("\n", 1)[0]):
            yield NEVER_CLOSED
        return
    yield from _unread_lines(text[opening.end() : closing.start()])
    if _is_block(text[closing.end() :].lstrip("\r\n")):
        yield TWO_BLOCKS


def _is_block(text: str) -> bool:
    """Return whether a text begins with a frontmatter block."""
    opening = OPENING.match(text)
    closing = closing_of(text, opening.end()) if opening else None
    return bool(opening and closing and key_lines(text[opening.end() : closing.start()].split("\n", 1)[0]))


def _unread_lines(block: str) -> Iterator[str]:
    unfilled = [line for line in block.splitlines() if _TEMPLATE.search(line)]
    yield from (f"{_shown(line)}: a template that was never filled in." for line in unfilled)
    try:
        parse_yaml(block)
    except Unreadable as error:
        starts = list(dict.fromkeys([0, *key_lines(block), len(block)]))
        pieces = [block[start:end] for start, end in pairwise(starts) if block[start:end].strip()]
        texts = [reason for piece in pieces if (reason := _why_unread(piece, unfilled))]
        yield from texts
        if not texts and not unfilled:
            yield f"Its properties cannot be read: {error}."


def _why_unread(piece: str, texts: list[str]) -> str:
    """Return why one property with its lines cannot be read; "" if it can, or the reason was already reported."""
    lines = piece.splitlines()
    try:
        parse_yaml(piece)
    except Unreadable as error:
        if any(line in texts for line in lines):
            return ""
        for line in lines:
            for pattern, reason in _REASONS:
                if pattern.search(line):
                    return f"{_shown(line)}: {reason}."
        return f"{_shown(lines[0])}: {str(error).rpartition(' in line ')[0] or error}."
    return ""


def _shown(line: str) -> str:
    line = line.strip()
    return f"'{line[:_LINE_SHOWN_CHARS]}{'...' * (len(line) > _LINE_SHOWN_CHARS)}'"

"""Split a page into blocks: list items and paragraphs, each with its heading."""

import re
from collections.abc import Iterator

from msgspec import Struct

from vademecum.language.checkboxes import is_ticked

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(
    r"\s{0,3}#{1,6}\s+(?P<name>.*?)[\s#]*$|(?:\d{1,2}\.\s+)?\*\*(?P<bold>[^*]{1,60}?):?\*\*:?\s*$|(?P<label>[^\W\d_][^.!?`]{0,48}):\s*$"
)
_ITEM = re.compile(r"(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*)$")


class Block(Struct, frozen=True):
    """A list item or a paragraph.

    Attributes:
        line: first line, from 1.
        done: its box is ticked.
    """

    line: int
    heading: str
    text: str
    is_item: bool = False
    done: bool = False


def blocks(text: str) -> Iterator[Block]:
    """Yield the blocks of a page in order. Lines indented below an item, and fenced blocks, are not split."""
    heading, open_block = "", list[tuple[int, str]]()
    is_item = done = False
    for number, line, sort in _sorted(text):
        inside = is_item and line.startswith((" ", "\t")) and sort != "heading"
        ends = sort in ("heading", "end") or (sort == "item" and not inside) or (sort == "blank" and not is_item)
        if open_block and (ends or (sort == "more" and is_item and not inside)):
            yield Block(open_block[0][0], heading, "\n".join(entry for _, entry in open_block).strip(), is_item, done)
            open_block, is_item, done = [], False, False
        if sort == "heading":
            heading = _heading_in(line)
        elif sort == "item" and not open_block:
            is_item, done = True, is_ticked(line.lstrip())
            open_block.append((number, _ITEM.sub(r"\g<text>", line)))
        elif sort != "end" and (open_block or sort != "blank"):
            open_block.append((number, line))


def _sorted(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield (number, line, sort) of each line: heading, item, blank, code or more; then an end."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence or mark:
            fence = (mark[1] if mark else "") if not fence else "" if mark and mark[1].startswith(fence) else fence
            yield number, line, "code"
        elif not line.strip():
            yield number, line, "blank"
        else:
            yield number, line, "heading" if _HEADING.match(line) else "item" if _ITEM.match(line) else "more"
    yield 0, "", "end"


def _heading_in(line: str) -> str:
    match = _HEADING.match(line)
    return next((name for name in match.groupdict().values() if name), "") if match else ""


def sections(text: str) -> Iterator[Block]:
    """Yield the text under each heading as one block; the text before the first one has no heading."""
    heading, began, lines = "", 1, list[str]()
    for number, line, sort in _sorted(text):
        if sort not in ("heading", "end") or (sort == "heading" and not line.lstrip().startswith("#")):
            lines.append(line)
            continue
        if entry := "\n".join(lines).strip("\n"):
            yield Block(began, heading, entry)
        heading, began, lines = _heading_in(line), number, []

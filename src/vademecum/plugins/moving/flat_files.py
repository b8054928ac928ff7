"""Files of the agent-memory design before it had folders: one `<agent>.md` each, split at its `## ` headings (IN-44).

A heading, in English or Portuguese, gives the kind of its entries. A section that is only a list has one entry for each item,
any other section has one entry. Text before the first heading is an entry too.
"""

import re
from collections.abc import Iterator
from functools import cache

from msgspec import Struct

from vademecum.language.checkboxes import is_ticked, is_ticked_off
from vademecum.language.load import languages
from vademecum.language.text import brief, fold, unaccented

TITLE_CHARS = 80
#: Kinds that a heading can name; the first match decides. Their words are in `data/*/headings.toml`.
KINDS_OF_SECTIONS = ("handoff", "decision", "task", "lesson", "preference", "identity", "project")
FALLBACK = "lesson"

_HEADING = re.compile(r"##[ \t]+(?P<name>.*?)[ \t#]*$")
_TITLE = re.compile(r"#[ \t]+\S")
_FENCE = re.compile(r" {0,3}(?P<mark>`{3,}|~{3,})")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>.*)$")
_MARKS = re.compile(r"[*_`#>]+")


class Entry(Struct, frozen=True):
    """One entry of a flat file.

    Attributes:
        heading: of its section; "" before the first one.
        title: one line, at most 80 characters.
        body: Markdown.
        done: its box is ticked, or all of its boxes are.
    """

    kind: str
    heading: str
    title: str
    body: str
    done: bool = False


def entries(text: str) -> tuple[Entry, ...]:
    """Return all entries of the file in order. Only empty sections and the title of the file are left out."""
    return tuple(entry for heading, lines in _sections(text) for entry in _section(heading, lines))


def kind_of(heading: str) -> str:
    """Return the kind that a heading names; "" if no word of it matches."""
    plain = fold(heading)
    return next((kind for kind in KINDS_OF_SECTIONS if _heading_of(kind).search(plain)), "")


@cache
def _heading_of(kind: str) -> re.Pattern[str]:
    return re.compile(unaccented(languages().sign("headings", kind).pattern))


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (heading, lines below it); `## ` inside a fenced block is code."""
    heading, lines, fence = "", [], ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and (not fence or (mark["mark"][0] == fence[0] and len(mark["mark"]) >= len(fence))):
            fence = "" if fence else mark["mark"]
        result = None if fence else _HEADING.match(line)
        if result is None:
            lines.append(line)
            continue
        yield heading, lines
        heading, lines = result["name"], []
    yield heading, lines


def _section(heading: str, lines: list[str]) -> Iterator[Entry]:
    if not heading and lines and _TITLE.match(lines[0]):
        lines = lines[1:]
    body = "\n".join(lines).strip()
    if not body:
        return
    kind = kind_of(heading) if heading else "project"
    items = list(_items(body.splitlines()))
    for item, done in items or [(body, is_ticked_off(body))]:
        text = item if items or kind else heading  # a heading without a kind describes the topic
        yield Entry(kind or FALLBACK, heading, _title(text), item, done)


def _items(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield (text without its marker, whether its box is ticked) of list items; nothing if there is other text between them."""
    items: list[tuple[list[str], bool]] = []
    for line in lines:
        item = _ITEM.match(line)
        if item:
            items.append(([item["text"]], is_ticked(line)))
        elif items and (not line.strip() or line.startswith((" ", "\t"))):
            items[-1][0].append(line)
        else:
            return
    yield from ((text, done) for item, done in items if (text := "\n".join(item).strip()))


def _title(text: str) -> str:
    return brief(_MARKS.sub("", text.split("\n", 1)[0]), TITLE_CHARS) or "Untitled"

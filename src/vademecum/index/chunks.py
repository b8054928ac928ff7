"""Split a note into passages along its structure: headings, then paragraphs, then sentences, never within a word.

Lines are scanned, not parsed: a note of any size takes one pass, and malformed Markdown is split too.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern

#: Maximum length of a passage: about what the sentence model reads (256 word pieces), and what a person sees at a glance.
PASSAGE_MAX_CHARS = 1000
#: Paragraphs are joined up to at least this length, so that a list of short lines becomes one passage.
PASSAGE_MIN_CHARS = 350

#: Minimum characters of a run without spaces that counts as data: no word is that long.
_RUN_CHARS = 400
#: Notes up to this length are not searched for embedded data.
_DATA_MIN_CHARS = 120
_DATA_URI = late_pattern(r"data:[^\s,]*;base64,[A-Za-z0-9+/=_%-]*(?:\s*\n[A-Za-z0-9+/=_%-]{40,})*")
#: A run without spaces, or lines of one such run each: an encoding is often wrapped.
_RUN = late_pattern(rf"\S{{{_RUN_CHARS},}}|^(?:[ \t]*[A-Za-z0-9+/=_-]{{40,}}[ \t\r]*\n){{4,}}", re.MULTILINE)
_DRAWN = ("compressed-json", "```drawio", "<mxfile", "<mxGraphModel", "<svg")
#: Drawings: fenced (Excalidraw, draw.io), draw.io XML, or SVG.
_DRAWING = late_pattern(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*(?:compressed-json|drawio)[^\n]*\n.*?(?:^[ \t>]*(?P=fence)[ \t\r]*$|\Z)"
    r"|<(?P<tag>mxfile|mxGraphModel)\b.*?(?:</(?P=tag)>|\Z)|<svg\b(?:(?!</svg>).){400,}</svg>",
    re.DOTALL | re.MULTILINE,
)
_HEADING = late_pattern(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
#: A line below a line of text that makes it a heading; and a line that cannot be one: a list item, quote, table, label or long text.
_UNDERLINE = late_pattern(r" {0,3}(=+|-{2,})[ \t]*$")
_NO_TITLE = late_pattern(r"[ \t]*(?:[-*+>|#=]|\d{1,9}[.)] )|.*[|:;,][ \t]*$|.{81}|\s*$")
_FENCE = late_pattern(r"[ \t>]{0,8}(`{3,}|~{3,})")
_BREAKS = ("\n\n", "\n", ". ", "? ", "! ", "。", "！", "？", "; ", ", ", " ")


class Chunk(Struct, frozen=True):
    """A piece of a note. `heading` is its path ("Setup / Linux"); `line` its first line, from 1."""

    text: str
    heading: str
    line: int


@dataclass(slots=True)
class _Section:
    """The text under a heading, up to the next heading, as (first line, paragraph). `level` 0: before the first heading."""

    level: int
    path: tuple[str, ...]
    line: int
    paragraphs: list[tuple[int, str]] = field(default_factory=list)


def chunk_note(text: str) -> list[Chunk]:
    """Return the pieces of a note in order; an empty list for a note without text."""
    sections = list(_sections(without_data(text)))
    chunks: list[Chunk] = []
    for section, following in zip(sections, [*sections[1:], None], strict=True):
        leads_on = following is not None and following.level > section.level
        if section.paragraphs:
            chunks += _joined(" / ".join(filter(None, section.path)), section.paragraphs)
        elif section.path and section.path[-1] and not leads_on:
            chunks.append(Chunk(section.path[-1], " / ".join(filter(None, section.path)), section.line))
    return chunks


def without_data(text: str) -> str:
    """Return a note without embedded data: encoded images and files, compressed drawings, and other runs longer than any word.

    Line numbers do not change.
    """
    if len(text) <= _DATA_MIN_CHARS:
        return text
    entry = _DRAWING.sub(lambda match: "\n" * match.group().count("\n"), text) if any(mark in text for mark in _DRAWN) else text
    entry = _DATA_URI.sub(" ", entry) if ";base64," in entry else entry
    return _RUN.sub(lambda match: match.group() if _is_words(match.group()) else " " + "\n" * match.group().count("\n"), entry)


def _is_words(run: str) -> bool:
    """Return whether a long run is text: a URL, a script without spaces between words, or a list of names or hashes."""
    if "\n" in run:
        *lines, _ = map(str.strip, run.rstrip().split("\n"))
        return len(set(map(len, lines))) > 1 or not re.search(r"[A-Z]", run) or not re.search(r"[a-z].*\d|\d.*[a-z]", run)
    return ("://" in run[:40] and len(run) < 2 * _RUN_CHARS) or (
        not run.isascii() and sum(char > "\u2fff" for char in run) > len(run) // 2
    )


def split_text(text: str, most: int = PASSAGE_MAX_CHARS) -> list[str]:
    """Return `text` in pieces of at most `most` characters, cut at the strongest break in the second half of each; [] for blank text."""
    return [piece for _, piece in _pieces(text, most)]


def _pieces(text: str, most: int) -> Iterator[tuple[int, str]]:
    """Yield (start offset, piece) in one pass."""
    start, end = 0, len(text.rstrip())
    while start < end:
        window = text[start : min(start + most, end)]
        cut = len(window) if start + most >= end else _cut(window)
        piece = window[:cut].strip()
        if piece:
            yield start + len(window[:cut]) - len(window[:cut].lstrip()), piece
        start += cut


def _cut(window: str) -> int:
    for mark in _BREAKS:
        place = window.rfind(mark)
        if place > len(window) // 2:
            return place + len(mark)
    return len(window)


def _sections(text: str) -> Iterator[_Section]:
    """Yield sections in order. Blank lines and hash signs within a fence are kept; an unclosed fence ends with the note."""
    section = _Section(0, (), 1)
    path: list[tuple[int, str]] = []
    current: list[str] = []
    start, fence = 1, ""
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        mark = _FENCE.match(line)
        heading = None if fence or mark else _HEADING.match(line)
        level, name = (len(heading[1]), heading[2]) if heading else (0, "")
        underline = _UNDERLINE.match(line) if not fence and len(current) == 1 and not _NO_TITLE.match(current[0]) else None
        if underline:
            level, name, current = 1 + (underline[1][0] == "-"), current[0].strip(), []
        if level or (not fence and not line.strip()):
            if current:
                section.paragraphs.append((start, "\n".join(current)))
            current = []
        else:
            start = start if current else number
            current.append(line)
        fence = _fence_after(fence, mark)
        if level:
            yield section
            path = [(above, its_name) for above, its_name in path if above < level]
            path.append((level, name))
            section = _Section(level, tuple(its_name for _, its_name in path), number)
    if current:
        section.paragraphs.append((start, "\n".join(current)))
    yield section


def _fence_after(fence: str, mark: re.Match[str] | None) -> str:
    """Return the fence that is open after a line with this mark; "" for none."""
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1][0] == fence[0] and len(mark[1]) >= len(fence) else fence


def _joined(heading: str, paragraphs: list[tuple[int, str]]) -> Iterator[Chunk]:
    """Yield passages made of the paragraphs of a section: short ones joined, long ones split."""
    waiting: list[str] = []
    length, first = 0, 1
    for line, paragraph in paragraphs:
        if waiting and (length >= PASSAGE_MIN_CHARS or length + len(paragraph) + 2 > PASSAGE_MAX_CHARS):
            yield Chunk("\n\n".join(waiting).strip(), heading, first)
            waiting, length = [], 0
        if len(paragraph) > PASSAGE_MAX_CHARS:
            yield from _cut_up(heading, line, paragraph)
            continue
        first = first if waiting else line
        waiting.append(paragraph)
        length += len(paragraph) + 2
    if waiting:
        yield Chunk("\n\n".join(waiting).strip(), heading, first)


def _cut_up(heading: str, line: int, paragraph: str) -> Iterator[Chunk]:
    """Yield a long paragraph as passages, each with its first line."""
    seen = 0
    for start, piece in _pieces(paragraph, PASSAGE_MAX_CHARS):
        line += paragraph.count("\n", seen, start)
        seen = start
        yield Chunk(piece, heading, line)

"""A note cut into passages along its own structure: headings, then paragraphs, then sentences, never in a word.

Lines are scanned rather than parsed: a note of any size is cut in one pass, and a broken one is cut all the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec import Struct

#: A passage is at most this long: about what the sentence model sees (256 word pieces), and what a person reads at a glance.
PASSAGE_MAX_CHARS = 1000
#: Paragraphs are joined until a passage has at least this much, so that a list of short lines is one passage.
PASSAGE_MIN_CHARS = 350

#: So long is no word, in characters.
_RUN_CHARS = 400
#: A shorter note holds nothing that is worth looking for.
_DATA_MIN_CHARS = 120
_DATA_URI = re.compile(r"data:[^\s,]*;base64,[A-Za-z0-9+/=_%-]*(?:\s*\n[A-Za-z0-9+/=_%-]{40,})*")
_RUN = re.compile(rf"\S{{{_RUN_CHARS},}}")
_DRAWN = ("compressed-json", "```drawio", "<mxfile", "<mxGraphModel")
#: Drawings: fenced (Excalidraw, draw.io), or as the XML of draw.io.
_DRAWING = re.compile(
    r"^(?P<fence>`{3,}|~{3,})[ \t]*(?:compressed-json|drawio)[^\n]*\n.*?(?:^(?P=fence)[ \t]*$|\Z)|<mxfile.*?(?:</mxfile>|\Z)"
    r"|<mxGraphModel.*?(?:</mxGraphModel>|\Z)",
    re.DOTALL | re.MULTILINE,
)
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"[ \t>]{0,8}(`{3,}|~{3,})")
_BREAKS = ("\n\n", "\n", ". ", "? ", "! ", "。", "！", "？", "; ", ", ", " ")


class Chunk(Struct, frozen=True):
    """A piece of a note. `heading` is its path ("Setup / Linux"); `line` its first line, from 1."""

    text: str
    heading: str
    line: int


@dataclass(slots=True)
class _Section:
    """What stands under a heading, up to the next one: (first line, paragraph). `level` 0: before the first heading."""

    level: int
    path: tuple[str, ...]
    line: int
    paragraphs: list[tuple[int, str]] = field(default_factory=list)


def chunk_note(text: str) -> list[Chunk]:
    """Return the pieces of a note in order; none for a note without text."""
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
    """Return a note without what is no text in it: pictures and files written out as characters, compressed drawings, and any other
    run of characters that no word is so long. Lines keep their numbers.
    """
    if len(text) <= _DATA_MIN_CHARS:
        return text
    entry = _DRAWING.sub(lambda match: "\n" * match.group().count("\n"), text) if any(mark in text for mark in _DRAWN) else text
    entry = _DATA_URI.sub(" ", entry) if ";base64," in entry else entry
    return _RUN.sub(lambda match: match.group() if _is_words(match.group()) else " ", entry)


def _is_words(run: str) -> bool:
    """Return whether a long run without spaces is text all the same: an address, or a script that sets none between words."""
    return ("://" in run[:40] and len(run) < 2 * _RUN_CHARS) or (
        not run.isascii() and sum(char > "\u2fff" for char in run) > len(run) // 2
    )


def split_text(text: str, most: int = PASSAGE_MAX_CHARS) -> list[str]:
    """Return `text` in pieces of at most `most` characters, cut at the largest break in the second half of each; [] for blank text."""
    return [piece for _, piece in _pieces(text, most)]


def _pieces(text: str, most: int) -> Iterator[tuple[int, str]]:
    """Yield (where it begins, piece). One pass, whatever the length."""
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
    """Yield sections in order. Fences keep their blank lines and hash signs; one that never closes ends with the note."""
    section = _Section(0, (), 1)
    path: list[tuple[int, str]] = []
    current: list[str] = []
    start, fence = 1, ""
    for number, line in enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1):
        mark = _FENCE.match(line)
        heading = None if fence or mark else _HEADING.match(line)
        if heading or (not fence and not line.strip()):
            if current:
                section.paragraphs.append((start, "\n".join(current)))
            current = []
        else:
            start = start if current else number
            current.append(line)
        fence = _fence_after(fence, mark)
        if heading:
            yield section
            path = [(level, name) for level, name in path if level < len(heading[1])]
            path.append((len(heading[1]), heading[2]))
            section = _Section(len(heading[1]), tuple(name for _, name in path), number)
    if current:
        section.paragraphs.append((start, "\n".join(current)))
    yield section


def _fence_after(fence: str, mark: re.Match[str] | None) -> str:
    """Return the fence that is open behind a line with this mark; "" for none."""
    if mark is None:
        return fence
    if not fence:
        return mark[1]
    return "" if mark[1][0] == fence[0] and len(mark[1]) >= len(fence) else fence


def _joined(heading: str, paragraphs: list[tuple[int, str]]) -> Iterator[Chunk]:
    """Yield paragraphs of a section put together up to a passage, long ones cut."""
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
    """Yield a long paragraph as passages, each with the line it begins on."""
    seen = 0
    for start, piece in _pieces(paragraph, PASSAGE_MAX_CHARS):
        line += paragraph.count("\n", seen, start)
        seen = start
        yield Chunk(piece, heading, line)

"""A note cut into passages along its own structure: headings, then paragraphs, then sentences, never in a word.

Lines are scanned rather than parsed: a note of any size is cut in one pass, and a broken one is cut all the same.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: A passage is at most this long: about what the sentence model sees (256 word pieces), and what a person reads at a glance.
PASSAGE_MAX_CHARS = 1000
#: Paragraphs are joined until a passage has at least this much, so that a list of short lines is one passage.
PASSAGE_MIN_CHARS = 350

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*$")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_BREAKS = ("\n\n", "\n", ". ", "? ", "! ", "。", "！", "？", "; ", ", ", " ")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a note. `heading` is its path ("Setup / Linux"); `line` its first line, from 1."""

    text: str
    heading: str
    line: int


def chunk_note(text: str) -> list[Chunk]:
    """The pieces of a note in order; none for a note without text."""
    chunks: list[Chunk] = []
    for heading, paragraphs in _sections(text):
        chunks += _joined(heading, paragraphs)
    return chunks


def split_text(text: str, most: int = PASSAGE_MAX_CHARS) -> list[str]:
    """`text` in pieces of at most `most` characters, cut at the largest break in the second half of each; [] for blank text."""
    text = text.strip()
    pieces = []
    while len(text) > most:
        cut = _cut(text[:most])
        pieces.append(text[:cut].strip())
        text = text[cut:].strip()
    return [piece for piece in (*pieces, text) if piece]


def _cut(window: str) -> int:
    for mark in _BREAKS:
        place = window.rfind(mark)
        if place > len(window) // 2:
            return place + len(mark)
    return len(window)


def _sections(text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """(heading path, [(first line, paragraph)]) in order. Fences keep their blank lines and hash signs."""
    path: list[tuple[int, str]] = []
    paragraphs: list[tuple[int, str]] = []
    current: list[str] = []
    fence = ""
    start = 1
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) else fence
        elif mark:
            fence = mark[1]
        heading = None if fence or mark else _HEADING.match(line)
        if heading or (not fence and not line.strip()):
            if current:
                paragraphs.append((start, "\n".join(current)))
            current = []
        elif not current:
            start = number
        if heading:
            if paragraphs:
                yield _path(path), paragraphs
            paragraphs = []
            path = [(level, name) for level, name in path if level < len(heading[1])]
            path.append((len(heading[1]), heading[2]))
        elif fence or line.strip():
            current.append(line)
    if current:
        paragraphs.append((start, "\n".join(current)))
    if paragraphs or path:
        yield _path(path), paragraphs


def _path(path: list[tuple[int, str]]) -> str:
    return " / ".join(name for _, name in path if name)


def _joined(heading: str, paragraphs: list[tuple[int, str]]) -> Iterator[Chunk]:
    """Paragraphs of a section put together up to a passage, long ones cut. A heading without text is a passage of its own."""
    if not paragraphs and heading:
        yield Chunk(heading.rsplit(" / ", 1)[-1], heading, 1)
    waiting, line = "", 1
    for number, paragraph in paragraphs:
        if waiting and (len(waiting) >= PASSAGE_MIN_CHARS or len(waiting) + len(paragraph) + 2 > PASSAGE_MAX_CHARS):
            yield Chunk(waiting, heading, line)
            waiting = ""
        if not waiting:
            line = number
        waiting = f"{waiting}\n\n{paragraph}" if waiting else paragraph
        if len(waiting) > PASSAGE_MAX_CHARS:
            *whole, waiting = split_text(waiting)
            for piece in whole:
                yield Chunk(piece, heading, line)
    if waiting:
        yield Chunk(waiting, heading, line)

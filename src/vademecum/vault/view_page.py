"""Pages that are made of memories: how they are written, and what somebody wrote into one since. Texts in, texts out.

At its end a page has a comment of Obsidian's, with an entry for each line that is about something: the memory that it is about, a hash of
the line, and a hash of its anchor. So a page says by itself, on any computer, which of its lines are as they were made. In pages of
earlier versions each line ends with a comment of its own; they are still read.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

#: Stands where a line is about no memory.
NOTHING = "-"
#: Words of the entry of a line at the end of a page: what the line is about, its hash, and the hash of its anchor.
MARK_WORDS = 3
_MARK = re.compile(r"[ \t]*%%(?P<ref>[0-9A-Z]{26}|-) (?P<mark>[0-9a-f]{8})%%[ \t]*$")
_FOOT = re.compile(r"^%%made of memories (?P<mark>[0-9a-f]{8}) ?(?P<stamp>[0-9A-Z]{26})?%%$")
_BLOCK = re.compile(
    r"^%%(made of memories [0-9a-f]{8}(?: [0-9A-Z]{26})?)\n((?:(?:[0-9A-Z]{26}|-)(?: [0-9a-f]{8}){2}\n)+)%%[ \t]*$", re.M
)
_LINK = re.compile(r"\[\[([^|\]]+)")
#: Where a line has no link, this many of its words are its anchor.
_ANCHOR_WORDS = 3


class Line(Struct, frozen=True):
    """One line of a page. `ref`: id of the memory that it is about, or NOTHING."""

    text: str
    ref: str = NOTHING


class Edited(Struct, frozen=True):
    """A line of ours that is no longer as it was made. `mark`: hash of it as it was."""

    ref: str
    mark: str
    text: str


class Added(Struct, frozen=True):
    """Lines that are not ours, together as they stand. `heading`: the heading of ours above them, without its marks; "" for none."""

    heading: str
    text: str


def rendered(parts: Sequence[str | Line], stamp: str = "") -> str:
    """Return a page of headings and words that never change, and of lines.

    Args:
        stamp: id of the last change that the page knows of.
    """
    lines = [part.text if isinstance(part, Line) else part for part in parts]
    fixed = [part for part in parts if isinstance(part, str) and part.strip()]
    entries = [f"{part.ref} {mark_of(part.text)} {_anchor_of(part.text)}" for part in parts if isinstance(part, Line)]
    head = f"%%made of memories {mark_of(chr(10).join(fixed))}{' ' + stamp if stamp else ''}"
    return "\n".join([*lines, "", *([head, *entries, "%%"] if entries else [f"{head}%%"]), ""])


def mark_of(text: str) -> str:
    """Return the hash of a line as it stands in its mark; white space around it does not count."""
    return hashlib.blake2b(text.strip().encode("utf-8", "replace"), digest_size=4).hexdigest()


def is_made(page: str) -> bool:
    """Return whether a page was ever made of memories: it has a mark of ours."""
    return any(_MARK.search(line) or _FOOT.match(line) for line in _lines(page))


def stamp_of(page: str) -> str:
    """Return the id of the last change that a page knows of; "" when it does not tell."""
    return next((match["stamp"] or "" for line in _lines(page) if (match := _FOOT.match(line))), "")


def by_hand(page: str, fixed: Collection[str]) -> tuple[Edited | Added, ...]:
    """Return what somebody changed in a page or wrote into it, in order. A line of ours that is gone comes back by itself.

    Args:
        fixed: headings and words that stand in such a page without being anybody's.
    """
    unmarked = [line for line in _lines(page) if line.strip() and not _MARK.search(line) and not _FOOT.match(line)]
    untouched = any((foot := _FOOT.match(line)) and foot["mark"] == mark_of("\n".join(unmarked)) for line in _lines(page))
    return tuple(_found(page, frozenset(unmarked if untouched else fixed)))


def _found(page: str, fixed: Collection[str]) -> Iterator[Edited | Added]:
    heading, added = "", list[str]()
    for line in [*_lines(page), ""]:
        mark, is_ours = _MARK.search(line), line in fixed or _FOOT.match(line) is not None
        if added and (mark or is_ours or not line.strip()):
            yield Added(heading, "\n".join(added))
            added = []
        if mark:
            text = line[: mark.start()].strip()
            if mark_of(text) != mark["mark"]:
                yield Edited(mark["ref"], mark["mark"], text)
        elif is_ours:
            heading = line.lstrip("# ") if line.startswith("#") else heading
        elif line.strip():
            added.append(line.rstrip())


def named_in(page: str) -> frozenset[str]:
    """Return the ids of the memories that lines of the page are about."""
    return frozenset(mark["ref"] for line in _lines(page) if (mark := _MARK.search(line)) and mark["ref"] != NOTHING)


def lines_of(page: str) -> tuple[Line, ...]:
    """Return the lines of a page that are as they were made, in order."""
    pairs = ((mark, line[: mark.start()].strip()) for line in _lines(page) if (mark := _MARK.search(line)))
    return tuple(Line(text, mark["ref"]) for mark, text in pairs if mark_of(text) == mark["mark"])


def without_lines(page: str) -> str:
    """Return the page without the lines that are as they were made: with what is fixed in it, and what somebody wrote."""
    kept = [line for line in _lines(page) if not (mark := _MARK.search(line)) or mark_of(line[: mark.start()]) != mark["mark"]]
    return "\n".join(kept)


def _lines(page: str) -> list[str]:
    """Return the lines of a page, each line that is about something with its mark behind it, whichever version wrote the page."""
    text = page.replace("\r\n", "\n")
    block = _BLOCK.search(text)
    if block is None:
        return text.split("\n")
    entries = [_Entry(*entry.split(" ")) for entry in block[2].splitlines()]
    above = _marked(text[: block.start()].rstrip("\n").split("\n"), entries)
    return [*above, "", f"%%{block[1]}%%", *text[block.end() :].split("\n")]


class _Entry(Struct, frozen=True):
    """What the end of a page says of a line: the memory that it is about, the hash of the line and that of its anchor."""

    ref: str
    mark: str
    anchor: str


def _anchor_of(text: str) -> str:
    """Return the hash of what most likely stays in a line when somebody edits it: the target of its link, else its first words."""
    link = _LINK.search(text)
    return mark_of(link[1] if link else " ".join(text.split()[:_ANCHOR_WORDS]))


def _marked(lines: list[str], entries: list[_Entry]) -> list[str]:
    """Return lines with the marks of their entries: as they were made, in order; then moved; then edited, by their anchors."""
    marks = [mark_of(line) if line.strip() else "" for line in lines]
    matches = SequenceMatcher(None, [entry.mark for entry in entries], marks, autojunk=False).get_matching_blocks()
    found = {at.b + step: at.a + step for at in matches for step in range(at.size)}
    for own in (marks, [_anchor_of(line) if line.strip() else "" for line in lines]):
        left = [number for number in range(len(entries)) if number not in found.values()]
        for at in (at for at in range(len(lines)) if at not in found and own[at]):
            same = next((one for one in left if own[at] in (entries[one].mark, entries[one].anchor)), None)
            if same is not None:
                found[at] = same
                left.remove(same)
    return [
        f"{line} %%{entries[found[at]].ref} {entries[found[at]].mark}%%" if at in found else line
        for at, line in enumerate(lines)
    ]

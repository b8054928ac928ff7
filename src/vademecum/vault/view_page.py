"""Pages generated from memories: rendering them, and detecting what somebody has since written into one. Pure functions on texts.

A page ends with an Obsidian comment that has an entry for each generated line: the id of its memory, a hash of the line, and a
hash of its anchor. So any computer can tell from the page alone which lines are unchanged. In pages of earlier versions each
line ends with a comment of its own; they can still be read.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern

#: In place of an id: the line is about no memory.
NOTHING = "-"
#: Number of words in an entry: memory id, hash of the line, hash of its anchor.
MARK_WORDS = 3
_MARK = late_pattern(r"[ \t]*%%(?P<ref>[0-9A-Z]{26}|-) (?P<mark>[0-9a-f]{8})%%[ \t]*$")
_FOOT = late_pattern(r"^%%made of memories (?P<mark>[0-9a-f]{8}) ?(?P<stamp>[0-9A-Z]{26})?%%$")
_BLOCK = late_pattern(
    r"^%%(made of memories [0-9a-f]{8}(?: [0-9A-Z]{26})?)\n((?:(?:[0-9A-Z]{26}|-)(?: [0-9a-f]{8}){2}\n)+)%%[ \t]*$", re.M
)
_LINK = late_pattern(r"\[\[([^|\]]+)")
#: Number of first words that are the anchor of a line without a link.
_ANCHOR_WORDS = 3


class Line(Struct, frozen=True):
    """One line of a page. `ref`: id of its memory, or NOTHING."""

    text: str
    ref: str = NOTHING


class Edited(Struct, frozen=True):
    """A generated line that somebody changed. `mark`: hash of the original line."""

    ref: str
    mark: str
    text: str


class Added(Struct, frozen=True):
    """Consecutive lines that somebody added. `heading`: text of the generated heading above them, or ""."""

    heading: str
    text: str


def rendered(parts: Sequence[str | Line], stamp: str = "") -> str:
    """Return the text of a page made of fixed text (headings and words) and generated lines.

    Args:
        stamp: id of the newest change that the page includes.
    """
    lines = [part.text if isinstance(part, Line) else part for part in parts]
    fixed = [part for part in parts if isinstance(part, str) and part.strip()]
    entries = [f"{part.ref} {mark_of(part.text)} {_anchor_of(part.text)}" for part in parts if isinstance(part, Line)]
    head = f"%%made of memories {mark_of(chr(10).join(fixed))}{' ' + stamp if stamp else ''}"
    return "\n".join([*lines, "", *([head, *entries, "%%"] if entries else [f"{head}%%"]), ""])


def mark_of(text: str) -> str:
    """Return the hash of a line for its entry; surrounding white space does not count."""
    return hashlib.blake2b(text.strip().encode("utf-8", "replace"), digest_size=4).hexdigest()


def is_made(page: str) -> bool:
    """Return whether a page was generated from memories: it has one of our hashes."""
    return any(_MARK.search(line) or _FOOT.match(line) for line in _lines(page))


def stamp_of(page: str) -> str:
    """Return the id of the newest change that a page includes; "" if it has none."""
    return next((match["stamp"] or "" for line in _lines(page) if (match := _FOOT.match(line))), "")


def by_hand(page: str, fixed: Collection[str]) -> tuple[Edited | Added, ...]:
    """Return what somebody changed in a page or added to it, in order. A removed line is not reported: it is generated again.

    Args:
        fixed: headings and other fixed text of such a page.
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
    """Return the ids of the memories that the page's lines are about."""
    return frozenset(mark["ref"] for line in _lines(page) if (mark := _MARK.search(line)) and mark["ref"] != NOTHING)


def lines_of(page: str) -> tuple[Line, ...]:
    """Return the generated lines of a page that are unchanged, in order."""
    pairs = ((mark, line[: mark.start()].strip()) for line in _lines(page) if (mark := _MARK.search(line)))
    return tuple(Line(text, mark["ref"]) for mark, text in pairs if mark_of(text) == mark["mark"])


def without_lines(page: str) -> str:
    """Return the page without unchanged generated lines: fixed text and text that somebody wrote."""
    kept = [line for line in _lines(page) if not (mark := _MARK.search(line)) or mark_of(line[: mark.start()]) != mark["mark"]]
    return "\n".join(kept)


def _lines(page: str) -> list[str]:
    """Return the lines of a page, each generated line followed by its hash comment, whichever version wrote the page."""
    text = page.replace("\r\n", "\n")
    block = _BLOCK.search(text)
    if block is None:
        return text.split("\n")
    entries = [_Entry(*entry.split(" ")) for entry in block[2].splitlines()]
    above = _marked(text[: block.start()].rstrip("\n").split("\n"), entries)
    return [*above, "", f"%%{block[1]}%%", *text[block.end() :].split("\n")]


class _Entry(Struct, frozen=True):
    """Entry of a line in the comment at the end of a page: id of its memory, hash of the line, hash of its anchor."""

    ref: str
    mark: str
    anchor: str


def _anchor_of(text: str) -> str:
    """Return the hash of the part of a line that an edit most likely leaves unchanged: the target of its link, else its first words."""
    link = _LINK.search(text)
    return mark_of(link[1] if link else " ".join(text.split()[:_ANCHOR_WORDS]))


def _marked(lines: list[str], entries: list[_Entry]) -> list[str]:
    """Return lines with the hashes of their entries appended.

    Unchanged lines are matched in order first, then moved ones, then edited ones by their anchors.
    """
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

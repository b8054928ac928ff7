"""Pages that are made of memories: how they are written, and what somebody wrote into one since. Texts in, texts out.

Each line that tells something ends with a comment of Obsidian's, which holds the memory that it is about and a hash of the line. So a page
tells by itself, on any computer, which of its lines are as they were made, and nothing about a page is kept elsewhere.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

#: Stands where a line is about no memory.
NOTHING = "-"
#: Words of the mark behind a line: what the line is about, and its hash.
MARK_WORDS = 2
_MARK = re.compile(r"[ \t]*%%(?P<ref>[0-9A-Z]{26}|-) (?P<mark>[0-9a-f]{8})%%[ \t]*$")
_FOOT = re.compile(r"^%%made of memories (?P<mark>[0-9a-f]{8}) ?(?P<stamp>[0-9A-Z]{26})?%%$")


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
    lines = [f"{part.text} %%{part.ref} {mark_of(part.text)}%%" if isinstance(part, Line) else part for part in parts]
    fixed = [part for part in parts if isinstance(part, str) and part.strip()]
    return "\n".join([*lines, "", f"%%made of memories {mark_of(chr(10).join(fixed))}{' ' + stamp if stamp else ''}%%", ""])


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
    kept = [
        line for line in page.split("\n") if not (mark := _MARK.search(line)) or mark_of(line[: mark.start()]) != mark["mark"]
    ]
    return "\n".join(kept)


def _lines(page: str) -> list[str]:
    return [line.rstrip("\r") for line in page.split("\n")]

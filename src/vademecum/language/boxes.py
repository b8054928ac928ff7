"""Boxes in lists of Markdown: `- [ ]` is open, `- [x]` is ticked."""

import re

_BOX = re.compile(r"^(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?P<mark>[ xX])\](?=\s|$)")

#: A box at the beginning of a title, with or without the bullet of a list.
_TITLE_BOX = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?\[(?P<mark>[ xX])\][ \t]+(?=\S)")


def without_box(title: str) -> tuple[str, bool]:
    """Return a title without the box that it begins with, and whether that box is ticked."""
    box = _TITLE_BOX.match(title)
    return (title[box.end() :], box["mark"] != " ") if box else (title, False)


def is_ticked(line: str) -> bool:
    """Return whether a line is an entry of a list whose box is ticked."""
    box = _BOX.match(line)
    return box is not None and box["mark"] != " "


def is_ticked_off(text: str) -> bool:
    """Return whether a text has boxes and all of them are ticked."""
    marks = {box["mark"] for line in text.splitlines() if (box := _BOX.match(line))}
    return bool(marks) and " " not in marks


def open_lines(text: str) -> str:
    """Return the text without entries whose box is ticked, open ones without their bullet.

    What stands indented below a ticked entry goes with it, open boxes excepted.
    """
    kept, inside = [], None
    for line in text.splitlines():
        box, indent = _BOX.match(line), len(line) - len(line.lstrip())
        if inside is not None and line.strip() and (indent <= inside or box):
            inside = None
        if box and box["mark"] != " ":
            inside = len(box["indent"])
        if inside is None:
            kept.append(line[line.index("[") :] if box else line)
    return "\n".join(kept)

"""Checkboxes in Markdown lists: `- [ ]` is open, `- [x]` is ticked."""

from vademecum.domain.late_pattern import late_pattern

_BOX = late_pattern(r"^(?P<indent>[ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+\[(?P<mark>[ xX])\](?=\s|$)")

#: A checkbox at the beginning of a title, with or without the list bullet.
_TITLE_BOX = late_pattern(r"\s*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?\[(?P<mark>[ xX])\][ \t]+(?=\S)")


def without_box(title: str) -> tuple[str, bool]:
    """Return a title without its leading checkbox, and whether the box is ticked."""
    box = _TITLE_BOX.match(title)
    return (title[box.end() :], box["mark"] != " ") if box else (title, False)


def is_ticked(line: str) -> bool:
    """Return whether a line is a list entry whose box is ticked."""
    box = _BOX.match(line)
    return box is not None and box["mark"] != " "


def is_ticked_off(text: str) -> bool:
    """Return whether a text has boxes and all of them are ticked."""
    marks = {box["mark"] for line in text.splitlines() if (box := _BOX.match(line))}
    return bool(marks) and " " not in marks


def open_lines(text: str) -> str:
    """Return the text without ticked entries; open entries lose their bullet.

    Lines indented below a ticked entry are dropped too, except open boxes.
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

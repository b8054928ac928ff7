"""Convert Markdown to plain text for places that show a line of a note."""

import re

from vademecum.domain.late_pattern import late_pattern

#: A comment of a note, which no reader of it sees; or code, in which its signs are text.
_CODE_OR_COMMENT = late_pattern(
    r"(?P<code>^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*(?P=fence)[`~]*[ \t\r]*$|\Z)"
    r"|(?<!`)(?P<ticks>`+)(?!`)[^\n]*?(?<!`)(?P=ticks)(?!`))|%%.*?%%|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)
_FENCE = late_pattern(r"^[ \t]*(`{3,}|~{3,})[^`\n]*\n?")
_CODE = late_pattern(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
#: `[[name]]`, `[[name#part]]`, `[[name|words]]`; within a table the bar is escaped by a backslash.
_WIKILINK = late_pattern(r"!?\[\[(?P<name>[^\[\]|#\n]*)(?:#(?P<part>[^\[\]|\n]*))?(?:\|(?P<words>[^\[\]\n]*))?\]\]")
_LINK = late_pattern(
    r"!?\[(?P<words>[^\[\]\n]*)\]\((?:<[^>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?\)"
)
_ADDRESS = late_pattern(r"<(https?://[^\s<>]+|mailto:[^\s<>]+)>")
#: Pairs of emphasis marks, around text that neither begins nor ends with a space.
_EMPHASIS = tuple(
    late_pattern(pattern)
    for pattern in (
        r"(?<![\\*])\*{1,3}(?![\s*])([^*\n]*?[^\s*\\])\*{1,3}(?!\*)",
        r"(?<![\w\\])__(?=[^\n_]*[^\w\n])(?![\s_])([^\n]*?[^\s_])__(?!\w)",  # leave the name __init__ unchanged
        r"(?<![\w\\])_(?![\s_])([^\n_]*?[^\s_\\])_(?!\w)",
        r"~~(?![\s~])([^\n]*?[^\s~])~~",
        r"==(?![\s=])([^\n=]*?[^\s=])==(?!=)",
    )
)
_QUOTE = late_pattern(r"^(?:[ \t]*>)+[ \t]?(?:\[![\w-]+\][+-]?[ \t]*)?")
_HEADING = late_pattern(r"^[ \t]{0,3}#{1,6}[ \t]+|[ \t]+#+[ \t]*$")
_ITEM = late_pattern(r"^[ \t]*[*+-][ \t]+(?:\[[ xX]\][ \t]+)?")
_RULE = late_pattern(r"^[ \t]{0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)$")
#: The line below the header of a table, and the separator of two cells.
_TABLE_HEAD = late_pattern(
    r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$|^[ \t]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*$"
)
_BAR = late_pattern(r"(?<!\\)\|")
#: A block name, as Obsidian writes it at the end of a line.
_BLOCK_NAME = late_pattern(r"[ \t]+\^[\w-]+[ \t]*$")
_ESCAPED = late_pattern(r"\\([\\`*_{}\[\]()#+\-.!|~=>])")
#: Placeholder for inline code while the rest is converted.
_HELD = "\x00{}\x00"
_HOLDING = late_pattern("\x00(\\d+)\x00")


def without_comments(text: str) -> str:
    """Return a note without its comments. Line numbers do not change."""
    if "%%" not in text and "<!--" not in text:
        return text
    return _CODE_OR_COMMENT.sub(lambda match: match["code"] or "\n" * match.group().count("\n"), text)


def readable(text: str) -> str:
    """Return the words of Markdown as a reader sees them, line by line: without marks of links, emphasis, headings, quotations or tables.

    Code and unmatched marks are left unchanged. A list item begins with "- ".
    """
    lines: list[str] = []
    fence = ""
    source = without_comments(text.replace("\x00", "")).split("\n")
    for place, line in enumerate(source):
        opened = _FENCE.match(line)
        if opened and (not fence or line.strip() == fence):
            fence = "" if fence else opened[1]
        elif fence:
            lines.append(line)
        elif not (_RULE.match(line) or _TABLE_HEAD.match(line)):
            lines.append(_readable_line(line, in_table=_is_row(source, place)))
    return "\n".join(lines)


def readable_line(text: str) -> str:
    """Return the result of :func:`readable` on one line."""
    return " ".join(readable(text).split())


def _readable_line(line: str, *, in_table: bool) -> str:
    codes: list[str] = []

    def held(code: re.Match[str]) -> str:
        codes.append(code[2].strip() or code[2])
        return _HELD.format(len(codes) - 1)

    line = _BLOCK_NAME.sub("", _CODE.sub(held, _QUOTE.sub("", line)))
    line = _ITEM.sub("- ", _HEADING.sub("", line))
    line = _ADDRESS.sub(r"\1", _LINK.sub(r"\g<words>", _WIKILINK.sub(_words, line)))
    if in_table:
        line = ", ".join(cell.strip() for cell in _BAR.split(line) if cell.strip())
    for marks in _EMPHASIS:
        line = marks.sub(r"\1", line)
    return _HOLDING.sub(lambda held: codes[int(held[1])], _ESCAPED.sub(r"\1", line))


def _words(link: re.Match[str]) -> str:
    """Return the text that a link to a note shows: its own words, else the name of the note, else the part of this note."""
    words = (link["words"] or "").strip()
    return words or link["name"].strip().removesuffix("\\") or (link["part"] or "").strip().lstrip("^")


def _is_row(lines: list[str], place: int) -> bool:
    """Return whether a line is a row of a table: it begins with a bar and has another, or is in a block with a table header line."""
    line = lines[place].strip()
    if "|" not in line:
        return False
    if line.startswith("|") and line.count("|") > 1:
        return True
    if place + 1 < len(lines) and _TABLE_HEAD.match(lines[place + 1]):
        return True
    above = place - 1
    while above >= 0 and "|" in lines[above]:
        if _TABLE_HEAD.match(lines[above]):
            return True
        above -= 1
    return False

"""Prose of at most 120 characters a line, for the pages that are made from the code."""

import re
from itertools import groupby
from textwrap import wrap

WIDTH = 120
#: Lines that stay as they are: headings, rows of tables, code that is set in.
_WHOLE = re.compile(r"[#|]|    |<|$")
_ITEM = re.compile(r"(?:[*-]|\d+\.) ")


def wrapped(page: str) -> str:
    """Return a page with paragraphs that run over the width broken anew; tables and code stay as they are."""
    parts = re.split(r"^(```.*?^```)", page, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if place % 2 else "\n".join(_lines(part.split("\n"))) for place, part in enumerate(parts))


def _lines(lines: list[str]) -> list[str]:
    numbered, number = [], 0
    for line in lines:
        number += bool(_WHOLE.match(line) or _ITEM.match(line))
        numbered.append((number, bool(_WHOLE.match(line)), line))
    done = []
    for (_, whole), group in groupby(numbered, key=lambda row: row[:2]):
        paragraph = [line for *_, line in group]
        if whole or all(len(line) <= WIDTH for line in paragraph):
            done += paragraph
        else:
            behind = "  " if _ITEM.match(paragraph[0]) else ""
            done += wrap(
                " ".join(map(str.strip, paragraph)),
                WIDTH,
                subsequent_indent=behind,
                break_long_words=False,
                break_on_hyphens=False,
            )
    return done

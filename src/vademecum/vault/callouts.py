"""Callout by which a note says that another memory contradicts it. Obsidian shows it as a box."""

import re
from collections.abc import Collection
from pathlib import PurePosixPath

CALLOUT = "> [!contradiction]"
_LINK = re.compile(r"\[\[([^]|#]+)")
_BLOCK = re.compile(r"(?:\r?\n|\A)> \[!contradiction\][^\n]*(?:\n|\Z)(?:>[^\n]*(?:\n|\Z))*")


def with_callout(body: str, link: str, said: str) -> str:
    """Return `body` with a callout at its end that names the other memory.

    Args:
        link: inner text of the wikilink to it. said: its text, of which the first line is shown.
    """
    newline = "\r\n" if "\r\n" in body else "\n"
    first = next((line.strip() for line in said.splitlines() if line.strip()), "")
    lines = [f"{CALLOUT} [[{link}]] says otherwise", *([f"> {first}"] if first else [])]
    start = body if not body or body.endswith("\n") else body + newline
    return start + newline + newline.join(lines) + newline


def without_callouts(body: str) -> str:
    """Return `body` without such callouts."""
    return _BLOCK.sub("", body)


def with_callouts_of(body: str, stems: Collection[str]) -> str:
    """Return `body` without the callouts that link to another file than those of these names, each without folder and suffix."""
    return _BLOCK.sub(lambda block: block[0] if _linked(block[0]) in stems else "", body)


def _linked(block: str) -> str:
    link = _LINK.search(block)
    return PurePosixPath(link[1].strip()).name.removesuffix(".md") if link else ""

"""Callout by which a note says that another memory contradicts it. Obsidian shows it as a box."""

import re

CALLOUT = "> [!contradiction]"
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

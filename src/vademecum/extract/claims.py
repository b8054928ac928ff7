"""Claims of deeds ("implemented the retry in queue.py") and what they name that can be looked for (SW-38)."""

import re

from msgspec import Struct

from vademecum.extract.report import told_by

_PATH = re.compile(r"(?<![\w/.])(?:[\w.-]+/)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,5}\b(?!\()")
_TICKED = re.compile(r"`([^`\n]{2,80})`")
_NAME = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")


class Claim(Struct, frozen=True):
    """What a claim names: files, and names that stand in code."""

    files: tuple[str, ...]
    names: tuple[str, ...]


def claim_in(text: str) -> Claim | None:
    """Return what a text claims was done; None when it claims no deed."""
    if not told_by("deed").search(text):
        return None
    files = tuple(dict.fromkeys(_PATH.findall(text)))
    ticked = [word.rstrip("()") for word in _TICKED.findall(text) if " " not in word]
    names = tuple(dict.fromkeys(word for word in (*ticked, *_NAME.findall(text)) if word not in files))
    return Claim(files, names)

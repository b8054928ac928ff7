"""Find claims of finished work in a text, and the files, names in code and commits that it mentions (SW-38)."""

import re

from msgspec import Struct

from vademecum.extract.numbers import NAME_MIN_CHARS
from vademecum.extract.report import report_sign

_PATH = re.compile(r"(?<![\w/.])(?:[\w.-]+/)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,5}\b(?!\()")
_TICKED = re.compile(r"`([^`\n]{2,80})`")
_NAME = re.compile(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
#: A commit hash: at least seven hex digits with at least one letter and one digit, after the word "commit" or in backticks.
_COMMIT = re.compile(r"(?:\bcommits? |`)(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])([0-9a-f]{7,40})\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?:\(\))?")


class Claim(Struct, frozen=True):
    """Files and names in code that a claim mentions."""

    files: tuple[str, ...]
    names: tuple[str, ...]


def claim_in(text: str) -> Claim | None:
    """Return what a text claims was done; None when it makes no such claim."""
    if not report_sign("deed").search(text):
        return None
    files = tuple(dict.fromkeys(_PATH.findall(text)))
    ticked = [word.rstrip("()") for word in _TICKED.findall(text) if " " not in word]
    names = tuple(dict.fromkeys(word for word in (*ticked, *_NAME.findall(text)) if word not in files))
    return Claim(files, names)


class Named(Struct, frozen=True):
    """What a text mentions of a repository: file paths or their ends, names in code, beginnings of commit hashes."""

    files: tuple[str, ...]
    symbols: tuple[str, ...]
    commits: tuple[str, ...]

    def __bool__(self) -> bool:
        """Return whether the text mentions anything."""
        return bool(self.files or self.symbols or self.commits)


def named_in(text: str) -> Named:
    """Return what a text mentions of a repository, in order. Names in code count only in backticks."""
    files = tuple(dict.fromkeys(path.removeprefix("./") for path in _PATH.findall(text)))
    ticked = [word for word in _TICKED.findall(text) if _IDENTIFIER.fullmatch(word) and word not in files]
    last = [(word, word.removesuffix("()").rpartition(".")[2]) for word in ticked]
    symbols = tuple(dict.fromkeys(name for word, name in last if len(name) >= NAME_MIN_CHARS and _is_of_code(word, name)))
    return Named(files, symbols, tuple(dict.fromkeys(entry.lower() for entry in _COMMIT.findall(text))))


def _is_of_code(word: str, name: str) -> bool:
    return word.endswith("()") or "_" in name.strip("_") or _NAME.fullmatch(name) is not None

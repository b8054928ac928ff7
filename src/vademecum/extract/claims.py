"""Find claims of finished work in a text, what of a repository it mentions, and whether the session proves them (SW-38)."""

import re
from collections.abc import Sequence

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.session import Turn, writes_files
from vademecum.extract.commits import RepositoryEffects, commands_of
from vademecum.extract.numbers import NAME_MIN_CHARS
from vademecum.extract.report import report_sign

_PATH = late_pattern(r"(?<![\w/.])(?:[\w.-]+/)*[\w-]+\.[A-Za-z][A-Za-z0-9]{0,5}\b(?!\()")
_TICKED = late_pattern(r"`([^`\n]{2,80})`")
_NAME = late_pattern(r"\b(?:[a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+(?:[A-Z][a-z0-9]+)+)\b")
#: A commit hash: at least seven hex digits with at least one letter and one digit, after the word "commit" or in backticks.
_COMMIT = late_pattern(r"(?:\bcommits? |`)(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])([0-9a-f]{7,40})\b", re.IGNORECASE)
_IDENTIFIER = late_pattern(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?:\(\))?")


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


def is_proven(line: str, report: Turn, turns: Sequence[Turn], did: RepositoryEffects) -> bool:
    """Return whether a line of an agent's report claims no finished work, or the session proves it: a tool wrote the file, git committed.

    A claim that names nothing counts as proven when any tool wrote a file or ran a command.

    Args:
        turns: the session's turns without sub-agents.
        did: what its commands did to the repository.
    """
    committed = report_sign("committed").search(line) is not None
    claim = claim_in(line)
    if claim is None and not committed:
        return True
    before = [turn for turn in turns[: turns.index(report)] if turn.role == "tool" and turn.tools]
    if committed and not did.commits:
        return False
    if claim is None or not claim.files:
        return any(map(writes_files, (name for turn in before for name in turn.tools))) or any(
            True for turn in before for _ in commands_of(turn)
        )
    seen = [*(path for turn in before for path in turn.files), *(line for turn in before for line in commands_of(turn))]
    return any(name.rpartition("/")[2] in entry for name in claim.files for entry in seen)

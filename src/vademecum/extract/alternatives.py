"""Find the command that worked in place of a failed one, from the words that both share."""

import re
from collections.abc import Sequence

from vademecum.extract.numbers import SHARED, SHOWN_MAX_CHARS, WORDS_MAX
from vademecum.extract.wrong_commands import Fault, real_commands

_SHOWN = re.compile(r"-{0,2}[\w@.:+-]+")


def alternative(fault: Fault, line: str) -> str:
    """Return the command in `line` that does what the faulty command was meant to do; "" for none.

    Values and paths are left out.
    """
    failed, wrong = fault.command, fault.key[-1]
    rest = {word for word in failed[1:] if word != wrong and not word.startswith("-") and len(word) > 1}
    for words in real_commands(line):
        if (wrong.startswith("-") and _has(words, wrong) and words[0] == failed[0]) or tuple(words) == failed:
            continue
        shared = rest.intersection(words)
        same_program = words[0] == failed[0]
        names_it = any(word == wrong or word.startswith(f"{wrong}@") for word in words) and not wrong.startswith("-")
        begins_with_it = words[0] in failed[1:]
        if not (same_program or names_it or begins_with_it):
            continue
        if (rest and len(shared) >= SHARED * len(rest)) or (not rest and begins_with_it):
            return _shown(words)
    return ""


def _has(words: Sequence[str], option: str) -> bool:
    return any(word.partition("=")[0] == option for word in words)


def _shown(words: Sequence[str]) -> str:
    shown = [words[0]]
    for word in words[1:WORDS_MAX]:
        if not _SHOWN.fullmatch(word):
            break
        shown.append(word)
    return " ".join(shown)[:SHOWN_MAX_CHARS]

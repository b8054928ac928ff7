"""Detect unknown names in scripts without spaces. No capital marks a name there, but a run of unknown character pairs does."""

import re
from collections.abc import Container
from itertools import pairwise

from vademecum.language.load import languages
from vademecum.recall.numbers import TALK_CHARS

_CLAUSE = re.compile(r"[。！!，,：:\n]")
_SIGN = re.compile("[\u3400-\u9fff]")


def longest_unmet(question: str, unmet: Container[str]) -> int:
    """Return the length of the longest run of character pairs that occur nowhere; the shortest one among the parts of a question.

    Characters that join words end a run. The result is 0 in scripts with spaces.

    Args:
        unmet: character pairs that occur nowhere in the index.
    """
    asked = [part for part in languages().sign("questions", "asked_beside").split(question) if len(part) > 1]
    clauses = [_CLAUSE.split(part)[-1] if len(part) > TALK_CHARS else part for part in asked]
    return min((_longest(part, unmet) for part in clauses), default=0)


def _longest(text: str, unmet: Container[str]) -> int:
    joins = languages().sign("questions", "joining_signs")
    longest = running = 0
    for entry, other in pairwise(text):
        is_unmet = entry + other in unmet and all(_SIGN.match(sign) and not joins.match(sign) for sign in (entry, other))
        running = running + 1 if is_unmet else 0
        longest = max(longest, running)
    return longest

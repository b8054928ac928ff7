"""Ways in which a text tries to steer an agent, as rules of `data/*/orders.toml`, where what a task is (:data:`TASK`) begins its id."""

import re
from collections.abc import Sequence
from functools import cache

from vademecum.guard.rules import Rule
from vademecum.language.load import languages

#: Beginning of the ids of rules for bare tasks and standing orders: from a person they are no attempt, for people's notes hold them.
TASK = "task-"


@cache
def command_rules() -> tuple[Rule, ...]:
    """Return the rules of all languages."""
    return languages().rows("orders", "rules", _rule)


def _rule(
    language: str,
    id: str,  # noqa: A002 -- as the file calls it
    keywords: str | Sequence[str],
    *,
    near: Sequence[str | int] = (),
    pattern: str | Sequence[str] = (),
    reach: int = 64,
    case: bool = False,
) -> Rule:
    """Return a row of the file as a rule.

    Args:
        keywords: one of them stands in every match; a part of several is one string, with "|" between them.
        near: words (alternatives as in a regular expression), each followed by how many characters may lie before the next.
        pattern: in place of `near`, a regular expression, or several.
        reach: how many characters before its keyword a match may begin. case: capitals count.
    """
    whole = pattern if isinstance(pattern, str) else "|".join(pattern)
    words = keywords.split("|") if isinstance(keywords, str) else keywords
    return Rule(id, tuple(words), whole or _near(near), flags=0 if case else re.IGNORECASE, reach=reach)


def _near(parts: Sequence[str | int]) -> str:
    return "".join(rf"[^.\n]{{0,{part}}}?" if isinstance(part, int) else rf"(?<!\w)(?:{part})(?!\w)" for part in parts)

"""Rules for texts that try to steer an agent, from `data/*/orders.toml`.

The id of a rule for tasks begins with :data:`TASK`.
"""

import re
from collections.abc import Sequence
from functools import cache

from vademecum.guard.rule_matching import Rule
from vademecum.language.load import languages

#: Prefix of rules for plain tasks and standing orders. They do not apply to the person's own texts, which are full of these.
TASK = "task-"


@cache
def injection_rules() -> tuple[Rule, ...]:
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
        keywords: every match contains one of them; alternatives in one string are separated by "|".
        near: words (alternatives as in a regular expression), each followed by the maximum distance to the next in characters.
        pattern: a regular expression, or several, instead of `near`.
        reach: maximum characters between the start of a match and its keyword.
        case: whether case matters.
    """
    whole = pattern if isinstance(pattern, str) else "|".join(pattern)
    words = keywords.split("|") if isinstance(keywords, str) else keywords
    return Rule(id, tuple(words), whole or _near(near), flags=0 if case else re.IGNORECASE, reach=reach)


def _near(parts: Sequence[str | int]) -> str:
    return "".join(rf"[^.\n]{{0,{part}}}?" if isinstance(part, int) else rf"(?<!\w)(?:{part})(?!\w)" for part in parts)

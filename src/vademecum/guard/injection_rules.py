"""Rules for texts that try to steer an agent, from `data/*/orders.toml`.

The id of a rule for tasks begins with :data:`TASK`.
"""

import re
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

from vademecum.guard.rule_matching import Rule
from vademecum.language.load import languages

#: Prefix of rules for plain tasks and standing orders. They do not apply to the person's own texts, which are full of these.
TASK = "task-"


@cache
def injection_rules() -> tuple[Rule, ...]:
    """Return the rules of all languages."""
    return languages().rows("orders", "rules", lambda **fields: _Row(**fields).rule())


class _Row(Struct, frozen=True, kw_only=True):
    """A row of the file.

    Attributes:
        keywords: every match contains one of them; alternatives in one string are separated by "|".
        near: words (alternatives as in a regular expression), each followed by the maximum distance to the next in characters.
        pattern: a regular expression, or several, instead of `near`.
        reach: maximum characters between the start of a match and its keyword.
        case: whether case matters.
    """

    language: str
    id: str
    keywords: str | Sequence[str]
    near: Sequence[str | int] = ()
    pattern: str | Sequence[str] = ()
    reach: int = 64
    case: bool = False

    def rule(self) -> Rule:
        """Return the row as a rule."""
        pattern = self.pattern if isinstance(self.pattern, str) else "|".join(self.pattern)
        words = self.keywords.split("|") if isinstance(self.keywords, str) else self.keywords
        flags = 0 if self.case else re.IGNORECASE
        return Rule(self.id, tuple(words), pattern or _near(self.near), flags=flags, reach=self.reach)


def _near(parts: Sequence[str | int]) -> str:
    return "".join(rf"[^.\n]{{0,{part}}}?" if isinstance(part, int) else rf"(?<!\w)(?:{part})(?!\w)" for part in parts)

"""The row from which every check of the guard is made."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Rule:
    """One thing the guard looks for.

    Attributes:
        id: names it in findings and, for secrets, in the placeholder.
        keywords: lower case; the pattern is tried only where the text holds one of them. Never empty.
        pattern: regular expression. Its first group, or else the whole match, is what is found.
        entropy: bits per character that the found text must have at least, 0 for any.
        flags: of the regular expression.
    """

    id: str
    keywords: tuple[str, ...]
    pattern: str
    entropy: float = 0.0
    flags: int = 0

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled when first needed: most texts hold no keyword of most rules."""
        return re.compile(self.pattern, self.flags)


def matches(rules: Iterable[Rule], text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
    """Every match of every rule, in the order of the rules."""
    folded = text.lower()
    hit: dict[str, bool] = {}
    for rule in rules:
        for keyword in rule.keywords:
            if keyword not in hit:
                hit[keyword] = keyword in folded
        if any(hit[keyword] for keyword in rule.keywords):
            for match in rule.regex.finditer(text):
                yield rule, match

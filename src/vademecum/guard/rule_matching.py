"""The rule type of the guard, and an efficient way to apply many rules to a text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import Struct

#: Minimum characters of a match of a dense rule. Few words of any language are longer.
DENSE_MIN_CHARS = 18


class Rule(Struct, frozen=True, dict=True):
    """One rule of the guard.

    Attributes:
        id: its name in findings and, for secrets, in the placeholder.
        keywords: lower case; every match contains one of them. If empty, the pattern is tried on the whole text.
        pattern: regular expression. The finding is its first group, or else the whole match.
        entropy: minimum bits per character of the finding; 0 for any.
        flags: flags of the regular expression.
        reach: maximum characters between the start of a match and its keyword; 0 when a match begins with the keyword.
        span: maximum characters between the keyword and the end of a match; ignored when `reach` is 0.
        dense: whether a match has at least :data:`DENSE_MIN_CHARS` characters and no white space, so that prose can be skipped.
    """

    id: str
    keywords: tuple[str, ...]
    pattern: str
    entropy: float = 0.0
    flags: int = 0
    reach: int = 64
    span: int = 700
    dense: bool = False

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled on first use: most texts contain no keyword of most rules."""
        return re.compile(self.pattern, self.flags)


class Rules:
    """A set of rules that are applied together, in order."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)
        self._by_keyword: dict[str, list[int]] = {}
        for number, rule in enumerate(self._rules):
            for keyword in rule.keywords:
                self._by_keyword.setdefault(keyword, []).append(number)
        self._always = [number for number, rule in enumerate(self._rules) if not rule.keywords]

    def matches(self, text: str) -> Iterator[tuple[Rule, re.Match[str]]]:
        """Yield every match of every rule, in the order of the rules."""
        if not text:
            return
        lower = folded(text)
        tried: dict[int, list[int]] = {number: [] for number in self._always}
        for keyword, numbers in self._by_keyword.items():
            if keyword in lower:
                places = places_of(keyword, lower)
                for number in numbers:
                    tried.setdefault(number, []).extend(places)
        for number in sorted(tried):
            rule = self._rules[number]
            starts = sorted(set(tried[number]))
            near = matches_near(rule, text, starts, 0, len(text)) if rule.keywords else rule.regex.finditer(text)
            for match in near:
                yield rule, match


def dense_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield (start, part) of every part of `text` between white space that is long enough for a dense rule."""
    at = 0
    for part in text.split():
        if len(part) >= DENSE_MIN_CHARS:
            at = text.index(part, at)
            yield at, part
            at += len(part)


def matches_near(rule: Rule, text: str, starts: Sequence[int], low: int, high: int) -> Iterator[re.Match[str]]:
    """Return the matches of a rule with keywords within `text[low:high]`; it does not see the rest.

    Args:
        starts: positions of its keywords, sorted, each once.
    """
    return _around(rule, text, starts, low, high) if rule.reach else _at(rule, text, starts, high)


def _at(rule: Rule, text: str, starts: Sequence[int], high: int) -> Iterator[re.Match[str]]:
    done = 0
    for start in starts:
        match = rule.regex.match(text, start, high) if start >= done else None
        if match:
            done = match.end()
            yield match


def _around(rule: Rule, text: str, starts: Sequence[int], low: int, high: int) -> Iterator[re.Match[str]]:
    """Yield matches in the windows around the keywords; overlapping windows are merged."""
    windows: list[list[int]] = []
    for start in starts:
        begin, end = max(low, start - rule.reach), min(high, start + rule.span)
        if windows and begin <= windows[-1][1]:
            windows[-1][1] = end
        else:
            windows.append([begin, end])
    for begin, end in windows:
        yield from rule.regex.finditer(text, begin, end)


def places_of(keyword: str, text: str) -> list[int]:
    """Return the positions of a keyword, overlapping ones too."""
    result, at = [], text.find(keyword)
    while at >= 0:
        result.append(at)
        at = text.find(keyword, at + 1)
    return result


def folded(text: str) -> str:
    """Return lower case without changing the length, so that positions stay valid.

    One letter's lower case has two characters.
    """
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(entry.lower() if len(entry.lower()) == 1 else entry for entry in text)

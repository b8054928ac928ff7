"""Find out which of many texts may contain a secret, in one pass over all of them.

A transcript has thousands of short texts, and hardly any contains a secret. They are searched for keywords together, in a long
text for all keywords at once. Rules are then tried only at their keywords, as in :mod:`vademecum.guard.rule_matching`. No match of a rule
is missed; :mod:`vademecum.guard.secrets` judges the findings.
"""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from vademecum import guard
from vademecum.domain.guarding import Policy
from vademecum.guard.hidden import strip_hidden
from vademecum.guard.personal import find_personal
from vademecum.guard.rule_matching import DENSE_MIN_CHARS, Rule, folded, matches_near, places_of
from vademecum.guard.secret_rules import KEPT_OUT
from vademecum.guard.shapes import START

if TYPE_CHECKING:
    from vademecum.guard.keyword_table import KeywordTable

#: Separates the texts: white space, so that no rule joins the end of one text with the next.
_BETWEEN = "\n\n"
#: Most characters in which each keyword is searched by itself, until a longer text has loaded the table.
SHORT_CHARS = 20_000
#: Characters before which a word goes on, and white space, in a text of one byte per character.
WORD_CHARS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")
SPACES = bytes(letter for letter in range(256) if chr(letter).isspace())
_SPACE = re.compile(b"[%s]" % re.escape(SPACES))

#: Flags of a keyword: it is one; one of a rule that is not dense; one that may occur within a word.
BEGINS, LOOSE, WITHIN = 1, 2, 4

#: A position, whether it is in a long part without white space, and the keyword that is there.
Candidate = tuple[int, bool, bytes]


def suspects(texts: Sequence[str], policy: Policy) -> list[bool]:
    """Return for each text whether a rule for secrets, or for the personal data that the policy names, may match in it.

    For False, :func:`vademecum.guard.private.find_private` finds nothing in the text.
    """
    joined = _BETWEEN.join(texts)
    stripped = strip_hidden(joined)
    if stripped.removed:
        texts = [strip_hidden(text).text for text in texts]
        joined = _BETWEEN.join(texts)
    if any(True for _ in find_personal(joined, policy.personal)):
        return [True] * len(texts)
    ends = list(accumulate((len(text) + len(_BETWEEN) for text in texts), initial=0))
    holding = _screen().holding(joined, ends)
    return [number in holding for number in range(len(texts))]


def compile_rules() -> None:
    """Load the table, and compile every rule that is tried at its keywords; otherwise the first text with the keyword does."""
    _screen().table()
    for rule in _screen().rules:
        rule.regex  # noqa: B018 -- accessing it compiles it


class _Screen:
    """The keywords of rules, and where they may begin a match."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._of_word: dict[bytes, list[int]] = defaultdict(list)
        self._wide: list[tuple[str, int]] = []  # keywords of other scripts, which bytes of one character cannot hold
        for number, rule in enumerate(self.rules):
            for keyword in rule.keywords:
                if keyword.isascii():
                    self._of_word[keyword.encode()].append(number)
                else:
                    self._wide.append((keyword, number))
        self._flags = {word: self._flag(numbers) for word, numbers in self._of_word.items()}
        self._table: KeywordTable | None = None

    def _flag(self, numbers: Sequence[int]) -> int:
        rules = [self.rules[number] for number in numbers]
        loose = not all(rule.dense for rule in rules)
        within = not all(rule.reach == 0 and rule.pattern.startswith(START) for rule in rules)
        return BEGINS | LOOSE * loose | WITHIN * within

    def holding(self, text: str, starts: Sequence[int]) -> set[int]:
        """Return the indexes of the parts in which a rule matches. `starts` are the parts' positions, plus that of the end."""
        result: set[int] = set()
        lower = folded(text)
        by_key = self._places(_bytes(lower), _bytes(text))
        for keyword, number in self._wide:
            by_key.setdefault(number, []).extend(places_of(keyword, lower))
        for number, places in by_key.items():
            of_part: dict[int, list[int]] = {}
            for place in sorted(set(places)):
                of_part.setdefault(bisect_right(starts, place) - 1, []).append(place)
            for part, inside in of_part.items():
                low, high = starts[part], starts[part + 1] - len(_BETWEEN)
                if part not in result and next(matches_near(self.rules[number], text, inside, low, high), None):
                    result.add(part)
        return result

    def _places(self, data: bytes, unfolded: bytes) -> dict[int, list[int]]:
        """Return the index of a rule -> positions of its keywords.

        For a dense rule, only positions in long parts without white space count.

        Args:
            unfolded: the text as rules see it. It differs from `data`: the Kelvin sign is no letter before a word, but its
                lower case is "k".
        """
        by_key: dict[int, list[int]] = defaultdict(list)
        for place, dense, word in self._candidates(data, unfolded):
            for number in self._of_word[word]:
                if dense or not self.rules[number].dense:
                    by_key[number].append(place)
        return by_key

    def _candidates(self, data: bytes, unfolded: bytes) -> Iterable[Candidate]:
        if self._table is None and len(data) <= SHORT_CHARS:
            return self._one_by_one(data, unfolded)
        return self.table().candidates(data, unfolded)

    def table(self) -> "KeywordTable":
        """Return the table of all keywords. Loading it, with numpy, takes longer than searching a short text for each."""
        if self._table is None:
            self._table = guard.keyword_table.KeywordTable(self._flags)
        return self._table

    def _one_by_one(self, data: bytes, unfolded: bytes) -> Iterator[Candidate]:
        """Search each keyword by itself."""
        spaces = [-1, *(found.start() for found in _SPACE.finditer(data)), len(data)]
        for word, flags in self._flags.items():
            place = data.find(word)
            while place >= 0:
                if flags & WITHIN or place == 0 or unfolded[place - 1] not in WORD_CHARS:
                    following = bisect_left(spaces, place)
                    begin = spaces[following - 1] + 1 if flags & WITHIN else place
                    dense = spaces[following] - begin >= DENSE_MIN_CHARS
                    if dense or flags & LOOSE:
                        yield place, dense, word
                place = data.find(word, place + 1)


def _bytes(text: str) -> bytes:
    """Return one byte per character."""
    return text.encode("latin-1", "replace")


@cache
def _screen() -> _Screen:
    """Build the table on first use."""
    return _Screen(KEPT_OUT)

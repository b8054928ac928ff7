"""Find out which of many texts may contain a secret, in one pass over all of them.

A transcript has thousands of short texts, and hardly any contains a secret. Searching each for two hundred and sixty keywords
would be slow, so all keywords are searched at once: four consecutive letters are encoded as a number, and a table says for each
number whether a keyword begins with them. Rules are then tried only at their keywords, as in :mod:`vademecum.guard.rules`. No
match of a rule is missed; :mod:`vademecum.guard.secrets` judges the findings.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from vademecum.domain.guarding import Policy
from vademecum.guard.hidden import strip_hidden
from vademecum.guard.personal import find_personal
from vademecum.guard.rules import DENSE_MIN_CHARS, Rule, folded, matches_near
from vademecum.guard.secret_rules import KEPT_OUT
from vademecum.guard.shapes import START

#: Separates the texts: white space, so that no rule joins the end of one text with the next.
_BETWEEN = "\n\n"
#: Letters of a keyword that are encoded, and bits per letter.
_LETTERS, _BITS = 4, 5
_WORD = b"abcdefghijklmnopqrstuvwxyz"
_WORD_CHARS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

#: Flags in the table: a keyword begins so; one of a rule that is not dense; one that may occur within a word.
_BEGINS, _LOOSE, _WITHIN = 1, 2, 4

Places = NDArray[np.int64]


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
    """Compile every rule that is tried at its keywords; otherwise the first text with the keyword compiles it."""
    for rule in _screen().rules:
        rule.regex  # noqa: B018 -- accessing it compiles it


class _Screen:
    """The keywords of rules as a table."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._of_word: dict[bytes, list[int]] = defaultdict(list)
        for number, rule in enumerate(self.rules):
            for keyword in rule.keywords:
                self._of_word[keyword.encode()].append(number)
        self._letters = [word for word in self._of_word if len(word) == 1]
        self._words = [word for word in self._of_word if len(word) > 1]
        self._classes = bytes(map(_class_of, range(256)))
        self._ranges = {word: self._range(word) for word in self._words}
        self._table = np.zeros(1 << _LETTERS * _BITS, np.uint8)
        for word, (low, high) in self._ranges.items():
            self._table[low:high] |= self._sort(word)
        self._beginning: dict[int, tuple[bytes, ...]] = {}

    def _range(self, word: bytes) -> tuple[int, int]:
        """Return the range of codes of four letters that begin with the keyword."""
        code = 0
        for letter in word[:_LETTERS]:
            code = code << _BITS | self._classes[letter]
        rest = _BITS * max(_LETTERS - len(word), 0)
        return code << rest, code + 1 << rest

    def _sort(self, word: bytes) -> int:
        rules = [self.rules[number] for number in self._of_word[word]]
        loose = not all(rule.dense for rule in rules)
        within = not all(rule.reach == 0 and rule.pattern.startswith(START) for rule in rules)
        return _BEGINS | _LOOSE * loose | _WITHIN * within

    def holding(self, text: str, starts: Sequence[int]) -> set[int]:
        """Return the indexes of the parts in which a rule matches. `starts` are the parts' positions, plus that of the end."""
        result: set[int] = set()
        for number, places in self._places(_bytes(folded(text)), _bytes(text)).items():
            of_part: dict[int, list[int]] = {}
            for place in places:  # sorted
                of_part.setdefault(bisect_right(starts, place) - 1, []).append(place)
            for part, inside in of_part.items():
                low, high = starts[part], starts[part + 1] - len(_BETWEEN)
                if part not in result and next(matches_near(self.rules[number], text, inside, low, high), None):
                    result.add(part)
        return result

    def _places(self, data: bytes, unfolded: bytes) -> dict[int, list[int]]:
        """Return the index of a rule -> sorted positions of its keywords.

        For a dense rule, only positions in long parts without white space count.

        Args:
            unfolded: the text as rules see it. It differs from `data`: the Kelvin sign is no letter before a word, but its
                lower case is "k".
        """
        by_key: dict[int, list[int]] = defaultdict(list)
        if not data:
            return by_key
        letters = np.frombuffer(data, np.uint8)
        word_before = np.concatenate([[False], _IN_WORD[np.frombuffer(unfolded, np.uint8)[:-1]]])
        spaces = np.concatenate([[-1], np.flatnonzero(_IS_SPACE[letters]), [len(data)]])
        for place, dense, words in self._candidates(data, letters, word_before, spaces):
            for word in words:
                if data.startswith(word, place):
                    for number in self._of_word[word]:
                        if dense or not self.rules[number].dense:
                            by_key[number].append(place)
        return {number: sorted(set(places)) for number, places in by_key.items()}

    def _candidates(
        self, data: bytes, letters: NDArray[np.uint8], word_before: NDArray[np.bool_], spaces: Places
    ) -> Iterator[tuple[int, bool, tuple[bytes, ...]]]:
        """Yield (position, whether it is in a long part without white space, keywords that may begin there)."""
        for letter in self._letters:
            at = np.flatnonzero(letters == letter[0])
            at, sort = self._worth(at, np.full(len(at), self._sort(letter), np.uint8), word_before, spaces)
            yield from ((place, dense, (letter,)) for place, dense in zip(at.tolist(), sort.tolist(), strict=True))
        classes = np.frombuffer(data.translate(self._classes) + bytes(_LETTERS - 1), np.uint8).astype(np.uint16)
        pairs = classes[:-1] << _BITS | classes[1:]
        codes = pairs[:-2].astype(np.uint32) << 2 * _BITS | pairs[2:]
        at = np.flatnonzero(self._table[codes])
        sorts = self._table[codes[at]]
        kept, dense = self._worth(at, sorts, word_before, spaces)
        for place, is_dense, code in zip(kept.tolist(), dense.tolist(), codes[kept].tolist(), strict=True):
            yield place, is_dense, self._beginning_so(code)

    def _worth(
        self, at: Places, sorts: NDArray[np.uint8], word_before: NDArray[np.bool_], spaces: Places
    ) -> tuple[Places, NDArray[np.bool_]]:
        """Return (positions where a rule can match, whether dense rules can)."""
        inside = ((sorts & _WITHIN) > 0) | ~word_before[at]
        at, sorts = at[inside], sorts[inside]
        following = np.searchsorted(spaces, at)
        ahead = spaces[following] - at
        around = spaces[following] - spaces[following - 1] - 1
        dense = np.where(sorts & _WITHIN, around, ahead) >= DENSE_MIN_CHARS
        worth = dense | ((sorts & _LOOSE) > 0)
        return at[worth], dense[worth]

    def _beginning_so(self, code: int) -> tuple[bytes, ...]:
        if code not in self._beginning:
            self._beginning[code] = tuple(word for word, (low, high) in self._ranges.items() if low <= code < high)
        return self._beginning[code]


def _bytes(text: str) -> bytes:
    """Return one byte per character."""
    return text.encode("latin-1", "replace")


def _class_of(letter: int) -> int:
    """Return the five-bit class of a character: lower-case letters have their own, the others share the rest."""
    if letter in _WORD:
        return letter - _WORD[0] + 1
    if chr(letter).isdigit() and letter < 128:
        return 27
    return {ord("_"): 28, ord("-"): 29, ord("."): 30, ord(":"): 30, ord("/"): 30}.get(letter, 31 if letter > 32 else 0)


_IN_WORD = np.array([letter in _WORD_CHARS for letter in range(256)])
_IS_SPACE = np.array([chr(letter).isspace() for letter in range(256)])


@cache
def _screen() -> _Screen:
    """Build the table on first use."""
    return _Screen(KEPT_OUT)

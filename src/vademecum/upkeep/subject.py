"""Whether two statements are about one thing, by the rarest word that both hold.

People seldom tell of a change in the words of what they said before: "the site is built with Hugo", "I've ditched Hugo, it's Eleventy
since Sunday". What both hold is a name, or the word for the thing, and such words are rare. How rare is told by how many of the
sentences of `tools/sentences` hold them (inverse document frequency); `tools/learn_judge.py` counts them. Pure.
"""

import math
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from vademecum.recall.shape import STOP
from vademecum.upkeep.statements import bare, is_little

COMMON = Path(__file__).with_name("common_words.tsv")
#: Words that fewer sentences hold are as rare as any.
HOLDING_MIN = 12

#: Words are compared by so many characters, which is past most endings; a Chinese word is taken to have two.
_BEGINNING, _HAN = 6, 2
#: Shorter words are compared whole, but for an ending of so many characters.
_WHOLE, _ENDING = 4, 2
#: A word that is this long counts where it begins or ends a compound.
_IN_COMPOUND = 5
_USE = re.compile(r"(\w+) (?:for|fur|bei|para) (?:the |das |die |den |der |el |la |los |las |o |a |os |as )?(\w+)")
_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+|\d[\d.:,]*|[\u3400-\u9fff]+")


def words_of(text: str) -> tuple[str, ...]:
    """Words, in lower case and without accents; of Chinese every two characters that stand together. Each once."""
    words: list[str] = []
    for word in _WORD.findall(bare(text)):
        if _is_han(word):
            words += [word[start : start + _HAN] for start in range(len(word) - _HAN + 1)]
        else:
            words.append(word.rstrip(".:,"))
    return tuple(dict.fromkeys(words))


def beginning(word: str) -> str:
    """What a word is counted by."""
    return word[:_BEGINNING]


def rarity(word: str) -> float:
    """Natural logarithm of how many sentences there are for one that holds the word."""
    counts = _counts()
    return math.log(counts[""] / (1 + counts.get(beginning(word), 0)))


def shared(one: str, other: str) -> dict[str, float]:
    """Telling words of the first statement that the second holds too, in whatever form and for the same use -> their rarity."""
    words, uses, other_uses = _telling(other), _uses(one), _uses(other)
    common: dict[str, float] = {}
    for word in _telling(one):
        held = next((held for held in words if _is_form(word, held)), "")
        use, other_use = uses.get(word, ""), other_uses.get(held, "")
        if held and (not use or not other_use or _is_form(use, other_use)):
            common[word] = rarity(word)
    return common


def _uses(text: str) -> dict[str, str]:
    """Word -> what it is said to be for: "Redis for sessions"."""
    return {match[1]: match[2] for match in _USE.finditer(bare(text))}


def covered(one: str, words: Mapping[str, float]) -> float:
    """Share of what the statement's telling words tell, by their rarity, that these words of it make up, 0..1."""
    every = sum(rarity(word) for word in _telling(one))
    return sum(words.values()) / every if every else 0.0


def _telling(text: str) -> list[str]:
    return [
        word
        for word in words_of(text)
        if word not in STOP and not is_little(word) and (len(word) > 2 or not word.isascii() or word[0].isdigit())
    ]


def _is_form(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < _WHOLE or not (one.isalpha() and other.isalpha()) or _is_han(one) or _is_han(other):
        return False
    if len(short) >= _IN_COMPOUND and (one[:_IN_COMPOUND] == other[:_IN_COMPOUND] or long.endswith(short)):
        return True
    return one[:_WHOLE] == other[:_WHOLE] and len(long) - len(short) <= _ENDING and len(short) == _WHOLE


def _is_han(word: str) -> bool:
    return "\u3400" <= word[0] <= "\u9fff"


@cache
def _counts() -> Mapping[str, int]:
    """Beginning -> how many sentences hold it; "" -> how many there are."""
    first, *lines = COMMON.read_text(encoding="utf-8").splitlines()
    counts = {begin: int(count) for begin, _, count in (line.partition("\t") for line in lines)}
    return {**counts, "": int(first.rpartition(" ")[2])}

"""Whether two statements are about one thing, by the rare words and the fields of words that both hold.

People seldom tell of a change in the words of what they said before: "the site is built with Hugo", "I've ditched Hugo, it's Eleventy
since Sunday". What both hold is a name, or the word for the thing, and such words are rare. Or each holds another word of one field:
"I eat vegetarian", "fish again, doctor's orders"; `fields.tsv` lists fields in which a person or a project has one value at a time. How
rare words and fields are is told by how many of the sentences of `tools/sentences` hold them (inverse document frequency);
`tools/learn_judge.py` counts them. Pure.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from vademecum.recall.shape import STOP
from vademecum.upkeep.statements import bare, is_little

COMMON = Path(__file__).with_name("common_words.tsv")
FIELDS = Path(__file__).with_name("fields.tsv")
#: In `common_words.tsv` the name of a field stands behind this mark.
FIELD_MARK = "@"
#: Words that fewer sentences hold are as rare as any.
HOLDING_MIN = 12

#: Words are compared by so many characters, which is past most endings; a Chinese word is taken to have two.
_BEGINNING, _HAN = 6, 2
#: Shorter words are compared whole, but for an ending of so many characters.
_WHOLE, _ENDING = 4, 2
#: A word that is this long counts where it begins or ends a compound.
_IN_COMPOUND = 5
_USE = re.compile(r"(\w+) (?:for|fur|bei|para) (?:the |das |die |den |der |el |la |los |las |o |a |os |as )?(\w+)")
_TOKEN = re.compile(r"[^\W\u3400-\u9fff]+(?:[.+#-]+[^\W\u3400-\u9fff]+)*[+#]*")
_HAN_RUN = re.compile(r"[\u3400-\u9fff]+")
#: Shortest beginning of a word, and longest Chinese word, in `fields.tsv`.
_PREFIX_MIN, _HAN_MAX = 3, 7
_WORD = re.compile(r"[^\W\d_\u3400-\u9fff]+|\d[\d.:,]*|[\u3400-\u9fff]+")


#: Statements whose words are kept at hand: each is held against all that are known.
_REMEMBERED = 1024

#: What is taken for impossible.
_LEAST = 1e-6
#: Fields of values that anything can have: that each statement holds one ties the two only where something else does.
_VALUES = frozenset(
    {"weekday", "daytime", "often", "month", "hours", "price", "length", "amounts", "distance", "time", "memory"}
)
#: Whom a statement can be of, beside the person: name -> its words.
_KIN: Mapping[str, str] = {
    "brother": r"\b(?:brother|bruder|hermano|irmao)\b|哥|弟",
    "sister": r"\b(?:sister|schwester|hermana|irma)\b|姐|妹",
    "mother": r"\b(?:mother|mum|mom|mutter|mama|madre|mae)\b|妈妈|母亲|我妈",
    "father": r"\b(?:father|dad|vater|papa|padre|pai)\b|爸爸|父亲|我爸",
    "parents": r"\b(?:parents|eltern|padres|pais)\b|父母",
    "uncle": r"\b(?:uncle|onkel|tio)\b|叔叔|舅舅",
    "aunt": r"\b(?:aunt|tante|tia)\b|阿姨|姑姑",
    "cousin": r"\b(?:cousin|cousine|prim[oa])\b|表[哥弟姐妹]|堂[哥弟姐妹]",
    "in-law": r"\b(?:\w+-in-law|schwager|schwagerin|cunad[oa]|cunhad[oa]|suegr[oa]|sogr[oa])\b|岳父|岳母|公公|婆婆",
    "neighbour": r"\b(?:neighbou?rs?|nachbar\w*|vecin[oa]s?|vizinh[oa]s?)\b|邻居",
    "friend": r"\b(?:a friend|friends|freund(?:in)? von|un amigo|una amiga|um amigo|uma amiga)\b|朋友",
    "grandparent": r"\b(?:grand(?:ma|pa|mother|father)|oma|opa|abuel[oa]|avo)\b|奶奶|爷爷|外婆|外公",
}
#: Where a statement names one of a group and the other another, they are of two things.
_APART: tuple[Mapping[str, str], ...] = (
    _KIN,
    {
        "staging": r"\bstaging|\bpreprod|预发",
        "test": r"\btest(?:ing)?[ -]?(?:server|umgebung|environment|box)|(?:servidor|entorno|ambiente) de (?:pruebas|testes?)"
        r"|测试(?:环境|服|机)",
        "production": r"\bproduction\b|\bprod\b|\bproduktion|\bproduccion\b|\bproducao\b|生产",
        "demo": r"\bdemo(?:nstra\w+)?\b|演示",
    },
    {"frontend": r"\bfront-?end|前端", "backend": r"\bback-?end|后端"},
    {"summer": r"\bsummer|\bsommer|\bverano\b|\bverao\b|夏", "winter": r"\bwinter|\binvierno\b|\binverno\b|冬"},
)
#: A statement names whom it is of within so many words.
_SUBJECT_WORDS = 4
_QUALIFIED = (
    re.compile(
        r"(?:^|(?<= ))(?:the|our|my|their|this|that|der|die|das|den|dem|unser\w*|mein\w*|im|am|zum|beim|vom)"
        r" (?P<which>[\w-]+) (?P<head>\w{4,})"
    ),
    re.compile(r"\b(?P<head>\w{4,}) (?:de|del|do|da|dos|das|des) (?:la |el |los |las |o |a |os |as )?(?P<which>[\w-]{3,})"),
    re.compile("(?P<which>[\u3400-\u9fff]{2})(?P<head>服务|环境|接口|应用|系统|团队|小组|报表|数据库)"),
)
#: Tell when or how rather than which.
_NO_QUALITY = frozenset(
    "new old former current first second last next only same whole other own better big small long short neue neuen neuer neues alte alten"
    " alter altes erste zweite letzte ganze eigene andere nueva nuevo vieja viejo antigua antiguo nova novo velha velho antiga antigo"
    " 现在 已经 所有 我们 新的 旧的 这个 那个".split()
)


def words_of(text: str) -> tuple[str, ...]:
    """Words, in lower case and without accents; of Chinese every two characters that stand together. Each once."""
    words: list[str] = []
    for word in _WORD.findall(bare(text)):
        if _is_han(word):
            words += [word[start : start + _HAN] for start in range(len(word) - _HAN + 1)]
        else:
            words.append(word.rstrip(".:,"))
    return tuple(dict.fromkeys(words))


class Tie(NamedTuple):
    """What ties a second statement to a first, each a natural logarithm of rarity; 0 where there is nothing of the sort.

    Attributes:
        words: of all telling words that both hold, added. rarest: of the rarest of them.
        competing: of the rarest field of which the second has another word. beside: of which only the second has words, missing: only
            the first.
    """

    words: float
    rarest: float
    competing: float
    beside: float
    missing: float

    @property
    def holds(self) -> bool:
        """Whether anything ties the two."""
        return self.words > 0 or self.competing > 0


#: What ties those that have nothing to do with each other.
NO_TIE = Tie(0.0, 0.0, 0.0, 0.0, 0.0)


def beginnings(texts: Iterable[str]) -> Counter[str]:
    """Beginning of a word -> how many of the texts hold it."""
    return Counter(begin for text in texts for begin in {beginning(word) for word in words_of(text)})


def beginning(word: str) -> str:
    """What a word is counted by."""
    return word[:_BEGINNING]


@lru_cache(maxsize=_REMEMBERED * 8)
def rarity(word: str) -> float:
    """Natural logarithm of how many sentences there are for one that holds the word."""
    counts = _counts()
    return math.log(counts[""] / (1 + counts.get(beginning(word), 0)))


def shared(one: str, other: str) -> dict[str, float]:
    """Telling words of the first statement that the second holds too, in whatever form and for the same use -> their rarity."""
    words, uses, other_uses = _telling(other), _uses(one), _uses(other)
    common: dict[str, float] = {}
    ends = _ends(other)
    for word in _telling(one):
        if ends.isdisjoint((word[:_WHOLE], word[-_IN_COMPOUND:])):
            continue
        held = next((held for held in words if _is_form(word, held)), "")
        use, other_use = uses.get(word, ""), other_uses.get(held, "")
        if held and (not use or not other_use or _is_form(use, other_use)):
            common[word] = rarity(word)
    return common


@lru_cache(maxsize=_REMEMBERED)
def _uses(text: str) -> dict[str, str]:
    """Word -> what it is said to be for: "Redis for sessions"."""
    return {match[1]: match[2] for match in _USE.finditer(bare(text))}


def tie_of(one: str, other: str, among: Mapping[str, int]) -> Tie:
    """What ties the second statement to the first.

    Args:
        among: beginning of a word -> how many of the statements that could be meant hold it; what many hold tells none apart.
    """
    words = [max(0.0, rare - math.log(max(1, among.get(beginning(word), 0)))) for word, rare in shared(one, other).items()]
    held, new = fields_of(one), fields_of(other)
    tied = bool(words) or not _VALUES.issuperset(held.keys() & new.keys())
    if not words and bool(_HAN_RUN.search(one)) != bool(_HAN_RUN.search(other)):
        held = {}  # in another script, with no name in common, it is seldom the same matter
    compete = [
        field_rarity(name) for name, said in held.items() if new.get(name, frozenset()) - said and (tied or name not in _VALUES)
    ]
    return Tie(
        words=sum(words),
        rarest=max(words, default=0.0),
        competing=max(compete, default=0.0),
        beside=max(map(field_rarity, new.keys() - held.keys()), default=0.0),
        missing=max(map(field_rarity, held.keys() - new.keys()), default=0.0),
    )


def log_odds(share: float) -> float:
    """Natural logarithm of the odds of a probability, kept finite."""
    kept = min(max(share, _LEAST), 1 - _LEAST)
    return math.log(kept / (1 - kept))


@lru_cache(maxsize=_REMEMBERED)
def _telling(text: str) -> tuple[str, ...]:
    return tuple(
        word
        for word in words_of(text)
        if word not in STOP and not is_little(word) and (len(word) > 2 or not word.isascii() or word[0].isdigit())
    )


@lru_cache(maxsize=_REMEMBERED)
def fields_of(text: str) -> Mapping[str, frozenset[str]]:
    """Fields that the statement has words of -> those words."""
    whole, beginnings, han = _fields()
    plain = bare(text)
    tokens = _TOKEN.findall(plain)
    held: dict[str, set[str]] = {}
    for token in (*tokens, *(f"{one}_{other}" for one, other in pairwise(tokens))):
        for name in whole.get(token, ()):
            held.setdefault(name, set()).add(token)
    for token in tokens:
        for size in range(_PREFIX_MIN, len(token) + 1):
            for name in beginnings.get(token[:size], ()):
                held.setdefault(name, set()).add(token)
    for run in _HAN_RUN.findall(plain):
        for start in range(len(run)):
            for size in range(1, _HAN_MAX + 1):
                for name in han.get(run[start : start + size], ()):
                    held.setdefault(name, set()).add(run[start : start + size])
    return {name: frozenset(words) for name, words in held.items()}


def field_rarity(name: str) -> float:
    """As :func:`rarity`, of a field."""
    counts = _counts()
    return math.log(counts[""] / (1 + counts.get(f"{FIELD_MARK}{name}", 0)))


@lru_cache(maxsize=_REMEMBERED)
def _ends(text: str) -> frozenset[str]:
    """With one of these every form of a telling word begins or ends."""
    return frozenset(end for word in _telling(text) for end in (word[:_WHOLE], word[-_IN_COMPOUND:]))


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


def of_another(one: str, other: str) -> bool:
    """Whether the second statement is of somebody or something else than the first, however alike: a brother and a sister, staging and
    production, the billing service and the search service."""
    plain, other_plain = bare(one), bare(other)
    for group in _APART:
        held, new = _named(group, plain), _named(group, other_plain)
        if held and new and not held & new:
            return True
    held, new = _named(_KIN, plain), _named(_KIN, " ".join(other_plain.split()[:_SUBJECT_WORDS]))
    return bool(new and not held) or _is_qualified_otherwise(plain, other_plain)


def _named(group: Mapping[str, str], plain: str) -> set[str]:
    """Which of a group a statement names."""
    return {name for name, form in group.items() if re.search(form, plain)}


def _is_qualified_otherwise(plain: str, other: str) -> bool:
    """Whether one word is told apart by another in each: "backup do banco", "backup das fotos"."""
    here, there = _qualified(plain), _qualified(other)
    for head, words in here.items():
        new = there.get(head, set())
        if new and not any(word in other.split() for word in words) and not any(word in plain.split() for word in new):
            return True
    return False


def _qualified(plain: str) -> dict[str, set[str]]:
    """Word -> words that tell which one is meant."""
    found: dict[str, set[str]] = {}
    pairs = [(match["head"], match["which"]) for form in _QUALIFIED for match in form.finditer(plain)]
    for head, which in pairs:
        if which not in _NO_QUALITY and not is_little(which) and which not in STOP:
            found.setdefault(head, set()).add(which)
    return found


_Names = Mapping[str, tuple[str, ...]]


@cache
def _fields() -> tuple[_Names, _Names, _Names]:
    """(whole word, beginning of a word, Chinese word) -> names of the fields that it belongs to."""
    tables: tuple[dict[str, tuple[str, ...]], ...] = ({}, {}, {})
    for line in FIELDS.read_text(encoding="utf-8").splitlines():
        name, _, words = line.partition("\t")
        for word in () if line.startswith("#") else words.split():
            table = tables[2] if _is_han(word) else tables[1] if word.endswith("*") else tables[0]
            key = word.rstrip("*")
            table[key] = (*table.get(key, ()), name)
    return tables[0], tables[1], tables[2]


@cache
def _counts() -> Mapping[str, int]:
    """Beginning -> how many sentences hold it; "" -> how many there are."""
    first, *lines = COMMON.read_text(encoding="utf-8").splitlines()
    counts = {begin: int(count) for begin, _, count in (line.partition("\t") for line in lines)}
    return {**counts, "": int(first.rpartition(" ")[2])}

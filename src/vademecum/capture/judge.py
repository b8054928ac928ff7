"""How likely a sentence of a person's tells something durable, and of which kind: a linear model over its cues and words.

The features are the cue classes of :mod:`vademecum.capture.cues`, which pairs of them meet, the words, the parts of words (which
carry inflection, compounds and typing errors), and the sentence's outward form. The weights, `judge.tsv`, are logistic regression
(L2), once for whether it lasts and once, among what lasts, for the kind, over the sentences of `tools/sentences`, written for the
purpose and labelled, and once for whether it tells that something changed, over labelled pairs of statements (`bench/integrate`).
`tools/learn_judge.py` makes the file and says how well it does on authors and topics that it has not seen.
Nothing is random and nothing is asked of a network: the same sentence is always judged the same, and its strongest cues say why.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path

from vademecum.capture.cues import found

WEIGHTS = Path(__file__).with_name("judge.tsv")

#: What a sentence can be, in the order of the columns of `judge.tsv`. "none" is talk of the moment.
KINDS = ("none", "decision", "preference", "identity", "fact", "fix", "lesson")

#: What stands in the file for what is there before any feature.
BIAS = "said"
#: Weights stand in the file as whole numbers of this.
UNIT = 0.001

_TOKEN = re.compile(r"[^\W\d_\u4e00-\u9fff]+(?:['-][^\W\d_\u4e00-\u9fff]+)*|\d+|[\u4e00-\u9fff]+|[?!:;\u00a7]")
#: Addresses, code and file names: that they stand there tells something, what they say does not.
_LITERAL = re.compile(
    r"`[^`]*`|\b\w+://\S+|(?<!\w)[~.]?/?(?:[\w.-]+/)+[\w.-]*|\b[\w-]+\.(?:py|js|ts|tsx|md|txt|json|toml|ya?ml|html?|css|rs|go|c|h|sh|sql|csv|env|log|xml)\b|\b\w+_\w+\b|\b\w+\(\)"
)
#: Outward form: name -> what shows it in the sentence as it was written.
_FORMS: Mapping[str, re.Pattern[str]] = {
    "comma": re.compile("[,，]"),
    "semicolon": re.compile("[;；]"),
    "colon": re.compile("[:：]"),
    "quotation": re.compile('["“”„«»「」]'),
    "digit": re.compile(r"\d"),
    "name": re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][a-z]"),
    "stop": re.compile(r"\.\s*$"),
    "dots": re.compile(r"\.\.\.|…"),
    "exclaimed": re.compile("!"),
    "asked": re.compile("[?？]"),
    "literal": _LITERAL,
}
_NUMBER = "#"
_AT_THE_END = " .。!！"
_GRAMS = (1, 2, 3)
#: Parts of a word, its ends marked, have so many characters.
_PARTS = (3, 4, 5)
#: So many words at the beginning count as such.
_EARLY = 3
#: A class counts as leading when its words stand among the first characters.
_LEADING_CHARS = 3
#: A sentence is told to be longer than so many words; two Chinese characters make about one.
_LENGTHS = (3, 5, 8, 12, 16, 22, 30)
#: A sentence is told to have more than so many commas: stories of the day string one thing to the next.
_COMMAS = (1, 2, 3, 5)
#: Sentences whose judgement is kept at hand: the stations that look at one ask several times.
_REMEMBERED = 512


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a sentence seems to be.

    Attributes:
        durable: 0..1, how likely it tells something that outlasts the task at hand.
        kind: the likeliest kind, were it durable.
        cues: (class, the words of it) that spoke for this kind, the strongest first.
        against: classes that spoke against, the strongest first.
        kinds: how likely each kind but "none" is, were it durable, in the order of KINDS; they add up to one.
    """

    durable: float
    kind: str
    cues: tuple[tuple[str, str], ...]
    against: tuple[str, ...]
    kinds: tuple[float, ...] = ()


def flattened(text: str) -> str:
    """In lower case, without accents, on one line, without the mark at its end."""
    lower = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss").replace("’", "'"))
    plain = "".join(letter for letter in lower if not unicodedata.combining(letter))
    return " ".join(_LITERAL.sub(" \u00a7 ", plain).split()).rstrip(_AT_THE_END)


def features(text: str) -> frozenset[str]:
    """What the model sees of a sentence: "class what", such as "word keep" or "cue always"."""
    flat = flattened(text)
    words = _TOKEN.findall(flat)
    latin = [_NUMBER if word[0].isdigit() else word for word in words if not _is_han(word)]
    han = [word for word in words if _is_han(word)]
    return frozenset(
        (
            *_word_features(latin),
            *(gram for run in han for gram in _grams(f"^{run}")),
            *_cue_features(flat),
            *(f"longer {length}" for length in _LENGTHS if len(latin) + sum(map(len, han)) // 2 > length),
            *(f"form {name}" for name, pattern in _FORMS.items() if pattern.search(text)),
            *(f"commas {count}" for count in _COMMAS if len(_FORMS["comma"].findall(text)) > count),
        )
    )


def change_features(text: str) -> frozenset[str]:
    """As :func:`features`, but for the mark at the end: what is kept has one, what is said in passing often has not."""
    return features(text.rstrip(_AT_THE_END))


@lru_cache(maxsize=_REMEMBERED)
def judge(text: str) -> Judgement:
    """What the sentence seems to be, and why."""
    rows = _weights()
    weights = {name: row for name in sorted(features(text)) if (row := _row(rows, name))}
    lasting, _, *kinds = _row(rows, BIAS)
    for row in weights.values():
        lasting += row[0]
        for number, weight in enumerate(row[2:]):
            kinds[number] += weight
    kind = max(range(len(kinds)), key=kinds.__getitem__)
    spoke = dict(_spoken(text))
    lift = sorted(((_lift(weights, name, kind), name) for name in spoke), reverse=True)
    cues = tuple((name, spoke[name]) for value, name in lift if value > 0)
    return Judgement(
        durable=_share(lasting),
        kind=KINDS[1 + kind],
        cues=cues or tuple(_strongest_words(weights)),
        against=tuple(name for value, name in reversed(lift) if value < 0),
        kinds=_shares(kinds),
    )


def tells_change(text: str) -> float:
    """How likely the sentence tells that something is no longer as it was, 0..1."""
    rows = _weights()
    found_rows = (_row(rows, name) for name in (BIAS, *sorted(change_features(text))))
    return _share(sum(row[1] for row in found_rows if row))


def _share(score: float) -> float:
    return 1 / (1 + math.exp(-score))


def _shares(scores: Sequence[float]) -> tuple[float, ...]:
    parts = [math.exp(score - max(scores)) for score in scores]
    return tuple(part / sum(parts) for part in parts)


def _strongest_words(weights: Mapping[str, Sequence[float]]) -> Iterator[tuple[str, str]]:
    """("words", the words that spoke most for it), for a sentence in which no class did."""
    named = [name for name in weights if name.startswith(("word ", "pair ", "gram "))]
    if named:
        best = max(named, key=lambda name: weights[name][0])
        yield "words", best.partition(" ")[2].strip("^$ ")


def _spoken(text: str) -> Iterator[tuple[str, str]]:
    for cue, match in found(flattened(text)):
        yield cue.name, match[0]


def _lift(weights: Mapping[str, Sequence[float]], cue: str, kind: int) -> float:
    """How much a class alone moved the sentence towards lasting and towards a kind."""
    rows = [weights[name] for name in (f"cue {cue}", f"led {cue}") if name in weights]
    return sum(row[0] + (row[2 + kind] if len(row) > 2 else 0.0) for row in rows)


def _cue_features(flat: str) -> Iterator[str]:
    cues = [(cue.name, match.start()) for cue, match in found(flat)]
    for number, (name, start) in enumerate(cues):
        yield f"cue {name}"
        if start < _LEADING_CHARS:
            yield f"led {name}"
        for other, _ in cues[number + 1 :]:
            yield f"both {name}+{other}"


def _word_features(words: list[str]) -> Iterator[str]:
    for word in words:
        yield f"word {word}"
        ended = f"<{word}>"
        for size in _PARTS:
            for start in range(len(ended) - size + 1):
                yield f"part {ended[start : start + size]}"
    ended_words = ["^", *words, "$"]
    for first, second in pairwise(ended_words):
        yield f"pair {first} {second}"
    for first, third in zip(ended_words, ended_words[2:], strict=False):
        yield f"skip {first} {third}"
    for word in words[:_EARLY]:
        yield f"early {word}"
    for count in range(2, _EARLY + 1):
        yield f"start {' '.join(words[:count])}"


def _grams(text: str) -> Iterator[str]:
    for size in _GRAMS:
        for start in range(len(text) - size + 1):
            yield f"gram {text[start : start + size]}"


def _is_han(word: str) -> bool:
    return "\u4e00" <= word[0] <= "\u9fff"


def _row(rows: Mapping[str, str], name: str) -> tuple[float, ...]:
    """What a feature weighs: for lasting, for change, then for each kind where it tells kinds apart; () for one never learnt.

    Of some ten thousand rows a sentence needs a few hundred, so that they are read when they are asked for.
    """
    return tuple(UNIT * int(number) for number in rows.get(name, "").split())


@cache
def _weights() -> Mapping[str, str]:
    _, _, table = WEIGHTS.read_text(encoding="utf-8").partition("\n")  # behind a line of comment
    cells = table.rstrip("\n").replace("\n", "\t").split("\t")
    return dict(zip(cells[::2], cells[1::2], strict=True))

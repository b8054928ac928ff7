"""How likely a sentence of a person's tells something durable, and of which kind: a linear model over its cues and words.

The features are the cue classes of :mod:`vademecum.capture.cues`, which pairs of them meet, and the words themselves. The weights,
`judge.tsv`, are multinomial logistic regression (softmax, L2) over the sentences of `tools/sentences`, written for the purpose and
labelled; `tools/learn_judge.py` makes the file and says how well it does on topics that it has not seen. Nothing is random and
nothing is asked of a network: the same sentence is always judged the same, and its strongest cues say why.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from vademecum.capture.cues import found

WEIGHTS = Path(__file__).with_name("judge.tsv")

#: What a sentence can be, in the order of the columns of `judge.tsv`. "none" is talk of the moment.
KINDS = ("none", "decision", "preference", "identity", "fact", "fix", "lesson")

#: What a feature counts: classes weigh more than words, so that they are learnt before words are.
CUE, PAIR, WORD = 1.5, 0.5, 1.0

_TOKEN = re.compile(r"[^\W\d_\u4e00-\u9fff]+(?:['-][^\W\d_\u4e00-\u9fff]+)*|\d+|[\u4e00-\u9fff]+|[?!:;\u00a7]")
#: Addresses, code and file names: that they stand there tells something, what they say does not.
_LITERAL = re.compile(
    r"`[^`]*`|\b\w+://\S+|(?<!\w)[~.]?/?(?:[\w.-]+/)+[\w.-]*|\b[\w-]+\.(?:py|js|ts|tsx|md|txt|json|toml|ya?ml|html?|css|rs|go|c|h|sh|sql|csv|env|log|xml)\b|\b\w+_\w+\b|\b\w+\(\)"
)
_NUMBER = "#"
_GRAMS = (1, 2, 3)
#: A class counts as leading when its words stand among the first characters.
_LEADING_CHARS = 3
#: Up to so many words a sentence is short; up to so many it is of usual length.
_SHORT_WORDS, _USUAL_WORDS = 3, 8


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a sentence seems to be.

    Attributes:
        durable: 0..1, how likely it tells something that outlasts the task at hand.
        kind: the likeliest kind, were it durable.
        cues: (class, the words of it) that spoke for this kind, the strongest first.
        against: classes that spoke against, the strongest first.
    """

    durable: float
    kind: str
    cues: tuple[tuple[str, str], ...]
    against: tuple[str, ...]


def flattened(text: str) -> str:
    """In lower case, without accents, on one line, without the mark at its end."""
    lower = unicodedata.normalize("NFKD", text.lower().replace("ß", "ss").replace("’", "'"))
    plain = "".join(letter for letter in lower if not unicodedata.combining(letter))
    return " ".join(_LITERAL.sub(" \u00a7 ", plain).split()).rstrip(".。!！ ")


def features(text: str) -> dict[str, float]:
    """What the model sees of a sentence: feature -> how much of it."""
    flat = flattened(text)
    words = _TOKEN.findall(flat)
    latin = [_NUMBER if word[0].isdigit() else word for word in words if not _is_han(word)]
    seen = dict.fromkeys(_word_features(latin), WORD)
    for word in words:
        if _is_han(word):
            seen.update(dict.fromkeys(_grams(f"^{word}"), WORD))
    cues = [(cue.name, match.start()) for cue, match in found(flat)]
    for number, (name, start) in enumerate(cues):
        seen[f"cue {name}"] = CUE
        if start < _LEADING_CHARS:
            seen[f"led {name}"] = CUE
        for other, _ in cues[number + 1 :]:
            seen[f"both {name}+{other}"] = PAIR
    count = len(latin) + sum(len(word) for word in words if _is_han(word)) // 2
    seen["short" if count <= _SHORT_WORDS else "usual" if count <= _USUAL_WORDS else "long"] = WORD
    return seen


def judge(text: str) -> Judgement:
    """What the sentence seems to be, and why."""
    weights = _weights()
    seen = features(text)
    scores = list(weights[""])
    for name, amount in seen.items():
        for number, weight in enumerate(weights.get(name, ())):
            scores[number] += amount * weight
    kind = max(range(1, len(KINDS)), key=scores.__getitem__)
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    spoke = dict(_spoken(text))
    lift = sorted(((_lift(weights, seen, name, kind), name) for name in spoke), reverse=True)
    cues = tuple((name, spoke[name]) for value, name in lift if value > 0)
    return Judgement(
        durable=1 - parts[0] / sum(parts),
        kind=KINDS[kind],
        cues=cues or tuple(_strongest_words(weights, seen, kind)),
        against=tuple(name for value, name in reversed(lift) if value < 0),
    )


def _strongest_words(
    weights: Mapping[str, tuple[float, ...]], seen: Mapping[str, float], kind: int
) -> Iterator[tuple[str, str]]:
    """("words", the words that moved the sentence most to a kind), for one in which no class spoke for it."""
    named = [name for name in seen if name.startswith(("word ", "pair ", "gram ")) and name in weights]
    if named:
        best = max(named, key=lambda name: seen[name] * (weights[name][kind] - weights[name][0]))
        yield "words", best.partition(" ")[2].strip("^$ ")


def _spoken(text: str) -> Iterator[tuple[str, str]]:
    for cue, match in found(flattened(text)):
        yield cue.name, match[0]


def _lift(weights: Mapping[str, tuple[float, ...]], seen: Mapping[str, float], cue: str, kind: int) -> float:
    """How much a class alone moved the sentence from "none" to a kind."""
    names = [name for name in (f"cue {cue}", f"led {cue}") if name in seen and name in weights]
    return sum(seen[name] * (weights[name][kind] - weights[name][0]) for name in names)


def _word_features(words: list[str]) -> Iterator[str]:
    for word in words:
        yield f"word {word}"
    for first, second in zip(["^", *words], [*words, "$"], strict=True):
        yield f"pair {first} {second}"


def _grams(text: str) -> Iterator[str]:
    for size in _GRAMS:
        for start in range(len(text) - size + 1):
            yield f"gram {text[start : start + size]}"


def _is_han(word: str) -> bool:
    return "\u4e00" <= word[0] <= "\u9fff"


@cache
def _weights() -> Mapping[str, tuple[float, ...]]:
    """Feature -> weight for each kind, in the order of :data:`KINDS`; "" is what stands before any feature."""
    read: dict[str, tuple[float, ...]] = {}
    for line in WEIGHTS.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            name, *numbers = line.split("\t")
            read[name] = tuple(int(number) / 100 for number in numbers)
    return read

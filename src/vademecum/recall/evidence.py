"""What speaks for a turn being the answer: absolute features, comparable between questions and between indexes.

Two phases keep it cheap at a million turns. The arms give a few hundred candidates; only for those, and the turns around
them, are exact features computed from stored stems and vectors. A turn is judged by its best passage, together with the turns
around it: an answer often follows the turn that holds the words of the question. docs/experiments.md shows what each is worth.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vademecum.model.ports import IndexStats, Term, Traits
from vademecum.recall.shape import Shaped

Floats = NDArray[np.float32]
TurnKey = tuple[str, int]

#: BM25 as in Robertson & Zaragoza (2009), the constants that SQLite's own bm25() uses.
K1, B = 1.2, 0.75
#: Weight of a stem in the turns one and two away, and how many stems of such a turn count.
NEAR, FAR, HEAD = 0.7, 0.4, 40
STEPS = ((-1, NEAR), (1, NEAR), (-2, FAR), (2, FAR))
#: Longer turns are not better answers: the number of stems that counts is bounded.
LENGTH_COUNTED = 60
#: Candidates, best first by the cheap features, whose text is read for times and numbers.
READ = 80

PERSON = frozenset({"user", "human"})
AGENT = frozenset({"assistant", "agent", "model", "ai", "bot", "system", "tool"})

_TIME = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|last|next|ago|week|weekend|month|year|years|weeks|months|days|day|morning|evening|since|recently"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|\d{4}|\d{1,2}(st|nd|rd|th)|just)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"\b(\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|couple|once|twice|several|hundred|thousand|first|second|third)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Features of candidate turns, row by row.

    Attributes:
        turns: (item key, turn), sorted. best: the passage of each that speaks loudest.
        values: feature name -> float32, one for each turn, 0..1 unless `WEIGHTS` says otherwise.
        idf: of each asked term; unseen terms have the largest.
        covered: share of the question's idf that the turn's own words hold, 0..1.
    """

    turns: tuple[TurnKey, ...]
    best: tuple[Traits, ...]
    values: Mapping[str, Floats]
    idf: Floats
    covered: Floats


#: Fitted by listwise softmax over both public sets, each also with the weights fitted on the other (docs/experiments.md).
WEIGHTS: Mapping[str, float] = {
    "words": 6.0,  # BM25F share of the possible, neighbours included
    "words_chat": 4.5,  # the same once more where turns are short: there the context carries the meaning
    "item": 3.5,  # how much of the question the item's candidates cover together
    "meaning": 7.0,  # cosine with the question
    "around": 1.0,  # mean cosine of the turns before and behind, where turns are short
    "speaker": 1.8,  # said by the person that the question names or means
    "agent": -2.2,  # said by the agent, when the question does not ask for a summary or for what the agent said
    "length": 1.0,  # ln(1 + stems) - LENGTH_NEUTRAL, bounded, where turns are short
    "time": 1.8,  # names a time, and the question asks for one
    "number": 1.0,  # names a number, and the question asks for one
}
#: ln(1 + stems) of a turn that is neither short nor long.
LENGTH_NEUTRAL = 3.2
#: Turns of so many stems are chat; the longer they are, the less their neighbours tell.
CHAT_STEMS, LONG_STEMS = 25, 60


#: A word is not common because one of three notes has it: a smaller collection is taken for one of so many passages.
FEWEST = 50


def inverse_frequency(passages: int, of: int) -> float:
    """ln((N - n + .5) / (n + .5)), as FTS5's bm25; never below a millionth."""
    return max(math.log((max(of, FEWEST) - passages + 0.5) / (passages + 0.5)), 1e-6)


class Window:
    """The passages of candidate turns and of the turns around them, flattened for arithmetic.

    Passages of one turn are neighbours in `passages`; rows of `start` say where each turn begins.
    """

    def __init__(self, turns: Sequence[TurnKey], around: Mapping[TurnKey, Sequence[Traits]]) -> None:
        self.turns = tuple(turns)
        self.around = around
        self.passages = [traits for turn in self.turns for traits in around[turn]]
        counts = np.array([len(around[turn]) for turn in self.turns])
        self.start = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp) if len(counts) else np.zeros(0, np.intp)
        self.owner = np.repeat(np.arange(len(self.turns)), counts)

    def neighbours(self, step: int) -> list[TurnKey | None]:
        """For each turn the one `step` away in the same item, or None."""
        shifted = [(item, turn + step) for item, turn in self.turns]
        return [turn if self.around.get(turn) else None for turn in shifted]

    def best_per_turn(self, values: Floats) -> Floats:
        """Largest value of each turn's passages."""
        return np.asarray(np.maximum.reduceat(values, self.start), np.float32) if len(values) else values


def gather(shaped: Shaped, terms: Sequence[Term], stats: IndexStats, window: Window, cosines: Mapping[int, float]) -> Evidence:
    """Features of the window's turns.

    Args:
        cosines: passage number -> cosine with the question, for candidates and their neighbours; missing ones count 0.
    """
    idf = np.array([inverse_frequency(term.passages, stats.passages) for term in terms], np.float32)
    possible = max(float(idf.sum()), 1e-6)
    own = _frequencies([np.concatenate([traits.dated, traits.codes]) for traits in window.passages], terms)
    lengths = np.array([len(traits.dated) + len(traits.codes) for traits in window.passages], np.float32)
    full, full_lengths = _with_context(window, terms, own, lengths)
    words = idf @ _saturated(full, full_lengths, _mean_context(stats)) / possible
    own_saturated = np.maximum.reduceat(_saturated(own, lengths, stats.mean_stems), window.start, axis=1)
    loudest = _loudest(window, words, cosines)
    best_words = window.best_per_turn(words.astype(np.float32))
    chat = _chattiness(window)
    values = {
        "words": best_words,
        "words_chat": best_words * chat,
        "item": _item_share(window, own_saturated, idf, possible),
        "meaning": _cosine_of(window.turns, window, cosines),
        "around": chat
        * (_cosine_of(window.neighbours(-1), window, cosines) + _cosine_of(window.neighbours(1), window, cosines))
        / 2,
        "length": chat * _length(window),
        **_speakers(shaped, loudest),
    }
    covered = (idf @ (own_saturated > 0) / possible).astype(np.float32)
    evidence = Evidence(window.turns, tuple(loudest), values, idf, covered)
    return _with_asked_forms(shaped, evidence, window)


def total(evidence: Evidence) -> Floats:
    """The weighted sum; orders turns, and its differences are log odds of being the answer."""
    weighted = [WEIGHTS[name] * values for name, values in evidence.values.items()]
    return np.asarray(np.sum(weighted, axis=0), np.float32)


def _frequencies(codes: Sequence[NDArray[np.uint32]], terms: Sequence[Term]) -> Floats:
    """How often each term, or by its weight what is like it, stands in each array: (terms, arrays)."""
    result = np.zeros((len(terms), len(codes)), np.float32)
    if not codes:
        return result
    flat = np.concatenate(codes)
    owner = np.repeat(np.arange(len(codes)), [len(array) for array in codes])
    for row, term in enumerate(terms):
        result[row] = np.bincount(owner[flat == term.code], minlength=len(codes))
        for like in term.like:
            result[row] += np.float32(like.weight) * np.bincount(owner[flat == like.code], minlength=len(codes))
    return result


def _saturated(frequencies: Floats, lengths: Floats, mean: float) -> Floats:
    norm = K1 * (1 - B + B * lengths / max(mean, 1e-6))
    return np.asarray(frequencies / (frequencies + norm), np.float32)


def _mean_context(stats: IndexStats) -> float:
    """Expected stems of a passage with its neighbours, weighted as they count."""
    return stats.mean_stems + 2 * (NEAR + FAR) * min(stats.mean_stems, HEAD)


def _with_context(window: Window, terms: Sequence[Term], own: Floats, lengths: Floats) -> tuple[Floats, Floats]:
    """Frequencies and lengths with the heads of the turns around added by weight."""
    around = {step: window.neighbours(step) for step, _ in STEPS}
    needed = sorted({turn for turns in around.values() for turn in turns if turn is not None})
    position = {turn: row for row, turn in enumerate(needed)}
    heads = [window.around[turn][0].codes[:HEAD] for turn in needed]
    nothing = len(needed)
    found = np.concatenate([_frequencies(heads, terms), np.zeros((len(terms), 1), np.float32)], axis=1)
    head_lengths = np.array([*(len(head) for head in heads), 0], np.float32)
    full, full_lengths = own.copy(), lengths.copy()
    for step, weight in STEPS:
        rows = np.array([nothing if turn is None else position[turn] for turn in around[step]], np.intp)[window.owner]
        full += weight * found[:, rows]
        full_lengths += weight * head_lengths[rows]
    return full, full_lengths


def _loudest(window: Window, words: Floats, cosines: Mapping[int, float]) -> list[Traits]:
    """The passage of each turn to show: most words, then nearest in meaning, then first."""
    strength = np.array([words[row] + cosines.get(traits.number, 0.0) for row, traits in enumerate(window.passages)])
    ends = np.append(window.start[1:], len(window.passages))
    return [window.passages[first + int(strength[first:end].argmax())] for first, end in zip(window.start, ends, strict=True)]


def _item_share(window: Window, saturated: Floats, idf: Floats, possible: float) -> Floats:
    """How much of the question the candidates of the same item cover together; the same for all its turns."""
    items = np.array([item for item, _ in window.turns])
    first = np.concatenate([[True], items[1:] != items[:-1]]) if len(items) else np.zeros(0, bool)
    starts = np.flatnonzero(first)
    if not len(starts):
        return np.zeros(0, np.float32)
    together = idf @ np.maximum.reduceat(saturated, starts, axis=1) / possible
    return np.asarray(together[np.cumsum(first) - 1], np.float32)


def _cosine_of(turns: Sequence[TurnKey | None], window: Window, cosines: Mapping[int, float]) -> Floats:
    """Largest cosine among each turn's passages; 0 where there is no turn."""
    return np.array(
        [
            0.0 if turn is None else max((cosines.get(traits.number, 0.0) for traits in window.around[turn]), default=0.0)
            for turn in turns
        ],
        np.float32,
    )


def _chattiness(window: Window) -> Floats:
    """1 where an item's turns in sight are short, towards 0 where they are long; the same for all turns of an item."""
    sums: dict[str, list[int]] = {}
    for (item, _), passages in window.around.items():
        sums.setdefault(item, []).append(sum(len(traits.codes) for traits in passages))
    scale = 1 + CHAT_STEMS / LONG_STEMS
    by_item = {item: min(1.0, scale / (1 + sum(stems) / len(stems) / LONG_STEMS)) for item, stems in sums.items()}
    return np.array([by_item[item] for item, _ in window.turns], np.float32)


def _length(window: Window) -> Floats:
    stems = np.add.reduceat([len(traits.codes) for traits in window.passages], window.start) if window.passages else np.zeros(0)
    return (np.log1p(np.minimum(stems, LENGTH_COUNTED)) - LENGTH_NEUTRAL).astype(np.float32)


def _speakers(shaped: Shaped, passages: Sequence[Traits]) -> dict[str, Floats]:
    """Who said it, against whom the question means. A memory speaks for the person."""
    speakers = [traits.speaker.lower() for traits in passages]
    agent = np.array([speaker in AGENT for speaker in speakers], np.float32)
    meant = [
        (shaped.person and speaker in PERSON)
        or (bool(speaker) and speaker not in PERSON | AGENT and speaker.split()[0] in shaped.words)
        or (shaped.person and not speaker)
        for speaker in speakers
    ]
    return {"speaker": np.array(meant, np.float32), "agent": agent * np.float32(not shaped.agent)}


def _with_asked_forms(shaped: Shaped, evidence: Evidence, window: Window) -> Evidence:
    """Times and numbers, read only in the best candidates: looking in all would cost more than all the rest."""
    forms = {"time": (shaped.when, _TIME), "number": (shaped.many, _NUMBER)}
    asked = {name: pattern for name, (wanted, pattern) in forms.items() if wanted}
    if not asked:
        return evidence
    best = np.argsort(-total(evidence), kind="stable")[:READ]
    values = dict(evidence.values)
    for name, pattern in asked.items():
        flags = np.zeros(len(evidence.turns), np.float32)
        for row in best:
            flags[row] = any(pattern.search(traits.text) for traits in window.around[evidence.turns[row]])
        values[name] = flags
    return Evidence(evidence.turns, evidence.best, values, evidence.idf, evidence.covered)

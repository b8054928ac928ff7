"""What speaks for a turn being the answer: absolute features, comparable between questions and between indexes.

Two phases keep it cheap at a million turns. The arms give a few hundred candidates; only for those, and the turns around
them, are exact features computed from stored stems and vectors. A turn is judged by its best passage, together with the turns
around it: an answer often follows the turn that holds the words of the question. docs/experiments.md shows what each is worth.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from vademecum.model.ports import IndexStats, Term, Traits
from vademecum.recall.shape import Shaped

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]
Mask = NDArray[np.bool_]
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

#: Bits of a place for the turn; a turn before the first of an item is none of the item before.
_TURN_BITS = 32

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
    """The turns in sight, candidates and those around them, flattened for arithmetic.

    Attributes:
        sight: all of them, sorted. passages: theirs, turn by turn; `start` says where each turn begins, `owner` whose each is.
        numbers, stems: of the passages: their numbers, and how many stems each has without its date.
        rows: of the candidates among `sight`. turns: the candidates.
    """

    def __init__(self, turns: Collection[TurnKey], around: Mapping[TurnKey, Sequence[Traits]]) -> None:
        self._around = around
        self.sight = sorted(turn for turn, passages in around.items() if passages)
        self.passages = [traits for turn in self.sight for traits in around[turn]]
        counts = np.fromiter((len(around[turn]) for turn in self.sight), np.intp, len(self.sight))
        self.start = np.cumsum(counts) - counts
        self.owner = np.repeat(np.arange(len(self.sight)), counts)
        self.numbers = np.array([traits.number for traits in self.passages], np.int64)
        self.stems = np.array([len(traits.codes) for traits in self.passages], np.int64)
        self.rows = np.array([row for row, turn in enumerate(self.sight) if turn in turns], np.intp)
        self.turns = tuple(self.sight[row] for row in self.rows.tolist())
        self.item = _runs([item for item, _ in self.sight])
        self._place = (self.item << _TURN_BITS) + np.array([turn for _, turn in self.sight], np.int64)

    def of(self, row: int) -> Sequence[Traits]:
        """The passages of a candidate."""
        return self._around[self.turns[row]]

    def candidates(self) -> Mask:
        """Which passages belong to candidates."""
        chosen = np.zeros(len(self.sight), np.bool_)
        chosen[self.rows] = True
        return np.asarray(chosen[self.owner])

    def compared(self) -> Mask:
        """Which passages belong to candidates or to the turns just before and behind them."""
        chosen = np.zeros(len(self.sight) + 1, np.bool_)
        for step in (-1, 0, 1):
            chosen[self.neighbours(step)] = True
        return np.asarray(chosen[self.owner])

    def neighbours(self, step: int) -> Rows:
        """For each candidate the row of `sight` that is `step` away in the same item; len(sight) where there is none."""
        wanted = self._place[self.rows] + step
        found = np.searchsorted(self._place, wanted)
        there = np.append(self._place, -1)[found] == wanted
        return np.where(there, found, len(self.sight))


def _runs(values: Sequence[str]) -> Rows:
    """Numbers from 0 that grow where the value changes."""
    changes = [first != second for first, second in pairwise(values)]
    return np.cumsum(np.array([False, *changes][: len(values)], np.int64))


def gather(shaped: Shaped, terms: Sequence[Term], stats: IndexStats, window: Window, cosines: Floats) -> Evidence:
    """Features of the window's candidates.

    Args:
        cosines: of the window's passages with the question; 0 for those without a vector, and for those not compared.
    """
    idf = np.array([inverse_frequency(term.passages, stats.passages) for term in terms], np.float32)
    possible = max(float(idf.sum()), 1e-6)
    chosen = window.candidates()
    spoken = _Spoken([window.passages[row] for row in np.flatnonzero(chosen).tolist()], window.owner[chosen])
    own, lengths = _own(spoken.passages, terms)
    full, full_lengths = _with_context(window, terms, spoken.candidate, own, lengths)
    words = idf @ _saturated(full, full_lengths, _mean_context(stats)) / possible
    own_saturated = np.maximum.reduceat(_saturated(own, lengths, stats.mean_stems), spoken.start, axis=1)
    near = cosines.astype(np.float32)
    loudest = spoken.loudest(words + near[chosen])
    best_words = spoken.best(words.astype(np.float32))
    chat = _chattiness(window)
    nearest = np.append(_largest(near, window.start), np.float32(0))
    values = {
        "words": best_words,
        "words_chat": best_words * chat,
        "item": _item_share(window.item[window.rows], own_saturated, idf, possible),
        "meaning": nearest[window.rows],
        "around": chat * (nearest[window.neighbours(-1)] + nearest[window.neighbours(1)]) / 2,
        "length": chat * _length(window),
        **_speakers(shaped, loudest),
    }
    covered = (idf @ (own_saturated > 0) / possible).astype(np.float32)
    evidence = Evidence(window.turns, tuple(loudest), values, idf, covered)
    return _with_asked_forms(shaped, evidence, window)


class _Spoken:
    """The passages of the candidates; `candidate` numbers the turn of each from 0."""

    def __init__(self, passages: Sequence[Traits], owner: Rows) -> None:
        self.passages = passages
        first = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
        self.start = np.flatnonzero(first)
        self.candidate = np.cumsum(first) - 1

    def best(self, values: Floats) -> Floats:
        """Largest value of each turn's passages."""
        return _largest(values, self.start)

    def loudest(self, strength: Floats) -> list[Traits]:
        """The passage of each turn to show: the strongest, and of equals the first."""
        as_strong = np.flatnonzero(strength == self.best(strength)[self.candidate])
        turns = self.candidate[as_strong]
        first = np.append(True, turns[1:] != turns[:-1])[: len(turns)]
        return [self.passages[row] for row in as_strong[first].tolist()]


def total(evidence: Evidence) -> Floats:
    """The weighted sum; orders turns, and its differences are log odds of being the answer."""
    weighted = [WEIGHTS[name] * values for name, values in evidence.values.items()]
    return np.asarray(np.sum(weighted, axis=0), np.float32)


def _largest(values: Floats, start: Rows) -> Floats:
    """The largest of each run of values."""
    return np.asarray(np.maximum.reduceat(values, start), np.float32) if len(values) else values


def _own(passages: Sequence[Traits], terms: Sequence[Term]) -> tuple[Floats, Floats]:
    """How often each term stands in each passage, its date included: (terms, passages); and how many stems each has."""
    codes = [traits.codes for traits in passages]
    dated = [traits.dated for traits in passages]
    lengths = np.array([len(one) + len(other) for one, other in zip(codes, dated, strict=True)], np.float32)
    rows = np.arange(len(passages))
    return _frequencies([*codes, *dated], np.append(rows, rows), len(passages), terms), lengths


def _frequencies(codes: Sequence[NDArray[np.uint32]], owner: Rows, owners: int, terms: Sequence[Term]) -> Floats:
    """How often each term, or by its weight what is like it, stands in the arrays of each owner: (terms, owners)."""
    result = np.zeros((len(terms), owners), np.float32)
    if not owners:
        return result
    flat = np.concatenate(codes)
    of = np.repeat(owner, [len(array) for array in codes])
    for row, term in enumerate(terms):
        result[row] = np.bincount(of[flat == term.code], minlength=owners)
        for like in term.like:
            result[row] += np.float32(like.weight) * np.bincount(of[flat == like.code], minlength=owners)
    return result


def _saturated(frequencies: Floats, lengths: Floats, mean: float) -> Floats:
    norm = K1 * (1 - B + B * lengths / max(mean, 1e-6))
    return np.asarray(frequencies / (frequencies + norm), np.float32)


def _mean_context(stats: IndexStats) -> float:
    """Expected stems of a passage with its neighbours, weighted as they count."""
    return stats.mean_stems + 2 * (NEAR + FAR) * min(stats.mean_stems, HEAD)


def _with_context(
    window: Window, terms: Sequence[Term], candidate: Rows, own: Floats, lengths: Floats
) -> tuple[Floats, Floats]:
    """Frequencies and lengths of the candidates' passages with the heads of the turns around added by weight.

    Args:
        candidate: whose each passage is.
    """
    around = {step: window.neighbours(step) for step, _ in STEPS}
    nothing = len(window.sight)
    position = np.full(nothing + 1, -1)  # the last row of what is found is that of no turn
    position[np.concatenate(list(around.values()))] = 0
    position[nothing] = -1
    needed = np.flatnonzero(position == 0)
    position[needed] = np.arange(len(needed))
    heads = [window.passages[first].codes[:HEAD] for first in window.start[needed].tolist()]
    found = np.zeros((len(terms), len(heads) + 1), np.float32)
    found[:, :-1] = _frequencies(heads, np.arange(len(heads)), len(heads), terms)
    head_lengths = np.array([*(len(head) for head in heads), 0], np.float32)
    full, full_lengths = own.copy(), lengths.copy()
    for step, weight in STEPS:
        rows = position[around[step]][candidate]
        full += weight * found[:, rows]
        full_lengths += weight * head_lengths[rows]
    return full, full_lengths


def _item_share(item: Rows, saturated: Floats, idf: Floats, possible: float) -> Floats:
    """How much of the question the candidates of the same item cover together; the same for all its turns."""
    if not len(item):
        return np.zeros(0, np.float32)
    first = np.append(True, item[1:] != item[:-1])
    together = idf @ np.maximum.reduceat(saturated, np.flatnonzero(first), axis=1) / possible
    return np.asarray(together[np.cumsum(first) - 1], np.float32)


def _chattiness(window: Window) -> Floats:
    """1 where an item's turns in sight are short, towards 0 where they are long; the same for all turns of an item."""
    turns = np.bincount(window.item)
    stems = np.bincount(window.item[window.owner], window.stems, len(turns))
    by_item = np.minimum(1.0, (1 + CHAT_STEMS / LONG_STEMS) / (1 + stems / turns / LONG_STEMS))
    return by_item[window.item[window.rows]].astype(np.float32)


def _length(window: Window) -> Floats:
    stems = np.add.reduceat(window.stems, window.start)[window.rows] if len(window.stems) else np.zeros(0)
    return (np.log1p(np.minimum(stems, LENGTH_COUNTED)) - LENGTH_NEUTRAL).astype(np.float32)


def _speakers(shaped: Shaped, passages: Sequence[Traits]) -> dict[str, Floats]:
    """Who said it, against whom the question means. A memory speaks for the person."""
    names = {traits.speaker: traits.speaker.lower() for traits in passages}
    meant = {name: _is_meant(shaped, speaker) for name, speaker in names.items()}
    agents = {name for name, speaker in names.items() if speaker in AGENT}
    agent = np.array([traits.speaker in agents for traits in passages], np.float32)
    of_meant = np.array([meant[traits.speaker] for traits in passages], np.float32)
    return {"speaker": of_meant, "agent": agent * np.float32(not shaped.agent)}


def _is_meant(shaped: Shaped, speaker: str) -> bool:
    if speaker in PERSON or not speaker:
        return shaped.person
    return speaker not in AGENT and speaker.split(maxsplit=1)[0] in shaped.words


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
            flags[row] = any(pattern.search(traits.text) for traits in window.of(int(row)))
        values[name] = flags
    return Evidence(evidence.turns, evidence.best, values, evidence.idf, evidence.covered)

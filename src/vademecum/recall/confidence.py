"""The confidence that a turn answers a question, 0..1. :mod:`decide` compares it with the threshold of the profile (profiles.py).

A logistic formula with the same constants for words alone and with vectors, fitted on questions whose answer is in the index and on
others. The weight of meaning depends on how well the embedder separates related from unrelated texts in the language of the question
(`ports.embedder.Likeness`), so the formula also suits an embedder that it was not fitted for. No feature is scaled by the best or worst
hit of the same question, so a single weak hit stays weak (X-09, rule 7).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from vademecum.domain.item import Item
from vademecum.recall.features import Evidence, Floats, inverse_frequency
from vademecum.recall.numbers import (
    ABOUT_THE_PERSON,
    ACROSS,
    AHEAD_ACROSS,
    BASE,
    BIAS,
    BY_WORDS,
    CHANCE,
    CHANCE_OF_WHOLES,
    COSINE_WEIGHT,
    FEATURES_FEWEST,
    FLOOR_OF_MEMORIES,
    HELD,
    NAMES,
    NEAREST,
    NEEDED,
    NEEDED_ACROSS,
    OF_A_NAME,
    OF_PERSONAL_KIND,
    OWN,
    PASSAGES,
    POOL_FEWEST,
    RAREST,
    ROOT,
    RUN,
    SHARE,
    SPECIFIC,
    TITLE,
    TOP,
    UNMET,
    UNMET_MOST,
    WHOLE,
    WHOLE_SCALE,
    WORDS,
)
from vademecum.recall.pools import Measures, SearchPool
from vademecum.recall.query_parsing import Shaped
from vademecum.recall.window import Rows, TurnKey

#: A number, or an array of them.
Numbers = Any

PERSONAL_KINDS = frozenset({"identity", "preference", "style"})


def confidence(words: Numbers, names: float, beside: Numbers, pool: str = "session") -> Numbers:
    """Return the probability that a turn answers, 0..1; at 0.5 showing it becomes better than showing nothing. Works on arrays too.

    Args:
        words: share of the possible BM25, 0..1, reduced if the question is unspecific.
        names: total idf of the question's names that occur nowhere.
        beside: log odds from other evidence: :func:`odds_by_meaning`, :func:`odds_by_session`, :func:`own_words`.
    """
    odds = BIAS.get(pool, BIAS["session"]) + WORDS * words - NAMES * names + beside
    return _probability(odds)


def _probability(odds: Numbers) -> Numbers:
    return 1 / (1 + np.exp(-np.clip(odds, -50.0, 50.0)))


def odds_by_meaning(distance: float, deviations: Numbers, passages: int) -> Numbers:
    """Return the log odds from a cosine.

    Args:
        distance: d' of the model. deviations: z-score of the cosine.
        passages: in the pool; a larger pool contains something similar to anything.
    """
    expected = distance * (CHANCE * _expected_best(passages) - BASE)
    return distance * COSINE_WEIGHT * (deviations - expected)


def odds_by_session(whole: Numbers, asked: float) -> Numbers:
    """Return the log odds from the match of a whole session; 0 in memories and notes.

    Args:
        whole: BM25 of its turns together. asked: total idf of the question's words.
    """
    expected = CHANCE_OF_WHOLES * max(asked, 1.0) ** ROOT
    return WHOLE * np.clip(np.log(np.maximum(whole, 1e-6) / expected), 0.0, 1.0)


def unmet_names(run: int) -> float:
    """Return the idf-like weight of a run of character pairs that occur nowhere, comparable to that of a name."""
    return min(UNMET * max(0, run - RUN), UNMET_MOST) / NAMES


def specificity(asked: float, passages: int) -> float:
    """Return how specific a question is (0..1), from the total idf of its words and the pool size."""
    return min(1.0, asked / (SPECIFIC * math.log(max(passages, 2)) / math.log(PASSAGES)))


def _expected_best(passages: int) -> float:
    """Return the expected maximum z-score among that many passages."""
    return math.sqrt(2 * math.log(max(passages, POOL_FEWEST)))


def own_words(shaped: Shaped, turns: Sequence[TurnKey], items: Mapping[str, Item]) -> NDArray[np.float64]:
    """Return the log odds of each turn for a question of the person about themselves; 0 for all but memories."""
    values = np.zeros(len(turns))
    if shaped.person:
        for row, (key, _) in enumerate(turns):
            item = items.get(key)
            if item is not None and item.source == "memory":
                values[row] = ABOUT_THE_PERSON + OF_PERSONAL_KIND * (item.kind in PERSONAL_KINDS)
    return values


class Beside(Struct, frozen=True):
    """Evidence other than words.

    Attributes:
        distance: d' of the model; 0: no model was used.
        own: result of :func:`own_words`, one value per row. named: keys of items that the question names.
        goes_on: log odds that the prompt continues one of the sessions (continuation.py); 0 for a question.
        foreign: rows -> those in another language than the question.
    """

    distance: float
    own: NDArray[np.float64]
    named: frozenset[str]
    goes_on: float
    foreign: Callable[[Sequence[int]], list[int]]


class Confidences:
    """Probability that the question is answered by each turn, by each pool, and by all together, 0..1.

    Args:
        scores: of the evidence's turns. measures: of the pools that were searched.

    Attributes:
        of_turns: one per row of the evidence. of_pools: one per pool.
    """

    def __init__(self, evidence: Evidence, scores: Floats, measures: Measures, beside: Beside) -> None:
        self._evidence = evidence
        self._foreign = beside.foreign
        self._distance = beside.distance
        self._own = beside.own
        self._goes_on = beside.goes_on
        self._least = np.array([FLOOR_OF_MEMORIES if pool.name == "memory" else 0.0 for pool in measures.pools])
        self._talks = np.array([pool.name == "session" for pool in measures.pools], np.bool_)
        self.of_turns = np.zeros(len(scores))
        self.of_pools = np.zeros(len(measures.pools))
        for at, pool in enumerate(measures.pools):
            rows = np.flatnonzero(evidence.pool == at)
            if len(rows):
                self._judge(at, pool, rows[np.argsort(-scores[rows], kind="stable")])
        self._named = np.array([key in beside.named for key, _ in evidence.turns], np.bool_)
        self.of_turns[self._named] = np.maximum(self.of_turns[self._named], OF_A_NAME)

    def _judge(self, at: int, pool: SearchPool, rows: Rows) -> None:
        """Compute the confidence of a pool from its nearest meaning and the best word match among its top turns.

        Args:
            rows: its turns, best first.
        """
        evidence = self._evidence
        asked = float(evidence.asked[at])
        share = specificity(asked, pool.passages)
        words = (evidence.values["words"][rows] * share).astype(np.float64)
        unknown = float(evidence.unknown_names[at])
        names = unknown + unmet_names(int(evidence.unmet_run[at]))
        own = self._own[rows]
        result = odds_by_meaning(self._distance, self._evidence.deviations[rows].astype(np.float64), pool.passages)
        meaning = np.where(self._evidence.compared[rows], result, 0.0) + own + (self._goes_on if self._talks[at] else 0.0)
        whole = odds_by_session(evidence.whole[rows].astype(np.float64) * WHOLE_SCALE, asked)
        title = TITLE * evidence.values["title"][rows].astype(np.float64)
        self.of_turns[rows] = confidence(words, names, meaning + whole + title, pool.name)
        self.of_pools[at] = confidence(words[:TOP].max(), names, meaning.max() + whole.max() + title.max(), pool.name)
        if pool.name == "memory":
            alone = self._statement(rows, pool.passages, asked, unknown)
            self.of_turns[rows] = np.minimum(self.of_turns[rows], alone)
            self.of_pools[at] = min(self.of_pools[at], alone.max())
        few = pool.name == "memory" and pool.passages <= FEATURES_FEWEST
        across = meaning - own + OWN * self._is_personal(rows) - NAMES * unknown * few
        self._judge_across(at, rows, across, few=few)

    def _statement(self, rows: Rows, passages: int, asked: float, unknown: float) -> NDArray[np.float64]:
        """Return the confidence of each of these memories as a single statement.

        Args:
            passages: in the pool. asked: total idf of the question's words. unknown: that of its names that occur nowhere.
        """
        evidence = self._evidence
        covered = evidence.covered[rows].astype(np.float64)
        rarest = float(inverse_frequency(np.ones(1, np.float32), passages)[0])
        by_words = BY_WORDS * (np.maximum(covered / HELD, covered * asked / (RAREST * rarest)) - 1)
        if passages > FEATURES_FEWEST:
            by_words = np.full(len(rows), np.inf)
        by_both = SHARE * covered + evidence.deviations[rows] + OWN * self._is_personal(rows) - NEEDED - NAMES * unknown
        return np.asarray(_probability(np.where(evidence.compared[rows], by_both, by_words)))

    def _is_personal(self, rows: Rows) -> NDArray[np.float64]:
        """Return 1 for memories that say who the person is, if they ask about themselves; else 0."""
        return (self._own[rows] > ABOUT_THE_PERSON).astype(np.float64)

    def _judge_across(self, at: int, rows: Rows, meaning: NDArray[np.float64], *, few: bool) -> None:
        """Raise the confidence of turns in another language that are near in meaning, judged by meaning alone.

        Args:
            few: the rows are of a small memory, where anything is the nearest of something: the nearest must be near by itself, and
                nearer than all others.
        """
        sure = _probability(ACROSS + meaning)
        if few:
            deviations = self._evidence.deviations[rows]
            least = max(NEEDED_ACROSS, float(np.sort(deviations)[-2]) + AHEAD_ACROSS) if len(rows) > 1 else NEEDED_ACROSS
            sure = np.minimum(sure, _probability(deviations - least))
        near = np.flatnonzero(self._evidence.compared[rows] & (sure > self.of_turns[rows]) & (sure >= 0.5))
        nearest = near[np.argsort(-sure[near], kind="stable")][:NEAREST]
        across = set(self._foreign(rows[nearest].tolist())) if len(nearest) else set()
        for place in nearest.tolist():
            if rows[place] in across:
                self.of_turns[rows[place]] = sure[place]
                self.of_pools[at] = max(self.of_pools[at], sure[place])

    def of_all(self) -> float:
        """Return the highest confidence of a pool, or that of an item that the question names."""
        return max(float(self.of_pools.max(initial=0.0)), OF_A_NAME if self._named.any() else 0.0)

    def enough(self, threshold: float, floor: float, floor_of_turns: float) -> list[bool]:
        """Return for each turn whether it may be shown: its pool reaches the threshold and it reaches the floor, or the question names it.

        Args:
            floor: of memories and notes; 0: no floor at all. floor_of_turns: of session turns.
        """
        least = np.where(self._talks, floor_of_turns, np.maximum(self._least, floor))[self._evidence.pool] if floor else 0.0
        likely = (self.of_pools[self._evidence.pool] >= threshold) & (self.of_turns >= least)
        enough: list[bool] = (likely | self._named).tolist()
        return enough

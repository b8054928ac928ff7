"""Whether anything should be said at all: absolute evidence of the best answers, never scaled per question (X-09, rule 7).

A logistic formula over two features, fitted on questions asked of an index that can answer them and of others that cannot.
No feature knows the question's own best or worst hit as a scale, so one weak hit stays weak.
"""

import math
from typing import Any

import numpy as np

from vademecum.recall.features import NO_MODEL, Evidence, Floats
from vademecum.recall.pools import Measures, SearchPool
from vademecum.recall.window import Rows

#: A number, or an array of them.
Shares = Any

#: Weight of a cosine with the question, and of a share of its possible BM25 (words nobody ever wrote count as uncovered).
MEANING, WORDS = 21.5, 13.0
#: A question of few or common words is covered by chance: below this sum of inverse frequencies (at PASSAGES; they grow with
#: the logarithm of the index) its words count in proportion.
TELLING = 10.0
#: A larger index holds something similar to anything: the best of N unrelated cosines is expected sqrt(2 ln N) deviations above
#: their mean. The bias was fitted at PASSAGES; DEVIATION is that of the default model's unrelated cosines.
PASSAGES, DEVIATION = 600, 0.077
BIAS = -13.3
#: The same without vectors: words alone must carry the decision.
WORDS_ALONE, BIAS_ALONE = 18.0, -6.9


def confidence(cosine: Shares | None, words: Shares, asked: float, passages: int) -> Shares:
    """0..1, one half where saying something becomes better than silence; of one turn, or of each of many.

    Args:
        cosine: with the question, on the scale of the default model; None without vectors.
        words: "words" evidence, 0..1.
        asked: sum of the inverse frequencies of the question's terms.
        passages: in the index.
    """
    enough = TELLING * math.log(max(passages, 2)) / math.log(PASSAGES)
    telling = words * min(1.0, asked / enough)
    size = MEANING * DEVIATION * (_expected_best(PASSAGES) - _expected_best(passages))
    if cosine is None:
        odds = WORDS_ALONE * telling + BIAS_ALONE + size
    else:
        odds = MEANING * cosine + WORDS * telling + BIAS + size
    return 1 / (1 + np.exp(-np.clip(odds, -50.0, 50.0)))


def _expected_best(passages: int) -> float:
    return math.sqrt(2 * math.log(max(passages, 2)))


class Sureness:
    """The gate's confidence: of each pool, of the whole answer, and of single turns.

    Args:
        scores: of the evidence's turns. measures: of the pools that were searched.
    """

    def __init__(self, evidence: Evidence, scores: Floats, measures: Measures) -> None:
        self._pool = evidence.pool
        self.of_turns = np.zeros(len(scores))
        self.of_pools = np.zeros(len(measures.pools))
        for at, pool in enumerate(measures.pools):
            rows = np.flatnonzero(self._pool == at)
            if len(rows):
                self._judge(at, pool, rows[np.argsort(-scores[rows], kind="stable")], evidence)

    def _judge(self, at: int, pool: SearchPool, rows: Rows, evidence: Evidence) -> None:
        """Judge a pool by the best of what was found: its nearest meaning, and the best words among its ten best turns.

        Args:
            rows: its turns, best first.
        """
        words, asked = evidence.values["words"][rows].astype(np.float64), float(evidence.asked[at])
        near = evidence.values["meaning"][rows].astype(np.float64)
        compared = evidence.model[rows] != NO_MODEL
        cosine = near[compared].max() if compared.any() else None
        self.of_turns[rows] = confidence(near if compared.any() else None, words, asked, pool.passages)
        self.of_pools[at] = confidence(cosine, words[:10].max(initial=0.0), asked, pool.passages)

    def of_all(self) -> float:
        """Return that of the surest pool."""
        return float(self.of_pools.max(initial=0.0))

    def told(self, threshold: float, floor: float) -> list[bool]:
        """Return of each turn whether its pool reaches the threshold and it the floor by itself."""
        told: list[bool] = ((self.of_pools[self._pool] >= threshold) & (self.of_turns >= floor)).tolist()
        return told

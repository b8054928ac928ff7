"""Whether anything should be said at all: absolute evidence of the best answers, never scaled per question (X-09, rule 7).

A logistic formula over two features, fitted on questions asked of an index that can answer them and of others that cannot.
No feature knows the question's own best or worst hit as a scale, so one weak hit stays weak.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from vademecum.domain.query import Scored
from vademecum.recall.features import Evidence, Floats

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
    """The gate's confidence, of the whole answer and of single turns.

    Args:
        dense: what the meaning arm gave, best first; empty when there are no vectors.
        scores: of the evidence's turns. passages: in the index.
    """

    def __init__(self, evidence: Evidence, dense: Sequence[Scored], scores: Floats, passages: int) -> None:
        self._words = evidence.values["words"]
        self._asked, self._passages = float(evidence.idf.sum()), passages
        self._best_cosine = dense[0].score if dense else None
        self._top = np.argsort(-scores, kind="stable")[:10]
        cosines = None if self._best_cosine is None else evidence.values["meaning"].astype(np.float64)
        self._each = confidence(cosines, self._words.astype(np.float64), self._asked, passages)

    def of_all(self) -> float:
        """Of the best of what was found: its nearest meaning, and the best words among the ten best turns."""
        words = float(self._words[self._top].max(initial=0.0))
        return float(confidence(self._best_cosine, words, self._asked, self._passages))

    def at_least(self, least: float) -> list[bool]:
        """Return whether it is that of each turn by itself."""
        enough: list[bool] = (self._each >= least).tolist()
        return enough

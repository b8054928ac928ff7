"""Whether anything should be said at all: absolute evidence of the best answers, never scaled per question (X-09, rule 7)."""

from collections.abc import Sequence

import numpy as np

from vademecum.model.ports import Term
from vademecum.recall.evidence import Evidence


def confidence(evidence: Evidence, scores: np.ndarray, terms: Sequence[Term], *, meaning: bool) -> float:
    """0..1: how sure it is that the best turns answer the question."""
    return 1.0

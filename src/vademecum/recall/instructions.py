"""Raise standing instructions ("always ... when I ask about ...") whose condition fits the prompt.

A prompt that fits the condition rarely shares words with the instruction itself, so other turns on the subject would rank above it.
"""

from functools import cache

import numpy as np

from vademecum.domain.item import AGENT
from vademecum.language.load import languages
from vademecum.ports.index import SearchIndex
from vademecum.recall.features import Evidence, Floats, holding
from vademecum.recall.numbers import STANDING_MOST, STANDING_READ
from vademecum.recall.weights import ADDED
from vademecum.recall.window import Texts, Window


def standing(index: SearchIndex, window: Window, scores: Floats, evidence: Evidence, texts: Texts) -> Floats:
    """Return log odds for each candidate turn: a bonus for a person's standing instructions that fit the prompt best.

    Args:
        texts: passage numbers -> texts; called for turns that contain both words of such an instruction, to check their order.
    """
    around, values = window.around, np.zeros(len(window.rows), np.float32)
    if not len(values):
        return values
    agents = np.array([name.lower() in AGENT for name in around.speakers], np.bool_)
    held = ~agents[around.speaker]
    for sign in ("lasting_word", "asked_word"):
        codes = np.array([term.code for term in index.terms(_words(sign), frozenset())], np.uint32)
        held &= holding(around, codes)
    rows = np.flatnonzero(np.maximum.reduceat(held, window.start)[window.rows])
    rows = rows[np.argsort(-scores[rows], kind="stable")[:STANDING_READ]]
    if not len(rows):
        return values
    read = texts([evidence.best[row] for row in rows.tolist()])
    says = languages().sign("evidence", "standing")
    meant = [row for row in rows.tolist() if says.search(read.get(evidence.best[row], ""))]
    values[meant[:STANDING_MOST]] = ADDED["standing"]
    return values


@cache
def _words(sign: str) -> str:
    return " ".join(languages().listed("evidence", sign))

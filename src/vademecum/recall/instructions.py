"""Standing instructions: "always ... when I ask about ...", told by their condition.

A prompt that fits the condition seldom says anything of the instruction, so it would rank below whatever else is about the subject.
"""

from functools import cache

import numpy as np

from vademecum.language.load import languages
from vademecum.ports.index import SearchIndex
from vademecum.recall.features import AGENT, Evidence, Floats, holding
from vademecum.recall.numbers import ADDED, STANDING_MOST, STANDING_READ
from vademecum.recall.window import Texts, Window


def standing(index: SearchIndex, window: Window, scores: Floats, evidence: Evidence, texts: Texts) -> Floats:
    """Return log odds for each candidate turn: those for a person's standing instruction go to the few that fit the prompt best.

    Args:
        texts: asked for the turns that hold both words of such an instruction; those that put them together are meant.
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

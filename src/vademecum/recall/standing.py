"""Standing instructions: "always ... when I ask about ...", told by their condition.

A prompt that fits the condition seldom says anything of the instruction, so it would rank below whatever else is about the subject.
"""

from functools import cache

import numpy as np

from vademecum.language.load import languages
from vademecum.ports.index import SearchIndex
from vademecum.recall.features import AGENT, Floats, holding
from vademecum.recall.window import Window

#: Log odds for a turn that instructs for good what to do when something is asked; so many of those that the prompt found get them.
STANDING_WEIGHT, STANDING_MOST = 4.0, 3


def standing(index: SearchIndex, window: Window, scores: Floats) -> Floats:
    """Return log odds for each candidate turn: those for a person's standing instruction go to the few that fit the prompt best."""
    around, found = window.around, np.zeros(len(window.rows), np.float32)
    if not len(found):
        return found
    agents = np.array([name.lower() in AGENT for name in around.speakers], np.bool_)
    held = ~agents[around.speaker]
    for sign in ("lasting_word", "asked_word"):
        codes = np.array([term.code for term in index.terms(_words(sign), frozenset())], np.uint32)
        held &= holding(around, codes)
    rows = np.flatnonzero(np.maximum.reduceat(held, window.start)[window.rows])
    found[rows[np.argsort(-scores[rows], kind="stable")[:STANDING_MOST]]] = STANDING_WEIGHT
    return found


@cache
def _words(sign: str) -> str:
    return " ".join(languages().listed("evidence", sign))

"""The threshold of recall: whether the answer as a whole, and each turn of it, is likely enough to be shown.

The confidence that is compared with it is computed in :mod:`vademecum.recall.confidence`. A profile may have a threshold of its own
(profiles.py); a search by hand has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from vademecum.recall.numbers import ASKED, ASKED_AT_WORK, BESIDE_WHAT_ASKS_NOTHING, SAID_BESIDE

if TYPE_CHECKING:
    from vademecum.recall.decide import Candidates
    from vademecum.recall.eligibility import Judge
    from vademecum.recall.run import Run

#: Minimum confidence of an answer as a whole: from here on showing it is better than showing nothing.
THRESHOLD = 0.5


def is_reached(run: Run, confidence: float) -> bool:
    """Return whether the answer as a whole is likely enough."""
    return not run.query.gated or confidence >= run.profile.threshold


def floor_of(run: Run, judge: Judge) -> float:
    """Return the minimum confidence of a single turn. It is stricter for unrequested hits, except for lists and summaries."""
    if not (run.query.unasked and run.profile.floor) or run.shaped.breadth:
        return run.profile.floor
    return run.profile.threshold if judge.asks else BESIDE_WHAT_ASKS_NOTHING


def likely_enough(run: Run, candidates: Candidates, floor: float) -> list[bool]:
    """Return for each row whether it is likely enough to answer; a search by hand has no limit."""
    if not run.query.gated:
        return [True] * len(candidates.evidence.turns)
    asked = ASKED_AT_WORK if run.shaped.goes_on else ASKED
    floor_of_turns = min(floor, asked if candidates.judge.asks else SAID_BESIDE)
    return candidates.confidence.enough(run.profile.threshold, floor, floor_of_turns)

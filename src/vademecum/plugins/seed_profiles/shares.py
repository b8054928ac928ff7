"""One number for each candidate turn, by the profile's fusion, on a scale where one more is worth about a factor e."""

import numpy as np

from vademecum.recall.features import Evidence, Floats, total
from vademecum.recall.pools import Found
from vademecum.recall.profiles import Profile
from vademecum.recall.window import TurnKey

#: Reciprocal rank fusion, Cormack, Clarke & Büttcher (SIGIR 2009), who fixed 60 after a pilot. Larger flattens the top.
RANK_OFFSET = 60
#: What the profiles that mix scores of 0..1 are stretched by, to stand beside sums of evidence.
STRETCH = 10


def fuse(profile: Profile, evidence: Evidence, lexical: Found, dense: Found) -> Floats:
    """Compute scores of the evidence's turns, in its order.

    Args:
        lexical, dense: what the arms gave in each pool; only rank fusion looks at them.
    """
    if profile.fusion == "evidence":
        return total(evidence)
    if profile.fusion == "rrf":
        return _by_ranks(profile, evidence, lexical, dense)
    meaning, words = profile.weights
    worded = evidence.covered * np.clip(evidence.values["words"] * 2, 0, 1)
    mixed = meaning * np.clip(evidence.values["meaning"], 0, 1) + words * worded
    return np.asarray(mixed * STRETCH, np.float32)


def _by_ranks(profile: Profile, evidence: Evidence, lexical: Found, dense: Found) -> Floats:
    """Score = sum of weight / (RANK_OFFSET + rank), ranks from 1, stretched so that the best possible is STRETCH."""
    arms = list(zip(profile.weights, (ranks_of(dense), ranks_of(lexical)), strict=True))
    fused = [sum(share_of_rank(weight, rank[turn]) for weight, rank in arms if turn in rank) for turn in evidence.turns]
    return np.array(fused, np.float32)


def share_of_rank(weight: float, rank: int) -> float:
    """Return what a rank, from 1, adds to the score of rank fusion."""
    return weight / (RANK_OFFSET + rank) * (RANK_OFFSET + 1) * STRETCH


def ranks_of(arm: Found) -> dict[TurnKey, int]:
    """Return the rank of each turn in an arm, from 1 in each pool, by its best passage."""
    ranks: dict[TurnKey, int] = {}
    for found in arm:
        for rank, turn in enumerate(dict.fromkeys((one.item, one.turn) for one in found), 1):
            ranks[turn] = rank
    return ranks

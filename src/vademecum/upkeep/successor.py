"""How likely a statement takes the place of an earlier one: that it tells of a change, and what ties the two, weighed together.

The weights, `takes_place.tsv`, are logistic regression over labelled pairs, of which one in three takes the place of the other, and over
pairs that have nothing to do with each other. `tools/learn_pairs.py` makes the file and says how well it does on pairs that it has not
seen. Pure.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from vademecum.upkeep.statements import Comparison
from vademecum.upkeep.subject import NO_TIE, Tie

WEIGHTS = Path(__file__).with_name("takes_place.tsv")

#: What stands in the file for what is there before any evidence.
BIAS = "always"
#: Words of an answer count up to here, in logarithms of rarity: long answers hold many.
ANSWERED_MOST = 12.0


class Telling(NamedTuple):
    """How a statement was told in a conversation.

    Attributes:
        around: what ties it to the first statement together with what was said right beside it.
        answered: what ties the agent's words before it to the first statement: who is put right takes up what was taken for granted.
        unsure: log-odds that it does not last, not below 0.
    """

    around: Tie
    answered: Tie
    unsure: float

    @property
    def holds(self) -> bool:
        """Whether anything ties the two."""
        return self.around.holds or self.answered.holds


def evidence(change: float, tie: Tie, compared: Comparison, told: Telling | None = None) -> Mapping[str, float]:
    """What speaks for and against: name -> how much of it there is.

    Args:
        change: log-odds that the second statement tells of a change.
        told: where it was said in a conversation; None: it was stated by itself.
    """
    around, answered, unsure = told or (tie, NO_TIE, 0.0)
    return {
        BIAS: 1.0,
        "change": change,
        "words": tie.words,
        "rarest": tie.rarest,
        "competing": tie.competing,
        "competes": float(tie.competing > 0),
        "beside": tie.beside,
        "missing": tie.missing,
        "overlap": compared.overlap,
        "adds": float(compared.adds),
        "changed": float(compared.changed),
        "clashes": float(compared.relation in ("value", "opposite", "replaces")),
        "more": float(compared.relation == "more"),
        "unclear": float(compared.relation == "unclear"),
        "told": float(told is not None),
        "unsure": unsure,
        "around words": max(0.0, around.words - tie.words),
        "around rarest": max(0.0, around.rarest - tie.rarest),
        "around competing": max(0.0, around.competing - tie.competing),
        "answered words": min(answered.words, ANSWERED_MOST),
        "answered rarest": max(0.0, answered.rarest - tie.rarest),
        "answered competes": float(answered.competing > 0),
    }


def takes_place(change: float, tie: Tie, compared: Comparison, told: Telling | None = None) -> float:
    """Log-odds that a statement takes the place of an earlier one."""
    weights = _weights()
    return sum(weights[name] * amount for name, amount in evidence(change, tie, compared, told).items())


@cache
def _weights() -> Mapping[str, float]:
    lines = WEIGHTS.read_text(encoding="utf-8").splitlines()
    return {name: float(weight) for name, _, weight in (line.partition("\t") for line in lines if not line.startswith("#"))}

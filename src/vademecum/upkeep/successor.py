"""How likely a statement takes the place of an earlier one: that it tells of a change, and what ties the two, weighed together.

The weights, `takes_place.tsv`, are logistic regression over labelled pairs, of which one in three takes the place of the other, and over
pairs that have nothing to do with each other. `tools/learn_pairs.py` makes the file and says how well it does on pairs that it has not
seen. Pure.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from vademecum.upkeep.statements import Comparison
from vademecum.upkeep.subject import Tie

WEIGHTS = Path(__file__).with_name("takes_place.tsv")

#: What stands in the file for what is there before any evidence.
BIAS = "always"


def evidence(change: float, tie: Tie, compared: Comparison) -> Mapping[str, float]:
    """What speaks for and against: name -> how much of it there is.

    Args:
        change: log-odds that the second statement tells of a change.
    """
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
    }


def takes_place(change: float, tie: Tie, compared: Comparison) -> float:
    """Log-odds that a statement takes the place of an earlier one."""
    weights = _weights()
    return sum(weights[name] * amount for name, amount in evidence(change, tie, compared).items())


@cache
def _weights() -> Mapping[str, float]:
    lines = WEIGHTS.read_text(encoding="utf-8").splitlines()
    return {name: float(weight) for name, _, weight in (line.partition("\t") for line in lines if not line.startswith("#"))}

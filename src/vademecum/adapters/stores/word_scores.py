"""Scoring of the word index: BM25 in which a word counts once per passage, however often it occurs there.

    score = sum over terms of  weight(term) * (K1 + 1) / (1 + K1 * (1 - B + B * stems / mean stems))

Measured over single turns (recall@10): no loss for short texts (LoCoMo .60 either way), a large gain for long ones (BEAM .42 to
.49, pooled .37 to .50). The score is also computed by arithmetic on lists of passage numbers, ten times faster than FTS5's
bm25(), which looks up every length and position.
"""

import math
from collections.abc import Sequence

from vademecum.ports.index import Term

#: From Robertson & Zaragoza (2009); the same constants as in SQLite's own bm25().
K1, B = 1.2, 0.75


def frequency_weight(having: int, total: int) -> float:
    """Return the inverse document frequency of a word that occurs in `having` of `total` passages; always above 0."""
    return math.log(1 + (total - having + 0.5) / (having + 0.5))


def within_budget(terms: Sequence[Term], budget: int) -> list[Term]:
    """Return the rarest terms that occur, as many as have at most `budget` postings together; at least one.

    Similar terms come after all terms of the query.
    """
    every = [word for term in terms for word in (term, *term.like)]
    rarest_first = sorted((term for term in every if term.passages), key=lambda term: (bool(term.stem), term.passages))
    spent = 0
    chosen: list[Term] = []
    for term in rarest_first:
        spent += term.passages
        if chosen and spent > budget:
            break
        chosen.append(term)
    return chosen


#: Maximum weight of a stem that begins with the query's, and of one with nearly the same spelling, as MiniSearch 7 publishes them.
PREFIX_WEIGHT, FUZZY_WEIGHT = 0.375, 0.45
#: Penalty of each further character of a prefix match, in edits; and the maximum number of edits, however long the word is.
LONGER, MOST_EDITS = 0.3, 6


def edits_allowed(stem: str, fuzzy: float) -> int:
    """Return the number of edits with which a stem still counts as a misspelling of the same word."""
    return min(MOST_EDITS, int(len(stem) * fuzzy + 0.5))


def weights_like(asked: str, edits: dict[str, int], longer: set[str]) -> list[tuple[float, str]]:
    """Return (weight, stem) of the stems similar to `asked`, largest weight first.

    Args:
        edits: stems of nearly the same spelling -> edit distance. longer: stems that begin with `asked`. `asked` itself is
            skipped.
    """
    weights = {stem: FUZZY_WEIGHT * len(stem) / (len(stem) + count) for stem, count in edits.items() if stem != asked}
    for stem in longer - {asked}:
        weights[stem] = PREFIX_WEIGHT * len(stem) / (len(stem) + LONGER * (len(stem) - len(asked)))
    return sorted(((weight, stem) for stem, weight in weights.items()), key=lambda pair: (-pair[0], pair[1]))

"""Similarity of stems to a stem of the query: with it as a prefix, or of nearly the same spelling.

Rules and weights as MiniSearch 7 publishes them (`fuzzy`, `prefix`, `weights`), applied to stems rather than to words.
"""

#: Maximum weight of an occurrence: of a stem that begins with the query's, and of one with nearly the same spelling.
PREFIX_WEIGHT, FUZZY_WEIGHT = 0.375, 0.45
#: Penalty of each further character of a prefix match, in edits.
LONGER = 0.3
#: Maximum number of edits, however long the word is.
MOST_EDITS = 6


def edits_allowed(stem: str, fuzzy: float) -> int:
    """Return the number of edits with which a stem still counts as a misspelling of the same word."""
    return min(MOST_EDITS, int(len(stem) * fuzzy + 0.5))


def prefix_weight(stem: str, asked: str) -> float:
    """Return the weight of a stem that begins with `asked` and is longer."""
    return PREFIX_WEIGHT * len(stem) / (len(stem) + LONGER * (len(stem) - len(asked)))


def fuzzy_weight(stem: str, edits: int) -> float:
    """Return the weight of a stem at an edit distance of `edits` (at least 1)."""
    return FUZZY_WEIGHT * len(stem) / (len(stem) + edits)


def weights_like(asked: str, edits: dict[str, int], longer: set[str]) -> list[tuple[float, str]]:
    """Return (weight, stem) of the stems similar to `asked`, largest weight first.

    Args:
        edits: stems of nearly the same spelling -> edit distance. longer: stems that begin with `asked`. `asked` itself is
            skipped.
    """
    weights = {stem: fuzzy_weight(stem, count) for stem, count in edits.items() if stem != asked}
    weights |= {stem: prefix_weight(stem, asked) for stem in longer if stem != asked}
    return sorted(((weight, stem) for stem, weight in weights.items()), key=lambda pair: (-pair[0], pair[1]))

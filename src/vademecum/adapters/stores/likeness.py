"""When one stem stands in for another that was asked for: it begins so, or is written almost so.

Rules and weights as MiniSearch 7 publishes them (`fuzzy`, `prefix`, `weights`), applied to stems rather than to words.
"""

#: What an occurrence counts at most: of a stem that begins with the one asked for, and of one written almost so.
PREFIX_WEIGHT, FUZZY_WEIGHT = 0.375, 0.45
#: How much a prefix loses for each character that the stem is longer, against an edit.
LONGER = 0.3
#: Edits allowed however long the word is.
MOST_EDITS = 6


def edits_allowed(stem: str, fuzzy: float) -> int:
    """Return with how many edits a stem still counts as the same word, mistyped."""
    return min(MOST_EDITS, int(len(stem) * fuzzy + 0.5))


def prefix_weight(stem: str, asked: str) -> float:
    """Return the weight of a stem that begins with `asked` and is longer."""
    return PREFIX_WEIGHT * len(stem) / (len(stem) + LONGER * (len(stem) - len(asked)))


def fuzzy_weight(stem: str, edits: int) -> float:
    """Return the weight of a stem that so many edits, at least one, turn into the one asked for."""
    return FUZZY_WEIGHT * len(stem) / (len(stem) + edits)


def weights_like(asked: str, edits: dict[str, int], longer: set[str]) -> list[tuple[float, str]]:
    """Return (weight, stem), heaviest first, of what is like `asked`.

    Args:
        edits: stems written almost so -> how many edits. longer: stems that begin so. `asked` itself is passed over.
    """
    weights = {stem: fuzzy_weight(stem, count) for stem, count in edits.items() if stem != asked}
    weights |= {stem: prefix_weight(stem, asked) for stem in longer if stem != asked}
    return sorted(((weight, stem) for stem, weight in weights.items()), key=lambda pair: (-pair[0], pair[1]))

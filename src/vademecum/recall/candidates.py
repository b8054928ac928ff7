"""Candidates: the turns that the arms found, with what stands around them."""

from collections.abc import Mapping, Sequence

import numpy as np

from vademecum.domain.query import (
    Scope,
    Scored,
)
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import Surroundings
from vademecum.recall.features import NO_MODEL, comparable
from vademecum.recall.run import Tools
from vademecum.recall.window import TurnKey, Window, together

#: Candidates whose neighbours are candidates too, from each arm; and how far a turn's surroundings reach.
STRONGEST, AROUND = 40, 2


def surroundings(tools: Tools, lexical: Sequence[Scored], dense: Sequence[Scored], known: Surroundings | None) -> Surroundings:
    """The turns that both arms found with those around them; `known` are those of the first, if they were read already."""
    if known is None:
        return tools.index.window(turns_of((*lexical, *dense)), AROUND)
    read = set(turns_of(lexical))
    more = [turn for turn in turns_of(dense) if turn not in read]
    return together(known, tools.index.window(more, AROUND)) if more else known


def texts_of(tools: Tools, numbers: Sequence[int]) -> dict[int, str]:
    """Of those passages that are still there."""
    return {number: stored.passage.text for number, stored in tools.index.passages(numbers).items()}


def cosines_of(
    tools: Tools, window: Window, vectors: Mapping[str, tuple[Embedder, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Of each passage in sight its cosine, on the scale of the finer model, and which of the models it was compared by.

    Those that are not compared have cosine 0 and `NO_MODEL`.
    """
    found = np.zeros(len(window.around.numbers))
    compared_by = np.full(len(found), NO_MODEL)
    rest = np.flatnonzero(window.compared())
    for place, (model, (embedder, vector)) in enumerate(vectors.items()):
        cosines = tools.index.cosines(vector, model, window.around.numbers[rest]).astype(np.float64)
        there = ~np.isnan(cosines)
        found[rest[there]] = comparable(cosines[there], embedder, tools.embedder)
        compared_by[rest[there]] = place
        rest = rest[~there]
    return found, compared_by


def turns_of(found: Sequence[Scored]) -> list[TurnKey]:
    """The turns that passages lie in, each once, sorted."""
    return sorted({(one.item, one.turn) for one in found})


def window_of(arms: Sequence[Sequence[Scored]], around: Surroundings, scope: Scope) -> Window:
    """Candidate turns with their surroundings. Neighbours of the strongest are candidates, unless the scope is about turns.

    Args:
        arms: what each arm found in each pool, best first.
    """
    by_turn = scope.speakers is not None or scope.roles is not None or scope.since is not None or scope.until is not None
    strongest = () if by_turn else [one for found in arms for one in found[:STRONGEST]]
    return Window(around, [one for found in arms for one in found], strongest, AROUND)

"""Candidates: the turns that the arms found, with what stands around them."""

from collections.abc import Mapping, Sequence

import numpy as np

from vademecum.domain.query import (
    Scope,
    Scored,
)
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import Surroundings
from vademecum.recall.features import comparable
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


def cosines_of(tools: Tools, window: Window, vectors: Mapping[str, tuple[Embedder, np.ndarray]]) -> np.ndarray:
    """Of each passage in sight, on the scale of the finer model; 0 for those that are not compared."""
    found = np.zeros(len(window.around.numbers))
    rest = np.flatnonzero(window.compared())
    for model, (embedder, vector) in vectors.items():
        cosines = tools.index.cosines(vector, model, window.around.numbers[rest]).astype(np.float64)
        there = ~np.isnan(cosines)
        found[rest[there]] = comparable(cosines[there], embedder, tools.embedder)
        rest = rest[~there]
    return found


def turns_of(found: Sequence[Scored]) -> list[TurnKey]:
    """The turns that passages lie in, each once, sorted."""
    return sorted({(one.item, one.turn) for one in found})


def window_of(lexical: Sequence[Scored], dense: Sequence[Scored], around: Surroundings, scope: Scope) -> Window:
    """Candidate turns with their surroundings. Neighbours of the strongest are candidates, unless the scope is about turns."""
    by_turn = scope.speakers is not None or scope.roles is not None or scope.since is not None or scope.until is not None
    strongest = () if by_turn else (*lexical[:STRONGEST], *dense[:STRONGEST])
    return Window(around, (*lexical, *dense), strongest, AROUND)

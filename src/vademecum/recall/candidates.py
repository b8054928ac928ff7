"""Candidates: the turns that the arms found, with what stands around them."""

from collections.abc import Mapping, Sequence

import numpy as np

from vademecum.domain.query import (
    Scope,
    Scored,
)
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import Surroundings
from vademecum.recall.features import NO_MODEL, Meaning
from vademecum.recall.likeness import likeness_in
from vademecum.recall.pools import SearchPool, pool_of_keys
from vademecum.recall.run import Run, Tools, on_scale
from vademecum.recall.window import TurnKey, Window, together

#: Candidates whose neighbours are candidates too, from each arm; and how far a turn's surroundings reach.
STRONGEST, AROUND = 40, 2
#: A pool is ranked by a model that this share of the passages in sight has vectors of.
COVERED = 0.9


def surroundings(tools: Tools, lexical: Sequence[Scored], dense: Sequence[Scored], known: Surroundings | None) -> Surroundings:
    """Return the turns that both arms found with those around them; `known` are those of the first, if they were read already."""
    if known is None:
        return tools.index.window(turns_of((*lexical, *dense)), AROUND)
    read = set(turns_of(lexical))
    more = [turn for turn in turns_of(dense) if turn not in read]
    return together(known, tools.index.window(more, AROUND)) if more else known


def texts_of(tools: Tools, numbers: Sequence[int]) -> dict[int, str]:
    """Return the texts of those passages that are still there."""
    return {number: stored.passage.text for number, stored in tools.index.passages(numbers).items()}


def meaning_of(
    tools: Tools, run: Run, window: Window, vectors: Mapping[str, tuple[Embedder, np.ndarray]], pools: Sequence[SearchPool]
) -> Meaning:
    """Return how near each passage in sight comes to the question.

    The gate goes by the finest model that a passage has a vector of. A pool is ranked by one model as far as that is possible: a finer
    one tells what belongs together so much better that passages without its vectors would lose against those with them.
    """
    passages = len(window.around.numbers)
    found = Meaning(np.zeros(passages), np.full(passages, NO_MODEL), np.zeros(passages))
    compared = np.flatnonzero(window.compared())
    of_pool = pool_of_keys(window.around.keys, pools)[window.around.item[compared]]
    rank_by = np.zeros(len(compared), np.bool_)
    for place, (model, (embedder, vector)) in enumerate(vectors.items()):
        cosines = tools.index.cosines(vector, model, window.around.numbers[compared]).astype(np.float64)
        there = ~np.isnan(cosines)
        likeness = likeness_in(embedder, run.shaped.language)
        first = there & (found.models[compared] == NO_MODEL)
        found.deviations[compared[first]] = (cosines[first] - likeness.mean) / likeness.deviation
        found.models[compared[first]] = place
        better = there & ~rank_by
        found.cosines[compared[better]] = on_scale(tools, run, embedder, cosines[better])
        rank_by |= there & _mostly(there, of_pool, len(pools))[of_pool]
    return found


def _mostly(there: np.ndarray, of_pool: np.ndarray, pools: int) -> np.ndarray:
    """Return for each pool whether nearly all of its passages are there."""
    every = np.bincount(of_pool, minlength=pools)
    return np.asarray(np.bincount(of_pool, there, pools) >= COVERED * every)


def turns_of(found: Sequence[Scored]) -> list[TurnKey]:
    """Return the turns that passages lie in, each once, sorted."""
    return sorted({(one.item, one.turn) for one in found})


def window_of(arms: Sequence[Sequence[Scored]], around: Surroundings, scope: Scope) -> Window:
    """Prepare candidate turns with their surroundings. Neighbours of the strongest are candidates, unless the scope is about turns.

    Args:
        arms: what each arm found in each pool, best first.
    """
    by_turn = scope.speakers is not None or scope.roles is not None or scope.since is not None or scope.until is not None
    strongest = () if by_turn else [one for found in arms for one in found[:STRONGEST]]
    return Window(around, [one for found in arms for one in found], strongest, AROUND)

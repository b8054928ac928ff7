"""Candidate turns found by the arms, with the turns around them."""

from collections.abc import Sequence

import numpy as np

from vademecum.domain.query import Scope, Scored
from vademecum.language.text import language_of
from vademecum.ports.index import Surroundings
from vademecum.recall.features import Evidence, Meaning
from vademecum.recall.likeness import likeness_in
from vademecum.recall.numbers import AROUND, COVERED, STRONGEST
from vademecum.recall.pools import SearchPool, pool_of_keys
from vademecum.recall.run import QueryVector, Run, Tools
from vademecum.recall.window import TurnKey, Window, together


def surroundings(tools: Tools, lexical: Sequence[Scored], dense: Sequence[Scored], known: Surroundings | None) -> Surroundings:
    """Return the turns found by both arms, with their neighbours.

    Args:
        known: the turns of the lexical arm with their neighbours, if they were already read.
    """
    if known is None:
        return tools.index.window(turns_of((*lexical, *dense)), AROUND)
    read = set(turns_of(lexical))
    more = [turn for turn in turns_of(dense) if turn not in read]
    return together(known, tools.index.window(more, AROUND)) if more else known


def texts_of(tools: Tools, numbers: Sequence[int]) -> dict[int, str]:
    """Return passage number -> text, for the passages that still exist."""
    return {number: stored.passage.text for number, stored in tools.index.passages(numbers).items()}


def in_another_language(tools: Tools, run: Run, evidence: Evidence, rows: Sequence[int]) -> list[int]:
    """Return the rows whose best passage is in another language than the question."""
    texts = texts_of(tools, [evidence.best[row] for row in rows])
    return [row for row in rows if language_of(texts.get(evidence.best[row], "")) != run.shaped.language]


def meaning_of(tools: Tools, run: Run, window: Window, vector: QueryVector | None, pools: Sequence[SearchPool]) -> Meaning:
    """Return how close each passage in sight is to the question in meaning.

    A pool is compared only if nearly all of its passages in sight have vectors. Otherwise passages without a vector would lose to those
    with one, and a question whose answer has no vector would seem to have no answer.
    """
    passages = len(window.around.numbers)
    meaning = Meaning(np.zeros(passages), np.zeros(passages, np.bool_), np.zeros(passages))
    if vector is None:
        return meaning
    at = np.flatnonzero(window.compared())
    cosines = tools.index.cosines(vector.row, vector.embedder.model_id, window.around.numbers[at]).astype(np.float64)
    of_pool = pool_of_keys(window.around.keys, pools)[window.around.item[at]]
    there = ~np.isnan(cosines)
    there &= _mostly(there, of_pool, len(pools))[of_pool]
    at, cosines = at[there], cosines[there]
    likeness = likeness_in(vector.embedder, run.shaped.language)
    meaning.cosines[at] = run.ranker.on_scale(cosines, likeness)
    meaning.compared[at] = True
    meaning.deviations[at] = (cosines - likeness.mean) / likeness.deviation
    return meaning


def _mostly(there: np.ndarray, of_pool: np.ndarray, pools: int) -> np.ndarray:
    """Return for each pool whether nearly all of its passages have a vector."""
    every = np.bincount(of_pool, minlength=pools)
    return np.asarray(np.bincount(of_pool, there, pools) >= COVERED * every)


def turns_of(found: Sequence[Scored]) -> list[TurnKey]:
    """Return the turns that contain these passages, sorted and without duplicates."""
    return sorted({(hit.item, hit.turn) for hit in found})


def window_of(arms: Sequence[Sequence[Scored]], around: Surroundings, scope: Scope) -> Window:
    """Build the window of candidate turns and their neighbours.

    Neighbours of the strongest turns are candidates too, unless the scope restricts turns.

    Args:
        arms: results of each arm and pool, best first.
    """
    by_turn = scope.speakers is not None or scope.roles is not None or scope.since is not None or scope.until is not None
    strongest = () if by_turn else [hit for arm in arms for hit in arm[:STRONGEST]]
    return Window(around, [hit for arm in arms for hit in arm], strongest, AROUND)

"""Candidates: the turns that the arms found, with what stands around them."""

from collections.abc import Sequence

import numpy as np

from vademecum.domain.query import Scope, Scored
from vademecum.language.text import language_of
from vademecum.ports.index import Surroundings
from vademecum.recall.features import Evidence, Meaning
from vademecum.recall.likeness import likeness_in
from vademecum.recall.numbers import AROUND, COVERED, STRONGEST
from vademecum.recall.pools import SearchPool, pool_of_keys
from vademecum.recall.run import QueryVector, Run, Tools, on_scale
from vademecum.recall.window import TurnKey, Window, together


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


def in_another_language(tools: Tools, run: Run, evidence: Evidence, rows: Sequence[int]) -> list[int]:
    """Return those of the rows whose best passage is in another language than the question."""
    texts = texts_of(tools, [evidence.best[row] for row in rows])
    return [row for row in rows if language_of(texts.get(evidence.best[row], "")) != run.shaped.language]


def meaning_of(tools: Tools, run: Run, window: Window, vector: QueryVector | None, pools: Sequence[SearchPool]) -> Meaning:
    """Return how near each passage in sight comes to the question.

    A pool counts once nearly all of its passages in sight have vectors: before that what has none would lose against what has one, and
    a question whose answer has none would seem to have no answer.
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
    meaning.cosines[at] = on_scale(run, vector.embedder, cosines)
    meaning.compared[at] = True
    meaning.deviations[at] = (cosines - likeness.mean) / likeness.deviation
    return meaning


def _mostly(there: np.ndarray, of_pool: np.ndarray, pools: int) -> np.ndarray:
    """Return for each pool whether nearly all of its passages are there."""
    every = np.bincount(of_pool, minlength=pools)
    return np.asarray(np.bincount(of_pool, there, pools) >= COVERED * every)


def turns_of(found: Sequence[Scored]) -> list[TurnKey]:
    """Return the turns that passages lie in, each once, sorted."""
    return sorted({(hit.item, hit.turn) for hit in found})


def window_of(arms: Sequence[Sequence[Scored]], around: Surroundings, scope: Scope) -> Window:
    """Prepare candidate turns with their surroundings. Neighbours of the strongest are candidates, unless the scope is about turns.

    Args:
        arms: what each arm found in each pool, best first.
    """
    by_turn = scope.speakers is not None or scope.roles is not None or scope.since is not None or scope.until is not None
    strongest = () if by_turn else [hit for arm in arms for hit in arm[:STRONGEST]]
    return Window(around, [hit for arm in arms for hit in arm], strongest, AROUND)

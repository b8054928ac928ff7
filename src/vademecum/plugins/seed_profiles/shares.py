"""Rankers that mix shares of 0..1: meaning and words by weights, words alone, or the ranks of both."""

from typing import ClassVar

import numpy as np
from msgspec.structs import replace

from vademecum.domain.query import Hit
from vademecum.plugin_api.recall import (
    LIKE_MOST,
    LINKED_FROM,
    LINKED_MOST,
    Evidence,
    Matches,
    Ranker,
    Run,
    Tools,
    adjustments,
    linked,
    ranks_of,
)
from vademecum.ports.index import Term

#: Reciprocal rank fusion, Cormack, Clarke & Büttcher (SIGIR 2009), who fixed 60 after a pilot. Larger flattens the top.
RANK_OFFSET = 60
#: What scores of 0..1 are stretched by, so that one more is worth about a factor e, as in sums of evidence.
STRETCH = 10
#: Weight of one hop over edges in rank fusion, as of words and meaning.
GRAPH_WEIGHT = 0.5


class Weighted(Ranker, frozen=True):
    """Adds the cosine and the share of the question's words, by weights (of meaning, of words)."""

    weights: tuple[float, float] = (0.5, 0.5)

    def scores(self, tools: Tools, run: Run, matches: Matches) -> tuple[Evidence, np.ndarray]:
        """Return the weighted sum for each turn."""
        evidence = matches.evidence
        meaning, words = self.weights
        worded = evidence.covered * np.clip(evidence.values["words"] * 2, 0, 1)
        mixed = meaning * np.clip(evidence.values["meaning"], 0, 1) + words * worded
        return evidence, np.asarray(mixed * STRETCH, np.float32)


class ByWords(Weighted, frozen=True):
    """Goes by words alone.

    Attributes:
        fuzzy, prefix: whether words are also found mistyped (edits by length) or by their beginning.
    """

    weights: tuple[float, float] = (0.0, 1.0)
    fuzzy: float = 0.0
    prefix: bool = False
    compares_meaning: ClassVar[bool] = False

    def terms(self, tools: Tools, run: Run, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return the terms, with those that are like them where mistyped words are looked for."""
        if not (self.fuzzy or self.prefix):
            return terms
        return tools.index.like(terms, fuzzy=self.fuzzy, prefix=self.prefix, limit=LIKE_MOST)


class RankFusion(Ranker, frozen=True):
    """Adds what the ranks among words and among meaning are worth, and those among linked memories as a third signal."""

    weights: tuple[float, float] = (0.5, 0.5)

    def scores(self, tools: Tools, run: Run, matches: Matches) -> tuple[Evidence, np.ndarray]:
        """Return for each turn the sum of weight / (RANK_OFFSET + rank), ranks from 1, stretched so that the best possible is STRETCH."""
        arms = list(zip(self.weights, (ranks_of(matches.dense), ranks_of(matches.lexical)), strict=True))
        turns = matches.evidence.turns
        fused = [sum(share_of_rank(weight, rank[turn]) for weight, rank in arms if turn in rank) for turn in turns]
        return matches.evidence, np.array(fused, np.float32)

    def with_linked(self, tools: Tools, run: Run, hits: list[Hit], limit: int) -> list[Hit]:
        """Return the hits with one hop over edges as a third signal: what the best are linked with, in the order of their edges."""
        sources = [hit.item.key for hit in hits[:LINKED_FROM] if hit.item.source == "memory"]
        near = dict.fromkeys(edge.target for edges in tools.index.edges(sources).values() for edge in edges)
        gains = {key: share_of_rank(GRAPH_WEIGHT, rank) for rank, key in enumerate(near, 1)}
        now = tools.clock.now()
        came = [
            replace(hit, score=sum(adjustments(run, hit.item, None, now).values()))
            for hit in linked(tools, run, hits, LINKED_MOST)
        ]
        raised = [_raised(hit, gains[hit.item.key]) if hit.item.key in gains else hit for hit in (*hits, *came)]
        return sorted(raised, key=lambda hit: -hit.score)[:limit]


def _raised(hit: Hit, gain: float) -> Hit:
    return replace(hit, score=round(hit.score + gain, 4), signals={**hit.signals, "graph": round(gain, 4)})


def share_of_rank(weight: float, rank: int) -> float:
    """Return what a rank, from 1, adds to the score of rank fusion."""
    return weight / (RANK_OFFSET + rank) * (RANK_OFFSET + 1) * STRETCH

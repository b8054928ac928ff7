"""Rankers on shares of 0..1: a weighted sum of cosine and words, words alone, or rank fusion."""

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

#: Reciprocal rank fusion, Cormack, Clarke & Büttcher (SIGIR 2009), who chose 60 after a pilot. A larger value flattens the top.
RANK_OFFSET = 60
#: Factor for scores of 0..1, so that a difference of one is about a factor e, as in sums of evidence.
STRETCH = 10
#: Weight of linked memories in rank fusion, as for words and embeddings.
GRAPH_WEIGHT = 0.5


class Weighted(Ranker, frozen=True):
    """Weighted sum of the cosine and the share of the question's words; `weights` are (cosine, words)."""

    weights: tuple[float, float] = (0.5, 0.5)

    def scores(self, tools: Tools, run: Run, matches: Matches) -> tuple[Evidence, np.ndarray]:
        """Return the weighted sum for each turn."""
        evidence = matches.evidence
        meaning, words = self.weights
        worded = evidence.covered * np.clip(evidence.values["words"] * 2, 0, 1)
        mixed = meaning * np.clip(evidence.values["meaning"], 0, 1) + words * worded
        return evidence, np.asarray(mixed * STRETCH, np.float32)


class ByWords(Weighted, frozen=True):
    """Ranks by words alone.

    Attributes:
        fuzzy: tolerance for typing errors (edits relative to length).
        prefix: whether words also match by their beginning.
    """

    weights: tuple[float, float] = (0.0, 1.0)
    fuzzy: float = 0.0
    prefix: bool = False
    compares_meaning: ClassVar[bool] = False

    def terms(self, tools: Tools, run: Run, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return the terms, with similar ones added if typing errors or prefixes are allowed."""
        if not (self.fuzzy or self.prefix):
            return terms
        return tools.index.like(terms, fuzzy=self.fuzzy, prefix=self.prefix, limit=LIKE_MOST)


class RankFusion(Ranker, frozen=True):
    """Rank fusion of words and embeddings, with linked memories as a third signal."""

    weights: tuple[float, float] = (0.5, 0.5)

    def scores(self, tools: Tools, run: Run, matches: Matches) -> tuple[Evidence, np.ndarray]:
        """Return for each turn the sum of weight / (RANK_OFFSET + rank), ranks from 1, scaled so that the maximum is STRETCH."""
        arms = list(zip(self.weights, (ranks_of(matches.dense), ranks_of(matches.lexical)), strict=True))
        turns = matches.evidence.turns
        fused = [sum(share_of_rank(weight, rank[turn]) for weight, rank in arms if turn in rank) for turn in turns]
        return matches.evidence, np.array(fused, np.float32)

    def with_linked(self, tools: Tools, run: Run, hits: list[Hit], limit: int) -> list[Hit]:
        """Return the hits with memories linked to the best ones as a third signal, ranked in the order of their links."""
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
    """Return the score of a rank, from 1, in rank fusion."""
    return weight / (RANK_OFFSET + rank) * (RANK_OFFSET + 1) * STRETCH

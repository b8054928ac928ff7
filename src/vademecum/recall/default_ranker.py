"""The ranker of the profile `auto`: absolute features of each turn, added up with weights fitted once."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from vademecum.recall.adjust import status_factor
from vademecum.recall.arms import with_names_alike
from vademecum.recall.breadth import EXPANDED, belonging, in_time, spread
from vademecum.recall.candidates import texts_of
from vademecum.recall.continuation import carried, prior, prior_for, recencies
from vademecum.recall.decide import boosts_of, with_boosts
from vademecum.recall.features import total
from vademecum.recall.instructions import standing
from vademecum.recall.likeness import trust, weighed
from vademecum.recall.pools import pools_of
from vademecum.recall.profiles import Profile
from vademecum.recall.query_parsing import TOPICAL
from vademecum.recall.ranker import Ranker
from vademecum.recall.titles import with_titles
from vademecum.recall.weights import ADDED, FEATURES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vademecum.domain.item import Item
    from vademecum.domain.query import Scope
    from vademecum.ports.embedder import Likeness
    from vademecum.ports.index import IndexStats, Term, WordSearch
    from vademecum.recall.features import Evidence, Floats
    from vademecum.recall.likeness import Cosines
    from vademecum.recall.pools import Found, SearchPool
    from vademecum.recall.ranker import Matches
    from vademecum.recall.run import Run, Tools


class DefaultRanker(Ranker, frozen=True):
    """Ranks by evidence. A score is a sum of log odds, so the scores of any two turns can be compared."""

    splits_questions: ClassVar[bool] = True
    judges_evidence: ClassVar[bool] = True
    joins_passages: ClassVar[bool] = True

    def terms(self, tools: Tools, run: Run, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        return with_names_alike(tools, run, terms)

    def pools(self, index: WordSearch, scope: Scope) -> tuple[SearchPool, ...]:
        return pools_of(index, scope, self.profile)

    def trusts(self, likeness: Likeness) -> bool:
        return trust(likeness) > 0

    def on_scale(self, cosines: Cosines, likeness: Likeness) -> Cosines:
        return weighed(cosines, likeness)

    def topic(
        self, tools: Tools, run: Run, arms: Sequence[Found], terms: Sequence[Term], stats: IndexStats
    ) -> Mapping[Term, float]:
        if run.shaped.breadth not in EXPANDED:
            return {}
        return belonging(tools.index, [pool for arm in arms for pool in arm], terms, stats)

    def scores(self, tools: Tools, run: Run, matches: Matches) -> tuple[Evidence, np.ndarray]:
        terms, window, stats = matches.terms, matches.window, matches.stats
        evidence = with_titles(tools.index, matches.evidence, matches.items, terms, stats.passages)
        scores = total(evidence)
        scores = scores + prior_for(window, carried(tools.index, run.query.before, terms, stats))
        scores = scores + prior(window, matches.topic, 0.0, ADDED["of the topic"])
        if run.shaped.breadth not in TOPICAL:
            scores = scores + standing(tools.index, window, scores, evidence, partial(texts_of, tools))
        return evidence, scores

    def status_odds(self, item: Item) -> Mapping[str, float]:
        factor = status_factor(self.profile, item)
        return {item.status: math.log(max(factor, 1e-6))} if factor != 1.0 else {}

    def adjusted(
        self, tools: Tools, run: Run, matches: Matches, scores: np.ndarray
    ) -> tuple[np.ndarray, dict[str, dict[str, float]]]:
        items, evidence = matches.items, matches.evidence
        boosts = boosts_of(tools, run, items)
        if run.shaped.goes_on:
            for key, lately in recencies(items).items():
                boosts[key]["lately said"] = lately
            talked = np.array([items[key].source == "session" for key, _ in evidence.turns], np.bool_)
            scores = scores + ADDED["throughout"] * np.where(talked, evidence.whole - evidence.whole.max(initial=0.0), 0.0)
        return with_boosts(evidence, boosts, scores), boosts

    def spread(self, run: Run, evidence: Evidence, items: Mapping[str, Item], scores: Floats) -> Floats:
        return spread(evidence, scores, in_time(items)) if run.shaped.breadth in EXPANDED else scores

    def item_scores(self, evidence: Evidence, scores: Floats) -> np.ndarray:
        """Return scores for ranking items: without the feature of the speaker's role, and with the match of the whole session."""
        scores = scores - FEATURES["agent"] * evidence.values["agent"] + ADDED["whole item"] * evidence.whole
        is_turn = np.array(
            [not key.startswith("memory:") for key, _ in evidence.turns], np.bool_
        )  # a memory already has its full weight
        return scores + ADDED["meaning of a whole item"] * evidence.values["meaning"] * is_turn


DEFAULT = DefaultRanker(Profile("auto", per_arm=120, floor=0.01))

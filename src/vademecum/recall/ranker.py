"""The steps of a search in order, and the base class of rankers, which can replace single steps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.why_nothing import NOTHING_KNOWN
from vademecum.recall.adjust import status_factor
from vademecum.recall.arms import flat, measures_of, search
from vademecum.recall.candidates import in_another_language, meaning_of, surroundings, texts_of, window_of
from vademecum.recall.confidence import Beside, Confidences, own_words
from vademecum.recall.continuation import goes_on_here
from vademecum.recall.decide import Candidates, answer, boosts_of, decided, linked, note_left, with_boosts
from vademecum.recall.eligibility import Judge, without_rows
from vademecum.recall.features import gather
from vademecum.recall.likeness import likeness_in
from vademecum.recall.names import Named, named_items
from vademecum.recall.pools import one_pool, ranks_of
from vademecum.recall.run import scope_of
from vademecum.recall.titles import named_by_identifier, named_by_one_word, named_by_section, named_first

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vademecum.domain.item import Item
    from vademecum.domain.query import Bundle, Hit, Recall, Scope
    from vademecum.ports.embedder import Likeness
    from vademecum.ports.index import IndexStats, Term, WordSearch
    from vademecum.recall.features import Evidence, Floats
    from vademecum.recall.likeness import Cosines
    from vademecum.recall.pools import Found, SearchPool
    from vademecum.recall.profiles import Profile
    from vademecum.recall.run import Run, Tools
    from vademecum.recall.window import Window


class Matches(Struct, frozen=True):
    """Results of the arms for a question, before scoring.

    Attributes:
        terms: of the question. topic: words of the question's topic -> weight.
        lexical, dense: results of the word arm and of the meaning arm, per pool.
        evidence: features of the turns. items: key -> item of the turns. window: the turns and their neighbours.
    """

    terms: tuple[Term, ...]
    topic: Mapping[Term, float]
    lexical: Found
    dense: Found
    evidence: Evidence
    items: Mapping[str, Item]
    window: Window
    stats: IndexStats


class Ranker(Struct, frozen=True):
    """A search strategy: a profile, and the steps that it replaces.

    The defaults are plain: one pool, raw cosines, a status as a factor, scores from the arms alone.

    Attributes:
        profile: its numbers and its name.
        compose: (context of recall, answer, tokens) -> the text of its answers; None: the hits, best first.
        compares_meaning: use the embedder. splits_questions: also search each of several questions separately.
        judges_evidence: drop turns that are no evidence (:mod:`vademecum.recall.eligibility`).
        joins_passages: show further passages of an item below its first one instead of as separate hits.
    """

    profile: Profile
    compose: Callable[[Any, Recall, int], Bundle] | None = None
    compares_meaning: ClassVar[bool] = True
    splits_questions: ClassVar[bool] = False
    judges_evidence: ClassVar[bool] = False
    joins_passages: ClassVar[bool] = False

    def terms(self, tools: Tools, run: Run, terms: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return the terms to search for, given those of the question."""
        return terms

    def pools(self, index: WordSearch, scope: Scope) -> tuple[SearchPool, ...]:
        """Return the pools, each searched, measured and judged separately."""
        return one_pool(index, scope, self.profile)

    def trusts(self, likeness: Likeness) -> bool:
        """Return whether to use a model with this calibration."""
        return True

    def on_scale(self, cosines: Cosines, likeness: Likeness) -> Cosines:
        """Return cosines on the scale of the weights."""
        return cosines

    def topic(
        self, tools: Tools, run: Run, arms: Sequence[Found], terms: Sequence[Term], stats: IndexStats
    ) -> Mapping[Term, float]:
        """Return words of the question's topic with their weights; turns with these words become candidates.

        Args:
            arms: results so far.
        """
        return {}

    def scores(self, tools: Tools, run: Run, matches: Matches) -> tuple[Evidence, np.ndarray]:
        """Return the evidence, possibly with more features, and the score of each turn."""
        raise NotImplementedError

    def status_odds(self, item: Item) -> Mapping[str, float]:
        """Return status -> log odds of an item for its status."""
        return {}

    def adjusted(
        self, tools: Tools, run: Run, matches: Matches, scores: np.ndarray
    ) -> tuple[np.ndarray, dict[str, dict[str, float]]]:
        """Return the scores including the boosts of the items, and the boosts by item key and name."""
        items, evidence = matches.items, matches.evidence
        boosts = boosts_of(tools, run, items)
        scores = with_boosts(evidence, boosts, scores)
        factors = {key: factor for key, item in items.items() if (factor := status_factor(self.profile, item)) != 1.0}
        for key, factor in factors.items():
            boosts[key][items[key].status] = factor
        return scores * np.array([factors.get(item, 1.0) for item, _ in evidence.turns], np.float32), boosts

    def spread(self, run: Run, evidence: Evidence, items: Mapping[str, Item], scores: Floats) -> Floats:
        """Return the scores that order the hits; called after the threshold."""
        return scores

    def with_linked(self, tools: Tools, run: Run, hits: list[Hit], limit: int) -> list[Hit]:
        """Return the hits, followed by memories linked to the best ones."""
        return [*hits, *linked(tools, run, hits, limit - len(hits))]

    def item_scores(self, evidence: Evidence, scores: Floats) -> np.ndarray:
        """Return the scores for ranking items; an item has the score of its best turn."""
        return scores

    def recall(self, tools: Tools, run: Run) -> Recall:
        """Answer a question: search, compute features, score, adjust, drop what is no evidence, apply the threshold, choose.

        Raises:
            IndexDamaged: the index cannot be used.
        """
        stats, scope = tools.index.stats(), scope_of(run.query, self.profile)
        arms = search(tools, run, scope, stats)
        if arms is None:
            return answer(tools, run, (), (), 0.0, NOTHING_KNOWN)
        terms, pools, lexical, dense, vector = arms.terms, arms.pools, arms.lexical, arms.dense, arms.vector
        near = (*flat(dense), *flat(arms.of_topic), *flat(arms.named))
        around = surroundings(tools, flat(lexical), near, arms.around)
        window = window_of((*lexical, *dense, *arms.of_topic, *arms.named), around, scope)
        meaning = meaning_of(tools, run, window, vector, pools)
        measures = measures_of(terms, lexical, pools, stats)
        evidence = gather(run.shaped, terms, measures, window, meaning, partial(texts_of, tools))
        items = tools.index.items(list(dict.fromkeys(item for item, _ in evidence.turns)))
        matches = Matches(terms, arms.topic, lexical, dense, evidence, items, window, stats)
        evidence, scores = self.scores(tools, run, matches)
        scores, boosts = self.adjusted(tools, run, replace(matches, evidence=evidence), scores)
        judge = Judge(tools, run, tools.clock.now())
        named = named_items(run.query.text, items, run.shaped.language, judge.named_loosely) if run.query.gated else Named()
        if run.query.gated and not named.shown:
            asks = judge.asks or not run.query.unasked
            named = Named(
                named_by_section(tools, run, evidence, items, scores)
                or named_by_one_word(tools, run, terms, items, asks=asks)
                or named_by_identifier(tools, run, evidence, items, asks=asks)
            )
        judge.named = named.shown
        scores = scores + named_first(evidence, named, scores)
        if gone := judge.left_out(evidence, items, scores, window):
            note_left(run, evidence, items, scores, gone)
            evidence, rows = without_rows(evidence, list(gone))
            scores = scores[rows]
        distance = likeness_in(vector.embedder, run.shaped.language).distance if vector else 0.0
        goes_on = goes_on_here(evidence, items) if run.shaped.goes_on else 0.0
        own = own_words(run.shaped, evidence.turns, items)
        beside = Beside(distance, own, named.shown, goes_on, partial(in_another_language, tools, run, evidence))
        confidence = Confidences(evidence, scores, measures, beside)
        scores = self.spread(run, evidence, items, scores)
        ranks = ranks_of(lexical), ranks_of(dense)
        return decided(tools, run, Candidates(evidence, items, scores, boosts, judge, confidence, ranks))

"""Question -> ranked hits, in the order of docs/architecture.md: shape, scope, arms, fuse, adjust, gate, dedupe, cut.

Nothing here fails because something is missing: an arm that cannot run says so, the others answer, and `Recall.missing` tells
the person. Only an index that cannot be trusted ends in "could not search" (X-51, X-53).
"""

import contextlib
import math
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from vademecum.domain.errors import EmbedderUnavailable, IndexDamaged
from vademecum.domain.item import Item
from vademecum.domain.procedural import CODING
from vademecum.domain.query import (
    ArmReport,
    Hit,
    Left,
    Query,
    Recall,
    Scope,
)
from vademecum.domain.topics import TopicMatch, Topics
from vademecum.language.text import one_line
from vademecum.recall import composer, relevance
from vademecum.recall.arms import (
    ask_model,
    by_meaning,
    by_name,
    by_topic,
    by_words,
    flat,
    look_at_topics,
    measures_of,
    query_vector,
    terms_of,
)
from vademecum.recall.breadth import EXPANDED, TOPIC_WEIGHTS, belonging, in_time, spread
from vademecum.recall.candidates import AROUND, in_another_language, meaning_of, surroundings, texts_of, turns_of, window_of
from vademecum.recall.conversation import CARRIED_WEIGHTS, carried, goes_on_here, leaning
from vademecum.recall.decide import Candidates, adjusted, answer, decided, note_left
from vademecum.recall.eligibility import Judge, without_rows
from vademecum.recall.features import gather
from vademecum.recall.fusion import fuse, ranks_of
from vademecum.recall.likeness import likeness_in
from vademecum.recall.names import Named, named_first, named_items
from vademecum.recall.pools import pools_of
from vademecum.recall.profiles import profile_named
from vademecum.recall.query_parsing import TOPICAL, asked_text, questions_in, shape
from vademecum.recall.run import Run, Tools, report, scope_of
from vademecum.recall.several import of_several
from vademecum.recall.standing import standing
from vademecum.recall.threshold import Beside, Confidences, own_words
from vademecum.recall.titles import with_titles
from vademecum.recall.topics import about, topics_near


class Searcher(Tools, frozen=True):
    """Answers questions."""

    def recall(self, query: Query) -> Recall:
        """Answer a question. Never raises for what is missing or damaged: the answer names it."""
        started = self.clock.elapsed_s()
        whole = self._of_one(query, started)
        if whole.verdict == "could not search" or profile_named(query.profile).fusion != "evidence" or whole.by_time:
            return whole
        each = [
            self._of_one(replace(query, text=part, session=""), started)
            for part in questions_in(query.text)
            if query.deadline_s is None or self.clock.elapsed_s() - started < query.deadline_s
        ]
        ms = round((self.clock.elapsed_s() - started) * 1000, 2)
        return replace(of_several(whole, each), ms=ms) if each else whole

    def _of_one(self, query: Query, started: float) -> Recall:
        profile = profile_named(query.profile)
        run = Run(query, profile, shape(query.text, self.clock.now()), started, missing=list(self.missing))
        try:
            return self._ranked(run)
        except IndexDamaged as error:
            run.missing.append(f"{error.message} {error.hint}".strip())
            return answer(self, run, (), (), 0.0, "could not search")

    def topics(self, text: str, scope: Scope) -> Topics:
        """Return topics in scope; with a text, those that have vectors, nearest to it first."""
        started = self.clock.elapsed_s()
        if not text:
            every = self.index.topics(scope, self.embedder.model_id if self.embedder else "")
            found = tuple(TopicMatch(topic.label, 0.0, topic.items) for topic in every)
            return Topics(found, ms=round((self.clock.elapsed_s() - started) * 1000, 2))
        query = Query(text, scope, "facts")
        run = Run(query, profile_named(query.profile), shape(text, self.clock.now()), started, missing=list(self.missing))
        stats = self.index.stats()
        vector = query_vector(self, run, stats, ask_model(self, run, stats))
        found = topics_near(self.index, scope, vector.embedder, vector.row) if vector else ()
        ms = round((self.clock.elapsed_s() - started) * 1000, 2)
        return Topics(found, compared=True, about=about(found), missing=tuple(run.missing), ms=ms)

    def relevant(self, question: str, items: Sequence[Item]) -> tuple[dict[str, float], tuple[str, ...]]:
        """Return item key -> relevance of those curated memories that have to do with a question; and what was missing to tell."""
        run = Run(Query(question), profile_named("swarm"), shape(question, self.clock.now()), self.clock.elapsed_s())
        stats = self.index.stats()
        vector = query_vector(self, run, stats, ask_model(self, run, stats))
        if vector is None:
            return relevance.relevant(question, items, None), (*self.missing, *run.missing)
        firsts = {stored.number: item.key for item in items for stored in self.index.passages_of(item.key, 0, 1)}
        found = self.index.cosines(vector.row, vector.embedder.model_id, list(firsts)).tolist()
        cosines = {key: cosine for key, cosine in zip(firsts.values(), found, strict=True) if not math.isnan(cosine)}
        return relevance.relevant(question, items, cosines), (*self.missing, *run.missing)

    def warm_up(self) -> None:
        """Load what the first question of a process would have to wait for. A model that cannot be loaded is told then."""
        if self.embedder is not None:
            with contextlib.suppress(EmbedderUnavailable):
                self.embedder.embed(["warm"], role="query")
                self.questions.warm.add(self.embedder.model_id)

    def expect(self, text: str) -> None:
        """Begin with a question that :meth:`recall` will be asked soon; from any thread. A model is not loaded for it."""
        if self.embedder is not None and self.embedder.model_id in self.questions.warm:
            self.questions.expect(self.embedder, asked_text(text))

    def _ranked(self, run: Run) -> Recall:
        stats = self.index.stats()
        scope = scope_of(run.query, run.profile)
        asked = ask_model(self, run, stats)
        if run.profile.pools:
            look_at_topics(self, run, query_vector(self, run, stats, asked), scope)
            return self._composed(run, scope)
        if run.query.gated and not run.shaped.asks:
            run.arms.append(ArmReport("words", "skipped", "a courtesy asks for nothing"))
            return answer(self, run, (), (), 0.0, "nothing known")
        terms = terms_of(self, run)
        pools = pools_of(self.index, scope, run.profile)
        lexical = by_words(self, run, terms, pools)
        around = None
        if asked is not None and not asked.row.done():
            around = self.index.window(turns_of(flat(lexical)), AROUND)  # the model computes meanwhile
        vector = query_vector(self, run, stats, asked)
        look_at_topics(self, run, vector, scope)
        dense = by_meaning(self, run, vector, pools)
        if not any(lexical) and not any(dense):
            return answer(self, run, (), (), 0.0, "nothing known")
        breadth = run.shaped.breadth if run.profile.fusion == "evidence" else ""
        topic = belonging(self.index, (*lexical, *dense), terms, stats) if breadth in EXPANDED else {}
        of_topic = by_topic(self, list(topic), pools)
        named_here = by_name(self, run, terms, pools) if run.query.gated else ()
        near = (*flat(dense), *flat(of_topic), *flat(named_here))
        window = window_of((*lexical, *dense, *of_topic, *named_here), surroundings(self, flat(lexical), near, around), scope)
        meaning = meaning_of(self, run, window, vector, pools)
        distance = likeness_in(vector.embedder, run.shaped.language).distance if vector else 0.0
        measures = measures_of(terms, lexical, pools, stats)
        evidence = gather(run.shaped, terms, measures, window, meaning, partial(texts_of, self))
        items = self.index.items(list(dict.fromkeys(item for item, _ in evidence.turns)))
        if run.profile.fusion == "evidence":
            evidence = with_titles(self.index, evidence, items, terms, stats.passages)
        scores = fuse(run.profile, evidence, lexical, dense)
        if run.profile.fusion == "evidence":
            scores = scores + leaning(window, carried(self.index, run.query.before, terms, stats), *CARRIED_WEIGHTS)
            scores = scores + leaning(window, topic, *TOPIC_WEIGHTS)
            scores = (
                scores
                if breadth in TOPICAL
                else scores + standing(self.index, window, scores, evidence, partial(texts_of, self))
            )
        scores, boosts = adjusted(self, run, evidence, items, scores)
        judge = Judge(self, run, self.clock.now())
        named = named_items(run.query.text, items, run.shaped.language, loosely=judge.looks_up) if run.query.gated else Named()
        judge.named = named.shown
        scores = scores + named_first(evidence, named, scores)
        if gone := judge.left_out(evidence, items, scores, window):
            note_left(run, evidence, items, scores, gone)
            evidence, kept = without_rows(evidence, list(gone))
            scores = scores[kept]
        goes_on = goes_on_here(evidence, items) if run.shaped.goes_on else 0.0
        own = own_words(run.shaped, evidence.turns, items)
        beside = Beside(distance, own, named.shown, goes_on, partial(in_another_language, self, run, evidence))
        confidence = Confidences(evidence, scores, measures, beside)
        if breadth in EXPANDED:
            scores = spread(evidence, scores, in_time(items))
        return decided(
            self, run, Candidates(evidence, items, scores, boosts, judge, confidence, (ranks_of(lexical), ranks_of(dense)))
        )

    def _composed(self, run: Run, scope: Scope) -> Recall:
        """Return memories of the profile's pools by importance; nothing is searched and no gate is passed."""
        start = self.clock.elapsed_s()
        contexts = (*run.query.text.casefold().split(), *((CODING,) if run.query.project else ()))
        pooled = composer.candidates(self.index, scope, run.profile.pools, run.lock, contexts)
        report(self, run, "pools", start, len(pooled))
        uses, now = self.uses([item.key for item in pooled]), self.clock.now()
        weighed = {item.key: composer.weigh(item, uses.get(item.key), run.lock, now) for item in pooled}
        scores = {key: round(sum(parts.values()), 4) for key, parts in weighed.items()}
        ranked = sorted(pooled, key=lambda item: (-scores[item.key], item.key))
        hits: list[Hit] = []
        known: set[str] = set()
        for item in ranked:
            stored = self.index.passages_of(item.key, 0, 1)
            if not stored or one_line(stored[0].passage.text) in known:
                continue
            if len(hits) >= (run.query.limit or run.profile.limit):
                run.left.append(Left(item.key, item.title, "over the limit", scores[item.key]))
                break
            known.add(one_line(stored[0].passage.text))
            parts = {name: round(value, 3) for name, value in weighed[item.key].items()}
            hits.append(Hit(item, stored[0].passage, stored[0].number, scores[item.key], boosts=parts))
        items = tuple((item.key, scores[item.key]) for item in ranked)
        return answer(self, run, tuple(hits), items, 0.0, "found" if hits else "nothing known")

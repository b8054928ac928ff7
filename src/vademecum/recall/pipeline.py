"""Run searches, each with the ranker of its profile; and find topics and memories that are near a text by meaning alone.

A missing part is no failure: an arm that cannot run reports it, the others answer, and `Recall.missing` informs the person. Only a
damaged index ends in "could not search" (X-51, X-53).
"""

import contextlib
import math
from collections.abc import Sequence
from operator import attrgetter

from msgspec.structs import replace

from vademecum.domain.errors import EmbedderUnavailable, IndexDamaged
from vademecum.domain.item import Item
from vademecum.domain.query import Query, Recall, Scope
from vademecum.domain.topics import TopicMatch, Topics
from vademecum.domain.why_nothing import COULD_NOT_SEARCH
from vademecum.plugin import observed
from vademecum.recall import relevance
from vademecum.recall.arms import ask_model, query_vector
from vademecum.recall.decide import answer
from vademecum.recall.profiles import Profile
from vademecum.recall.query_parsing import asked_text, questions_in, shape
from vademecum.recall.ranker import Ranker
from vademecum.recall.rankers import ranker_named
from vademecum.recall.run import Run, Tools
from vademecum.recall.several import of_several
from vademecum.recall.topics import about, topics_near

#: Ranker that compares raw cosines.
_BY_MEANING = Ranker(Profile("meaning"))


class Searcher(Tools, frozen=True):
    """Runs searches."""

    @observed("search", attrgetter("clock"))
    def recall(self, query: Query) -> Recall:
        """Answer a question. Never raises for missing or damaged parts: the answer names them."""
        started = self.clock.elapsed_s()
        whole = self._of_one(query, started)
        if whole.verdict == COULD_NOT_SEARCH or not ranker_named(query.profile).splits_questions or whole.by_time:
            return whole
        each = [
            self._of_one(replace(query, text=part, session=""), started)
            for part in questions_in(query.text)
            if query.deadline_s is None or self.clock.elapsed_s() - started < query.deadline_s
        ]
        ms = round((self.clock.elapsed_s() - started) * 1000, 2)
        return replace(of_several(whole, each), ms=ms) if each else whole

    def _of_one(self, query: Query, started: float) -> Recall:
        ranker = ranker_named(query.profile)
        run = Run(query, ranker, shape(query.text, self.clock.now()), started, missing=list(self.missing))
        try:
            return ranker.recall(self, run)
        except IndexDamaged as error:
            run.missing.append(f"{error.message} {error.hint}".strip())
            return answer(self, run, (), (), 0.0, COULD_NOT_SEARCH)

    def topics(self, text: str, scope: Scope) -> Topics:
        """Return the topics in scope; with a text, those that have vectors, nearest first."""
        started = self.clock.elapsed_s()
        if not text:
            every = self.index.topics(scope, self.embedder.model_id if self.embedder else "")
            topic_matches = tuple(TopicMatch(topic.label, 0.0, topic.items) for topic in every)
            return Topics(topic_matches, ms=round((self.clock.elapsed_s() - started) * 1000, 2))
        run = Run(Query(text, scope), _BY_MEANING, shape(text, self.clock.now()), started, missing=list(self.missing))
        stats = self.index.stats()
        vector = query_vector(self, run, stats, ask_model(self, run, stats))
        topic_matches = topics_near(self.index, scope, vector.embedder, vector.row) if vector else ()
        ms = round((self.clock.elapsed_s() - started) * 1000, 2)
        return Topics(topic_matches, compared=True, about=about(topic_matches), missing=tuple(run.missing), ms=ms)

    def relevant(self, question: str, items: Sequence[Item]) -> tuple[dict[str, float], tuple[str, ...]]:
        """Return item key -> relevance of the curated memories relevant to a question, and what was missing for the comparison."""
        run = Run(Query(question), _BY_MEANING, shape(question, self.clock.now()), self.clock.elapsed_s())
        stats = self.index.stats()
        vector = query_vector(self, run, stats, ask_model(self, run, stats))
        if vector is None:
            return relevance.relevant(question, items, None), (*self.missing, *run.missing)
        firsts = {stored.number: item.key for item in items for stored in self.index.passages_of(item.key, 0, 1)}
        tolist = self.index.cosines(vector.row, vector.embedder.model_id, list(firsts)).tolist()
        cosines = {key: cosine for key, cosine in zip(firsts.values(), tolist, strict=True) if not math.isnan(cosine)}
        return relevance.relevant(question, items, cosines), (*self.missing, *run.missing)

    def warm_up(self) -> None:
        """Load everything that the first question would wait for. A model that fails to load is reported at that question."""
        if self.embedder is not None:
            with contextlib.suppress(EmbedderUnavailable):
                self.embedder.embed(["warm"], role="query")
                self.questions.warm.add(self.embedder.model_id)

    def expect(self, text: str) -> None:
        """Start embedding a question that :meth:`recall` will receive soon. Can be called from any thread; loads no model."""
        if self.embedder is not None and self.embedder.model_id in self.questions.warm:
            self.questions.expect(self.embedder, asked_text(text))

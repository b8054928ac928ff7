"""Question -> ranked hits, in the order of docs/architecture.md: shape, scope, arms, fuse, adjust, gate, dedupe, cut.

Nothing here fails because something is missing: an arm that cannot run says so, the others answer, and `Recall.missing` tells
the person. Only an index that cannot be trusted ends in "could not search" (X-51, X-53).
"""

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vademecum import recall
from vademecum.model.errors import EmbedderUnavailable, IndexDamaged
from vademecum.model.item import Item, StoredPassage
from vademecum.model.ports import Clock, Embedder, Index, IndexStats, Surroundings, Term, Use
from vademecum.model.query import (
    NO_TIME_LEFT,
    RECALLED_SOURCES,
    RECALLED_STATUSES,
    ArmReport,
    Hit,
    Left,
    Query,
    Recall,
    Scope,
    Scored,
)
from vademecum.model.records import record
from vademecum.model.relations import CHANGING
from vademecum.model.scope import item_fits, time_fits
from vademecum.model.topics import TopicLock, TopicMatch, Topics
from vademecum.recall.adjust import adjustments
from vademecum.recall.doubts import later_first, taken_over
from vademecum.recall.evidence import Evidence, gather
from vademecum.recall.fusion import fuse, ranks_of
from vademecum.recall.gate import Sureness
from vademecum.recall.profiles import Profile, profile_named
from vademecum.recall.questions import Questions
from vademecum.recall.scales import comparable
from vademecum.recall.shape import STOP, Shaped, shape, spoken
from vademecum.recall.sight import TurnKey, Window, together
from vademecum.recall.topics import about, drift, topics_near

if TYPE_CHECKING:
    from concurrent.futures import Future

#: Candidates whose neighbours are candidates too, from each arm; and how far a turn's surroundings reach.
STRONGEST, AROUND = 40, 2
#: Of so many turns the texts are read at once; an answer seldom looks at more.
READ_AT_ONCE = 32
#: Postings the word arm may read; beyond, only cost grows (docs/experiments.md).
POSTINGS = 6000
#: Memories linked to so many of the best hits come along, so many at most, whatever their words (one hop).
LINKED_FROM, LINKED_MOST = 3, 3
#: What holds as far as is known: also what another memory contradicts.
STANDING = ("active", "disputed")
#: Seconds that loading a model may take; with less time than that, one that is not loaded is not waited for.
LOADING_S = 0.3
#: Words of the index that stand in for one of the question, at most, in profiles that look for mistyped ones.
LIKE_MOST = 16
#: Turns that are not shown of which the story tells why.
LEFT_MOST = 20
#: A passage that holds the whole text of a hit above, of at least so many characters, adds nothing.
TELLING_CHARS = 24


@dataclass(slots=True)
class _Run:
    """One recall under way."""

    query: Query
    profile: Profile
    shaped: Shaped
    started: float
    arms: list[ArmReport] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    lock: TopicLock | None = None
    topics: dict[str, tuple[str, ...]] = field(default_factory=dict)


class _Asked(NamedTuple):
    """A model that is turning the question into a vector."""

    embedder: Embedder
    vector: "Future[np.ndarray]"


@record
class Searcher:
    """What recall works with.

    Attributes:
        embedder, quick: as in `Parts`; either may be None.
        missing: what the process came without, already as sentences.
        uses: item keys -> how often and when they were told, for ageing.
        lock_of: session -> what it is about so far.
        questions: what turns them into vectors.
        former: model id -> its embedder, for passages that still have the vectors of a model chosen before (X-45).
    """

    index: Index
    clock: Clock
    embedder: Embedder | None
    quick: Embedder | None
    uses: Callable[[Sequence[str]], Mapping[str, Use]]
    missing: tuple[str, ...] = ()
    former: Callable[[str], Embedder | None] = lambda _: None
    lock_of: Callable[[str], TopicLock | None] = lambda _: None
    questions: Questions = field(default_factory=Questions)

    def recall(self, query: Query) -> Recall:
        """The answer to a question. Never raises for what is missing or damaged: the answer names it."""
        started = self.clock.elapsed_s()
        profile = profile_named(query.profile)
        run = _Run(query, profile, shape(query.text, self.clock.now()), started, missing=list(self.missing))
        try:
            return self._ranked(run)
        except IndexDamaged as error:
            run.missing.append(f"{error.message} {error.hint}".strip())
            return self._answer(run, (), (), 0.0, "could not search")

    def topics(self, text: str, scope: Scope) -> Topics:
        """Topics in scope; with a text, those that have vectors, nearest to it first."""
        started = self.clock.elapsed_s()
        models = [embedder.model_id for embedder in (self.embedder, self.quick) if embedder]
        if not text:
            every = self.index.topics(scope, models[0] if models else "")
            found = tuple(TopicMatch(topic.label, 0.0, topic.items) for topic in every)
            return Topics(found, ms=round((self.clock.elapsed_s() - started) * 1000, 2))
        query = Query(text, scope, "facts")
        run = _Run(query, profile_named(query.profile), shape(text, self.clock.now()), started, missing=list(self.missing))
        stats = self.index.stats()
        vectors = self._question_vectors(run, stats, self._ask_models(run, stats))
        found = topics_near(self.index, scope, list(vectors.values()), self.embedder) if vectors else ()
        ms = round((self.clock.elapsed_s() - started) * 1000, 2)
        return Topics(found, compared=True, about=about(found), missing=tuple(run.missing), ms=ms)

    def relevant(self, question: str, items: Sequence[Item]) -> tuple[dict[str, float], tuple[str, ...]]:
        """Item key -> relevance of those curated memories that have to do with a question; and what was missing to tell."""
        run = _Run(Query(question), profile_named("swarm"), shape(question, self.clock.now()), self.clock.elapsed_s())
        stats = self.index.stats()
        vectors = self._question_vectors(run, stats, self._ask_models(run, stats))
        firsts = {stored.number: item.key for item in items if vectors for stored in self.index.passages_of(item.key, 0, 1)}
        cosines: dict[str, float] = {}
        for model, (embedder, vector) in vectors.items():
            rest = [number for number, key in firsts.items() if key not in cosines]
            for number, cosine in zip(rest, self.index.cosines(vector, model, rest).tolist(), strict=True):
                if not math.isnan(cosine):
                    cosines[firsts[number]] = comparable(cosine, embedder, self.embedder)
        return recall.relevance.relevant(question, items, cosines if vectors else None), (*self.missing, *run.missing)

    def warm_up(self) -> None:
        """Load what the first question of a process would have to wait for. A model that cannot be loaded is told then."""
        for embedder in (self.quick, self.embedder):
            with contextlib.suppress(EmbedderUnavailable):
                if embedder is not None:
                    embedder.embed(["warm"], role="query")
                    self.questions.warm.add(embedder.model_id)

    def expect(self, text: str) -> None:
        """Begin with a question that :meth:`recall` will be asked soon; from any thread. A model is not loaded for it."""
        if self.embedder is not None and self.embedder.model_id in self.questions.warm:
            self.questions.expect(self.embedder, spoken(text))

    def _ranked(self, run: _Run) -> Recall:
        stats = self.index.stats()
        scope = _scope_of(run.query, run.profile)
        asked = self._ask_models(run, stats)
        if run.profile.pools:
            self._look_at_topics(run, self._question_vectors(run, stats, asked), scope)
            return self._composed(run, scope)
        terms = self._terms(run)
        lexical = self._words(run, terms, scope)
        around = None
        if not all(model.vector.done() for model in asked):
            around = self.index.window(_turns(lexical), AROUND)  # the model computes meanwhile
        vectors = self._question_vectors(run, stats, asked)
        self._look_at_topics(run, vectors, scope)
        dense = self._meaning(run, vectors, stats, scope)
        if not lexical and not dense:
            return self._answer(run, (), (), 0.0, "nothing known")
        window = _window(lexical, dense, self._around(lexical, dense, around), scope)
        cosines = self._cosines(window, vectors)
        evidence = gather(run.shaped, terms, stats, window, cosines, self._texts)
        scores = fuse(run.profile, evidence, lexical, dense)
        items = self.index.items(list(dict.fromkeys(item for item, _ in evidence.turns)))
        scores, boosts = self._adjusted(run, evidence, items, scores)
        return self._decided(
            run, evidence, items, scores, boosts, Sureness(evidence, dense, scores, stats.passages), (lexical, dense)
        )

    def _look_at_topics(self, run: _Run, vectors: Mapping[str, tuple[Embedder, np.ndarray]], scope: Scope) -> None:
        """What the question is about, and what the session is about with it. Without vectors the session stays as it is."""
        if not run.profile.topics:
            return
        before = self.lock_of(run.query.session) if run.query.session else None
        run.lock = before
        if not vectors or self._late(run):
            return
        start = self.clock.elapsed_s()
        try:
            matches = about(topics_near(self.index, scope, list(vectors.values()), self.embedder))
        except EmbedderUnavailable as error:
            run.missing.append(f"topics: {error.message} {error.hint}".strip())
            return
        self._report(run, "topics", start, len(matches))
        moved = drift(before, matches)
        run.lock = moved.lock
        run.topics = {
            "topics": tuple(f"{match.label} {match.score:.2f}" for match in matches),
            "session": tuple(f"{label} {weight:.2f}" for label, weight in moved.lock.weights.items()),
            "drift": (moved.event,) if moved.event and run.query.session else (),
        }

    # arms

    def _terms(self, run: _Run) -> tuple[Term, ...]:
        terms = self.index.terms(run.shaped.subject, STOP)
        if not (run.profile.fuzzy or run.profile.prefix):
            return terms
        return self.index.like(terms, fuzzy=run.profile.fuzzy, prefix=run.profile.prefix, limit=LIKE_MOST)

    def _words(self, run: _Run, terms: Sequence[Term], scope: Scope) -> tuple[Scored, ...]:
        if not terms:
            run.arms.append(ArmReport("words", "skipped", "the question holds no word"))
            return ()
        start = self.clock.elapsed_s()
        found = self.index.words(terms, scope, run.profile.per_arm, budget=POSTINGS)
        self._report(run, "words", start, len(found))
        return found

    def _ask_models(self, run: _Run, stats: IndexStats) -> list[_Asked]:
        """Begin to turn the question into vectors, for each model that some passage has a vector of.

        Beside the word arm: a model computes without holding up other threads, and is the dearest step of all.
        """
        if run.profile.fusion == "words" or self._late(run):
            return []
        wanted = [one for one in (self.embedder, *self._former(stats), self.quick) if one and stats.vectors.get(one.model_id)]
        if self._too_slow_to_load(run, stats):
            wanted = [one for one in wanted if one is self.quick]
        elif self.embedder in wanted and _complete(self.embedder, stats):
            wanted = [self.embedder]
        return [_Asked(one, self.questions.ask(one, run.shaped.text)) for one in wanted if one]

    def _question_vectors(self, run: _Run, stats: IndexStats, asked: list[_Asked]) -> dict[str, tuple[Embedder, np.ndarray]]:
        """Model id -> the question as that model sees it."""
        if run.profile.fusion == "words":
            run.arms.append(ArmReport("meaning", "skipped", "the profile goes by words"))
            return {}
        found: dict[str, tuple[Embedder, np.ndarray]] = {}
        for model in asked:
            try:
                found[model.embedder.model_id] = (model.embedder, model.vector.result())
            except EmbedderUnavailable as error:
                run.missing.append(f"meaning: {error.message} {error.hint}".strip())
        if not found:
            why = NO_TIME_LEFT if self._late(run) else "no vectors to compare with"
            run.arms.append(ArmReport("meaning", "skipped", why))
        elif not _complete(self.embedder, stats) and self.embedder is not None:
            waiting = stats.passages - stats.vectors.get(self.embedder.model_id, 0)
            run.missing.append(f"finer vectors of {waiting} passages (vade sync makes them); quick ones stood in")
        return found

    def _too_slow_to_load(self, run: _Run, stats: IndexStats) -> bool:
        """Whether loading the model could take more than the stage of the session allows, and the quick one stands in (X-01)."""
        deadline, quick = run.query.deadline_s, self.quick
        if not run.query.stage or deadline is None or deadline >= LOADING_S or self.embedder is None:
            return False
        if self.embedder.model_id in self.questions.warm or quick is None or not stats.vectors.get(quick.model_id):
            return False
        run.missing.append(f"meaning: {self.embedder.model_id} was not loaded yet; quick vectors stood in")
        return True

    def _former(self, stats: IndexStats) -> list[Embedder | None]:
        """Embedders of the vectors that stand from before the model was changed, while the new ones are not all there."""
        if self.embedder is None or _complete(self.embedder, stats):
            return []
        ours = (self.embedder.model_id, self.quick.model_id if self.quick else "")
        return [self.former(model) for model in stats.vectors if model not in ours]

    def _meaning(
        self, run: _Run, vectors: Mapping[str, tuple[Embedder, np.ndarray]], stats: IndexStats, scope: Scope
    ) -> tuple[Scored, ...]:
        if vectors and self._late(run):
            run.arms.append(ArmReport("meaning", "skipped", NO_TIME_LEFT))
            return ()
        best: dict[int, Scored] = {}
        for model, (embedder, vector) in vectors.items():
            start = self.clock.elapsed_s()
            found = self.index.near(vector, model, scope, run.profile.per_arm)
            self._report(run, f"meaning ({model})", start, len(found))
            for one in found:
                as_fine = one
                if embedder is not self.embedder:
                    as_fine = one._replace(score=comparable(one.score, embedder, self.embedder))
                if one.number not in best or embedder is self.embedder:
                    best[one.number] = as_fine
        ranked = sorted(best.values(), key=lambda one: (-one.score, one.number))
        return tuple(ranked[: run.profile.per_arm])

    def _late(self, run: _Run) -> bool:
        return run.query.deadline_s is not None and self.clock.elapsed_s() - run.started >= run.query.deadline_s

    def _report(self, run: _Run, name: str, start: float, found: int) -> None:
        run.arms.append(ArmReport(name, "ran", "", found, (self.clock.elapsed_s() - start) * 1000))

    # candidates

    def _around(self, lexical: Sequence[Scored], dense: Sequence[Scored], known: Surroundings | None) -> Surroundings:
        """The turns that both arms found with those around them; `known` are those of the first, if they were read already."""
        if known is None:
            return self.index.window(_turns((*lexical, *dense)), AROUND)
        read = set(_turns(lexical))
        more = [turn for turn in _turns(dense) if turn not in read]
        return together(known, self.index.window(more, AROUND)) if more else known

    def _texts(self, numbers: Sequence[int]) -> dict[int, str]:
        """Of those passages that are still there."""
        return {number: stored.passage.text for number, stored in self.index.passages(numbers).items()}

    def _cosines(self, window: Window, vectors: Mapping[str, tuple[Embedder, np.ndarray]]) -> np.ndarray:
        """Of each passage in sight, on the scale of the finer model; 0 for those that are not compared."""
        found = np.zeros(len(window.around.numbers))
        rest = np.flatnonzero(window.compared())
        for model, (embedder, vector) in vectors.items():
            cosines = self.index.cosines(vector, model, window.around.numbers[rest]).astype(np.float64)
            there = ~np.isnan(cosines)
            found[rest[there]] = comparable(cosines[there], embedder, self.embedder)
            rest = rest[~there]
        return found

    # judgement

    def _adjusted(
        self, run: _Run, evidence: Evidence, items: Mapping[str, Item], scores: np.ndarray
    ) -> tuple[np.ndarray, dict[str, dict[str, float]]]:
        """Scores with what is known of the items added as log odds, and those additions by item."""
        uses = self.uses(list(items)) if run.profile.ageing else {}
        now = self.clock.now()
        boosts = {
            key: adjustments(run.query, run.shaped, run.profile, item, uses.get(key), now, run.lock)
            for key, item in items.items()
        }
        sums = {key: sum(parts.values()) for key, parts in boosts.items()}
        return scores + np.array([sums.get(item, 0.0) for item, _ in evidence.turns], np.float32), boosts

    def _decided(
        self,
        run: _Run,
        evidence: Evidence,
        items: Mapping[str, Item],
        scores: np.ndarray,
        boosts: Mapping[str, dict[str, float]],
        sureness: Sureness,
        arms: tuple[Sequence[Scored], Sequence[Scored]],
    ) -> Recall:
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        sure = sureness.of_all()
        if run.query.gated and sure < run.profile.threshold:
            run.left += [_left(evidence, items, row, "below the gate", scores) for row in order[:5]]
            return self._answer(run, (), (), sure, "nothing known")
        ranks = [ranks_of(arm) for arm in arms]
        ranked_items = tuple(dict.fromkeys(evidence.turns[row][0] for row in order))
        hits: list[Hit] = []
        known: set[str] = set()
        quotas = dict(run.profile.kinds) if run.query.gated else {}  # a search by hand is for everything
        limit = run.query.limit or run.profile.limit
        enough = sureness.at_least(run.profile.floor if run.query.gated else 0.0)
        for row, stored in self._with_best(evidence, order, enough):
            if len(hits) >= limit and len(run.left) >= LEFT_MOST:
                break
            item = items.get(evidence.turns[row][0])
            if item is None:
                continue
            why = _unwanted(item, stored.passage.text, known, quotas) if stored else "too little speaks for it"
            if stored is None or why or len(hits) >= limit:
                if len(run.left) < LEFT_MOST:
                    run.left.append(_left(evidence, items, row, why or "over the limit", scores))
                if not why:
                    break
                continue
            known.add(_plain(stored.passage.text))
            hits.append(_hit(evidence, item, row, stored, float(scores[row]), boosts[item.key], ranks))
        hits = self._successors_first(hits)
        hits += self._linked(run, hits, limit)
        scored_items = tuple((key, float(scores[row])) for key, row in _rows_of(ranked_items, evidence, order))
        return self._answer(run, tuple(hits), scored_items, sure, "found" if hits else "nothing known")

    def _with_best(
        self, evidence: Evidence, order: Sequence[int], enough: Sequence[bool]
    ) -> Iterator[tuple[int, StoredPassage | None]]:
        """The rows in that order, each with the passage that speaks loudest, or None where not enough speaks for it.

        Those whose passage is gone are left out. Few are looked at, so they are read as they are asked for.
        """
        wanted = (evidence.best[row] for row in order if enough[row])
        read: dict[int, StoredPassage] = {}
        asked: set[int] = set()
        for row in order:
            number = evidence.best[row]
            if not enough[row]:
                yield row, None
                continue
            if number not in asked:
                block = [number, *islice(wanted, READ_AT_ONCE)]
                asked.update(block)
                read.update(self.index.passages(block))
            if number in read:
                yield row, read[number]

    def _composed(self, run: _Run, scope: Scope) -> Recall:
        """Memories of the profile's pools by importance; nothing is searched and no gate is passed."""
        start = self.clock.elapsed_s()
        pooled = recall.composer.candidates(self.index, scope, run.profile.pools, run.lock)
        self._report(run, "pools", start, len(pooled))
        uses, now = self.uses([item.key for item in pooled]), self.clock.now()
        weighed = {item.key: recall.composer.weigh(item, uses.get(item.key), run.lock, now) for item in pooled}
        scores = {key: round(sum(parts.values()), 4) for key, parts in weighed.items()}
        ranked = sorted(pooled, key=lambda item: (-scores[item.key], item.key))
        hits: list[Hit] = []
        known: set[str] = set()
        for item in ranked:
            stored = self.index.passages_of(item.key, 0, 1)
            if not stored or _plain(stored[0].passage.text) in known:
                continue
            if len(hits) >= (run.query.limit or run.profile.limit):
                run.left.append(Left(item.key, item.title, "over the limit", scores[item.key]))
                break
            known.add(_plain(stored[0].passage.text))
            parts = {name: round(value, 3) for name, value in weighed[item.key].items()}
            hits.append(Hit(item, stored[0].passage, stored[0].number, scores[item.key], boosts=parts))
        items = tuple((item.key, scores[item.key]) for item in ranked)
        return self._answer(run, tuple(hits), items, 0.0, "found" if hits else "nothing known")

    def _successors_first(self, hits: Sequence[Hit]) -> list[Hit]:
        """What replaced a memory stands before it, even if the old one says more of the question's words."""
        ordered: list[Hit] = []
        placed: set[str] = set()
        by_key = {hit.item.key: hit for hit in reversed(hits)}
        for hit in hits:
            successor = self._successor(hit, by_key) if hit.item.status == "superseded" else None
            for one in (successor, hit):
                if one is not None and (one.item.source != "memory" or one.item.key not in placed):
                    ordered.append(one)
                    placed.add(one.item.key)
        return ordered

    def _successor(self, old: Hit, found: Mapping[str, Hit]) -> Hit | None:
        """The memory that a superseded one names, as a hit; None when it is gone or not active."""
        edges = self.index.edges([old.item.key]).get(old.item.key, ())
        keys = [edge.target for edge in edges if edge.type in ("superseded_by", "supersedes")]
        for key, item in self.index.items(keys).items():
            if item.status not in STANDING:
                continue
            if key in found:
                return found[key]
            first = self.index.passages_of(key, 0, 1)
            if first:
                return Hit(item, first[0].passage, first[0].number, old.score, boosts={f"replaced {old.item.title}": 0.0})
        return None

    def _linked(self, run: _Run, hits: Sequence[Hit], limit: int) -> list[Hit]:
        """Memories that the best hits refer to, or that refer to them: behind everything that was found by itself."""
        sources = [hit.item.key for hit in hits[:LINKED_FROM] if hit.item.source == "memory"]
        room = min(LINKED_MOST, limit - len(hits))
        if not sources or room <= 0:
            return []
        if self._late(run):
            run.arms.append(ArmReport("links", "skipped", NO_TIME_LEFT))
            return []
        start = self.clock.elapsed_s()
        there = {hit.item.key for hit in hits}
        linked = {
            edge.target: (source, edge.type)
            for source, edges in self.index.edges(sources).items()
            for edge in edges
            if edge.target not in there
        }
        wanted = self.index.items(list(linked))
        scope = _scope_of(run.query, run.profile)
        fitting = [item for item in wanted.values() if item.source == "memory" and _may_come_along(item, scope)][:room]
        weakest = hits[-1].score
        found = []
        for item in fitting:
            passages = self.index.passages_of(item.key, 0, 1)
            for stored in passages:
                source, relation = linked[item.key]
                via = f"{relation} of {source}"
                found.append(Hit(item, stored.passage, stored.number, weakest, boosts={via: 0.0}, via=via))
        self._report(run, "links", start, len(found))
        return found

    def _marked(self, hits: tuple[Hit, ...]) -> tuple[Hit, ...]:
        """The hits, those told so that may no longer hold, behind what may hold instead. Of what was believed once, nobody asks."""
        keys = list(dict.fromkeys(hit.item.key for hit in hits if hit.item.kind in CHANGING))
        doubted = taken_over(self.index, keys) if keys else {}
        if not doubted:
            return hits
        marked = [replace(hit, doubted_by=doubted[hit.item.key].key) if hit.item.key in doubted else hit for hit in hits]
        return later_first(marked)

    def _answer(
        self, run: _Run, hits: tuple[Hit, ...], items: tuple[tuple[str, float], ...], sure: float, verdict: str
    ) -> Recall:
        return Recall(
            query=run.query,
            hits=hits if run.query.scope.as_of else self._marked(hits),
            verdict=verdict,  # type: ignore[arg-type]
            items=items,
            confidence=round(sure, 4),
            threshold=run.profile.threshold if run.query.gated else 0.0,
            arms=tuple(run.arms),
            left=tuple(run.left),
            missing=tuple(dict.fromkeys(run.missing)),
            terms={"phrases": run.shaped.phrases, "hints": _hints(run.shaped), **run.topics},
            lock=run.lock if run.query.session else None,
            ms=round((self.clock.elapsed_s() - run.started) * 1000, 2),
        )


def _scope_of(query: Query, profile: Profile) -> Scope:
    """The query's scope, unless it names statuses without those that the profile leaves out, and without what the session already has."""
    factors = {"superseded": profile.superseded, "inbox": profile.inbox, "archived": profile.archived}
    statuses = query.scope.statuses
    if statuses == RECALLED_STATUSES:  # who asks for a status by name gets it
        statuses = tuple(status for status in statuses if factors.get(status, 1.0) > 0)
    sources = query.scope.sources or RECALLED_SOURCES
    return replace(query.scope, statuses=statuses, sources=sources, without=query.scope.without | query.seen)


def _turns(found: Sequence[Scored]) -> list[TurnKey]:
    """The turns that passages lie in, each once, sorted."""
    return sorted({(one.item, one.turn) for one in found})


def _window(lexical: Sequence[Scored], dense: Sequence[Scored], around: Surroundings, scope: Scope) -> Window:
    """Candidate turns with their surroundings. Neighbours of the strongest are candidates, unless the scope is about turns."""
    by_turn = scope.speakers is not None or scope.roles is not None or scope.since is not None or scope.until is not None
    strongest = () if by_turn else (*lexical[:STRONGEST], *dense[:STRONGEST])
    return Window(around, (*lexical, *dense), strongest, AROUND)


def _may_come_along(item: Item, scope: Scope) -> bool:
    """Whether a linked item lies in the scope of the question; superseded ones are not told for being linked."""
    return item.status in STANDING and item_fits(item, scope) and time_fits(item.updated, scope)


def _complete(embedder: Embedder | None, stats: IndexStats) -> bool:
    return embedder is not None and stats.vectors.get(embedder.model_id, 0) >= stats.passages


def _unwanted(item: Item, text: str, known: set[str], quotas: dict[str, int]) -> str:
    """Why a turn, whose loudest passage has this text, is not shown; or ""."""
    said = _plain(text)
    if any(text == said or (len(text) >= TELLING_CHARS and text in said) for text in known):
        return "a hit above says the same"
    if quotas:
        if quotas.get(item.kind, 0) <= 0:
            return "the profile's quota for this kind is used up"
        quotas[item.kind] -= 1
    return ""


def _plain(text: str) -> str:
    return " ".join(text.lower().split())


def _left(evidence: Evidence, items: Mapping[str, Item], row: int, why: str, scores: np.ndarray) -> Left:
    key = evidence.turns[row][0]
    return Left(key, items[key].title if key in items else "", why, round(float(scores[row]), 3))


def _hit(
    evidence: Evidence,
    item: Item,
    row: int,
    stored: StoredPassage,
    score: float,
    boosts: Mapping[str, float],
    ranks: Sequence[Mapping[TurnKey, int]],
) -> Hit:
    turn = evidence.turns[row]
    return Hit(
        item=item,
        passage=stored.passage,
        number=stored.number,
        score=round(score, 4),
        signals={name: round(float(values[row]), 4) for name, values in evidence.values.items() if values[row]},
        ranks={name: rank[turn] for name, rank in zip(("words", "meaning"), ranks, strict=True) if turn in rank},
        boosts={name: round(value, 3) for name, value in boosts.items()},
    )


def _rows_of(keys: Sequence[str], evidence: Evidence, order: Sequence[int]) -> list[tuple[str, int]]:
    """(item key, row of its best turn), best first."""
    best: dict[str, int] = {}
    for row in order:
        best.setdefault(evidence.turns[row][0], row)
    return [(key, best[key]) for key in keys]


def _hints(shaped: Shaped) -> tuple[str, ...]:
    named = {
        "about the person": shaped.person,
        "about what the agent said": shaped.agent,
        "asks when": shaped.when,
        "asks how many": shaped.many,
    }
    hints = [name for name, is_so in named.items() if is_so]
    if shaped.period:
        hints.append(f"{shaped.period[0]:%Y-%m-%d} to {shaped.period[1]:%Y-%m-%d}")
    return tuple(hints)

"""The arms of recall: by words and by meaning, and what a question is about."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from vademecum.domain.errors import EmbedderUnavailable
from vademecum.domain.query import (
    NO_TIME_LEFT,
    ArmReport,
    Scope,
    Scored,
)
from vademecum.language.text import stop_words
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import IndexStats, Term
from vademecum.recall.likeness import likeness_in, trust
from vademecum.recall.pools import Found, Measures, SearchPool
from vademecum.recall.run import Run, Tools, is_late, on_scale, report
from vademecum.recall.topics import about, drift, topics_near

if TYPE_CHECKING:
    from concurrent.futures import Future

#: Postings the word arm may read; beyond, only cost grows (docs/measurements/experiments.md).
POSTINGS = 6000
#: Seconds that loading a model may take; with less time than that, one that is not loaded is not waited for.
LOADING_S = 0.3
#: Words of the index that stand in for one of the question, at most, in profiles that look for mistyped ones.
LIKE_MOST = 16


class Asked(NamedTuple):
    """A model that is turning the question into a vector."""

    embedder: Embedder
    vector: "Future[np.ndarray]"


def terms_of(tools: Tools, run: Run) -> tuple[Term, ...]:
    terms = tools.index.terms(run.shaped.subject, stop_words(run.shaped.language))
    if not (run.profile.fuzzy or run.profile.prefix):
        return terms
    return tools.index.like(terms, fuzzy=run.profile.fuzzy, prefix=run.profile.prefix, limit=LIKE_MOST)


def by_words(tools: Tools, run: Run, terms: Sequence[Term], pools: Sequence[SearchPool]) -> Found:
    if not terms:
        run.arms.append(ArmReport("words", "skipped", "the question holds no word"))
        return tuple(() for _ in pools)
    start = tools.clock.elapsed_s()
    found = tuple(tools.index.words(terms, pool.scope, pool.per_arm, budget=POSTINGS) for pool in pools)
    report(tools, run, "words", start, sum(map(len, found)))
    return found


def by_topic(tools: Tools, terms: Sequence[Term], pools: Sequence[SearchPool]) -> Found:
    """Return passages that hold words which belong to what is asked about, though nobody asked for them."""
    return tuple(tools.index.words(terms, pool.scope, pool.per_arm, budget=POSTINGS) if terms else () for pool in pools)


def measures_of(terms: Sequence[Term], lexical: Found, pools: tuple[SearchPool, ...], stats: IndexStats) -> Measures:
    """Return what the terms are weighed by, from what the word arm found."""
    all_read = sum(one.passages for term in terms for one in (term, *term.like)) <= POSTINGS
    complete = tuple(all_read and len(found) < pool.per_arm for found, pool in zip(lexical, pools, strict=True))
    return Measures(pools, complete, stats.passages)


def flat(found: Found) -> tuple[Scored, ...]:
    """Return what an arm found, pool after pool."""
    return tuple(one for part in found for one in part)


def ask_models(tools: Tools, run: Run, stats: IndexStats) -> list[Asked]:
    """Begin to turn the question into vectors, for each model that some passage has a vector of.

    Beside the word arm: a model computes without holding up other threads, and is the dearest step of all.
    """
    if run.profile.fusion == "words" or is_late(tools, run):
        return []
    wanted = [one for one in (tools.embedder, *_former(tools, stats), tools.quick) if one and stats.vectors.get(one.model_id)]
    if _too_slow_to_load(tools, run, stats):
        wanted = [one for one in wanted if one is tools.quick]
    elif tools.embedder in wanted and _complete(tools.embedder, stats):
        wanted = [tools.embedder]
    if run.profile.fusion == "evidence":
        wanted = [one for one in wanted if one and trust(likeness_in(one, run.shaped.language))]
    return [Asked(one, tools.questions.ask(one, run.shaped.text)) for one in wanted if one]


def question_vectors(tools: Tools, run: Run, stats: IndexStats, asked: list[Asked]) -> dict[str, tuple[Embedder, np.ndarray]]:
    """Return model id -> the question as that model sees it."""
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
        unread = "no model that understands the question's language" if stats.vectors else "no vectors to compare with"
        why = NO_TIME_LEFT if is_late(tools, run) else unread
        run.arms.append(ArmReport("meaning", "skipped", why))
    elif not _complete(tools.embedder, stats) and tools.embedder is not None:
        waiting = stats.passages - stats.vectors.get(tools.embedder.model_id, 0)
        run.missing.append(f"finer vectors of {waiting} passages (vade sync makes them); quick ones stood in")
    return found


def _too_slow_to_load(tools: Tools, run: Run, stats: IndexStats) -> bool:
    """Return whether loading the model could take more than the stage of the session allows, and the quick one stands in (X-01)."""
    deadline, quick = run.query.deadline_s, tools.quick
    if not run.query.stage or deadline is None or deadline >= LOADING_S or tools.embedder is None:
        return False
    if tools.embedder.model_id in tools.questions.warm or quick is None or not stats.vectors.get(quick.model_id):
        return False
    run.missing.append(f"meaning: {tools.embedder.model_id} was not loaded yet; quick vectors stood in")
    return True


def _former(tools: Tools, stats: IndexStats) -> list[Embedder | None]:
    """Return embedders of the vectors that stand from before the model was changed, while the new ones are not all there."""
    if tools.embedder is None or _complete(tools.embedder, stats):
        return []
    ours = (tools.embedder.model_id, tools.quick.model_id if tools.quick else "")
    return [tools.former(model) for model in stats.vectors if model not in ours]


def by_meaning(
    tools: Tools, run: Run, vectors: Mapping[str, tuple[Embedder, np.ndarray]], pools: Sequence[SearchPool]
) -> Found:
    if vectors and is_late(tools, run):
        run.arms.append(ArmReport("meaning", "skipped", NO_TIME_LEFT))
        return tuple(() for _ in pools)
    return tuple(_nearest(tools, run, vectors, pool) for pool in pools)


def _nearest(
    tools: Tools, run: Run, vectors: Mapping[str, tuple[Embedder, np.ndarray]], pool: SearchPool
) -> tuple[Scored, ...]:
    best: dict[int, Scored] = {}
    for model, (embedder, vector) in vectors.items():
        start = tools.clock.elapsed_s()
        found = tools.index.near(vector, model, pool.scope, pool.per_arm)
        report(tools, run, f"meaning ({model})", start, len(found))
        scores = on_scale(tools, run, embedder, np.array([one.score for one in found])).tolist()
        for one, score in zip(found, scores, strict=True):
            if one.number not in best or embedder is tools.embedder:
                best[one.number] = one._replace(score=score)
    ranked = sorted(best.values(), key=lambda one: (-one.score, one.number))
    return tuple(ranked[: pool.per_arm])


def look_at_topics(tools: Tools, run: Run, vectors: Mapping[str, tuple[Embedder, np.ndarray]], scope: Scope) -> None:
    """Note what the question is about, and what the session is about with it. Without vectors the session stays as it is."""
    if not run.profile.topics:
        return
    before = tools.lock_of(run.query.session) if run.query.session else None
    run.lock = before
    if not vectors or is_late(tools, run):
        return
    start = tools.clock.elapsed_s()
    try:
        matches = about(topics_near(tools.index, scope, list(vectors.values()), tools.embedder))
    except EmbedderUnavailable as error:
        run.missing.append(f"topics: {error.message} {error.hint}".strip())
        return
    report(tools, run, "topics", start, len(matches))
    moved = drift(before, matches)
    run.lock = moved.lock
    run.topics = {
        "topics": tuple(f"{match.label} {match.score:.2f}" for match in matches),
        "session": tuple(f"{label} {weight:.2f}" for label, weight in moved.lock.weights.items()),
        "drift": (moved.event,) if moved.event and run.query.session else (),
    }


def _complete(embedder: Embedder | None, stats: IndexStats) -> bool:
    return embedder is not None and stats.vectors.get(embedder.model_id, 0) >= stats.passages

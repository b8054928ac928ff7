"""The search arms. :func:`search` runs them in order: by words, by meaning, by topic and by name."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from vademecum.domain.errors import EmbedderUnavailable
from vademecum.domain.query import ArmReport, Scope, Scored
from vademecum.domain.why_nothing import COURTESY, NO_TIME_LEFT
from vademecum.language.text import stop_words
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import IndexStats, Surroundings, Term
from vademecum.recall.candidates import turns_of
from vademecum.recall.likeness import likeness_in
from vademecum.recall.names import names_in
from vademecum.recall.numbers import (
    ALIKE_MOST_PASSAGES,
    AROUND,
    COMPOUND_LETTERS,
    COMPOUND_REST,
    LIKE_MOST,
    LOADING_S,
    NAME_EDITS,
    NAMED_MOST,
    POSTINGS,
    READ_FOR_NAME,
)
from vademecum.recall.pools import Found, Measures, SearchPool
from vademecum.recall.query_parsing import is_of_calendar
from vademecum.recall.run import QueryVector, Run, Tools
from vademecum.recall.topics import about, drift, topics_near

if TYPE_CHECKING:
    from concurrent.futures import Future

#: A word that begins with a capital letter, and one that begins with a small letter.
CAPITAL_WORD, SMALL_WORD = re.compile(r"\b[A-ZÀ-ÖØ-Þ]\w+"), re.compile(r"\b[a-zß-öø-ÿ]\w+")


#: Spellings without an umlaut or sharp s, and the letter that they stand for.
_TWO_LETTERS = ((re.compile(r"(?<=[aouAOU])e"), ""), (re.compile("ss"), "ß"), (re.compile("ß"), "ss"))


class Asked(NamedTuple):
    """A pending embedding of the query."""

    embedder: Embedder
    row: "Future[np.ndarray]"


class ArmResults(NamedTuple):
    """What the arms found for a question; the results are per pool.

    Attributes:
        terms: of the question. topic: words of its topic that are not in it -> weight.
        lexical, dense, of_topic, named: results by words, by meaning, by words of the topic, and of items that the question names.
        vector: None: nothing was compared by meaning.
        around: turns of the word arm with their neighbours, if there was time to read them.
    """

    terms: tuple[Term, ...]
    topic: Mapping[Term, float]
    pools: tuple[SearchPool, ...]
    lexical: Found
    dense: Found
    of_topic: Found
    named: Found
    vector: QueryVector | None
    around: Surroundings | None


def search(tools: Tools, run: Run, scope: Scope, stats: IndexStats) -> ArmResults | None:
    """Run all arms; None: the question asks for nothing, or nothing was found.

    Raises:
        IndexDamaged: the index cannot be used.
    """
    ranker, shaped = run.ranker, run.shaped
    asked = ask_model(tools, run, stats)
    if run.query.gated and not shaped.asks:
        run.arms.append(ArmReport("words", "skipped", COURTESY))
        return None

    # 1. By words. A prompt that is only a small number names nothing.
    terms = tools.index.terms(shaped.subject, stop_words(shaped.language))
    is_number = run.query.unasked and all(term.word.isdigit() and len(term.word) <= 2 for term in terms)
    terms = () if is_number else ranker.terms(tools, run, terms)
    pools = ranker.pools(tools.index, scope)
    lexical: Found = tuple(() for _ in pools)
    dense = of_topic = lexical
    if terms:
        start = tools.clock.elapsed_s()
        lexical = tuple(tools.index.words(terms, pool.scope, pool.per_arm, budget=POSTINGS) for pool in pools)
        report(tools, run, "words", start, sum(map(len, lexical)))
    else:
        run.arms.append(ArmReport("words", "skipped", "the question holds no word"))

    # 2. By meaning. While the model computes, the turns around the results so far are read.
    around = tools.index.window(turns_of(flat(lexical)), AROUND) if asked is not None and not asked.row.done() else None
    vector = query_vector(tools, run, stats, asked)
    look_at_topics(tools, run, vector, scope)
    if vector and is_late(tools, run):
        run.arms.append(ArmReport("meaning", "skipped", NO_TIME_LEFT))
    elif vector:
        dense = tuple(_nearest(tools, run, vector, pool) for pool in pools)
    if not any(lexical) and not any(dense):
        return None

    # 3. By words of the topic, and by name.
    topic = ranker.topic(tools, run, (lexical, dense), terms, stats)
    if topic:
        of_topic = tuple(tools.index.words(list(topic), pool.scope, pool.per_arm, budget=POSTINGS) for pool in pools)
    named = by_name(tools, run, terms, pools) if run.query.gated else ()
    return ArmResults(terms, topic, pools, lexical, dense, of_topic, named, vector, around)


def _nearest(tools: Tools, run: Run, vector: QueryVector, pool: SearchPool) -> tuple[Scored, ...]:
    start = tools.clock.elapsed_s()
    hit = tools.index.near(vector.row, vector.embedder.model_id, pool.scope, pool.per_arm)
    report(tools, run, f"meaning ({vector.embedder.model_id})", start, len(hit))
    likeness = likeness_in(vector.embedder, run.shaped.language)
    scores = run.ranker.on_scale(np.array([near.score for near in hit]), likeness).tolist()
    return tuple(near._replace(score=score) for near, score in zip(hit, scores, strict=True))


def is_late(tools: Tools, run: Run) -> bool:
    return run.query.deadline_s is not None and tools.clock.elapsed_s() - run.started >= run.query.deadline_s


def report(tools: Tools, run: Run, name: str, start: float, found: int) -> None:
    run.arms.append(ArmReport(name, "ran", "", found, (tools.clock.elapsed_s() - start) * 1000))


def with_names_alike(tools: Tools, run: Run, terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the terms, with unknown names and dates expanded.

    A name that is in no passage also matches names with a similar spelling or the same beginning ("Katrin" for "Katryn"); an abbreviated
    month matches the full one.
    """
    if tools.index.stats().passages > ALIKE_MOST_PASSAGES:
        return terms
    unknown = [term for term in terms if not term.passages]
    names = [term for term in unknown if term.word.lower() in run.shaped.names]
    dates = [term for term in unknown if term not in names and is_of_calendar(term.word)]
    alike = dict(zip(names, tools.index.like(names, fuzzy=NAME_EDITS, prefix=True, limit=LIKE_MOST), strict=True))
    alike = {
        term: replace(result, like=tuple(like for like in result.like if is_used_as_name(tools, like)))
        for term, result in alike.items()
    }
    alike |= {term: _otherwise(tools, term) for term in unknown if not alike.get(term, term).like}
    alike |= zip(dates, tools.index.like(dates, fuzzy=0.0, prefix=True, limit=LIKE_MOST), strict=True)
    return tuple(alike.get(term, term) for term in terms)


def _otherwise(tools: Tools, term: Term) -> Term:
    """Return an unknown term, extended by the indexed words that it may mean.

    These are the same word with umlauts or sharp s, which some keyboards lack ("Aerzte", "Strasse"), or else the compounds that
    begin with it ("Wärmepumpe", "Wärmepumpenwartung").
    """
    spellings = (pattern.sub(letter, term.word) for pattern, letter in _TWO_LETTERS if pattern.search(term.word))
    words = [other for spelling in spellings for other in tools.index.terms(spelling, frozenset())]
    if known := next((word for word in words if word.passages), None):
        return known
    long = [word for word in (term, *words) if len(word.word) >= COMPOUND_LETTERS]
    compounds = [
        replace(like, weight=1.0)
        for found in tools.index.like(long, fuzzy=0.0, prefix=True, limit=LIKE_MOST)
        for like in found.like
        if len(like.stem) >= len(found.word) + COMPOUND_REST
    ]
    return replace(term, like=tuple(compounds)) if compounds else term


def is_used_as_name(tools: Tools, term: Term, *, anywhere: bool = True) -> bool:
    """Return whether an indexed word is used as a name: capitalised or as a speaker, and never in lower case.

    Otherwise "Nate" would match "late" and "Dave" would match "have".

    Args:
        anywhere: a text must use it as a name; False: it is a name anyway, and only must not occur in lower case.
    """
    hit = tools.index.words((term,), Scope(statuses=None), READ_FOR_NAME, budget=POSTINGS)
    capital: list[str] = []
    small: list[str] = []
    for stored in tools.index.passages([found.number for found in hit]).values():
        capital += [*CAPITAL_WORD.findall(stored.passage.text), stored.passage.speaker]
        small += SMALL_WORD.findall(stored.passage.text)
    return (not anywhere or _holds(tools, term, capital)) and not _holds(tools, term, small)


def _holds(tools: Tools, term: Term, words: Sequence[str]) -> bool:
    return any(held.code == term.code for held in tools.index.terms(" ".join(words), frozenset()))


def by_name(tools: Tools, run: Run, terms: Sequence[Term], pools: Sequence[SearchPool]) -> Found:
    """Return passages of items that the query names, even if many other passages contain the same words."""
    start = tools.clock.elapsed_s()
    keys = tuple(dict.fromkeys(key for name in names_in(run.query.text) for key in tools.index.named(name)[:NAMED_MOST]))
    if not keys or not terms:
        return tuple(() for _ in pools)
    hit = tuple(
        tools.index.words(terms, replace(pool.scope, keys=keys), NAMED_MOST, budget=POSTINGS) if pool.scope.keys is None else ()
        for pool in pools
    )
    report(tools, run, "names", start, sum(map(len, hit)))
    return hit


def measures_of(terms: Sequence[Term], lexical: Found, pools: tuple[SearchPool, ...], stats: IndexStats) -> Measures:
    """Return the word statistics per pool, from the results of the word arm."""
    all_read = sum(spelling.passages for term in terms for spelling in (term, *term.like)) <= POSTINGS
    complete = tuple(all_read and len(hit) < pool.per_arm for hit, pool in zip(lexical, pools, strict=True))
    return Measures(pools, complete, stats.passages)


def flat(found: Found) -> tuple[Scored, ...]:
    """Return the results of an arm, pool after pool."""
    return tuple(hit for part in found for hit in part)


def ask_model(tools: Tools, run: Run, stats: IndexStats) -> Asked | None:
    """Start embedding the query; None: no comparison by meaning.

    It runs beside the word arm: the model does not block other threads, and is the most expensive step.
    """
    if not run.ranker.compares_meaning or is_late(tools, run):
        return None
    model = _serving(tools, stats)
    if model is None or _too_slow_to_load(tools, run, model):
        return None
    if not run.ranker.trusts(likeness_in(model, run.shaped.language)):
        return None
    return Asked(model, tools.questions.ask(model, run.shaped.text))


def _serving(tools: Tools, stats: IndexStats) -> Embedder | None:
    """Return the embedder to search with: after a change of model the former one, until most vectors were recomputed (X-45)."""
    ours = tools.embedder
    if ours is None or not stats.vectors:
        return None
    most = max(stats.vectors, key=lambda model: (stats.vectors[model], model == ours.model_id))
    former = tools.former(most) if most != ours.model_id else None
    return former or (ours if stats.vectors.get(ours.model_id) else None)


def query_vector(tools: Tools, run: Run, stats: IndexStats, asked: Asked | None) -> QueryVector | None:
    """Return the embedding of the query, and record in the run what is missing."""
    if not run.ranker.compares_meaning:
        run.arms.append(ArmReport("meaning", "skipped", "the profile goes by words"))
        return None
    if asked is None:
        unread = "no model that understands the question's language" if stats.vectors else "no vectors to compare with"
        run.arms.append(ArmReport("meaning", "skipped", NO_TIME_LEFT if is_late(tools, run) else unread))
        _note_waiting(tools, run, stats, tools.embedder)
        return None
    try:
        row = asked.row.result()
    except EmbedderUnavailable as error:
        run.missing.append(f"meaning: {error.message} {error.hint}".strip())
        run.arms.append(ArmReport("meaning", "skipped", "the model could not be asked"))
        return None
    _note_waiting(tools, run, stats, asked.embedder)
    return QueryVector(asked.embedder, row)


def _note_waiting(tools: Tools, run: Run, stats: IndexStats, serving: Embedder | None) -> None:
    """Record how many passages have no vector of the chosen model yet."""
    if tools.embedder is None or serving is None:
        return
    if waiting := stats.passages - stats.vectors.get(tools.embedder.model_id, 0):
        instead = "words find them" if serving is tools.embedder else f"those of {serving.model_id} stand in"
        made = "the helper makes them in the background, vade sync at once"
        run.missing.append(f"the vectors of {waiting} passages: {made}; until then {instead}")


def _too_slow_to_load(tools: Tools, run: Run, model: Embedder) -> bool:
    """Return whether loading the model could exceed the time limit of the session's stage (X-01)."""
    deadline = run.query.deadline_s
    if not run.query.stage or deadline is None or deadline >= LOADING_S or model.model_id in tools.questions.warm:
        return False
    run.missing.append(f"meaning: {model.model_id} was not loaded yet; words alone answered")
    return True


def look_at_topics(tools: Tools, run: Run, vector: QueryVector | None, scope: Scope) -> None:
    """Record the topics of the query, and update the topic lock of the session. Without a vector the lock does not change."""
    if not run.profile.topics:
        return
    before = tools.lock_of(run.query.session) if run.query.session else None
    run.lock = before
    if vector is None or is_late(tools, run):
        return
    start = tools.clock.elapsed_s()
    try:
        matches = about(topics_near(tools.index, scope, vector.embedder, vector.row))
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

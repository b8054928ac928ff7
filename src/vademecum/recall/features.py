"""Features of candidate turns: absolute values, comparable between questions and between indexes.

Two phases keep the cost low at a million turns. The arms return a few hundred candidates; exact features are computed only for those
and their neighbours, from stored stems and vectors. A turn is scored by its best passage together with the turns around it, because
an answer often follows the turn that contains the words of the question. docs/measurements/experiments.md shows the gain of each.
"""

from collections.abc import Container, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from vademecum.domain.item import AGENT, PERSON
from vademecum.domain.late_pattern import late_pattern
from vademecum.language.load import languages
from vademecum.language.text import is_unspaced, language_of
from vademecum.ports.index import Surroundings, Term
from vademecum.recall.numbers import (
    CHAT_STEMS,
    FAR,
    FEATURES_FEWEST,
    FEATURES_READ,
    HEAD,
    K1,
    LENGTH_COUNTED,
    LENGTH_NEUTRAL,
    LONG_STEMS,
    NEAR,
    REPEATS_COUNTED,
    STEPS,
    TALK_CHARS,
    WHOLE_SCALE,
    B,
)
from vademecum.recall.pools import Measures, pool_of_keys
from vademecum.recall.query_parsing import Shaped, is_spelt_alike
from vademecum.recall.weights import FEATURES
from vademecum.recall.window import Mask, Rows, Texts, TurnKey, Window

Floats = NDArray[np.float32]
_CLAUSE = late_pattern(r"[。！!，,：:\n]")
_SIGN = late_pattern("[\u3400-\u9fff]")

#: Weight factor of a character pair that occurs nowhere: in a script without spaces most such pairs span two words.
ACROSS_WORDS = np.float32(0.4)


class Meaning(NamedTuple):
    """Similarity of passages to the question.

    Attributes:
        cosines: on the scale of the weights; 0 where nothing was compared. compared: which passages were compared.
        deviations: z-score of the model's raw cosine relative to unrelated texts.
    """

    cosines: NDArray[np.float64]
    compared: Mask
    deviations: NDArray[np.float64]


class Evidence(Struct, frozen=True):
    """Features of candidate turns, one row per turn.

    Attributes:
        turns: (item key, turn), sorted. best: number of the best passage of each turn.
        values: feature name -> float32 per turn, 0..1 unless `FEATURES` says otherwise.
        compared: per turn, whether any of its passages was compared with the question.
        deviations: per turn, z-score of its cosine; unrelated texts have mean 0.
        pool: per turn, index of its pool among those searched.
        asked: per pool, total idf of the question's words; words in no passage weigh most.
        unknown_names: per pool, total idf of the question's names that no passage there contains.
        unmet_run: per pool, :func:`longest_unmet` of the question.
        whole: per turn, BM25 of its whole session (turns in sight) divided by `WHOLE_SCALE`; 0 in memories and notes.
        covered: share of the question's idf that the turn's own words contain, 0..1.
    """

    turns: tuple[TurnKey, ...]
    best: tuple[int, ...]
    values: Mapping[str, Floats]
    compared: Mask
    deviations: Floats
    pool: Rows
    asked: Floats
    unknown_names: Floats
    unmet_run: Rows
    whole: Floats
    covered: Floats


#: Cosine at which a memory keeps its rank among turns.
MEANING_NEUTRAL = np.float32(0.5)


def inverse_frequency(passages: Floats, of: int) -> Floats:
    """Compute ln((N - n + .5) / (n + .5)), as FTS5's bm25; at least 1e-6."""
    there = np.minimum(passages, of)
    return np.maximum(np.log((max(of, FEATURES_FEWEST) - there + 0.5) / (there + 0.5)), 1e-6)


class _Weights:
    """Weights of the terms in each pool.

    Attributes:
        idf: (pools, terms). possible: sum per pool. mean: mean stems of a passage per pool.
    """

    def __init__(self, measures: Measures, terms: Sequence[Term], counted: Floats, pool_of: Rows) -> None:
        self._holding = measures.holding(terms, counted, pool_of)
        self.idf = np.array(
            [inverse_frequency(row, pool.passages) for row, pool in zip(self._holding, measures.pools, strict=True)], np.float32
        )
        self._unmet = self.idf * (self._holding == 0)
        across = np.array([is_unspaced(term.word) for term in terms], np.bool_)
        self.idf[(self._holding == 0) & across] *= ACROSS_WORDS
        self.possible = np.maximum(self.idf.sum(axis=1), np.float32(1e-6))
        self.mean = np.array([pool.mean_stems for pool in measures.pools], np.float32)

    def unknown(self, chosen: Sequence[bool]) -> Floats:
        """Return for each pool the total weight of the chosen terms that no passage there contains."""
        return np.asarray((self._unmet * np.array(chosen, np.bool_)).sum(axis=1), np.float32)

    def unmet_run(self, question: str, terms: Sequence[Term]) -> Rows:
        """Return :func:`longest_unmet` of a question for each pool, from the terms that no passage there contains."""
        words = np.array([term.word for term in terms], np.str_)
        return np.array([longest_unmet(question, set(words[row > 0].tolist())) for row in self._unmet], np.int64)

    def share(self, saturated: Floats, pool_of: Rows) -> Floats:
        """Return the share of the question's possible BM25 that each column of (terms, columns) reaches in its pool."""
        values = np.zeros(len(pool_of), np.float32)
        for at, idf in enumerate(self.idf):
            there = pool_of == at
            values[there] = idf @ saturated[:, there] / self.possible[at]
        return values


def gather(
    shaped: Shaped, terms: Sequence[Term], measures: Measures, window: Window, meaning: Meaning, texts: Texts
) -> Evidence:
    """Compute the features of the window's candidates.

    Args:
        meaning: of the window's passages.
        texts: passage numbers -> texts; called for the few passages whose stems are not enough.
    """
    chosen = np.flatnonzero(window.candidates())
    spoken = _Spoken(window.around.numbers[chosen], window.owner[chosen])
    counted, heads = occurrences(window.around, terms)
    pool_of = pool_of_keys(window.around.keys, measures.pools)[window.around.item]
    weights = _Weights(measures, terms, counted, pool_of)
    own, lengths, of = counted[:, chosen], _lengths(window)[chosen], pool_of[chosen]
    exchange = _exchanges(window)[window.item[window.rows]]
    full, full_lengths = _with_context(window, spoken.candidate, heads, own, lengths, exchange)
    words = weights.share(_saturated(full, full_lengths, _mean_context(weights.mean)[of]), of)
    own_saturated = np.maximum.reduceat(_saturated(own, lengths, weights.mean[of]), spoken.start, axis=1)
    pool = of[spoken.start]
    near = meaning.cosines.astype(np.float32)
    loudest = spoken.loudest(words + near[chosen])
    best_words = spoken.best(words.astype(np.float32))
    chat = _chattiness(window) * exchange
    nearest = np.append(_largest(near, window.start), np.float32(0))
    of_note, of_memory = (
        np.array([search_pool.name == name for search_pool in measures.pools], np.float32)[pool]
        for name in ("document", "memory")
    )
    together = _item_share(window.item[window.rows], own_saturated, weights, pool)
    values = {
        "words": best_words,
        "item": together,
        "meaning": nearest[window.rows],
        "title": np.zeros(len(pool), np.float32),
        "memory_meaning": of_memory * (nearest[window.rows] - MEANING_NEUTRAL) * (nearest[window.rows] > 0),
        "note": of_note,
        "note_meaning": of_note * nearest[window.rows],
        "note_item": of_note * together,
        "length": chat * _length(window),
        **_speakers(shaped, window.around, chosen[loudest]),
    }
    covered = weights.share((own_saturated > 0).astype(np.float32), pool)
    best = tuple(spoken.numbers[loudest].tolist())
    compared = np.logical_or.reduceat(meaning.compared[chosen], spoken.start)
    deviations = spoken.best(meaning.deviations[chosen].astype(np.float32))
    met = frozenset(name for name in shaped.names if any(_is_called(name, speaker) for speaker in window.around.speakers))
    names = weights.unknown([term.word.lower() in shaped.names - met for term in terms])
    runs = weights.unmet_run(shaped.text, terms)
    whole = _whole(window, counted, weights, pool)
    evidence = Evidence(window.turns, best, values, compared, deviations, pool, weights.possible, names, runs, whole, covered)
    return _with_times(shaped, evidence, window, texts)


class _Spoken:
    """The passages of the candidates; `candidate` is the index of each passage's turn, from 0."""

    def __init__(self, numbers: NDArray[np.int64], owner: Rows) -> None:
        self.numbers = numbers
        first = np.append(True, owner[1:] != owner[:-1])[: len(owner)]
        self.start = np.flatnonzero(first)
        self.candidate = np.cumsum(first) - 1

    def best(self, values: Floats) -> Floats:
        """Return the largest value among each turn's passages."""
        return _largest(values, self.start)

    def loudest(self, strength: Floats) -> Rows:
        """Return the index of each turn's strongest passage; the first of equals."""
        as_strong = np.flatnonzero(strength == self.best(strength)[self.candidate])
        turns = self.candidate[as_strong]
        return np.asarray(as_strong[np.append(True, turns[1:] != turns[:-1])[: len(turns)]])


def total(evidence: Evidence) -> Floats:
    """Return the weighted sum of the features. It orders turns; differences are log odds of being the answer."""
    weighted = [FEATURES[name] * values for name, values in evidence.values.items()]
    return np.asarray(np.sum(weighted, axis=0), np.float32)


def _largest(values: Floats, start: Rows) -> Floats:
    """Return the maximum of each run of values."""
    return np.asarray(np.maximum.reduceat(values, start), np.float32) if len(values) else values


def occurrences(around: Surroundings, terms: Sequence[Term]) -> tuple[Floats, Floats]:
    """Return two arrays (terms, passages): occurrences in each passage including its date, and those among the first stems of its text.

    A similar term counts by its weight.
    """
    passages = len(around.ends)
    start = np.append(0, around.ends[:-1])[:passages]
    dates = np.concatenate(around.dates) if around.dates else np.zeros(0, np.uint32)
    date_ends = np.cumsum([len(date) for date in around.dates])
    own = np.zeros((len(terms), passages), np.float32)
    heads = np.zeros((len(terms), passages), np.float32)
    for row, term in enumerate(terms):
        for code, weight in ((term.code, 1.0), *((like.code, like.weight) for like in term.like)):
            at, owner = _found(around.codes, around.ends, code)
            dated = np.bincount(_found(dates, date_ends, code)[1], minlength=len(around.dates))[around.date]
            own[row] += np.float32(weight) * (np.bincount(owner, minlength=passages) + dated)
            heads[row] += np.float32(weight) * np.bincount(owner[at - start[owner] < HEAD], minlength=passages)
    return own, heads


def holding(around: Surroundings, codes: NDArray[np.uint32]) -> Mask:
    """Return which passages contain any of these codes, dates included. All codes are searched at once."""
    values = np.zeros(len(around.ends), np.bool_)
    values[np.searchsorted(around.ends, _any_of(around.codes, codes), side="right")] = True
    dated = np.array([len(_any_of(date, codes)) > 0 for date in around.dates], np.bool_)
    return np.asarray(values | dated[around.date])


def _any_of(codes: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> Rows:
    """Return the positions of the wanted codes. The last 16 bits rule out nearly all others."""
    ending = np.uint32(0xFFFF)
    ends = np.zeros(1 << 16, np.bool_)
    ends[wanted & ending] = True
    at = np.flatnonzero(ends[codes & ending])
    if not len(at):
        return at
    ordered = np.sort(wanted)  # `np.isin` would import masked arrays, 15 ms of a first prompt
    places = np.minimum(np.searchsorted(ordered, codes[at]), len(ordered) - 1)
    return np.asarray(at[ordered[places] == codes[at]])


def _found(codes: NDArray[np.uint32], ends: Rows, code: int) -> tuple[Rows, Rows]:
    """Return the positions of a code, and for each the index of the array it is in."""
    at = np.flatnonzero(codes == code)
    return at, np.searchsorted(ends, at, side="right")


def _lengths(window: Window) -> Floats:
    """Return the number of stems of each passage, date included."""
    dates = np.array([len(date) for date in window.around.dates], np.int64)
    return np.asarray(window.stems + dates[window.around.date], np.float32)


def _saturated(frequencies: Floats, lengths: Floats, mean: Floats) -> Floats:
    norm = K1 * (1 - B + B * lengths / np.maximum(mean, 1e-6))
    return np.asarray(frequencies / (frequencies + norm), np.float32)


def _mean_context(mean_stems: Floats) -> Floats:
    """Return the expected stems of a passage with its weighted neighbours."""
    return np.asarray(mean_stems + 2 * (NEAR + FAR) * np.minimum(mean_stems, HEAD), np.float32)


def _with_context(
    window: Window, candidate: Rows, heads: Floats, own: Floats, lengths: Floats, exchange: Mask
) -> tuple[Floats, Floats]:
    """Return frequencies and lengths of the candidates' passages plus the weighted heads of the neighbouring turns.

    Args:
        candidate: index of the candidate of each passage. heads: frequencies in the heads of all passages in sight.
        exchange: per candidate, whether its neighbours count as context.
    """
    of_turn = np.append(heads[:, window.start], np.zeros((len(heads), 1), np.float32), axis=1)  # last: no turn
    length_of_turn = np.append(np.minimum(window.stems[window.start], HEAD), 0).astype(np.float32)
    full, full_lengths = own.copy(), lengths.copy()
    for step, weight in STEPS:
        turns = np.where(exchange, window.neighbours(step), len(window.start))[candidate]
        full += weight * of_turn[:, turns]
        full_lengths += weight * length_of_turn[turns]
    return full, full_lengths


def _item_share(item: Rows, saturated: Floats, weights: _Weights, pool: Rows) -> Floats:
    """Return how much of the question the candidates of one item cover together; equal for all its turns."""
    if not len(item):
        return np.zeros(0, np.float32)
    first = np.append(True, item[1:] != item[:-1])
    together = weights.share(np.maximum.reduceat(saturated, np.flatnonzero(first), axis=1), pool[first])
    return np.asarray(together[np.cumsum(first) - 1], np.float32)


def _exchanges(window: Window) -> Mask:
    """Return for each item whether several people speak in it; in a monologue no turn answers another."""
    speaker, item = window.around.speaker, window.around.item
    changes = (item[1:] == item[:-1]) & (speaker[1:] != speaker[:-1])
    return np.bincount(item[1:][changes], minlength=len(window.around.keys)) > 0


def _whole(window: Window, counted: Floats, weights: _Weights, pool: Rows) -> Floats:
    """Return for each candidate `Evidence.whole`, the match of its whole session."""
    items, first = np.unique(window.around.item, return_index=True)
    talks = np.array([window.around.keys[item].startswith("session:") for item in items.tolist()])
    if not talks.any():
        return np.zeros(len(window.rows), np.float32)
    held = np.add.reduceat(np.minimum(counted, REPEATS_COUNTED), first, axis=1)
    lengths = np.add.reduceat(_lengths(window), first)
    of_pool = int(pool[np.isin(window.item[window.rows], items[talks])][0])
    spoken_of = weights.idf[of_pool] @ _saturated(held, lengths, lengths[talks].mean()) * talks
    by_item = np.zeros(len(window.around.keys), np.float32)
    by_item[items] = spoken_of / WHOLE_SCALE
    return np.asarray(by_item[window.item[window.rows]], np.float32)


def _chattiness(window: Window) -> Floats:
    """Return 1 for items with short turns in sight, falling towards 0 for long turns; equal for all turns of an item."""
    turns = np.bincount(window.item)
    stems = np.bincount(window.around.item, window.stems, len(turns))
    by_item = np.minimum(1.0, (1 + CHAT_STEMS / LONG_STEMS) / (1 + stems / np.maximum(turns, 1) / LONG_STEMS))
    return np.asarray(by_item[window.item[window.rows]], np.float32)


def _length(window: Window) -> Floats:
    stems = np.add.reduceat(window.stems, window.start)[window.rows] if len(window.stems) else np.zeros(0)
    return (np.log1p(np.minimum(stems, LENGTH_COUNTED)) - LENGTH_NEUTRAL).astype(np.float32)


def _speakers(shaped: Shaped, around: Surroundings, passages: Rows) -> dict[str, Floats]:
    """Return the speaker features of these passages. A memory counts as said by the person."""
    names = [name.lower() for name in around.speakers]
    meant = np.array([_is_meant(shaped, name) for name in names], np.float32)
    agents = np.array([name in AGENT and not shaped.agent for name in names], np.float32)
    of = around.speaker[passages]
    return {"speaker": meant[of], "agent": agents[of]}


def _is_meant(shaped: Shaped, speaker: str) -> bool:
    if speaker in PERSON or not speaker:
        return shaped.person
    return speaker not in AGENT and (
        speaker.split(maxsplit=1)[0] in shaped.words or any(_is_called(name, speaker) for name in shaped.names)
    )


def _is_called(name: str, speaker: str) -> bool:
    """Return whether a speaker has this name, possibly in another spelling."""
    return any(is_spelt_alike(name, part) for part in speaker.lower().split())


def _with_times(shaped: Shaped, evidence: Evidence, window: Window, texts: Texts) -> Evidence:
    """Add the feature "time" if the question asks for one: whether a text names a time in its own language.

    Only the best candidates are read: reading all would cost more than the rest of the search.
    """
    if not shaped.when:
        return evidence
    best = {row: window.numbers_of(row) for row in np.argsort(-total(evidence), kind="stable")[:FEATURES_READ].tolist()}
    read = texts([number for numbers in best.values() for number in numbers])
    named = np.zeros(len(evidence.turns), np.float32)
    for row, numbers in best.items():
        named[row] = any(_names_time(read.get(number, "")) for number in numbers)
    return replace(evidence, values={**evidence.values, "time": named})


def _names_time(text: str) -> bool:
    return languages().sign_in(language_of(text), "questions", "names_time").search(text) is not None


def longest_unmet(question: str, unmet: Container[str]) -> int:
    """Return the length of the longest run of character pairs that occur nowhere; the shortest one among the parts of a question.

    Such a run is probably an unknown name, which no capital marks there. Characters that join words end it. 0 in scripts with spaces.

    Args:
        unmet: character pairs that occur nowhere in the index.
    """
    asked = [part for part in languages().sign("questions", "asked_beside").split(question) if len(part) > 1]
    clauses = [_CLAUSE.split(part)[-1] if len(part) > TALK_CHARS else part for part in asked]
    return min((_longest(part, unmet) for part in clauses), default=0)


def _longest(text: str, unmet: Container[str]) -> int:
    joins = languages().sign("questions", "joining_signs")
    longest = running = 0
    for entry, other in pairwise(text):
        is_unmet = entry + other in unmet and all(_SIGN.match(sign) and not joins.match(sign) for sign in (entry, other))
        running = running + 1 if is_unmet else 0
        longest = max(longest, running)
    return longest

"""What the conversation adds to the ranking of its next prompt: rare words of the turns before, and the recency of conversations.

Both only reorder the prompt's own matches. The threshold looks at the prompt alone, so earlier turns cannot open it.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from vademecum.domain.item import Item
from vademecum.language.text import common_words
from vademecum.ports.index import IndexStats, SearchIndex, Term
from vademecum.recall.features import Evidence, Floats, inverse_frequency, occurrences
from vademecum.recall.numbers import (
    AGREED,
    AGREED_AMONG,
    AGREED_EXPECTED,
    AGREED_FEWEST,
    AHEAD,
    AHEAD_MOST,
    CARRIED_MOST,
    CONVERSATION_EXPECTED,
    HELD_LATELY,
    LATELY_DAYS,
    NOTHING_TO_COMPARE,
    OTHERS,
    RECENCY_DAYS,
    TURN_CHARS,
    TURNS_BEFORE,
    WHOLE_SCALE,
)
from vademecum.recall.weights import ADDED
from vademecum.recall.window import Window


def carried(index: SearchIndex, before: Sequence[str], asked: Sequence[Term], stats: IndexStats) -> dict[Term, float]:
    """Return the rarest words of the preceding turns that the prompt does not contain -> weight of each.

    Args:
        before: preceding turns, the last turn last.
    """
    known = {term.code for term in asked}
    by_key: dict[int, tuple[Term, float]] = {}
    for decay, text in zip(TURNS_BEFORE, reversed(before), strict=False):
        for term in index.terms(text[:TURN_CHARS], common_words(text[:TURN_CHARS])):
            if term.code not in known and term.passages:
                by_key.setdefault(
                    term.code,
                    (term, decay * float(inverse_frequency(np.array([term.passages], np.float32), stats.passages)[0])),
                )
    best = sorted(by_key.values(), key=lambda pair: -pair[1])[:CARRIED_MOST]
    return dict(best)


def prior(window: Window, words: Mapping[Term, float], of_its_item: float, of_itself: float) -> Floats:
    """Return log odds for each candidate turn from the words that it and its item contain.

    Args:
        words: weight of each. of_its_item, of_itself: log odds if the item, or the turn itself, contains all of them.
    """
    if not words or not len(window.rows):
        return np.zeros(len(window.rows), np.float32)
    weights = np.array(list(words.values()), np.float32)
    weights /= max(float(weights.sum()), 1e-6)
    held = occurrences(window.around, list(words))[0] > 0
    of_turn = np.maximum.reduceat(held, window.start, axis=1)[:, window.rows]
    items = window.item
    first = np.append(True, items[1:] != items[:-1])
    of_item = np.maximum.reduceat(np.maximum.reduceat(held, window.start, axis=1), np.flatnonzero(first), axis=1)
    in_item = of_item[:, (np.cumsum(first) - 1)[window.rows]]
    return np.asarray(of_its_item * (weights @ in_item) + of_itself * (weights @ of_turn), np.float32)


def prior_for(window: Window, before: Mapping[Term, float]) -> Floats:
    """Return log odds for each candidate turn from the preceding words, as returned by :func:`carried`."""
    return prior(window, before, ADDED["carried, in its item"], ADDED["carried, in itself"])


def recencies(items: Mapping[str, Item]) -> dict[str, float]:
    """Return log odds for sessions by their age, relative to the latest of them: a person who returns after a year continues there.

    Items that are no session or have no time are left out.
    """
    held = {key: item.updated for key, item in items.items() if item.source == "session" and item.updated is not None}
    last = max(held.values(), default=None)
    if last is None:
        return {}
    halving, falling = ADDED["lately, halving"], ADDED["lately, falling"]
    ages = {key: (last - at).total_seconds() / 86_400 / RECENCY_DAYS for key, at in held.items()}
    return {key: halving * 0.5**age + falling * (math.exp(-age) - 1) for key, age in ages.items()}


def goes_on_here(evidence: Evidence, items: Mapping[str, Item]) -> float:
    """Return the log odds that a prompt of work continues one of these sessions.

    Another person's prompt on the same subject resembles many sessions a little, whatever their age. The person's own prompt resembles
    one session more than the others, usually a recent one, and is near in meaning to the sessions whose words it shares.
    """
    by_key = {key: float(whole) for (key, _), whole in zip(evidence.turns, evidence.whole.tolist(), strict=True) if whole}
    held = {key: at for key in by_key if key in items and (at := items[key].updated) is not None}
    ordered = sorted(by_key, key=lambda key: -by_key[key])
    if len(ordered) < NOTHING_TO_COMPARE or ordered[0] not in held:
        return 0.0
    other = by_key[ordered[min(OTHERS, len(ordered)) - 1]]
    ahead = min((by_key[ordered[0]] - other) * WHOLE_SCALE, AHEAD_MOST)
    days = (max(held.values()) - held[ordered[0]]).total_seconds() / 86_400
    return HELD_LATELY * math.exp(-days / LATELY_DAYS) + AHEAD * ahead - CONVERSATION_EXPECTED + _agreement(evidence, ordered)


def _agreement(evidence: Evidence, by_words: Sequence[str]) -> float:
    """Return the log odds from how many sessions are among the best both by words and by meaning; 0 if there are too few.

    Args:
        by_words: keys of the sessions, best first.
    """
    nearest: dict[str, float] = {}
    for (key, _), deviation, compared in zip(
        evidence.turns, evidence.deviations.tolist(), evidence.compared.tolist(), strict=True
    ):
        if compared and key.startswith("session:"):
            nearest[key] = max(nearest.get(key, -math.inf), deviation)
    if min(len(nearest), len(by_words)) < AGREED_FEWEST:
        return 0.0
    by_meaning = sorted(nearest, key=lambda key: -nearest[key])[:AGREED_AMONG]
    return AGREED * (len(set(by_meaning) & set(by_words[:AGREED_AMONG])) - AGREED_EXPECTED)

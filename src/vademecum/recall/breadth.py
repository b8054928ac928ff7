"""Questions that one turn does not answer: lists, summaries, what came in which order. Their answer lies in several conversations.

Such a question names a topic or a person, and what belongs to it often shares no other word with it. So names and rare words that
come again in what is found first are looked for too, and a summary is spread over time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from vademecum.domain.item import Item
from vademecum.domain.query import Scored
from vademecum.language.text import common_words
from vademecum.ports.index import IndexStats, SearchIndex, Term
from vademecum.recall.features import Evidence, Floats, inverse_frequency
from vademecum.recall.numbers import ADDED, AGAIN, BREADTH_READ, CHOSEN_FROM, WORDS_MOST

#: For what questions they are looked for.
EXPANDED = ("summary",)


def belonging(
    index: SearchIndex, arms: Sequence[Sequence[Scored]], asked: Sequence[Term], stats: IndexStats
) -> dict[Term, float]:
    """Return the rare words that come again in what was found first, and that were not asked for -> what each counts.

    Args:
        arms: what each found, best first.
    """
    firsts = list(
        dict.fromkeys(one.number for row in zip(*(arm[:BREADTH_READ] for arm in arms if arm), strict=False) for one in row)
    )
    texts = index.passages(firsts[:BREADTH_READ])
    known = {term.code for term in asked}
    terms: dict[int, Term] = {}
    items: dict[int, set[str]] = {}
    for stored in texts.values():
        text = stored.passage.text[:1000]
        for term in index.terms(text, common_words(text)):
            if term.code not in known and term.passages > 1:
                terms[term.code] = term
                items.setdefault(term.code, set()).add(stored.item)
    again = Counter({code: len(held) for code, held in items.items() if len(held) >= AGAIN})
    rare = inverse_frequency(np.array([terms[code].passages for code in again], np.float32), stats.passages)
    weighed = sorted(zip(rare.tolist(), again, strict=True), key=lambda pair: -pair[0] * again[pair[1]])[:WORDS_MOST]
    return {terms[code]: weight * again[code] for weight, code in weighed}


def spread(evidence: Evidence, scores: Floats, places: Mapping[str, int]) -> Floats:
    """Return scores of a summary, by which each further turn of a time comes later.

    Args:
        places: key of an item -> its place in time, from 0.
    """
    leaned = scores + ADDED["of one speaker"] * evidence.values["speaker"]
    order = np.argsort(-leaned, kind="stable")[:CHOSEN_FROM]
    place = np.array([places.get(evidence.turns[row][0], -1) for row in order.tolist()], np.float32)
    reach = max(1.0, len(places) / 20)
    left, costs = leaned[order].astype(np.float32), np.zeros(len(order), np.float32)
    result = leaned.astype(np.float32)
    open_rows = np.ones(len(order), np.bool_)
    for _ in range(len(order)):
        at = int(np.argmax(np.where(open_rows, left - costs, -np.inf)))
        open_rows[at] = False
        result[order[at]] = left[at] - costs[at]
        costs -= ADDED["near in time"] * np.exp(-np.abs(place - place[at]) / reach) * (place != place[at])
    behind = np.ones(len(scores), np.bool_)
    behind[order] = False
    result[behind] = np.minimum(result[behind], result[order].min() if len(order) else 0.0)
    return np.asarray(result, np.float32)


def in_time(items: Mapping[str, Item]) -> dict[str, int]:
    """Return key -> place in time of those items that have a time."""
    dated = sorted((item.updated, key) for key, item in items.items() if item.updated is not None)
    return {key: place for place, (_, key) in enumerate(dated)}

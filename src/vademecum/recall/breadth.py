"""Questions that no single turn answers: lists, summaries, the order of events. The answer is spread over several conversations.

Such a question names a topic or a person, and relevant turns often share no other word with it. So names and rare words that recur
in the first results are searched for too, and the turns of a summary are spread over time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from vademecum.domain.item import Item
from vademecum.domain.query import Scored
from vademecum.language.text import common_words
from vademecum.ports.index import IndexStats, SearchIndex, Term
from vademecum.recall.features import Evidence, Floats, inverse_frequency
from vademecum.recall.numbers import AGAIN, BREADTH_READ, CHOSEN_FROM, WORDS_MOST
from vademecum.recall.weights import ADDED

#: Values of `Shaped.breadth` for which recurring words are searched for.
EXPANDED = ("summary",)


def belonging(
    index: SearchIndex, arms: Sequence[Sequence[Scored]], asked: Sequence[Term], stats: IndexStats
) -> dict[Term, float]:
    """Return rare words that recur in the first results and are not in the question -> weight of each.

    Args:
        arms: results of each arm, best first.
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
    """Return the scores for a summary: each turn is lowered for every better turn that is near to it in time.

    Args:
        places: item key -> its position in time, from 0.
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
    """Return item key -> position in time, from 0, for the items that have a time."""
    dated = sorted((item.updated, key) for key, item in items.items() if item.updated is not None)
    return {key: place for place, (_, key) in enumerate(dated)}

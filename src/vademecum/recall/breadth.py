"""Questions that one turn does not answer: lists, summaries, what came in which order. Their answer lies in several conversations.

Such a question names a topic or a person, and what belongs to it often shares no other word with it. So names and rare words that
come again in what is found first are looked for too, and what is told is spread over conversations and over time.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.domain.query import Scored
from vademecum.language.text import common_words
from vademecum.ports.index import IndexStats, SearchIndex, Term
from vademecum.recall.features import Evidence, Floats, inverse_frequency
from vademecum.recall.query_parsing import Breadth
from vademecum.recall.window import Texts

#: Turns that are read for what belongs to a topic, and words that are taken from them: those that come again in so many.
READ, WORDS_MOST, AGAIN = 12, 8, 2
#: What all of those words together are worth in an item and in a turn, in log odds; and for what questions they are looked for.
TOPIC_WEIGHTS, EXPANDED = (0.0, 2.0), ("summary",)
#: Turns among which the answer is chosen.
CHOSEN_FROM = 120


#: A number, or a name within a sentence.
_TELLING = re.compile(r"\d|(?<=[a-zß-ÿ,] )[A-ZÀ-Þ]\w")


class Spread(Struct, frozen=True):
    """How an answer is spread, in log odds.

    Attributes:
        same: what each turn of the same conversation that stands above costs.
        near: what one costs that is next to it in time.
        person: added to what was said by the person whom the question means.
        opening: added to what opened a conversation.
        telling: added to what names a number or somebody.
    """

    same: float
    near: float
    person: float
    opening: float
    telling: float


SPREADS: Mapping[Breadth, Spread] = {
    "listing": Spread(1.0, 0.0, 0.0, 0.0, 0.0),
    "summary": Spread(0.0, 0.5, -1.8, 0.0, 0.0),
    "sequence": Spread(1.0, 2.0, 0.0, 2.0, 1.0),
}


def belonging(
    index: SearchIndex, arms: Sequence[Sequence[Scored]], asked: Sequence[Term], stats: IndexStats
) -> dict[Term, float]:
    """Return the rare words that come again in what was found first, and that were not asked for -> what each counts.

    Args:
        arms: what each found, best first.
    """
    firsts = list(dict.fromkeys(one.number for row in zip(*(arm[:READ] for arm in arms if arm), strict=False) for one in row))
    texts = index.passages(firsts[:READ])
    known = {term.code for term in asked}
    found: dict[int, Term] = {}
    items: dict[int, set[str]] = {}
    for stored in texts.values():
        text = stored.passage.text[:1000]
        for term in index.terms(text, common_words(text)):
            if term.code not in known and term.passages > 1:
                found[term.code] = term
                items.setdefault(term.code, set()).add(stored.item)
    again = Counter({code: len(held) for code, held in items.items() if len(held) >= AGAIN})
    rare = inverse_frequency(np.array([found[code].passages for code in again], np.float32), stats.passages)
    weighed = sorted(zip(rare.tolist(), again, strict=True), key=lambda pair: -pair[0] * again[pair[1]])[:WORDS_MOST]
    return {found[code]: weight * again[code] for weight, code in weighed}


def spread(kind: Breadth, evidence: Evidence, scores: Floats, places: Mapping[str, int], texts: Texts) -> Floats:
    """Return scores by which each further turn of a conversation, and of a time, comes later.

    Args:
        places: key of an item -> its place in time, from 0. texts: asked for the passages of those turns that may be chosen.
    """
    how = SPREADS[kind]
    opens = np.array([turn == 0 for _, turn in evidence.turns], np.float32)
    leaned = scores + how.person * evidence.values["speaker"] + how.opening * opens
    order = np.argsort(-leaned, kind="stable")[:CHOSEN_FROM]
    if how.telling:
        read = texts([evidence.best[row] for row in order.tolist()])
        telling = [_TELLING.search(read.get(evidence.best[row], "")) is not None for row in order.tolist()]
        leaned[order] += how.telling * np.array(telling, np.float32)
        order = order[np.argsort(-leaned[order], kind="stable")]
    keys = [evidence.turns[row][0] for row in order.tolist()]
    place = np.array([places.get(key, -1) for key in keys], np.float32)
    reach = max(1.0, len(places) / 20)
    left, costs = leaned[order].astype(np.float32), np.zeros(len(order), np.float32)
    result = leaned.astype(np.float32)
    open_rows = np.ones(len(order), np.bool_)
    for _ in range(len(order)):
        at = int(np.argmax(np.where(open_rows, left - costs, -np.inf)))
        open_rows[at] = False
        result[order[at]] = left[at] - costs[at]
        same = np.array([key == keys[at] for key in keys])
        near = np.exp(-np.abs(place - place[at]) / reach) * ~same
        costs += how.same * same + how.near * near
    behind = np.setdiff1d(np.arange(len(scores)), order)
    result[behind] = np.minimum(result[behind], result[order].min() if len(order) else 0.0)
    return np.asarray(result, np.float32)


def in_time(items: Mapping[str, Item]) -> dict[str, int]:
    """Return key -> place in time of those items that have a time."""
    dated = sorted((item.updated, key) for key, item in items.items() if item.updated is not None)
    return {key: place for place, (_, key) in enumerate(dated)}

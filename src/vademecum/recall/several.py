"""One answer to a prompt that asks several things: each question's own in turn, so that none drowns the others."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import zip_longest
from typing import TypeVar

from msgspec.structs import replace

from vademecum.domain.query import Hit, Recall
from vademecum.recall.conflicts import later_first
from vademecum.recall.numbers import SURE_ALONE
from vademecum.recall.rankers import profile_named

Ranked = TypeVar("Ranked")


def of_several(whole: Recall, each: Sequence[Recall]) -> Recall:
    """Return the answer to the whole prompt with those to its questions between, best first of each in turn, every place once.

    Measured in docs/measurements/experiments.md. A question of few words is sooner taken for one that can be answered, so where the whole
    prompt is not answered a question must be surer.
    """
    answers = [whole, *(result for result in each if whole.hits or result.confidence >= SURE_ALONE)]
    limit = max(whole.query.limit or profile_named(whole.query.profile).limit, len(whole.hits))
    hits = later_first(_in_turn((result.hits for result in answers), _place)[:limit])
    word = "found" if hits else whole.verdict
    return replace(
        whole,
        hits=tuple(sorted(hits, key=lambda hit: bool(hit.holds))),
        verdict=word,
        items=tuple(_in_turn((result.items for result in answers), lambda item: item[0])),
        confidence=max(result.confidence for result in answers),
        missing=tuple(dict.fromkeys(part for result in answers for part in result.missing)),
    )


def _place(hit: Hit) -> tuple[str, int]:
    return hit.item.key, hit.number


def _in_turn(lists: Iterable[Sequence[Ranked]], name: Callable[[Ranked], Hashable]) -> list[Ranked]:
    """Return the first of each list, then the second of each and so on; of those with one name only the first."""
    rankeds: dict[Hashable, Ranked] = {}
    for row in zip_longest(*lists):
        for entry in row:
            if entry is not None:
                rankeds.setdefault(name(entry), entry)
    return list(rankeds.values())

"""One answer to a prompt that asks several things: each question's own in turn, so that none drowns the others."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import zip_longest
from typing import TypeVar

from msgspec.structs import replace

from vademecum.domain.query import Hit, Recall
from vademecum.recall.doubts import later_first
from vademecum.recall.rankers import profile_named

#: Confidence of one question of a prompt from which on it is answered though the whole is not.
SURE_ALONE = 0.8
Ranked = TypeVar("Ranked")


def of_several(whole: Recall, each: Sequence[Recall]) -> Recall:
    """Return the answer to the whole prompt with those to its questions between, best first of each in turn, every place once.

    Measured in docs/measurements/experiments.md. A question of few words is sooner taken for one that can be answered, so where the whole
    prompt is not answered a question must be surer.
    """
    answers = [whole, *(one for one in each if whole.hits or one.confidence >= SURE_ALONE)]
    limit = max(whole.query.limit or profile_named(whole.query.profile).limit, len(whole.hits))
    hits = later_first(_in_turn((one.hits for one in answers), _place)[:limit])
    found = "found" if hits else whole.verdict
    return replace(
        whole,
        hits=tuple(sorted(hits, key=lambda hit: bool(hit.holds))),
        verdict=found,
        items=tuple(_in_turn((one.items for one in answers), lambda item: item[0])),
        confidence=max(one.confidence for one in answers),
        missing=tuple(dict.fromkeys(part for one in answers for part in one.missing)),
    )


def _place(hit: Hit) -> tuple[str, int]:
    return hit.item.key, hit.number


def _in_turn(lists: Iterable[Sequence[Ranked]], name: Callable[[Ranked], Hashable]) -> list[Ranked]:
    """Return the first of each list, then the second of each and so on; of those with one name only the first."""
    found: dict[Hashable, Ranked] = {}
    for row in zip_longest(*lists):
        for one in row:
            if one is not None:
                found.setdefault(name(one), one)
    return list(found.values())

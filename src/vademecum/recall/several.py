"""Combine the answers to a prompt with several questions, interleaved so that none crowds out the others."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import zip_longest
from typing import TypeVar

from msgspec.structs import replace

from vademecum.domain.query import Hit, Recall
from vademecum.domain.why_nothing import FOUND
from vademecum.recall.conflicts import later_first
from vademecum.recall.numbers import SURE_ALONE
from vademecum.recall.rankers import profile_named

Ranked = TypeVar("Ranked")


def of_several(whole: Recall, each: Sequence[Recall]) -> Recall:
    """Return the answer to the whole prompt interleaved with the answers to its questions, best first, without duplicates.

    Measured in docs/measurements/experiments.md. A short question more easily seems answerable, so if the whole prompt has no answer, a
    single question needs a higher confidence.
    """
    answers = [whole, *(result for result in each if whole.hits or result.confidence >= SURE_ALONE)]
    limit = max(whole.query.limit or profile_named(whole.query.profile).limit, len(whole.hits))
    hits = later_first(_in_turn((result.hits for result in answers), _place)[:limit])
    word = FOUND if hits else whole.verdict
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
    """Interleave the lists: the first of each, then the second of each. Of entries with the same name only the first remains."""
    by_name: dict[Hashable, Ranked] = {}
    for row in zip_longest(*lists):
        for entry in row:
            if entry is not None:
                by_name.setdefault(name(entry), entry)
    return list(by_name.values())

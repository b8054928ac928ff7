"""Topics with the mean of their passages' vectors. Cached in memory; after a write only the affected means are recomputed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from vademecum.adapters.stores.sqlite.follow import Numbers
from vademecum.adapters.stores.sqlite.schema import state
from vademecum.adapters.stores.sqlite.scope import Mask, numbers_of
from vademecum.adapters.stores.sqlite.vectors import Floats, Vectors
from vademecum.domain.query import Scope
from vademecum.domain.topics import Topic

if TYPE_CHECKING:
    from vademecum.adapters.stores.sqlite.opened import Opened

#: Most scopes whose topics are cached.
_KEPT = 8


class _Made(Struct, frozen=True):
    """Topics as of a state of the index, and the passages of each mean (label -> numbers)."""

    state: tuple[str, int]
    topics: tuple[Topic, ...]
    passages: Mapping[str, Numbers]

    def means(self) -> dict[str, Floats]:
        """Return label -> centroid."""
        return {topic.label: topic.centroid for topic in self.topics}


class TopicMeans:
    """The topics of the scopes of recent queries."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Scope, str], _Made] = {}

    def of(self, opened: "Opened", scope: Scope, model_id: str) -> tuple[Topic, ...]:
        now = state(opened.db)
        known = self._kept.get((scope, model_id))
        if known is None or known.state != now:
            if len(self._kept) >= _KEPT:
                self._kept.clear()
            known = self._kept[scope, model_id] = _made(opened, scope, model_id, known)
        return known.topics


def _made(opened: "Opened", scope: Scope, model_id: str, before: _Made | None) -> _Made:
    opened.columns.follow(opened.db)
    vectors = opened.vectors(model_id)
    members = _members(opened, scope)
    passages = _passages(opened, scope, vectors, members) if vectors is not None and members else {}
    means = _means(opened, vectors, passages, before) if vectors is not None else {}
    nothing = np.zeros(0, np.float32)
    topics = [
        Topic(label, len(items), len(passages.get(label, ())), means.get(label, nothing)) for label, items in members.items()
    ]
    return _Made(state(opened.db), tuple(sorted(topics, key=lambda topic: (-topic.items, topic.label))), passages)


def _members(opened: "Opened", scope: Scope) -> dict[str, Numbers]:
    """Return label -> ids of the items in scope that have the topic, in order."""
    inside = opened.masks.items(opened.db, scope)
    labels: dict[str, str] = {}
    members: dict[str, Numbers] = {}
    rows = opened.db.execute("SELECT topic, label, group_concat(item) FROM topics GROUP BY topic, label ORDER BY topic, label")
    for topic, label, listed in rows:
        items = numbers_of(listed)
        items = items[inside[items]]
        if len(items):
            known = members.get(labels.setdefault(topic, label), items[:0])
            members[labels[topic]] = np.sort(np.concatenate([known, items]))
    return members


def _passages(opened: "Opened", scope: Scope, vectors: Vectors, members: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Return label -> passages in scope of those items with a non-zero vector."""
    vectors.follow(opened.db)
    owner = opened.columns.items()
    every = np.concatenate(list(members.values()))
    tagged = np.zeros(int(max(owner.max(initial=0), every.max())) + 1, np.bool_)
    tagged[every] = True
    numbers = np.flatnonzero(
        tagged[owner] & opened.masks.passages(opened.db, scope) & vectors.having(opened.columns.size, least=0)
    )
    numbers = numbers[np.argsort(owner[numbers], kind="stable")]
    counts = np.bincount(owner[numbers], minlength=len(tagged))
    starts = np.cumsum(counts) - counts
    return {label: numbers[_ranges(starts[items], counts[items])] for label, items in members.items()}


def _ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the numbers of all ranges, concatenated."""
    ahead = np.cumsum(lengths) - lengths
    return np.repeat(starts - ahead, lengths) + np.arange(int(lengths.sum()))


def _means(opened: "Opened", vectors: Vectors, passages: Mapping[str, Numbers], before: _Made | None) -> dict[str, Floats]:
    """Return label -> mean; a mean of the same, unchanged passages is reused."""
    touched = _touched(opened, vectors, before)
    known = before.means() if before is not None and touched is not None else {}
    means: dict[str, Floats] = {}
    for label, numbers in passages.items():
        same = label in known and before is not None and np.array_equal(before.passages.get(label, ()), numbers)
        if same and touched is not None and not touched[numbers].any():
            means[label] = known[label]
        else:
            means[label] = vectors.mean(numbers)
    return means


def _touched(opened: "Opened", vectors: Vectors, before: _Made | None) -> Mask | None:
    """Return a mask by passage number of the vectors that may have changed; None: any may have."""
    identity, _ = state(opened.db)
    if before is None or before.state[0] != identity:
        return None
    numbers = vectors.touched_since(opened.db, before.state[1], opened.columns.size)
    if numbers is None:
        return None
    mask = np.zeros(max(opened.columns.size, int(numbers.max(initial=0)) + 1), np.bool_)
    mask[numbers] = True
    return mask

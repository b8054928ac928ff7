"""Topics with the mean of their passages' vectors. Made when asked for, kept while the index does not change."""

from typing import TYPE_CHECKING

import numpy as np

from vademecum.adapters.stores.sqlite.follow import Numbers, state
from vademecum.adapters.stores.sqlite.scope import numbers_of
from vademecum.adapters.stores.sqlite.vectors import Floats, Vectors
from vademecum.model.query import Scope
from vademecum.model.topics import Topic

if TYPE_CHECKING:
    from vademecum.adapters.stores.sqlite.opened import Opened

#: Scopes whose topics are kept.
_KEPT = 8


class TopicMeans:
    """The topics of scopes that were asked for since the index changed."""

    def __init__(self) -> None:
        self._made_for = ("", -1)
        self._kept: dict[tuple[Scope, str], tuple[Topic, ...]] = {}

    def of(self, opened: "Opened", scope: Scope, model_id: str) -> tuple[Topic, ...]:
        """See :meth:`Index.topics`."""
        now = state(opened.db)
        if now != self._made_for or len(self._kept) >= _KEPT:
            self._made_for, self._kept = now, {}
        if (scope, model_id) not in self._kept:
            self._kept[scope, model_id] = _topics(opened, scope, model_id)
        return self._kept[scope, model_id]


def _topics(opened: "Opened", scope: Scope, model_id: str) -> tuple[Topic, ...]:
    opened.columns.follow(opened.db)
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
    means = _means(opened, scope, opened.vectors(model_id), list(members.values()))
    found = [
        Topic(label, len(items), count, mean) for (label, items), (count, mean) in zip(members.items(), means, strict=True)
    ]
    return tuple(sorted(found, key=lambda topic: (-topic.items, topic.label)))


def _means(opened: "Opened", scope: Scope, vectors: Vectors | None, members: list[Numbers]) -> list[tuple[int, Floats]]:
    """For each list of item ids: how many passages of theirs in scope have a vector, and the mean of those."""
    if vectors is None or not members:
        return [(0, np.zeros(0, np.float32))] * len(members)
    vectors.follow(opened.db)
    owner = opened.columns.items()
    every = np.concatenate(members)
    tagged = np.zeros(int(max(owner.max(initial=0), every.max())) + 1, np.bool_)
    tagged[every] = True
    numbers = np.flatnonzero(tagged[owner] & opened.masks.passages(opened.db, scope) & vectors.saying(opened.columns.size))
    order = np.argsort(owner[numbers], kind="stable")
    numbers = numbers[order]
    owners = owner[numbers]
    return [vectors.mean(numbers[_of_owners(owners, items)]) for items in members]


def _of_owners(owners: Numbers, items: Numbers) -> Numbers:
    """Positions in the sorted `owners` of what belongs to any of the items."""
    first, last = np.searchsorted(owners, items), np.searchsorted(owners, items, "right")
    lengths = last - first
    ahead = np.cumsum(lengths) - lengths
    return np.repeat(first - ahead, lengths) + np.arange(int(lengths.sum()))

"""Memory as an agent sees it: no verb, tool, resource or route returns a withheld memory (HW-37).

:func:`seen_by` returns the context for everything that an agent calls. Its index and vault are filtered, so no read has to check again:
they lack memories tagged `visibility/...`, quarantined memories, and other agents' own memories. Operations that only write or count
use the unfiltered index.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, cast

import numpy as np
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.item import FILED_SOURCES, Edge, Item, StoredPassage, Touch
from vademecum.domain.memory import QUARANTINED, By, Memory
from vademecum.domain.query import WITHHELD_TAGS, Scope, Scored, is_withheld
from vademecum.domain.topics import Topic
from vademecum.inject.numbers import SEEN_WITHHELD_FROM
from vademecum.inject.scope import open_scope
from vademecum.ports.index import Facet, Index, Surroundings, Term


def seen_by(context: Context, agent: str) -> Context:
    """Return the context as an agent sees it.

    Args:
        agent: name under which the agent saves its own memories; "" if it gave none.
    """
    index = SeenIndex(context.index, agent)

    def hides(memory: Memory) -> bool:
        return memory.uri in index.hidden() or is_hidden(memory, agent)

    return replace(
        context,
        index=cast(Index, index),
        unfiltered=context.unfiltered or context.index,
        open_vault=lambda _: context.vault.seen(hides),
    )


def is_hidden(one: Memory | Item, agent: str) -> bool:
    """Return whether a memory is hidden from an agent.

    Args:
        agent: its name; "" if it gave none.
    """
    waits = one.status == "inbox" and one.trust == QUARANTINED
    return is_withheld(one.tags) or waits or bool(one.agent and one.agent != agent)


def hidden_from(context: Context, by: By) -> frozenset[str]:
    """Return the keys of memories hidden from this actor; none are hidden from the person."""
    if by.actor == "user":
        return frozenset()
    seen = context.index.hidden() if isinstance(context.index, SeenIndex) else frozenset()
    return seen | open_scope(context, Scope(statuses=None)).without


class SeenIndex:
    """An index without what is hidden from an agent. Methods not defined here are passed through: they write, or return only numbers."""

    def __init__(self, index: Index, agent: str) -> None:
        self._index, self._agent = index, agent
        self._hidden: frozenset[str] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def look_again(self) -> None:
        """Discard the cached set of hidden keys, because something may have been written since."""
        self._hidden = None

    def hidden(self) -> frozenset[str]:
        """Return the keys of the items hidden from the agent."""
        if self._hidden is None:
            every = Scope(statuses=None, branches=None)
            agents = (name for (name,) in self._index.facets(replace(every, sources=FILED_SOURCES), ("agent",)))
            others = tuple(name for name in agents if name not in ("", self._agent))
            scopes = [
                replace(every, tags=WITHHELD_TAGS),
                replace(every, sources=FILED_SOURCES, statuses=("inbox",)),
                *([replace(every, sources=FILED_SOURCES, agents=others)] if others else []),
            ]
            items = (item for scope in scopes for item in self._index.select(scope, limit=SEEN_WITHHELD_FROM))
            self._hidden = frozenset(item.key for item in items if is_hidden(item, self._agent))
        return self._hidden

    def _open(self, scope: Scope) -> Scope:
        hidden = self.hidden()
        return replace(scope, without=scope.without | hidden) if hidden else scope

    def items(self, keys: Sequence[str]) -> Mapping[str, Item]:
        return self._index.items([key for key in keys if key not in self.hidden()])

    def select(
        self,
        scope: Scope,
        *,
        order: Literal["priority", "recent", "importance", "confirmed"] = "recent",
        limit: int = 100,
        after: tuple[datetime, str] | None = None,
    ) -> tuple[Item, ...]:
        return self._index.select(self._open(scope), order=order, limit=limit, after=after)

    def passages(self, numbers: Sequence[int]) -> Mapping[int, StoredPassage]:
        stored = self._index.passages(numbers)
        return {number: passage for number, passage in stored.items() if passage.item not in self.hidden()}

    def passages_of(self, key: str, start: int = 0, stop: int | None = None) -> tuple[StoredPassage, ...]:
        return () if key in self.hidden() else self._index.passages_of(key, start, stop)

    def touches(self, scope: Scope, limit: int) -> tuple[tuple[str, Touch], ...]:
        return self._index.touches(self._open(scope), limit)

    def facets(self, scope: Scope, fields: Sequence[Facet]) -> Mapping[tuple[str, ...], int]:
        return self._index.facets(self._open(scope), fields)

    def held(self) -> Mapping[str, str]:
        return {key: branch for key, branch in self._index.held().items() if key not in self.hidden()}

    def words(self, terms: Sequence[Term], scope: Scope, limit: int, *, budget: int) -> tuple[Scored, ...]:
        return self._index.words(terms, self._open(scope), limit, budget=budget)

    def frequencies(self, terms: Sequence[Term], scope: Scope) -> tuple[int, ...]:
        return self._index.frequencies(terms, self._open(scope))

    def quoted(self, text: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        return self._index.quoted(text, self._open(scope), limit)

    def size(self, scope: Scope) -> tuple[int, float]:
        return self._index.size(self._open(scope))

    def window(self, turns: Sequence[tuple[str, int]], reach: int) -> Surroundings:
        return self._index.window([turn for turn in turns if turn[0] not in self.hidden()], reach)

    def near(self, vector: np.ndarray, model_id: str, scope: Scope, limit: int) -> tuple[Scored, ...]:
        return self._index.near(vector, model_id, self._open(scope), limit)

    def topics(self, scope: Scope, model_id: str) -> tuple[Topic, ...]:
        return self._index.topics(self._open(scope), model_id)

    def edges(self, keys: Sequence[str]) -> Mapping[str, tuple[Edge, ...]]:
        hidden = self.hidden()
        by_key = self._index.edges([key for key in keys if key not in hidden])
        return {key: tuple(edge for edge in some if edge.target not in hidden) for key, some in by_key.items()}

    def with_edge(self, kind: str) -> tuple[str, ...]:
        return self._without(self._index.with_edge(kind))

    def named(self, text: str) -> tuple[str, ...]:
        return self._without(self._index.named(text))

    def _without(self, keys: Iterable[str]) -> tuple[str, ...]:
        hidden = self.hidden()
        return tuple(key for key in keys if key not in hidden)

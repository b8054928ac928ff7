"""The state of one search, and its dependencies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.feed import Use
from vademecum.domain.query import RECALLED_SOURCES, RECALLED_STATUSES, SHOWN_STATUSES, ArmReport, Left, Query, Scope
from vademecum.domain.topics import TopicLock
from vademecum.ports.clock import Clock
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import SearchIndex
from vademecum.recall.profiles import Profile
from vademecum.recall.query_parsing import Shaped
from vademecum.recall.questions import Questions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vademecum.recall.ranker import Ranker


@dataclass(slots=True)
class Run:
    """The state of one search."""

    query: Query
    ranker: "Ranker"
    shaped: Shaped
    started: float
    arms: list[ArmReport] = field(default_factory=list)
    left: list[Left] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    lock: TopicLock | None = None
    topics: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def profile(self) -> Profile:
        """The profile of the ranker."""
        return self.ranker.profile


class Tools(Struct, frozen=True):
    """The dependencies of searches.

    Attributes:
        embedder: as in `Models`.
        missing: what the process lacks, as complete sentences.
        uses: item keys -> how often they were used, for ageing.
        lock_of: session -> its topic lock.
        questions: embeds questions.
        former: model id -> its embedder, for passages that still have vectors of a previously chosen model (X-45).
    """

    index: SearchIndex
    clock: Clock
    embedder: Embedder | None
    uses: Callable[[Sequence[str]], Mapping[str, Use]]
    missing: tuple[str, ...] = ()
    former: Callable[[str], Embedder | None] = lambda _: None
    lock_of: Callable[[str], TopicLock | None] = lambda _: None
    questions: Questions = msgspec.field(default_factory=Questions)


class QueryVector(NamedTuple):
    """The embedding of the question, with the model that it is compared in."""

    embedder: Embedder
    row: "NDArray[np.float32]"


def scope_of(query: Query, profile: Profile) -> Scope:
    """Return the scope of the search: without items that the session already has, and without statuses that the profile excludes.

    Statuses that the query names are not excluded.
    """
    factors = {"superseded": profile.superseded, "inbox": profile.inbox, "archived": profile.archived}
    statuses = query.scope.statuses
    if statuses in (RECALLED_STATUSES, SHOWN_STATUSES):
        statuses = tuple(status for status in statuses if factors.get(status, 1.0) > 0)
    sources = query.scope.sources or RECALLED_SOURCES
    return replace(query.scope, statuses=statuses, sources=sources, without=query.scope.without | query.seen)

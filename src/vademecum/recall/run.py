"""One recall under way, and what it works with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.query import RECALLED_SOURCES, RECALLED_STATUSES, TOLD_STATUSES, ArmReport, Left, Query, Scope
from vademecum.domain.topics import TopicLock
from vademecum.ports.clock import Clock
from vademecum.ports.embedder import Embedder
from vademecum.ports.index import SearchIndex
from vademecum.ports.state import Use
from vademecum.recall.likeness import Cosines, likeness_in
from vademecum.recall.profiles import Profile
from vademecum.recall.query_parsing import Shaped
from vademecum.recall.questions import Questions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vademecum.recall.ranker import Ranker


@dataclass(slots=True)
class Run:
    """One recall under way."""

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
        """The numbers of the ranker."""
        return self.ranker.profile


class Tools(Struct, frozen=True):
    """What recall works with.

    Attributes:
        embedder: as in `Models`.
        missing: what the process came without, already as sentences.
        uses: item keys -> what became of them, for ageing.
        lock_of: session -> what it is about so far.
        questions: what turns them into vectors.
        former: model id -> its embedder, for passages that still have the vectors of a model chosen before (X-45).
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
    """The question as the model sees it whose vectors it is compared with."""

    embedder: Embedder
    row: "NDArray[np.float32]"


def on_scale(run: Run, model: Embedder, cosines: Cosines) -> Cosines:
    """Return cosines of a model as the ranker takes them."""
    return run.ranker.on_scale(cosines, likeness_in(model, run.shaped.language))


def is_late(tools: Tools, run: Run) -> bool:
    return run.query.deadline_s is not None and tools.clock.elapsed_s() - run.started >= run.query.deadline_s


def report(tools: Tools, run: Run, name: str, start: float, found: int) -> None:
    run.arms.append(ArmReport(name, "ran", "", found, (tools.clock.elapsed_s() - start) * 1000))


def scope_of(query: Query, profile: Profile) -> Scope:
    """Return the query's scope, unless it names statuses without those that the profile leaves out, and without what the
    session already has.
    """
    factors = {"superseded": profile.superseded, "inbox": profile.inbox, "archived": profile.archived}
    statuses = query.scope.statuses
    if statuses in (RECALLED_STATUSES, TOLD_STATUSES):  # who asks for a status by name gets it
        statuses = tuple(status for status in statuses if factors.get(status, 1.0) > 0)
    sources = query.scope.sources or RECALLED_SOURCES
    return replace(query.scope, statuses=statuses, sources=sources, without=query.scope.without | query.seen)

"""Answer from what was believed at a moment: memories with the text, status and age that they had then.

Recording and validity are different things. `as_of` asks for what was recorded by then (and held then, as far as known then);
`valid_at` asks what held then by everything known now. The former is read from the complete journals, so the first question
about a moment may take seconds in a memory of years.
"""

from collections.abc import Callable
from datetime import datetime

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.context.tombstones import forgotten
from vademecum.domain.item import FILED_SOURCES
from vademecum.domain.memory import Memory
from vademecum.domain.query import RECALLED_SOURCES, Query, Recall
from vademecum.domain.why_nothing import COULD_NOT_SEARCH, FOUND, NOTHING_KNOWN
from vademecum.ports.clock import Clock
from vademecum.ports.index import Index
from vademecum.ports.progress import no_progress
from vademecum.recall.pipeline import Searcher
from vademecum.sync.embed_backlog import try_refine

#: Seconds for computing vectors of past memories. Memories that have not changed since have cached vectors.
EMBEDDED_S = 2.0


class _Then(Struct, frozen=True):
    """A clock that stands still at a moment."""

    clock: Clock
    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def elapsed_s(self) -> float:
        return self.clock.elapsed_s()

    def new_id(self) -> str:
        return self.clock.new_id()


def believed(context: Context, moment: datetime) -> tuple[Memory, ...]:
    """Return every memory that existed at a moment, as it was then, sorted by URI."""
    gone = forgotten(context).memories
    standing = [memory for memory in context.vault.history.as_of(moment) if memory.id not in gone]
    return tuple(sorted(standing, key=lambda memory: memory.uri))


class Past:
    """An index of what was believed at a moment. The last one is cached until something is written or forgotten.

    Args:
        substitute: creates an empty index in memory.
    """

    def __init__(self, context: Context, substitute: Callable[[], Index]) -> None:
        self._context, self._substitute = context, substitute
        self._kept: tuple[object, Index] | None = None

    def index(self, moment: datetime) -> Index:
        """Return an index of the memories that existed at a moment. Callers may add only vectors to it."""
        context = self._context
        state = (moment, context.vault.history.marks(), forgotten(context).memories)
        if self._kept is None or self._kept[0] != state:
            self._kept = None  # free the old one first, since two need twice the memory
            writer = context.indexer.over(self._substitute())
            writer.put_notes((memory, "") for memory in believed(context, moment))
            self._kept = (state, writer.index)
        return self._kept[1]


def recall_as_of(context: Context, searcher: Searcher, query: Query, past: Past) -> Recall:
    """Answer a query as of `query.scope.as_of`: from the memories of that time, and from what had been said by then."""
    moment = query.scope.as_of or context.clock.now()
    then = replace(searcher, clock=_Then(context.clock, moment))
    sources = query.scope.sources or RECALLED_SOURCES
    filed = tuple(source for source in sources if source in FILED_SOURCES)
    rest = tuple(source for source in sources if source not in FILED_SOURCES)
    until = min(moment, query.scope.until) if query.scope.until else moment
    results = []
    if filed:
        index = past.index(moment)
        try_refine(index, context.models.embedder, context.clock, no_progress, seconds=EMBEDDED_S)  # listing needs no vectors
        filed_then = replace(then, index=index, uses=lambda _: {})
        results.append(filed_then.recall(replace(query, scope=replace(query.scope, sources=filed))))
    if rest:
        results.append(then.recall(replace(query, scope=replace(query.scope, sources=rest, until=until))))
    return _joined(query, results)


def _joined(query: Query, results: list[Recall]) -> Recall:
    """Merge the answers, best hits first. Scores are absolute and therefore comparable."""
    hits = sorted((hit for result in results for hit in result.hits), key=lambda hit: -hit.score)
    limit = max((len(result.hits) for result in results), default=0)
    items = sorted((pair for result in results for pair in result.items), key=lambda pair: -pair[1])
    missing = tuple(dict.fromkeys(why for result in results for why in result.missing))
    verdicts = {result.verdict for result in results}
    verdict = next((word for word in (FOUND, COULD_NOT_SEARCH) if word in verdicts), NOTHING_KNOWN)
    return replace(
        max(results, key=lambda result: result.confidence),
        query=query,
        hits=tuple(hits[: query.limit or limit]),
        items=tuple(items),
        verdict=verdict,
        arms=tuple(arm for result in results for arm in result.arms),
        left=tuple(left for result in results for left in result.left),
        missing=missing,
        ms=sum(result.ms for result in results),
    )

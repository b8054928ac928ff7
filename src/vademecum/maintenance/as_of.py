"""What was believed at a moment: memories as they stood then, with the texts, the status and the age they had then.

Recorded time and validity are two things. `as_of` asks for what was recorded by then (and, as known then, held then); `valid_at` asks
what held then by all that is known now. The first comes from the journals, which are read whole: the first question about a
moment may take seconds in a memory of years.
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
from vademecum.ports.clock import Clock
from vademecum.ports.index import Index
from vademecum.ports.progress import no_progress
from vademecum.recall.pipeline import Searcher
from vademecum.sync.embed_backlog import try_refine

#: Seconds that the vectors of what was believed may take. Of memories that say today what they said then they are known already.
EMBEDDED_S = 2.0


class _Then(Struct, frozen=True):
    """The clock as it stood at a moment."""

    clock: Clock
    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def elapsed_s(self) -> float:
        return self.clock.elapsed_s()

    def new_id(self) -> str:
        return self.clock.new_id()


def believed(context: Context, moment: datetime) -> tuple[Memory, ...]:
    """Return every memory that stood at a moment, as it stood then, by its URI."""
    gone = forgotten(context).memories
    standing = [memory for memory in context.vault.history.as_of(moment) if memory.id not in gone]
    return tuple(sorted(standing, key=lambda memory: memory.uri))


class Past:
    """An index of what was believed at a moment. The last one is kept while nothing is written or forgotten.

    Args:
        substitute: makes an empty index in memory.
    """

    def __init__(self, context: Context, substitute: Callable[[], Index]) -> None:
        self._context, self._substitute = context, substitute
        self._kept: tuple[object, Index] | None = None

    def index(self, moment: datetime) -> Index:
        """Return the memories that stood at a moment as an index, to be given nothing but vectors."""
        context = self._context
        state = (moment, context.vault.history.marks(), forgotten(context).memories)
        if self._kept is None or self._kept[0] != state:
            self._kept = None  # two at once would take twice the room
            writer = context.indexer.over(self._substitute())
            writer.put_notes((memory, "") for memory in believed(context, moment))
            self._kept = (state, writer.index)
        return self._kept[1]


def recall_as_of(context: Context, searcher: Searcher, query: Query, past: Past) -> Recall:
    """Return the answer that would have been given at `query.scope.as_of`: of memories as they stood, and of what had been said."""
    moment = query.scope.as_of or context.clock.now()
    then = replace(searcher, clock=_Then(context.clock, moment))
    sources = query.scope.sources or RECALLED_SOURCES
    filed = tuple(source for source in sources if source in FILED_SOURCES)
    rest = tuple(source for source in sources if source not in FILED_SOURCES)
    until = min(moment, query.scope.until) if query.scope.until else moment
    results = []
    if filed:
        index = past.index(moment)
        try_refine(index, context.models.embedder, context.clock, no_progress, seconds=EMBEDDED_S)  # once: a list needs none
        filed_then = replace(then, index=index, uses=lambda _: {})
        results.append(filed_then.recall(replace(query, scope=replace(query.scope, sources=filed))))
    if rest:
        results.append(then.recall(replace(query, scope=replace(query.scope, sources=rest, until=until))))
    return _joined(query, results)


def _joined(query: Query, results: list[Recall]) -> Recall:
    """Return the answers as one, best first. Scores are absolute, so they can be held against each other."""
    hits = sorted((hit for result in results for hit in result.hits), key=lambda hit: -hit.score)
    limit = max((len(result.hits) for result in results), default=0)
    items = sorted((pair for result in results for pair in result.items), key=lambda pair: -pair[1])
    missing = tuple(dict.fromkeys(why for result in results for why in result.missing))
    verdicts = {result.verdict for result in results}
    verdict = next((word for word in ("found", "could not search") if word in verdicts), "nothing known")
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

"""The answer to "where did we stop?": the last handoff of the project, which no search finds, because its words are those of any work."""

from itertools import islice

from msgspec.structs import replace

from vademecum.domain.query import HELD_BACK, Hit, Query, Recall
from vademecum.domain.why_nothing import COULD_NOT_SEARCH, FOUND, NOTHING_KNOWN
from vademecum.inject.briefing_text import texts_of
from vademecum.inject.context import RecallContext
from vademecum.inject.memory_text import text_of_memory
from vademecum.inject.numbers import SHORT_WORDS
from vademecum.inject.scope import last_handoffs
from vademecum.inject.worth_showing import words_in
from vademecum.language.load import languages


def with_last_handoff(recall: RecallContext, found: Recall) -> Recall:
    """Put the last handoff of the project first in the answer to a short question that asks outright where the work stopped.

    It is shown also to a session that has seen it: every outright question is answered.
    """
    if found.verdict == COULD_NOT_SEARCH or not _asks_where_it_stopped(found.query):
        return found
    return with_first(found, _last_handoff(recall, found.query))


def with_first(found: Recall, first: tuple[Hit, ...]) -> Recall:
    """Return an answer with these hits before all others."""
    if not first:
        return found
    own = {hit.item.key for hit in first}
    others = (hit for hit in found.hits if hit.item.key not in own)
    verdict = FOUND if found.verdict == NOTHING_KNOWN else found.verdict
    return replace(found, hits=(*first, *others)[: found.query.limit], verdict=verdict)


def _asks_where_it_stopped(query: Query) -> bool:
    """Return whether a query asks where the last work stopped, and may be answered by a handoff."""
    scope = query.scope
    sources, kinds = scope.sources or ("memory",), scope.kinds or ("handoff",)
    if not query.gated or scope.as_of or "handoff" not in kinds or not {"memory", "handoff"}.intersection(sources):
        return False
    return words_in(query.text) < SHORT_WORDS and languages().sign("reports", "where_stopped").search(query.text) is not None


def _last_handoff(recall: RecallContext, query: Query) -> tuple[Hit, ...]:
    scope, index = replace(query.scope, statuses=("active",), without=frozenset()), recall.context.index
    projects = scope.projects or dict.fromkeys((recall.briefed_project, recall.project))
    found = (item for project in projects for item in last_handoffs(recall.context, scope, project, 1))
    return tuple(
        Hit(item, replace(stored.passage, text=texts_of(item, text_of_memory(index, None, item.key))[1]), stored.number, 0.0,
            {HELD_BACK: 0.0})
        for item in islice(found, 1)
        for stored in index.passages_of(item.key, 0, 1)
    )  # fmt: skip

"""Run a search: prepare the query, filter withheld memories, and store the trace of the answer."""

import json
from datetime import UTC, datetime

from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput, NotFound, UnknownWord
from vademecum.domain.ids import id_time_ms
from vademecum.domain.memory import BY_PERSON, By
from vademecum.domain.query import Asked, Hit, Left, Query, Recall, Scope
from vademecum.domain.topics import TopicLock, Topics
from vademecum.domain.why_nothing import IN_THE_SESSION
from vademecum.inject.code import with_code_checked
from vademecum.inject.context import RecallContext
from vademecum.inject.last_work import with_first, with_last_handoff
from vademecum.inject.numbers import CODE_AT_PROMPT_S, CODE_USUALLY_S, SCOPE_AT_PROMPT_S, SCOPE_USUALLY_S
from vademecum.inject.scope import may_be_shown, of_agent, open_scope
from vademecum.inject.seen import hidden_from
from vademecum.recall import link_expansion
from vademecum.recall.trace import read_story, write_story


def prepared(recall: RecallContext, query: Query) -> Query:
    """Return the query ready to run: secrets removed, project and limits set, withheld memories excluded."""
    if query.multi_hop:
        query = replace(query, limit=link_expansion.limit_of(query))
    return replace(
        query,
        text=recall.clean(query.text),
        project=query.project or recall.project,
        limit=query.limit or None,
        scope=open_scope(recall.context, query.scope, SCOPE_USUALLY_S if query.deadline_s is None else SCOPE_AT_PROMPT_S),
    )


def ask_at_once(recall: RecallContext, query: Query, first: tuple[Hit, ...] = ()) -> Recall:
    """Answer an agent's query. A damaged index is not repaired, because the caller waits.

    Args:
        first: hits that are part of the answer whatever the search finds.
    """
    found = search_at_once(recall, query)
    return with_story(recall, with_last_handoff(recall, with_first(found, first)), CODE_AT_PROMPT_S)


def search_at_once(recall: RecallContext, query: Query) -> Recall:
    """Search as for an agent. Nothing is stored, so :func:`why` does not know it as a question that somebody asked."""
    return recall.searcher.recall(prepared(recall, of_agent(query, recall.project)))


def with_story(recall: RecallContext, found: Recall, code_s: float = CODE_USUALLY_S) -> Recall:
    """Remove withheld hits, add what changed in the code they name, and store the trace for :func:`why`.

    Args:
        code_s: maximum seconds for checking the code.
    """
    context = recall.context
    if found.lock is not None and not found.lock.held:
        context.state.topic_locks.set(found.query.session, found.lock)
    scope = found.query.scope
    hits = tuple(hit for hit in found.hits if may_be_shown(hit.item, scope))
    asked = replace(found.query, scope=replace(scope, without=frozenset()))  # the answer must not name what was excluded
    found = replace(found, query=asked, hits=hits if scope.as_of else with_code_checked(recall, hits, code_s))
    kept = replace(found, trace=context.clock.new_id()) if found.hits or found.left or found.query.seen else found
    if kept.trace:
        context.state.traces.keep(kept.trace, json.dumps(write_story(kept), ensure_ascii=False))
    return kept


def why(recall: RecallContext, trace: str = "", *, by: By = BY_PERSON) -> Recall:
    """Return the full trace of a search: the named one, or the last. Withheld memories are included only for the person.

    Raises:
        NotFound: no trace of such a search is stored.
    """
    story = recall.context.state.traces.get(trace)
    if story is None:
        raise NotFound(
            "No search with that id is stored." if trace else "Nothing was searched for yet.", "Ask something: vade recall ..."
        )
    result, hidden = read_story(json.loads(story)), hidden_from(recall.context, by)
    hits = tuple(hit for hit in result.hits if hit.item.key not in hidden)
    seen = recall.context.index.items(sorted(result.query.seen)).values()
    left = (*result.left, *(Left(item.key, item.title, IN_THE_SESSION, 0.0) for item in seen))
    return replace(result, hits=hits, left=tuple(omitted for omitted in left if omitted.key not in hidden))


def answered(recall: RecallContext, what: str, *, by: By = BY_PERSON) -> dict[str, object]:
    """Return the fields of a memory that answers a query: `question`, and `derived_from`, the memories that were shown for it.

    Args:
        what: the question, or the trace id of its search.
    """
    try:
        story = why(recall, what, by=by)
    except NotFound:
        return {"question": " ".join(what.split())}
    by_key = dict.fromkeys(hit.item.key.removeprefix("memory://") for hit in story.hits if hit.item.source == "memory")
    return {"question": story.query.text, **({"derived_from": list(by_key)} if by_key else {})}


def asked(recall: RecallContext, limit: int = 50, before: str = "", *, by: By = BY_PERSON) -> tuple[Asked, ...]:
    """Return the latest queries, newest first; :func:`why` returns the full trace of each.

    Args:
        before: id of a trace; return only earlier ones. by: who asks; only for the person do the counts include withheld memories.
    """
    hidden = hidden_from(recall.context, by)
    stories = map(read_story, map(json.loads, recall.context.state.traces.latest(limit, before)))
    return tuple(
        Asked(
            result.trace,
            datetime.fromtimestamp(id_time_ms(result.trace) / 1000, UTC),
            result.query.text,
            result.verdict,
            sum(hit.item.key not in hidden for hit in result.hits),
        )
        for result in stories
    )


def topics(
    recall: RecallContext,
    text: str = "",
    *,
    session: str = "",
    lock: tuple[str, ...] = (),
    release: bool = False,
    project: str = "",
) -> Topics:
    """Return the topics in memory. With `text`, the nearest come first; with `session`, the result also holds its topic lock.

    Args:
        lock: topics that the session is restricted to from now on, whatever is asked. release: remove the restriction.

    Raises:
        InvalidInput: `lock` or `release` without a session. UnknownWord: no memory has that topic.
    """
    if (lock or release) and not session:
        raise InvalidInput("A lock belongs to a session.", "Name it with: --session ID")
    state, project = recall.context.state, project or recall.project
    scope = Scope(projects=(project,) if project else None)
    answer = recall.searcher.topics(recall.clean(text), scope)
    if release:
        state.topic_locks.set(session, TopicLock())
    if lock:
        known = {topic.label.casefold(): topic.label for topic in recall.searcher.topics("", scope).matches}
        missing = next((label for label in lock if label.casefold() not in known), None)
        if missing is not None:
            raise UnknownWord("topic", missing, known.values())
        weights = {known[label.casefold()]: 1.0 for label in lock}
        state.topic_locks.set(session, TopicLock(weights, held=True))
    return replace(answer, lock=state.topic_locks.get(session) if session else None)

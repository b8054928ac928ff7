"""The text that an agent is given for a question, subject to the stage of its session."""

from collections.abc import Callable

from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.query import Bundle, Query, Recall, Scope
from vademecum.inject.bundle_text import compose_bundle
from vademecum.inject.context import RecallContext
from vademecum.inject.delivered import items_of, key_of, whole_items, without_delivered
from vademecum.inject.numbers import ONCE_S
from vademecum.inject.scope import last_handoffs, of_agent
from vademecum.recall.numbers import FOCUS_EACH
from vademecum.recall.rankers import profile_named
from vademecum.recall.stages import FOCUS_KINDS, Stage, focus, stage_named

Composer = Callable[[Recall, int], Bundle]


def bundle(recall: RecallContext, query: Query, ask: Callable[[Query], Recall], compose: Composer | None = None) -> Bundle:
    """Return the text that an agent is given for a question, and record its contents as shown.

    Args:
        ask: runs the query. compose: (answer, tokens) -> the text; None: the hits of the answer, best first.
    """
    query = of_agent(query, recall.project)
    if query.stage:
        return _staged(recall, query, stage_named(query.stage), ask, compose)
    return _composed(recall, query, ask, compose)


def _composed(recall: RecallContext, query: Query, ask: Callable[[Query], Recall], compose: Composer | None) -> Bundle:
    context = recall.context
    is_known = query.session.startswith("session://")
    names = context.state.shown.keys(query.session) if is_known else frozenset()
    scope = without_delivered(query.scope, names, query.session)
    result = ask(replace(query, unasked=True, scope=scope, seen=query.seen | whole_items(names)))
    result = replace(result, hits=tuple(hit for hit in result.hits if key_of(hit) not in names))
    budget = query.budget_tokens or profile_named(query.profile).budget_tokens
    composed = compose(result, budget) if compose else compose_bundle(result, budget, context.clock.now())
    context.state.usage.note("told", items_of(composed.keys), context.clock.now(), query.project)
    if composed.keys and is_known:
        context.state.shown.record(query.session, composed.keys, context.clock.now())
    return composed


def _staged(
    recall: RecallContext, query: Query, stage: Stage, ask: Callable[[Query], Recall], compose: Composer | None
) -> Bundle:
    """Return the bundle for one stage of a session; an empty one states why nothing is shown at that stage."""
    budget, what = query.budget_tokens or stage.budget_tokens, f"memory at stage {stage.name}"
    if query.channel and not stage.channels:
        return Bundle("", 0, budget, missing=(f"{what}: others read along",))
    if stage.once and not query.session:
        raise InvalidInput("At this stage a session is shown something once.", "Name the session with: --session ID")
    clock, state = recall.context.clock, recall.context.state
    if stage.once and not state.claims.claim(f"{stage.name} of {query.session}", clock.now(), ONCE_S):
        return Bundle("", 0, budget, missing=(f"{what}: this session was shown it already",))
    started = clock.elapsed_s()
    text = query.text if stage.asks else _focus(recall, query.scope)
    if not text:
        return Bundle("", 0, budget, missing=(f"{what}: there is no open or recent work to ask about",))
    asked = replace(query, text=text, budget_tokens=budget, deadline_s=stage.deadline_s)
    composed = _composed(recall, asked, ask, compose)
    if stage.deadline_s is not None and clock.elapsed_s() - started > stage.deadline_s:
        late = f"{what}: it took longer than {stage.deadline_s * 1000:.0f} ms"
        return Bundle("", 0, budget, missing=(*composed.missing, late))
    return composed


def _focus(recall: RecallContext, scope: Scope) -> str:
    """Return the subject of the work in scope as a query."""
    where, index = replace(scope, sources=("memory",), statuses=("active",)), recall.context.index
    project = next(iter(scope.projects or ()), "")
    return focus(
        [
            last_handoffs(recall.context, where, project, FOCUS_EACH)
            if kinds == ("handoff",)
            else index.select(replace(where, kinds=kinds), limit=FOCUS_EACH)
            for kinds in FOCUS_KINDS
        ]
    )

"""What a prompt is shown when no helper runs: memories matched by words alone.

The rules are shared with :mod:`vademecum.inject.at_prompt`. When they would need more than words, nothing is shown.
"""

from collections.abc import Callable

from msgspec.structs import replace

from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.query import Recall
from vademecum.domain.why_nothing import ALREADY_SHOWN, FOUND, NOTHING_KNOWN
from vademecum.inject.bundle_text import compose_bundle
from vademecum.inject.context import RecallContext
from vademecum.inject.delivered import (
    always,
    count_delivered,
    note_unbriefed,
    occasion_of_prompt,
    session_of,
    shown_and_held_back,
    whole_items,
    why_silent,
    without_delivered,
)
from vademecum.inject.numbers import PROMPT_TOKENS, SCOPE_AT_PROMPT_S
from vademecum.inject.scope import may_be_shown, of_agent, open_scope
from vademecum.recall.by_words import Words, hits_by_words

#: A prompt counts as a question if it contains one of these. Recognising questions in other forms takes too long here.
_ASKING = ("?", "？")


def deliver_by_words(
    recall: RecallContext, index: Words, event: HookEvent, printed: frozenset[str] | None, in_time: Callable[[], bool] = always
) -> Delivery:
    """Return memories that certainly answer a prompt with a question; an empty delivery states the reason.

    A session that was not briefed is briefed at its next prompt.

    Args:
        index: the index of the context. printed: keys that the hook client printed at the start of this session; None: it printed
            nothing. in_time: True while the host still waits.
    """
    context = recall.context
    if reason := why_silent(context, event):
        return Delivery(verdict=reason)
    if event.moment != "prompt" or not event.by_person or not event.heard:
        return Delivery()
    if not event.session or context.choices.measure_benefit or not any(sign in event.prompt for sign in _ASKING):
        return Delivery(verdict=NOTHING_KNOWN)
    now, session = context.clock.now(), session_of(event)
    asked = of_agent(replace(recall.prompt(0.0), text=event.prompt, session=session), recall.project)
    before, _ = shown_and_held_back(context.state.shown.keys(session) | (printed or frozenset()))
    scope = without_delivered(replace(asked.scope, sources=("memory",), statuses=("active",)), before, session)
    scope = open_scope(context, scope, SCOPE_AT_PROMPT_S)
    query = replace(asked, scope=scope, seen=whole_items(before))
    found = hits_by_words(index, event.prompt, scope, query.limit or 1, context.clock)
    hits = tuple(hit for hit in found if may_be_shown(hit.item, scope) and hit.item.kind != "handoff")
    occasion = occasion_of_prompt(recall, event, in_time)
    if not hits or not occasion.claim():
        return Delivery(verdict=ALREADY_SHOWN if hits else NOTHING_KNOWN)
    bundle = compose_bundle(Recall(query, hits, FOUND), PROMPT_TOKENS, now)
    delivery = occasion.record(bundle, Delivery(verdict=NOTHING_KNOWN))
    if delivery.keys and printed is None and not before:
        note_unbriefed(context.state, session, now)
    count_delivered(context, delivery.keys, now, recall.project)
    return replace(delivery, text=recall.clean(delivery.text), notice=recall.clean(delivery.notice))

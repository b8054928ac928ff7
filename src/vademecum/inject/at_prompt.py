"""What an agent is shown at a prompt. :func:`deliver_at_prompt` is the entry point and lists the steps in order."""

import zlib
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.ids import short_id
from vademecum.domain.query import HELD_BACK, Bundle, Hit, Query, Recall
from vademecum.domain.session import Turn
from vademecum.domain.why_nothing import (
    ALREADY_SHOWN,
    COULD_NOT_SEARCH,
    NOT_BY_A_PERSON,
    NOT_NEEDED,
    NOTHING_KNOWN,
    SHOWN,
    DeliveryEnd,
)
from vademecum.extract.mine import words_to_save
from vademecum.extract.voice import voices
from vademecum.ingest.ending import Ending, ending_of
from vademecum.inject.ask import ask_at_once
from vademecum.inject.briefing import BriefingRequest, briefing
from vademecum.inject.bundle_text import compose_bundle
from vademecum.inject.context import RecallContext
from vademecum.inject.cool_down import resting
from vademecum.inject.delivered import (
    always,
    is_in_use,
    is_unbriefed,
    key_of,
    nth_prompt,
    occasion_of_prompt,
    session_of,
    shown_and_held_back,
    whole_items,
    with_held_back,
    without_delivered,
)
from vademecum.inject.first_prompts import NONE_HELD_BACK, HeldBack, chosen_for
from vademecum.inject.holdout import Holdout
from vademecum.inject.numbers import (
    EASY_SHARE,
    POINTED_OUT_AGAIN_S,
    PROMPT_TOKENS,
    REQUEST_CHARS,
    STANDS_ALONE_WORDS,
    TURNS_BEFORE,
)
from vademecum.inject.render import asked_to_keep
from vademecum.inject.worth_showing import worth_showing
from vademecum.language.patterns import are_compiled
from vademecum.language.text import content_words
from vademecum.recall.eligibility import asks_outright


def deliver_at_prompt(recall: RecallContext, event: HookEvent, query: Query, in_time: Callable[[], bool] = always) -> Delivery:
    """Return what is known about a prompt and not yet delivered in this session; an empty delivery states the reason.

    Args:
        query: limits, deadline, profile and scope of the search. Text and session are filled in here.
        in_time: True while the host still waits. A delivery after that is not recorded.
    """
    if not event.by_person or not event.prompt.strip():
        return Delivery(verdict=NOT_BY_A_PERSON)

    # 1. If several hooks report the same prompt, only one answers.
    began_s = recall.context.clock.elapsed_s()
    occasion = occasion_of_prompt(recall, event, in_time)
    state, session, holdout = occasion.state, occasion.session, occasion.holdout
    if event.session and not occasion.claim():
        return Delivery(verdict=ALREADY_SHOWN)

    # 2. Brief the session first if its start was not reported, came too late, or no helper ran at that time.
    recorded = state.shown.keys(session) if event.session else frozenset()
    brief = Bundle("", 0, 0)
    if event.session and (not recorded or is_unbriefed(state, session)):
        brief = with_held_back(
            briefing(
                recall,
                BriefingRequest(
                    budget=recall.limits.late_briefing_tokens,
                    session=event.session,
                    context=event.host,
                    held_out=holdout.left_out,
                    holds_back=is_in_use(state),
                ),
            )
        )
        recorded |= frozenset(brief.keys)
    delivered, kept = shown_and_held_back(recorded)
    held_back = HeldBack(kept - whole_items(delivered), nth_prompt(state, session, occasion.now)) if kept else NONE_HELD_BACK

    # 3. Search, and compose the hits that the prompt needs; first come those that the start held back.
    ending = ending_of(recall.context, event.transcript, event.prompt, event.host)
    answer, shown = shown_at_prompt(recall, event, query, ending, Withheld(delivered, holdout, held_back))

    # 4. Look for words that the prompt asks to save, unless the search already took too long.
    has_time = query.deadline_s is None or recall.context.clock.elapsed_s() - began_s < query.deadline_s * EASY_SHARE
    to_save = _words_to_save(event, ending, compiles=has_time)

    # 5. Record what is shown as delivered, unless the host no longer waits.
    both = replace(
        shown,
        text="\n\n".join(part.text for part in (brief, shown) if part.text),
        keys=(*brief.keys, *shown.keys),
        loaded=(*brief.loaded, *shown.loaded),
    )
    silence = Delivery(verdict=_why_nothing(answer, delivered), trace=answer.trace, skipped=answer.skipped)
    return _with_how_to_save(recall, event, occasion.record(both, silence), to_save)


class Withheld(NamedTuple):
    """What a prompt is not shown again or at all: keys delivered to the session, memories held out of it; and what its start held back."""

    delivered: frozenset[str]
    holdout: Holdout
    held_back: HeldBack = NONE_HELD_BACK


def shown_at_prompt(
    recall: RecallContext, event: HookEvent, query: Query, ending: Ending, withheld: Withheld
) -> tuple[Recall, Bundle]:
    """Search for a prompt. Return the full answer, and the text of the hits that the prompt needs. Nothing is recorded.

    Args:
        query: as for :func:`deliver_at_prompt`. ending: the turns before the prompt.
    """
    delivered, holdout, held_back = withheld
    session = session_of(event)
    event = replace(event, prompt=asked_of(event.prompt))
    scope = without_delivered(query.scope, delivered | holdout.left_out(), session)
    before = ending.said[-TURNS_BEFORE:]
    first = chosen_for(recall.context.index, recall.briefed_project, event.prompt, held_back)
    answer = ask_at_once(
        recall,
        replace(query, text=event.prompt, before=before, scope=scope, session=session, seen=whole_items(delivered)),
        first,
    )
    own = {hit.item.key for hit in answer.hits if HELD_BACK in hit.signals}
    new = [hit for hit in answer.hits if hit.item.key not in own and key_of(hit) not in delivered]
    others = with_sources(_worth_showing(recall, event, ending, new, whole_items(delivered)))
    hits = (*(hit for hit in answer.hits if hit.item.key in own), *others)[: query.limit]
    return answer, _composed(recall, replace(answer, hits=hits), holdout)


def asked_of(prompt: str) -> str:
    """Return what a prompt asks: of pasted material with a question in its last or first line, that line; else the whole prompt.

    A question of few words ("what is wrong here?") is about the material, so it does not stand alone.
    """
    lines = [line.strip() for line in prompt.splitlines() if line.strip()]
    if len(lines) < 2 or not voices([Turn("", "user", prompt)])[""].pasted:
        return prompt
    ends = (lines[-1], lines[0])
    return next((end for end in ends if asks_outright(end) and len(content_words(end)) >= STANDS_ALONE_WORDS), prompt)


def _worth_showing(
    recall: RecallContext, event: HookEvent, ending: Ending, hits: Sequence[Hit], delivered: frozenset[str]
) -> tuple[Hit, ...]:
    """Return the hits that the prompt needs, without those already in the transcript or in cool-down for this project."""
    context, now = recall.context, recall.context.clock.now()
    cooling_down = resting(context.state.usage, recall.project, event.prompt, [hit.item for hit in hits], now)
    others = [hit for hit in hits if hit.item.key not in cooling_down and short_id(hit.item.key) not in ending.ids]
    return worth_showing(context.index, recall.briefed_project, event.prompt, others, now, delivered)


def with_sources(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Drop each hit that was added because of another hit (`via`) when that other hit is not shown."""
    own = {hit.item.key for hit in hits if not hit.via}
    return tuple(hit for hit in hits if not hit.via or hit.via.rpartition(" ")[2] in own)


def _composed(recall: RecallContext, answer: Recall, holdout: Holdout) -> Bundle:
    """Return the hits as text within the budget, without held-out memories and without hits that repeat their content."""
    now = recall.context.clock.now()
    bundle = compose_bundle(answer, PROMPT_TOKENS, now)
    hits = [hit for hit in answer.hits if key_of(hit) in bundle.keys]
    if not (held_out := holdout.left_out(hit.item for hit in hits)):
        return bundle
    others = tuple(
        hit
        for hit in hits
        if hit.item.key not in held_out and (hit.item.source == "memory" or not holdout.says(hit.passage.text))
    )
    return compose_bundle(replace(answer, hits=others), PROMPT_TOKENS, now)


def _why_nothing(answer: Recall, delivered: frozenset[str]) -> DeliveryEnd:
    if answer.verdict == COULD_NOT_SEARCH:
        return COULD_NOT_SEARCH
    if not answer.hits:
        return NOTHING_KNOWN
    return ALREADY_SHOWN if all(key_of(hit) in delivered for hit in answer.hits) else NOT_NEEDED


def _words_to_save(event: HookEvent, ending: Ending, *, compiles: bool) -> str:
    """Return the words that a prompt asks to save; "" if none.

    Args:
        compiles: True if there is time to compile the patterns, where this process has not compiled them yet.
    """
    if not event.heard or not (compiles or are_compiled()):
        return ""
    return words_to_save(event.prompt[:REQUEST_CHARS], ending.said[-1] if ending.said else "")


def _with_how_to_save(recall: RecallContext, event: HookEvent, delivery: Delivery, words: str) -> Delivery:
    """Add the instruction for saving the words that the prompt asks to save, once per session for the same words."""
    if delivery.verdict not in (SHOWN, NOTHING_KNOWN, NOT_NEEDED):
        return delivery
    name = f"asked to keep {zlib.crc32(words.casefold().encode('utf-8', 'replace')):08x} in {event.session}"
    state, now = recall.context.state, recall.context.clock.now()
    if not words or (event.session and not state.claims.claim(name, now, POINTED_OUT_AGAIN_S)):
        return delivery
    text = "\n\n".join(part for part in (delivery.text, asked_to_keep(words)) if part)
    return replace(delivery, text=text, verdict=SHOWN)

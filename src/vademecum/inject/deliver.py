"""What an agent is told when its host runs a hook: a briefing, what is known about a prompt, or nothing."""

import contextlib
import zlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import IndexDamaged, Locked, Refused, VaultEmptied, VaultMissing
from vademecum.domain.host import Delivery, HookEvent, uri_of
from vademecum.domain.ids import short_id
from vademecum.domain.pause import going_on
from vademecum.domain.query import Bundle, Hit
from vademecum.extract.mine import words_to_save
from vademecum.ingest.ending import Ending, ending_of
from vademecum.ingest.pauses import stop_above
from vademecum.inject.ask import ask_at_once
from vademecum.inject.at_prompt import opened
from vademecum.inject.briefing import TEXT_PASSAGES, briefing, text_of_memory
from vademecum.inject.context import RecallContext
from vademecum.inject.delivery import (
    EMPTIED,
    FORKED,
    Moment,
    PromptSources,
    always,
    deliver_at_prompt,
    deliver_at_start,
    items_of,
    notice_of,
)
from vademecum.inject.lottery import Lottery
from vademecum.inject.notices import note_told, notices
from vademecum.inject.recovery import QUIET_FOR, to_recover
from vademecum.inject.render import asked_to_keep
from vademecum.inject.resting import resting
from vademecum.inject.scope import last_words
from vademecum.language.patterns import compile_patterns
from vademecum.sessions.working_set import joined_bundles

#: A briefing tells ages in days, so one that was composed earlier may be off by one.
READY_FOR = timedelta(hours=24)
#: A cause of a start after which the agent may have been told already.
RESUMED = "resume"
#: So many turns before a prompt are asked with.
TURNS_BEFORE = 2
#: Of a prompt so much is looked at for words that ask to keep something, while its hook waits: about 10 ms.
NUDGED_CHARS = 1000
#: The same words are asked to be kept once in so long, in a session.
NUDGED_AGAIN_S = 24 * 3600
#: Tokens of the working set that a session is given back after its compaction.
WORKING_SET_TOKENS = 1500


def deliver(recall: RecallContext, event: HookEvent, in_time: Callable[[], bool] = always, waited_s: float = 0.0) -> Delivery:
    """Return what the agent of a host is told when something happens there.

    Somebody waits, so nothing is repaired here: with an index that cannot be used, the verdict is "could not search".

    Args:
        in_time: whether somebody still waits; asked at the end, because what nobody hears does not count as told.
        waited_s: how long somebody has waited already; it counts towards the deadline of a prompt.
    """
    if reason := _why_silent(recall, event):
        return Delivery(verdict=reason)
    try:
        return _without_secrets(recall, _at(recall, event, in_time, waited_s))
    except IndexDamaged:
        return Delivery(verdict="could not search")


def _at(recall: RecallContext, event: HookEvent, in_time: Callable[[], bool], waited_s: float) -> Delivery:
    if event.moment not in ("start", "prompt"):
        return Delivery()
    is_start = event.moment == "start"
    delivery = _at_start(recall, event, in_time) if is_start else _at_prompt(recall, event, in_time, waited_s)
    count_delivered(recall.context, delivery.keys, recall.context.clock.now(), recall.project)
    return delivery


def count_delivered(context: Context, keys: Sequence[str], now: datetime, project: str) -> None:
    """Count what was delivered, at a start or at a prompt, so that what is never taken up can be told from the rest."""
    if items := items_of(keys):
        context.state.usage.note("told", items, now, project)


def _without_secrets(recall: RecallContext, told: Delivery) -> Delivery:
    """Return the delivery as it may leave: its texts pass the guard once more."""
    return replace(told, text=recall.clean(told.text), notice=recall.clean(told.notice))


def expect(recall: RecallContext, event: HookEvent) -> None:
    """Begin with what :func:`deliver` will need for a prompt, while others are answered. From any thread."""
    if event.moment == "prompt" and event.by_person and recall.context.enabled:
        recall.searcher.expect(recall.clean(event.prompt))


def warm_up(recall: RecallContext) -> None:
    """Load what the first answer would have to wait for, or does without; a process that stays does it when nobody waits."""
    recall.searcher.warm_up()
    compile_patterns()


def _why_silent(recall: RecallContext, event: HookEvent) -> str:
    """Return why this session is told nothing, whatever happens in it; "" when it may be."""
    if not recall.context.enabled:
        return "disabled"
    if going_on(recall.context.storage.pauses.all(), uri_of(event)) or stop_above(event.cwd):
        return "paused"
    return ""


def _at_start(recall: RecallContext, event: HookEvent, in_time: Callable[[], bool]) -> Delivery:
    context, lottery = recall.context, _lottery(recall, event)
    moment = Moment(context.state, context.clock.now(), lottery, in_time)
    told = deliver_at_start(event, partial(_brief, recall, event, lottery), moment)
    told = _with_notices(recall, told)
    note_told(context, told.keys, context.clock.now())
    return told


def _with_notices(recall: RecallContext, told: Delivery) -> Delivery:
    """Return the delivery of a start with the line for the person, also where there is nothing to tell the agent."""
    found = notices(recall.context) if told.verdict in ("told", "nothing known") else ()
    if not found:
        return told
    line = "; ".join(text for text in (told.notice, *(one.text for one in found)) if text)
    keys = (*told.keys, *(key for one in found for key in one.keys))
    return replace(told, notice=line, keys=keys, verdict="told")


class Ready(Struct, frozen=True):
    """What any session is told that starts now as this one does.

    Attributes:
        but: ids of sessions that are told something else: they are paused, or are the one that broke off.
        until: from then on it is composed anew. files: it holds while these stay as they are; a folder ends with a slash.
        project: slug of the project that it is for; "" for none.
    """

    delivery: Delivery
    but: tuple[str, ...]
    until: datetime
    files: tuple[str, ...]
    project: str


def is_foreseeable(event: HookEvent) -> bool:
    """Return whether it can be said before a session starts like this what it will be told: nothing depends on what it was told."""
    return event.cause not in (*EMPTIED, FORKED, RESUMED)


def prepare(recall: RecallContext, event: HookEvent) -> Ready | None:
    """Return what a session will be told that starts as this one did; None: that cannot be said before it starts.

    Nothing counts as told, and no start is claimed.

    Raises:
        IndexDamaged: the index cannot be used.
    """
    context, now = recall.context, recall.context.clock.now()
    anybody = replace(event, session="")
    if not is_foreseeable(event) or context.choices.measure_benefit or _why_silent(recall, anybody):
        return None
    told = _up_to_date(recall, lambda: briefing(recall, "", 0, "", event.host))
    delivery = Delivery(verdict="nothing known")
    if told.text:
        delivery = Delivery(told.text, notice_of(told.loaded), told.keys, "told")
    delivery = _with_notices(recall, delivery)
    words, excluded = last_words(context, recall.briefed_project), context.storage.pauses.excluded()
    last = to_recover((one for one in words if one.session not in excluded), now)
    paused = [pause.session for pause in context.storage.pauses.all() if pause.session and pause.end is None]
    quiet = [one.when + QUIET_FOR for one in takewhile(lambda one: one.when + QUIET_FOR > now, words)]
    sessions = (*paused, *((last.session,) if last else ()))
    but = tuple(one.rpartition("/")[2] for one in sessions)
    places = recall.places_to_watch(context, told.keys)
    return Ready(delivery, but, min([now + READY_FOR, *quiet]), places, recall.project)


def _up_to_date(recall: RecallContext, brief: Callable[[], Bundle]) -> Bundle:
    """Return a briefing; when somebody edited a memory in it and nobody followed, a second one that tells the edit."""
    told = brief()
    with contextlib.suppress(VaultEmptied, VaultMissing, Locked, Refused):  # the next sync says so
        if recall.follow_edits(recall.context, told.keys):
            return brief()
    return told


def _at_prompt(recall: RecallContext, event: HookEvent, in_time: Callable[[], bool], waited_s: float) -> Delivery:
    lottery = _lottery(recall, event)
    late = partial(
        briefing, recall, "", recall.limits.late_briefing_tokens, event.session, event.host, left_out=lottery.left_out
    )
    ending = ending_of(recall.context, event.transcript, event.prompt, event.host)
    sources = PromptSources(
        query=replace(recall.prompt(waited_s), before=ending.said[-TURNS_BEFORE:]),
        recall=partial(ask_at_once, recall),
        brief=late,
        budget_tokens=recall.limits.prompt_tokens,
        opened=partial(_opened, recall, event, ending),
    )
    moment = Moment(recall.context.state, recall.context.clock.now(), lottery, in_time)
    return _with_nudge(recall, event, deliver_at_prompt(event, sources, moment), ending.said[-1] if ending.said else "")


def _opened(recall: RecallContext, event: HookEvent, ending: Ending, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Return the hits that the prompt opens, without those that the agent got some other way or that rest in this project."""
    context, now = recall.context, recall.context.clock.now()
    rest = resting(context.state.usage, recall.project, event.prompt, [hit.item for hit in hits], now)
    left = [hit for hit in hits if hit.item.key not in rest and short_id(hit.item.key) not in ending.ids]
    return opened(context.index, recall.briefed_project, event.prompt, left, now)


def _with_nudge(recall: RecallContext, event: HookEvent, told: Delivery, agent_said: str) -> Delivery:
    """Return the delivery of a prompt; where its words ask for something to be kept, with how an agent does that, once for the same words
    in a session.
    """
    if told.verdict not in ("told", "nothing known") or not event.heard:
        return told
    words = words_to_save(event.prompt[:NUDGED_CHARS], agent_said)
    named = f"asked to keep {zlib.crc32(words.casefold().encode('utf-8', 'replace')):08x} in {event.session}"
    context = recall.context
    if not words or (event.session and not context.state.claims.claim(named, context.clock.now(), NUDGED_AGAIN_S)):
        return told
    text = "\n\n".join(part for part in (told.text, asked_to_keep(words)) if part)
    return replace(told, text=text, verdict="told")


def _lottery(recall: RecallContext, event: HookEvent) -> Lottery:
    """Return what is left out of a session on purpose."""
    context = recall.context
    text_of = partial(text_of_memory, context.index, TEXT_PASSAGES)
    on = context.choices.measure_benefit
    return Lottery(context.state.lots, uri_of(event), context.clock.new_id() if on else "", text_of, on=on)


def _brief(recall: RecallContext, event: HookEvent, lottery: Lottery) -> Bundle:
    """Return the briefing of a session that starts; one that was compacted first gets back what it had in hand."""
    brief = partial(briefing, recall, "", session=event.session, context=event.host, left_out=lottery.left_out)
    if event.cause != "compact":
        return _up_to_date(recall, brief)
    budget = recall.limits.briefing_tokens
    held = recall.in_hand(recall.context, event, min(WORKING_SET_TOKENS, budget // 2))
    return joined_bundles(held, brief(budget=budget - held.tokens))

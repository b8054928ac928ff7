"""What an agent is shown when its session starts, and how that is prepared before the start."""

from collections.abc import Callable
from datetime import datetime
from itertools import takewhile

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.host import Delivery, HookEvent
from vademecum.domain.query import Bundle
from vademecum.domain.why_nothing import ALREADY_SHOWN, NOTHING_KNOWN, SHOWN
from vademecum.inject.briefing import BriefingRequest, briefing
from vademecum.inject.context import RecallContext
from vademecum.inject.delivered import Occasion, forget_session, is_in_use, notice_of, session_of, why_silent, with_held_back
from vademecum.inject.holdout import holdout_of
from vademecum.inject.notices import Notice, notices
from vademecum.inject.numbers import QUIET_FOR, READY_FOR, WORKING_SET_TOKENS
from vademecum.inject.recovery import to_recover
from vademecum.inject.scope import last_words

#: Cause of a start of a conversation in a new process whose host did not keep the context.
RESTART = "restart"
#: Causes of a start after which the context holds nothing that was delivered before.
EMPTIED = frozenset({"compact", "clear", RESTART})
#: Cause of a start after which the context still holds everything delivered to the parent conversation.
FORKED = "fork"
#: Cause of a start that may follow earlier deliveries to the same session.
RESUMED = "resume"


def deliver_at_start(recall: RecallContext, event: HookEvent, in_time: Callable[[], bool]) -> Delivery:
    """Return the briefing at the first start and after the context was emptied; nothing if the session still has its context.

    Some hosts run the hooks of the start and of the first prompt concurrently. Whichever comes first delivers the briefing.
    """
    state, session, now = recall.context.state, session_of(event), recall.context.clock.now()
    if event.cause in EMPTIED:
        forget_session(state, session)
    elif event.cause == FORKED or state.shown.keys(session):
        return Delivery(verdict=ALREADY_SHOWN)
    holdout = holdout_of(recall, event)
    occasion = Occasion(state, session, f"start of {event.session} by {event.cause}", now, holdout, in_time)
    if event.cause != RESTART and not occasion.claim():
        return Delivery(verdict=ALREADY_SHOWN)
    request = BriefingRequest(
        session=event.session, context=event.host, held_out=holdout.left_out, holds_back=_holds_back(recall, event)
    )
    is_compacted = event.cause == "compact"
    bundle = _after_compaction(recall, event, request) if is_compacted else _up_to_date(recall, request)
    return _with_notices(recall, occasion.record(with_held_back(bundle), Delivery(verdict=NOTHING_KNOWN)), bundle)


def _holds_back(recall: RecallContext, event: HookEvent) -> bool:
    """Return whether this start keeps for the first prompt what does not bind any work.

    Not where the subject is known already, where nothing is shown at prompts, and at the very first start of all.
    """
    is_new = event.cause not in ("compact", RESTART)
    return is_new and event.heard_at_prompts and is_in_use(recall.context.state)


def _after_compaction(recall: RecallContext, event: HookEvent, request: BriefingRequest) -> Bundle:
    """Return the working set from before the compaction, then the briefing; both share one budget."""
    from vademecum.sessions.lookup import in_hand
    from vademecum.sessions.working_set import joined_bundles

    budget = recall.limits.briefing_tokens
    working_set = in_hand(recall.context, event, min(WORKING_SET_TOKENS, budget // 2))
    return joined_bundles(working_set, briefing(recall, replace(request, budget=budget - working_set.tokens)))


def _up_to_date(recall: RecallContext, request: BriefingRequest) -> Bundle:
    """Return a briefing. If a memory in it was edited by hand since it was indexed, index the edit and compose again."""
    from vademecum.sync.index import follow_edits

    bundle = briefing(recall, request)
    return briefing(recall, request) if follow_edits(recall.context, bundle.keys) else bundle


def _with_notices(recall: RecallContext, delivery: Delivery, bundle: Bundle) -> Delivery:
    """Add the notice for the person to the delivery, also if there is nothing for the agent.

    It names the handoff that the agent is shown only at a prompt that goes on with it.
    """
    if delivery.verdict not in (SHOWN, NOTHING_KNOWN):
        return delivery
    waiting = recall.context.index.items(list(bundle.held_back)).values()
    stopped = (Notice(f"last session: {item.title}") for item in waiting if item.kind == "handoff")
    if shown := (*stopped, *notices(recall.context, recall.briefed_project)):
        line = "; ".join(text for text in (delivery.notice, *(notice.text for notice in shown)) if text)
        keys = (*delivery.keys, *(key for notice in shown for key in notice.keys))
        delivery = replace(delivery, notice=line, keys=keys, verdict=SHOWN)
    return delivery


class Ready(Struct, frozen=True):
    """A prepared delivery, valid for any session that starts in the same way.

    Attributes:
        but: ids of sessions that must not get it: paused sessions, and the one that would be recovered.
        until: time from which it must be composed again. files: it is valid while these do not change; a folder ends with a slash.
        project: slug of its project; "" for none.
    """

    delivery: Delivery
    but: tuple[str, ...]
    until: datetime
    files: tuple[str, ...]
    project: str


def is_foreseeable(event: HookEvent) -> bool:
    """Return whether a start of this kind can be prepared, because it does not depend on earlier deliveries."""
    return event.cause not in (*EMPTIED, FORKED, RESUMED)


def prepare(recall: RecallContext, event: HookEvent) -> Ready | None:
    """Return the delivery for sessions that will start like this one; None if it cannot be known in advance.

    Nothing is recorded as delivered, and no start is claimed.

    Raises:
        IndexDamaged: the index cannot be used.
    """
    from vademecum.sync.index import places_to_watch

    context, now = recall.context, recall.context.clock.now()
    anybody = replace(event, session="")
    if not is_foreseeable(event) or context.choices.measure_benefit or why_silent(context, anybody):
        return None
    holds_back = _holds_back(recall, event)
    bundle = with_held_back(_up_to_date(recall, BriefingRequest(context=event.host, holds_back=holds_back)))
    delivery = Delivery(keys=bundle.keys, verdict=NOTHING_KNOWN)
    if bundle.text:
        delivery = Delivery(bundle.text, notice_of(bundle.loaded), bundle.keys, SHOWN)
    delivery = _with_notices(recall, delivery, bundle)
    words, excluded = last_words(context, recall.briefed_project), context.storage.pauses.excluded()
    broken_off = to_recover((snapshot for snapshot in words if snapshot.session not in excluded), now)
    paused = [pause.session for pause in context.storage.pauses.all() if pause.session and pause.end is None]
    quiet_from = [snapshot.when + QUIET_FOR for snapshot in words]
    still_quiet = takewhile(lambda moment: moment > now, quiet_from)
    sessions = (*paused, *((broken_off.session,) if broken_off else ()))
    but = tuple(session.rpartition("/")[2] for session in sessions)
    return Ready(delivery, but, min([now + READY_FOR, *still_quiet]), places_to_watch(context, bundle.keys), recall.project)

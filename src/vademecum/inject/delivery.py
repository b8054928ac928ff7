"""What a session is given at its start and at a prompt: a briefing, and what is known.

Nothing is delivered twice in one session (X-47), and once for each event even when two hosts run the same hook (X-46). Silence has
a reason, which goes to the log.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.host import Delivery, uri_of
from vademecum.domain.query import Bundle
from vademecum.inject.bundle_text import compose_bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from vademecum.domain.host import HookEvent
    from vademecum.domain.query import Hit, Query, Recall, Scope
    from vademecum.inject.lottery import Lottery
    from vademecum.ports.state import State

#: Two hooks that tell of one moment come within this time.
SAME_MOMENT_S = 20.0
#: A host that does not keep what it was told in the conversation goes on with one in another process.
RESTART = "restart"
#: Causes of a start after which the agent has nothing of what it was told before.
EMPTIED = frozenset({"compact", "clear", RESTART})
#: A cause after which it still has everything that the conversation it goes on from was told.
FORKED = "fork"
#: The line for the person names so many titles, each so long.
NOTICE_TITLES = 5
NOTICE_TITLE_CHARS = 50
#: How keys of items begin.
_ITEMS = ("memory://", "document://", "session://")


def always() -> bool:
    """Say that somebody waits, however long it takes."""
    return True


def session_of(event: HookEvent) -> str:
    """Return the session's URI; a sub-agent has a context of its own."""
    uri = uri_of(event) or f"session://{event.host}/"
    return f"{uri}#{event.agent}" if event.agent else uri


class Moment(Struct, frozen=True):
    """What every delivery to a session needs.

    Attributes:
        state: what was delivered to each session, and who claimed which event. now: aware, UTC.
        lottery: what is left out of this session on purpose.
        in_time: whether somebody still waits; what nobody hears does not count as delivered.
    """

    state: State
    now: datetime
    lottery: Lottery
    in_time: Callable[[], bool] = always


class PromptSources(Struct, frozen=True):
    """Where the delivery at a prompt comes from.

    Attributes:
        query: how to ask; its text and what it must not return are filled in here.
        recall: answers it.
        brief: makes the briefing of a session that was not briefed at its start.
        opened: which of these hits are to be delivered, as they are shown.
        budget_tokens: most tokens of what is recalled.
    """

    query: Query
    recall: Callable[[Query], Recall]
    brief: Callable[[], Bundle]
    budget_tokens: int
    opened: Callable[[Sequence[Hit]], Sequence[Hit]] = lambda hits: hits


def deliver_at_start(event: HookEvent, brief: Callable[[], Bundle], moment: Moment) -> Delivery:
    """Return the briefing: at the first start, and again once the context was emptied, but not when an old conversation goes on.

    Some hosts run the hooks of the start and of the first prompt at once, and either may come first; that one briefs.

    Args:
        brief: makes it, without what `moment.lottery` leaves out.
    """
    session, state = session_of(event), moment.state
    if event.cause in EMPTIED:
        state.told.forget(session)
    elif event.cause == FORKED or state.told.keys(session):
        return Delivery(verdict="already told")
    occasion = f"start of {event.session} by {event.cause}"
    if event.cause != RESTART and not state.claims.claim(occasion, moment.now, SAME_MOMENT_S):
        return Delivery(verdict="already told")
    return _recorded(moment, occasion, session, brief(), Delivery(verdict="nothing known"))


def deliver_at_prompt(event: HookEvent, sources: PromptSources, moment: Moment) -> Delivery:
    """Return what is known about a prompt and was not delivered before in this session; nothing when that is nothing.

    1. One of several hooks for the same prompt claims it.
    2. A session to which nothing was delivered yet is briefed first: its start was not heard, or came too late.
    3. The prompt is asked, without what the session has, what is held back and what is left out on purpose.
    4. Briefing and hits are recorded as delivered, unless nobody waits any more.
    """
    if not event.by_person or not event.prompt.strip():
        return Delivery(verdict="not by a person")
    state, now = moment.state, moment.now
    occasion = f"prompt {zlib.crc32(event.prompt.encode('utf-8', 'replace')):08x} of {event.session}"
    if event.session and not state.claims.claim(occasion, now, SAME_MOMENT_S):
        return Delivery(verdict="already told")
    session = session_of(event)
    delivered = state.told.keys(session) if event.session else frozenset()
    briefing = sources.brief() if event.session and not delivered else Bundle("", 0, 0)
    delivered |= frozenset(briefing.keys)
    scope = without_told(sources.query.scope, delivered | moment.lottery.left_out(), session)
    query = replace(sources.query, text=event.prompt, scope=scope, session=session, seen=whole(delivered))
    recall = sources.recall(query)
    bundle = _fresh(recall, delivered, sources, moment)
    both = replace(
        bundle,
        text="\n\n".join(part.text for part in (briefing, bundle) if part.text),
        keys=(*briefing.keys, *bundle.keys),
        loaded=(*briefing.loaded, *bundle.loaded),
    )
    return _recorded(
        moment, occasion, session, both, Delivery(verdict=_silence(recall), trace=recall.trace, skipped=recall.skipped)
    )


def _fresh(recall: Recall, delivered: frozenset[str], sources: PromptSources, moment: Moment) -> Bundle:
    """Return the text of those hits that were neither delivered before, nor are held back, nor left out on purpose.

    They are no more than the query's limit, also where the answer may hold more, and what came along with a hit goes with it.
    """
    hits = tuple(hit for hit in recall.hits if key_of(hit) not in delivered)
    hits = tuple(sources.opened(hits))
    there = {hit.item.key for hit in hits if not hit.via}
    hits = tuple(hit for hit in hits if not hit.via or hit.via.rpartition(" ")[2] in there)[: sources.query.limit]
    bundle = compose_bundle(replace(recall, hits=hits), sources.budget_tokens, moment.now)
    hits = tuple(hit for hit in hits if key_of(hit) in bundle.keys)
    if not moment.lottery.left_out(hit.item for hit in hits):
        return bundle
    return compose_bundle(replace(recall, hits=_without_left_out(hits, moment.lottery)), sources.budget_tokens, moment.now)


def _recorded(moment: Moment, occasion: str, session: str, bundle: Bundle, silence: Delivery) -> Delivery:
    """Return the delivery of a bundle, recorded as delivered; when nobody waits any more, nothing, and the event can be claimed again.

    Args:
        occasion: as it was claimed. silence: the delivery for a bundle without text.
    """
    drew = moment.lottery.drew
    if (bundle.text or drew) and not moment.in_time():
        moment.state.claims.release(occasion)
        return replace(silence, verdict="too late")
    moment.lottery.note(moment.now)
    if not bundle.text:
        return replace(silence, verdict="held out") if drew else silence
    moment.state.told.record(session, bundle.keys, moment.now)
    return replace(silence, text=bundle.text, notice=notice_of(bundle.loaded), keys=bundle.keys, verdict="told")


def _without_left_out(hits: Sequence[Hit], lottery: Lottery) -> tuple[Hit, ...]:
    """Return the hits without what is left out of the session, nor what else says it: the conversation that it was taken from."""
    gone = lottery.left_out()
    return tuple(
        hit for hit in hits if hit.item.key not in gone and (hit.item.source == "memory" or not lottery.says(hit.passage.text))
    )


def _silence(recall: Recall) -> str:
    """Return why nothing is delivered."""
    if recall.verdict == "could not search":
        return "could not search"
    return "already told" if recall.hits else "nothing known"


def notice_of(titles: Sequence[str]) -> str:
    """Return one line for the person: how many memories were loaded, and which; "" for none."""
    if not titles:
        return ""
    named = [_short(title) for title in titles[:NOTICE_TITLES]]
    more = f" and {len(titles) - NOTICE_TITLES} more" if len(titles) > NOTICE_TITLES else ""
    return f"Loaded {len(titles)} {'memory' if len(titles) == 1 else 'memories'}: {'; '.join(named)}{more}"


def without_told(scope: Scope, told: frozenset[str], session: str) -> Scope:
    """Leave out memories that were told whole, and this conversation, which the agent has before it."""
    return replace(scope, without=scope.without | whole(told) | {session.partition("#")[0]})


def whole(told: frozenset[str]) -> frozenset[str]:
    """Return the keys of those items that were told whole: all but conversations."""
    return frozenset(key.partition("#")[0] for key in told if not key.startswith("session://"))


def items_of(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of the items that these pieces are of, each once; what is no item's, such as a notice, is left out."""
    items = (key.partition("#")[0] for key in keys)
    return tuple(dict.fromkeys(item for item in items if item.startswith(_ITEMS)))


def key_of(hit: Hit) -> str:
    """Return the key by which a piece of an item counts as told."""
    return f"{hit.item.key}#{hit.passage.ref}"


def _short(title: str) -> str:
    flat = " ".join(title.split())
    return flat if len(flat) <= NOTICE_TITLE_CHARS else flat[: NOTICE_TITLE_CHARS - 3].rstrip() + "..."

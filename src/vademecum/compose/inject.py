"""What an agent is told when its host says that something happened: a briefing at the start, what is known at a prompt.

Nothing is told twice in one session (X-47), and once for each moment even when two hosts run the same hook (X-46). Silence has
a reason, which goes to the log.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from vademecum.compose.bundle import compose_bundle
from vademecum.domain.host import Delivery, uri_of
from vademecum.domain.query import Bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from vademecum.compose.lottery import Lottery
    from vademecum.domain.host import HookEvent
    from vademecum.domain.item import Item
    from vademecum.domain.query import Hit, Query, Recall, Scope
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


def tell_at_start(
    event: HookEvent,
    state: State,
    now: datetime,
    brief: Callable[[], Bundle],
    lottery: Lottery,
    in_time: Callable[[], bool] = always,
) -> Delivery:
    """Return the briefing: at the first start, and again once the context was emptied, but not when an old conversation goes on.

    Some hosts run the hooks of the start and of the first prompt at once, and either may come first; that one briefs.

    Args:
        lottery: what `brief` leaves out of this session.
    """
    session = session_of(event)
    if event.cause in EMPTIED:
        state.told.forget(session)
    elif event.cause == FORKED or state.told.keys(session):
        return Delivery(verdict="already told")
    occasion = f"start of {event.session} by {event.cause}"
    if event.cause != RESTART and not state.claims.claim(occasion, now, SAME_MOMENT_S):
        return Delivery(verdict="already told")
    bundle = brief()
    if (bundle.text or lottery.drew) and not in_time():
        state.claims.release(occasion)
        return Delivery(verdict="too late")
    lottery.note(now)
    if not bundle.text:
        return Delivery(verdict="held out" if lottery.drew else "nothing known")
    state.told.record(session, bundle.keys, now)
    return Delivery(bundle.text, notice_of(bundle.loaded), bundle.keys, "told")


def tell_at_prompt(
    event: HookEvent,
    query: Query,
    state: State,
    now: datetime,
    recall: Callable[[Query], Recall],
    brief: Callable[[], Bundle],
    budget_tokens: int,
    lottery: Lottery,
    in_time: Callable[[], bool] = always,
    rests: Callable[[Sequence[Item]], frozenset[str]] = lambda _: frozenset(),
) -> Delivery:
    """Return what is known about a prompt and was not told before in this session; nothing when that is nothing.

    A session that was told nothing yet is briefed first: its start was not heard, or came too late.

    Args:
        query: how to ask; its text and what it must not return are filled in here.
        lottery: what is left out of this session.
        in_time: whether somebody still waits; what nobody hears does not count as told.
        rests: which of these items are not to be told again so soon, by their keys.
    """
    if not event.by_person or not event.prompt.strip():
        return Delivery(verdict="not by a person")
    occasion = f"prompt {zlib.crc32(event.prompt.encode('utf-8', 'replace')):08x} of {event.session}"
    if event.session and not state.claims.claim(occasion, now, SAME_MOMENT_S):
        return Delivery(verdict="already told")
    session = session_of(event)
    told = state.told.keys(session) if event.session else frozenset()
    briefing = brief() if event.session and not told else Bundle("", 0, 0)
    told |= frozenset(briefing.keys)
    kept_away = told | lottery.left_out()
    scope = without_told(query.scope, kept_away, session)
    found = recall(replace(query, text=event.prompt, scope=scope, session=session, seen=whole(told)))
    fresh = tuple(hit for hit in found.hits if key_of(hit) not in told)
    resting = rests([hit.item for hit in fresh])
    fresh = tuple(hit for hit in fresh if hit.item.key not in resting)
    bundle = compose_bundle(replace(found, hits=fresh), budget_tokens, now)
    would_be_told = tuple(hit for hit in fresh if key_of(hit) in bundle.keys)
    if lottery.left_out(hit.item for hit in would_be_told):
        fresh = _without_left_out(would_be_told, lottery)
        bundle = compose_bundle(replace(found, hits=fresh), budget_tokens, now)
    text = "\n\n".join(part.text for part in (briefing, bundle) if part.text)
    if (text or lottery.drew) and not in_time():
        state.claims.release(occasion)
        return Delivery(verdict="too late", trace=found.trace, skipped=found.skipped)
    lottery.note(now)
    if not text:
        return Delivery(verdict="held out" if lottery.drew else _silence(found), trace=found.trace, skipped=found.skipped)
    keys = (*briefing.keys, *bundle.keys)
    state.told.record(session, keys, now)
    return Delivery(text, notice_of((*briefing.loaded, *bundle.loaded)), keys, "told", found.trace, found.skipped)


def _without_left_out(hits: Sequence[Hit], lottery: Lottery) -> tuple[Hit, ...]:
    """Return the hits without what is left out of the session, nor what else tells it: the conversation that it was taken from."""
    gone = lottery.left_out()
    return tuple(
        hit for hit in hits if hit.item.key not in gone and (hit.item.source == "memory" or not lottery.says(hit.passage.text))
    )


def _silence(found: Recall) -> str:
    """Return why nothing is told."""
    if found.verdict == "could not search":
        return "could not search"
    return "already told" if found.hits else "nothing known"


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

"""Delivery records: nothing is delivered twice in a session (X-47); each event is answered once, even if two hosts run its hook (X-46)."""

import zlib
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.host import Delivery, HookEvent, uri_of
from vademecum.domain.pause import going_on
from vademecum.domain.query import Bundle, Hit, Scope
from vademecum.domain.uris import item_and_place
from vademecum.domain.why_nothing import DISABLED, HELD_OUT, PAUSED, SHOWN, TOO_LATE
from vademecum.ingest.stop_files import stop_above
from vademecum.inject.context import RecallContext
from vademecum.inject.holdout import Holdout, holdout_of
from vademecum.inject.numbers import FIRST_PROMPTS, NOTICE_TITLE_CHARS, NOTICE_TITLES, SAME_EVENT_S
from vademecum.language.text import brief
from vademecum.ports.state import State

#: Prefix of the claim held for a session until it is briefed; the session's URI follows.
_UNBRIEFED = "no briefing yet in"
#: Prefix of the key of a memory that the start of a session kept for its first prompts, among the keys recorded for the session.
_HELD_BACK = "held back:"
#: Seconds for which it is remembered that a session's first prompts were asked: as long as what the session was shown.
_ASKED_S = 30 * 86400.0
#: Prefixes of item keys.
_ITEMS = ("memory://", "document://", "session://")


def always() -> bool:
    """Return True: the host waits without limit."""
    return True


def why_silent(context: Context, event: HookEvent) -> Literal["", "disabled", "paused"]:
    """Return why this session is given nothing at any event; "" if deliveries are allowed."""
    if not context.enabled:
        return DISABLED
    if going_on(context.storage.pauses.all(), uri_of(event)) or stop_above(event.cwd):
        return PAUSED
    return ""


def session_of(event: HookEvent) -> str:
    """Return the session's URI; a sub-agent gets a URI of its own, because it has its own context."""
    uri = uri_of(event) or f"session://{event.host}/"
    return f"{uri}#{event.agent}" if event.agent else uri


class Occasion(Struct, frozen=True):
    """One event of a session, answered once.

    Attributes:
        state: deliveries per session, and claims of events.
        session: URI of the session. name: identifies the event. now: aware, UTC.
        holdout: memories held out of this session on purpose.
        in_time: True while the host still waits. A delivery after that is not recorded.
    """

    state: State
    session: str
    name: str
    now: datetime
    holdout: Holdout
    in_time: Callable[[], bool]

    def claim(self) -> bool:
        """Claim the event; False if another hook has claimed it."""
        return self.state.claims.claim(self.name, self.now, SAME_EVENT_S)

    def record(self, bundle: Bundle, silence: Delivery) -> Delivery:
        """Return the delivery of a bundle and record it. If it is too late, record nothing and release the claim.

        Args:
            silence: the delivery for a bundle without text.
        """
        drew = self.holdout.drew
        if (bundle.text or drew) and not self.in_time():
            self.state.claims.release(self.name)
            return replace(silence, verdict=TOO_LATE)
        self.holdout.note(self.now)
        if bundle.keys:
            self.state.shown.record(self.session, bundle.keys, self.now)
        if not bundle.text:
            return replace(silence, verdict=HELD_OUT) if drew else silence
        return replace(silence, text=bundle.text, notice=notice_of(bundle.loaded), keys=bundle.keys, verdict=SHOWN)


def occasion_of_prompt(recall: RecallContext, event: HookEvent, in_time: Callable[[], bool]) -> Occasion:
    """Return the occasion of a prompt."""
    context, checksum = recall.context, zlib.crc32(event.prompt.encode("utf-8", "replace"))
    name, holdout = f"prompt {checksum:08x} of {event.session}", holdout_of(recall, event)
    return Occasion(context.state, session_of(event), name, context.clock.now(), holdout, in_time)


def note_unbriefed(state: State, session: str, now: datetime) -> None:
    """Mark a session that was shown something before its briefing; it is briefed at its next prompt."""
    state.claims.claim(f"{_UNBRIEFED} {session}", now, 0.0)


def is_unbriefed(state: State, session: str) -> bool:
    """Return whether :func:`note_unbriefed` marked a session, and clear the mark."""
    return state.claims.release(f"{_UNBRIEFED} {session}")


def with_held_back(bundle: Bundle) -> Bundle:
    """Return a briefing whose keys, recorded for its session, say also what is kept for the first prompts."""
    return replace(bundle, keys=(*bundle.keys, *(f"{_HELD_BACK}{key}" for key in bundle.held_back)))


def shown_and_held_back(recorded: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return (keys that were shown, keys that were kept for the first prompts) of what was recorded for a session."""
    keys = frozenset(recorded)
    marked = frozenset(key for key in keys if key.startswith(_HELD_BACK))
    return keys - marked, frozenset(key.removeprefix(_HELD_BACK) for key in marked)


def is_in_use(state: State) -> bool:
    """Return whether anything was shown to an agent before: the very first session is shown all of its briefing at once."""
    return state.shown.since() is not None


def nth_prompt(state: State, session: str, now: datetime) -> int:
    """Return the number of this prompt among the first ones of a session, from 1, and note that it was asked; 0: it is none of them."""
    names = enumerate(_first_prompts(session), start=1)
    return next((nth for nth, name in names if state.claims.claim(name, now, _ASKED_S)), 0)


def forget_session(state: State, session: str) -> None:
    """Forget what was shown in a session, because its context was emptied."""
    state.shown.forget(session)
    for name in _first_prompts(session):
        state.claims.release(name)


def _first_prompts(session: str) -> list[str]:
    return [f"prompt {nth} of {session}" for nth in range(1, FIRST_PROMPTS + 1)]


def count_delivered(context: Context, keys: Sequence[str], now: datetime, project: str) -> None:
    """Count deliveries per memory, so that memories which are never used can be identified."""
    if items := items_of(keys):
        context.state.usage.note("told", items, now, project)


def notice_of(titles: Sequence[str]) -> str:
    """Return one line for the person with the number and titles of the loaded memories; "" if none."""
    if not titles:
        return ""
    named = [brief(title, NOTICE_TITLE_CHARS) for title in titles[:NOTICE_TITLES]]
    more = f" and {len(titles) - NOTICE_TITLES} more" if len(titles) > NOTICE_TITLES else ""
    return f"Loaded {len(titles)} {'memory' if len(titles) == 1 else 'memories'}: {'; '.join(named)}{more}"


def without_delivered(scope: Scope, delivered: frozenset[str], session: str) -> Scope:
    """Exclude items that were delivered in full, and this conversation, which the agent already has in its context."""
    return replace(scope, without=scope.without | whole_items(delivered) | {session.partition("#")[0]})


def whole_items(delivered: frozenset[str]) -> frozenset[str]:
    """Return the keys of items that were delivered in full: everything except conversations."""
    return frozenset(item_and_place(key)[0] for key in delivered if not key.startswith("session://"))


def items_of(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of the items that these passages belong to, without duplicates. Other keys, such as those of notices, are dropped."""
    items = (item_and_place(key)[0] for key in keys)
    return tuple(dict.fromkeys(item for item in items if item.startswith(_ITEMS)))


def key_of(hit: Hit) -> str:
    """Return the key under which the passage of a hit is recorded as delivered."""
    return f"{hit.item.key}#{hit.passage.ref}"

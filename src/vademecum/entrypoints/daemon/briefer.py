"""Prepares briefings for the next session starts, and records those that the hook client has printed."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.actions.shown_rules import note_acted
from vademecum.domain.errors import VademecumError
from vademecum.domain.host import HookEvent, uri_of
from vademecum.domain.ready import Conditions, Printed, Start
from vademecum.domain.tokens import estimate_tokens
from vademecum.entrypoints.daemon.executor import Desk
from vademecum.entrypoints.hooks.answer import Hooks
from vademecum.entrypoints.hooks.carrier import stamp_of
from vademecum.entrypoints.hooks.starts import AlikeStarts, alike
from vademecum.inject.at_start import Ready, is_foreseeable, prepare
from vademecum.inject.context import RecallContext
from vademecum.inject.delivered import count_delivered
from vademecum.inject.notices import record_notices_shown
from vademecum.settings import Settings
from vademecum.wiring import project_signs, ready_briefings

if TYPE_CHECKING:
    from vademecum.actions.call_rules import KnownRules
    from vademecum.domain.item import Item

_log = logging.getLogger(__name__)

#: Poll interval in seconds. Changes often come in bursts, so briefings are composed after as long without a change.
LOOK_S = 1.0
#: A briefing is composed again after so many seconds even if nothing changed, because ages in it grow.
ANEW_S = 900.0
#: Memories whose rules are read in one batch; waiting requests are answered between batches.
RULES_AT_ONCE = 10
#: How long it is remembered what a session was shown.
SHOWN_KEPT = timedelta(days=30)


class Briefer:
    """Composes briefings in the thread of the memory while no request waits.

    Args:
        config: the configuration files that the helper uses.
    """

    def __init__(self, settings: Settings, desk: Desk, hooks: Hooks, config: Sequence[Path]) -> None:
        self._desk, self._hooks, self._clock = desk, hooks, hooks.clock
        self._ready, self._settings = ready_briefings(settings), settings
        self._config = [(stamp_of(str(path)), str(path)) for path in config]
        self._wanted = asyncio.Event()
        self._made = ("", 0.0)
        self._until = self._clock.now()
        self._rules: KnownRules | None = None
        self._ruled: frozenset[str] = frozenset()  # folders of starts that the file of rules was composed for

    async def run(self) -> None:
        """Prepare briefings until cancelled."""
        self._ready.forget_sessions(self._clock.now() - SHOWN_KEPT)
        await self.note_printed()
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):  # `wait_for` loses a cancellation that comes with the event (Python 3.11)
                    await self._wanted.wait()
            self._wanted.clear()
            try:
                await self._note_acted()
                await self._make()
            except (VademecumError, OSError) as error:  # damaged index, full disk: the next session start asks the helper
                _log.warning("no briefing is ready: %s", error)

    def remember(self, host: str, folder: str, payload: bytes) -> None:
        """Prepare briefings for starts like this one from now on."""
        alike_starts = self._alike(host, folder, payload)
        if alike_starts and is_foreseeable(alike_starts.event):  # another kind of start would replace a foreseeable one
            start = Start(alike_starts.key, host, alike_starts.event.cwd, payload)
            self._ready.remember(start, self._clock.now())
            self._wanted.set()

    def forget_acted(self, session: str) -> None:
        """Allow rules to be shown again in a session that is about to be compacted."""
        self._ready.forget_acted(session)

    async def take_over(self, event: HookEvent) -> None:
        """Record what the client printed for a session, and take over from it: from now on the client prints nothing for this session."""
        printed = self._ready.claim(event.session)
        if printed:
            await self._note(printed)

    async def note_printed(self) -> None:
        """Record what the client has printed since the last call."""
        for printed in self._ready.printed():
            await self._note(printed)
        await self._note_acted()

    async def _note_acted(self) -> None:
        """Record what the client has shown at tool calls since the last call."""
        if acted := self._ready.acted():
            await self._desk.recall(lambda recall: note_acted(recall.context, acted))
            for line in acted:
                self._hooks.note_call(line)

    async def _note(self, printed: Printed) -> None:
        event = self._hooks.start_of(printed)
        news = await self._desk.recall(lambda recall: _noted(recall, uri_of(event), printed), first=True)
        if news:  # so that the next session does not get it again
            self._ready.take_away()
        self._hooks.note(printed)

    def _alike(self, host: str, folder: str, payload: bytes) -> AlikeStarts | None:
        try:
            return alike(lambda fields: self._hooks.event_of(host, folder, fields), host, folder, payload)
        except (ValueError, VademecumError):
            return None

    async def _make(self) -> None:
        """Compose the briefings that are missing or out of date. Stop if something changes meanwhile; the next poll starts again."""
        if not Path(self._settings.data_dir).is_dir():
            return  # the data folder is gone: it is not created again, and the helper ends
        starts = self._ready.starts()
        mark, at = self._made
        if self._ready.standing_mark() != mark or not mark:
            mark, at = self._ready.mark(self._clock.new_id()), self._clock.elapsed_s()
            await asyncio.sleep(LOOK_S)
        old = self._clock.elapsed_s() - at > ANEW_S or self._clock.now() >= self._until
        if old:
            self._until = self._clock.now() + SHOWN_KEPT
        if old or not self._ready.rules_mark() or not {start.folder for start in starts} <= self._ruled:
            await self._compose_rules(tuple(dict.fromkeys(start.folder for start in starts)), mark)
            self._ruled = frozenset(start.folder for start in starts)
        for start in starts:
            if self._ready.standing_mark() != mark:
                return
            if old or not self._ready.has(start):
                await self._compose(start, mark)
        self._made = (mark, self._clock.elapsed_s() if old else at)

    async def _compose_rules(self, folders: Sequence[str], mark: str) -> None:
        """Write the file of rules for tool calls. A request that comes meanwhile waits for one batch of files at most."""
        from vademecum.actions.call_rules import KnownRules
        from vademecum.actions.ready import ready_lines  # imports the write path, which first answers do not need

        rules = self._rules = self._rules or KnownRules()
        changed = await self._desk.recall(lambda recall: rules.changed(recall.context))
        for start in range(0, len(changed), RULES_AT_ONCE):
            some = changed[start : start + RULES_AT_ONCE]
            await self._desk.recall(partial(_read_rules, rules, some))
        self._ready.put_rules(await self._desk.recall(lambda recall: ready_lines(recall.context, rules, folders)), mark)

    async def _compose(self, start: Start, mark: str) -> None:
        alike_starts = self._alike(start.host, start.folder, start.payload)
        if alike_starts is None:
            return
        files = tuple((stamp_of(path), path) for path in map(str, project_signs(self._settings, alike_starts.event.cwd)))
        ready: Ready | None = await self._desk.recall(
            lambda recall: prepare(recall, alike_starts.event), cwd=alike_starts.event.cwd
        )
        if ready is None:
            return
        self._until = min(self._until, ready.until)
        pairs = tuple((stamp_of(path), path) for path in ready.files)
        conditions = Conditions(
            alike_starts.session, alike_starts.same, ready.but, (*self._config, *files, *pairs), ready.until
        )
        text = self._hooks.text_of(alike_starts.event, ready.delivery)
        self._ready.put(start, mark, conditions, _note_of(alike_starts.event, ready), text.encode())


def _read_rules(rules: "KnownRules", items: "Sequence[Item]", recall: RecallContext) -> None:
    rules.read(recall.context, items)


def _noted(recall: RecallContext, session: str, printed: Printed) -> bool:
    """Record what a session was shown; return whether that included a notice that the person gets only once."""
    recall.context.state.shown.record(session, printed.keys, printed.at)
    count_delivered(recall.context, printed.keys, printed.at, printed.project)
    return record_notices_shown(recall.context, printed.keys, printed.at)


def _note_of(event: HookEvent, ready: Ready) -> bytes:
    """Return the note that the client writes when it prints a briefing."""
    delivery = ready.delivery
    tokens = estimate_tokens(delivery.text) if delivery.text else 0
    note = {"host": event.host, "event": event.event, "keys": delivery.keys, "tokens": tokens, "project": ready.project}
    return json.dumps(note).encode()

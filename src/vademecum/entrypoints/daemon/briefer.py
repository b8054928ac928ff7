"""Keeps briefings ready for sessions that are about to start, and notes those that the hook client has told."""

import asyncio
import contextlib
import json
import logging
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.actions.log import note_acted
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
from vademecum.inject.notices import note_told
from vademecum.settings import Settings
from vademecum.wiring import project_signs, ready_briefings

if TYPE_CHECKING:
    from vademecum.actions.rules import KnownRules
    from vademecum.domain.item import Item

_log = logging.getLogger(__name__)

#: Seconds between two looks whether something changed. Changes often come together: briefings are composed after as long a quiet.
LOOK_S = 1.0
#: Seconds after which a briefing is composed anew although nothing changed: time passes, too.
ANEW_S = 900.0
#: Memories that are read for their rules before the next one who asks is answered.
RULES_AT_ONCE = 10
#: What a session was told is remembered for so long.
TOLD_KEPT = timedelta(days=30)


class Briefer:
    """Composes briefings, in the memory's thread, while nobody waits.

    Args:
        config: files of the settings that the helper runs with.
    """

    def __init__(self, settings: Settings, desk: Desk, hooks: Hooks, config: Sequence[Path]) -> None:
        self._desk, self._hooks, self._clock = desk, hooks, hooks.clock
        self._ready, self._settings = ready_briefings(settings), settings
        self._config = [(stamp_of(str(path)), str(path)) for path in config]
        self._wanted = asyncio.Event()
        self._made = ("", 0.0)
        self._until = self._clock.now()
        self._rules: KnownRules | None = None

    async def run(self) -> None:
        """Keep briefings ready until cancelled."""
        self._ready.forget_sessions(self._clock.now() - TOLD_KEPT)
        await self.note_printed()
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), LOOK_S)
            self._wanted.clear()
            try:
                await self._note_acted()
                await self._make()
            except (VademecumError, OSError) as error:  # an index that cannot be used, a full disk: the next start asks us
                _log.warning("no briefing is ready: %s", error)

    def remember(self, host: str, folder: str, payload: bytes) -> None:
        """Keep a briefing ready for starts like this one."""
        alike_starts = self._alike(host, folder, payload)
        if alike_starts and is_foreseeable(alike_starts.event):  # another kind would take the place of one that is
            self._ready.remember(Start(alike_starts.key, host, folder, payload), self._clock.now())
            self._wanted.set()

    def forget_acted(self, session: str) -> None:
        """Let rules be told again at the calls of a session that is about to lose what it was told."""
        self._ready.forget_acted(session)

    async def told(self, event: HookEvent) -> None:
        """Know what the client told a session before it is told more; from here on the client tells it nothing."""
        printed = self._ready.claim(event.session)
        if printed:
            await self._note(printed)

    async def note_printed(self) -> None:
        """Note what the client has told since the last time."""
        for printed in self._ready.printed():
            await self._note(printed)
        await self._note_acted()

    async def _note_acted(self) -> None:
        """Note what the client has told at tool calls since the last time."""
        if acted := self._ready.acted():
            await self._desk.recall(lambda recall: note_acted(recall.context, acted))
            for line in acted:
                self._hooks.note_call(line)

    async def _note(self, printed: Printed) -> None:
        event = self._hooks.start_of(printed)
        news = await self._desk.recall(lambda recall: _noted(recall, uri_of(event), printed), first=True)
        if news:  # the next session is not told it again
            self._ready.take_away()
        self._hooks.note(printed)

    def _alike(self, host: str, folder: str, payload: bytes) -> AlikeStarts | None:
        try:
            return alike(lambda fields: self._hooks.event_of(host, folder, fields), host, folder, payload)
        except (ValueError, VademecumError):
            return None

    async def _make(self) -> None:
        """Compose what is not ready. Gives up when something changes meanwhile; the next look begins anew."""
        if not Path(self._settings.data_dir).is_dir():
            return  # our data are gone: nothing is made there again, and the helper ends
        starts = self._ready.starts()
        mark, at = self._made
        if self._ready.standing_mark() != mark or not mark:
            mark, at = self._ready.mark(self._clock.new_id()), self._clock.elapsed_s()
            await asyncio.sleep(LOOK_S)
        old = self._clock.elapsed_s() - at > ANEW_S or self._clock.now() >= self._until
        if old:
            self._until = self._clock.now() + TOLD_KEPT
        if old or not self._ready.rules_mark():
            await self._compose_rules(tuple(dict.fromkeys(start.folder for start in starts)), mark)
        for start in starts:
            if self._ready.standing_mark() != mark:
                return
            if old or not self._ready.has(start):
                await self._compose(start, mark)
        self._made = (mark, self._clock.elapsed_s() if old else at)

    async def _compose_rules(self, folders: Sequence[str], mark: str) -> None:
        """Write the rules for tool calls down. Whoever asks something meanwhile waits for few files at most."""
        from vademecum.actions.ready import ready_lines  # they load what writes, which the first answers do without
        from vademecum.actions.rules import KnownRules

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
    """Note what a session was told; return whether the person was told something that is told once."""
    recall.context.state.told.record(session, printed.keys, printed.at)
    count_delivered(recall.context, printed.keys, printed.at, printed.project)
    return note_told(recall.context, printed.keys, printed.at)


def _note_of(event: HookEvent, ready: Ready) -> bytes:
    """Return the note that the client leaves when it prints a briefing."""
    delivery = ready.delivery
    tokens = estimate_tokens(delivery.text) if delivery.text else 0
    note = {"host": event.host, "event": event.event, "keys": delivery.keys, "tokens": tokens, "project": ready.project}
    return json.dumps(note).encode()

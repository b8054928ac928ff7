"""The one thread that the memory lives in: prompts go before everybody else, but starve nobody. Long reads go elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vademecum.domain.host import HookEvent
from vademecum.domain.query import Query
from vademecum.entrypoints.daemon.memory_usage import give_back
from vademecum.entrypoints.daemon.opened import Opened
from vademecum.inject.ask import ask_at_once
from vademecum.inject.context import RecallContext
from vademecum.inject.deliver import expect, warm_up
from vademecum.settings import Settings

if TYPE_CHECKING:  # hooks are answered before the whole memory is loaded, by what answers questions
    from vademecum.api import Vademecum
    from vademecum.entrypoints.daemon.reading_lane import ReadingLane

T = TypeVar("T")

#: So many prompts go before one of the others that wait: as many hooks as agents run at once are answered together, and whoever
#: saves beside them waits for these few.
PROMPTS_AHEAD = 4


class Waiting:
    """Actions that have not begun. Any thread puts, one takes."""

    def __init__(self) -> None:
        self._prompts: deque[Callable[[], None]] = deque()
        self._others: deque[Callable[[], None]] = deque()
        self._there = threading.Semaphore(0)
        self._ahead = 0

    def put(self, action: Callable[[], None], *, first: bool) -> None:
        """Add an action, behind those of its sort. `first`: somebody waits at a prompt."""
        (self._prompts if first else self._others).append(action)
        self._there.release()

    def end(self) -> None:
        """Let :meth:`take` give None once all is taken."""
        self._there.release()

    def take(self) -> Callable[[], None] | None:
        """Return the next action as soon as there is one: a prompt's, but after PROMPTS_AHEAD of them one of the others."""
        self._there.acquire()
        if self._prompts and not (self._others and self._ahead >= PROMPTS_AHEAD):
            self._ahead = self._ahead + 1 if self._others else 0
            return self._prompts.popleft()
        self._ahead = 0
        return self._others.popleft() if self._others else None

    def __len__(self) -> int:
        return len(self._prompts) + len(self._others)


class Desk:
    """Runs actions on the memory, one after the other. Call :meth:`open` first and :meth:`close` at the end."""

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        self._settings, self._config = settings, config
        self._waiting = Waiting()
        self._thread = threading.Thread(target=self._work, name="memory", daemon=True)
        self._opened = Opened(settings)
        self._lane: ReadingLane | None = None

    async def open(self) -> None:
        """Open the memory, as far as hooks need it.

        Raises:
            VademecumError: there is no memory, or its folder is gone.
        """
        self._thread.start()
        await self.recall(lambda recall: None, first=True)

    async def warm_up(self) -> None:
        """Load what later questions would have to wait for."""
        await self.recall(_warm)
        await self.let_go()

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        """Return what `action` returns, or raise what it raises.

        Args:
            cwd: the folder that the work goes on in; "" when nobody knows.
            aside: it only reads, may take long, and can be pickled: it goes to another process, so that nobody waits for it.
        """
        if aside:
            from vademecum.entrypoints.daemon.reading_lane import LaneClosed, ReadingLane

            self._lane = self._lane or ReadingLane(self._settings, self._config)
            with contextlib.suppress(LaneClosed):
                return await self._lane(action, cwd=cwd)
        return await self._run(lambda: action(self._opened.memory_at(cwd)), first=False)

    async def recall(self, action: Callable[[RecallContext], T], *, cwd: str = "", first: bool = False) -> T:
        """Run an action that only asks or briefs."""
        return await self._run(lambda: action(self._opened.recall_at(cwd)), first=first)

    async def _run(self, action: Callable[[], T], *, first: bool) -> T:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def run() -> None:
            if answer.cancelled():
                return
            try:
                result = action()
            except BaseException as error:  # noqa: BLE001 -- it belongs to the caller, whatever it is
                loop.call_soon_threadsafe(_fail, answer, error)
            else:
                loop.call_soon_threadsafe(_give, answer, result)

        self._waiting.put(run, first=first)
        return await answer

    async def let_go(self) -> None:
        """Give back memory that is read again when it is asked for."""
        await self.recall(_let_go)

    def expect(self, event: HookEvent) -> None:
        """Begin with what an answer to this will need soon."""
        recall = self._opened.recall_at_once()
        if recall is not None:
            expect(recall, event)

    def waiting(self) -> int:
        """Return actions that have not begun."""
        return len(self._waiting)

    def close(self) -> None:
        """Finish what is begun and close the memory."""
        if self._lane is not None:
            self._lane.close()
        self._waiting.end()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while run := self._waiting.take():
            run()
        self._opened.close()


def _warm(recall: RecallContext) -> None:
    warm_up(recall)
    ask_at_once(recall, Query("what do we know?"))


def _let_go(recall: RecallContext) -> None:
    recall.context.index.let_go()
    give_back()


def _give(answer: asyncio.Future[Any], result: Any) -> None:
    if not answer.done():
        answer.set_result(result)


def _fail(answer: asyncio.Future[Any], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)

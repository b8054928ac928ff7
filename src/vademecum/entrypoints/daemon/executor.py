"""The thread that uses the memory. Prompts go first, without starving other actions. Long reads go to another process."""

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
from vademecum.inject.ask import search_at_once
from vademecum.inject.context import RecallContext
from vademecum.inject.deliver import expect, warm_up
from vademecum.settings import Settings

if TYPE_CHECKING:  # hooks are answered before the whole memory is loaded, by what answers questions
    from vademecum.api import Vademecum
    from vademecum.entrypoints.daemon.reading_lane import ReadingLane

T = TypeVar("T")

#: Most prompts answered before one of the other waiting actions: about as many as agents run at once, so that a save waits only for
#: these.
PROMPTS_AHEAD = 4


class Waiting:
    """A queue of waiting actions. Any thread may put; one takes."""

    def __init__(self) -> None:
        self._prompts: deque[Callable[[], None]] = deque()
        self._others: deque[Callable[[], None]] = deque()
        self._there = threading.Semaphore(0)
        self._ahead = 0

    def put(self, action: Callable[[], None], *, first: bool) -> None:
        """Add an action. `first`: it is for a prompt."""
        (self._prompts if first else self._others).append(action)
        self._there.release()

    def end(self) -> None:
        """Let :meth:`take` return None once the queue is empty."""
        self._there.release()

    def take(self) -> Callable[[], None] | None:
        """Wait for the next action: one of a prompt, but after PROMPTS_AHEAD of these one of the others."""
        self._there.acquire()
        if self._prompts and not (self._others and self._ahead >= PROMPTS_AHEAD):
            self._ahead = self._ahead + 1 if self._others else 0
            return self._prompts.popleft()
        self._ahead = 0
        return self._others.popleft() if self._others else None

    def __len__(self) -> int:
        return len(self._prompts) + len(self._others)


class Desk:
    """Runs actions on the memory, one at a time. Call :meth:`open` first and :meth:`close` at the end."""

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
        """Load the models, so that later questions need not wait for them."""
        await self.recall(_warm)
        await self.let_go()

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        """Run `action` and return its result, or raise its error.

        Args:
            cwd: the working folder; "" if unknown.
            aside: it only reads, may take long and is picklable, so it runs in another process.
        """
        if aside:
            from vademecum.entrypoints.daemon.reading_lane import LaneClosed, ReadingLane

            self._lane = self._lane or ReadingLane(self._settings, self._config)
            with contextlib.suppress(LaneClosed):
                return await self._lane(action, cwd=cwd)
        return await self._run(lambda: action(self._opened.memory_at(cwd)), first=False)

    async def recall(self, action: Callable[[RecallContext], T], *, cwd: str = "", first: bool = False) -> T:
        """Run an action that only asks questions or composes briefings."""
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
        """Free caches; they are filled again when needed."""
        await self._run(self._let_go, first=False)

    def _let_go(self) -> None:
        self._opened.let_go()
        give_back()

    def expect(self, event: HookEvent) -> None:
        """Begin to load what the answer to this event will need."""
        recall = self._opened.recall_at_once()
        if recall is not None:
            expect(recall, event)

    def waiting(self) -> int:
        """Return how many actions wait."""
        return len(self._waiting)

    def close(self) -> None:
        """Finish the running action and close the memory."""
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
    search_at_once(recall, Query("what do we know?"))


def _give(answer: asyncio.Future[Any], result: Any) -> None:
    if not answer.done():
        answer.set_result(result)


def _fail(answer: asyncio.Future[Any], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)

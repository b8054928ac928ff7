"""The one thread that the memory lives in: whoever waits for a prompt goes first, everybody else in order. Long reads go elsewhere."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vademecum.domain.host import HookEvent
from vademecum.domain.query import Query
from vademecum.entrypoints.daemon.memory_usage import give_back
from vademecum.entrypoints.daemon.opened import Opened
from vademecum.inject.ask import ask_at_once
from vademecum.inject.context import RecallContext
from vademecum.inject.deliver import expect
from vademecum.settings import Settings

if TYPE_CHECKING:  # hooks are answered before the whole memory is loaded, by what answers questions
    from vademecum.api import Vademecum
    from vademecum.entrypoints.daemon.reading_lane import ReadingLane

T = TypeVar("T")

_FIRST, _IN_ORDER, _LAST = 0, 1, 2


class Desk:
    """Runs actions on the memory, one after the other. Call :meth:`open` first and :meth:`close` at the end."""

    def __init__(self, settings: Settings, config: Path | None = None) -> None:
        self._settings, self._config = settings, config
        self._actions: queue.PriorityQueue[tuple[int, int, Callable[[], None] | None]] = queue.PriorityQueue()
        self._numbers = itertools.count()
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

        self._actions.put((_FIRST if first else _IN_ORDER, next(self._numbers), run))
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
        return self._actions.qsize()

    def close(self) -> None:
        """Finish what is begun and close the memory."""
        if self._lane is not None:
            self._lane.close()
        self._actions.put((_LAST, next(self._numbers), None))
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while True:
            _, _, run = self._actions.get()
            if run is None:
                break
            run()
        self._opened.close()


def _warm(recall: RecallContext) -> None:
    recall.searcher.warm_up()
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

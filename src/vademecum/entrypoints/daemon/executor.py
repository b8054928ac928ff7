"""The one thread that the memory lives in. Whoever waits for a prompt goes first, everybody else in order."""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vademecum.context.context import Context
from vademecum.domain.host import HookEvent
from vademecum.domain.query import Query
from vademecum.entrypoints.daemon.memory_usage import give_back
from vademecum.inject.ask import ask_at_once
from vademecum.inject.context import RecallContext
from vademecum.inject.deliver import expect
from vademecum.settings import Settings
from vademecum.wiring import open_context, open_memory, open_recall

if TYPE_CHECKING:  # hooks are answered before the whole memory is loaded, by what answers questions
    from vademecum.api import Vademecum

T = TypeVar("T")

#: Working folders whose memory is kept at hand; they share one index and one embedder.
FOLDERS_KEPT = 16

_FIRST, _IN_ORDER, _LAST = 0, 1, 2


class Desk:
    """Runs actions on the memory, one after the other. Call :meth:`open` first and :meth:`close` at the end."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._actions: queue.PriorityQueue[tuple[int, int, Callable[[], None] | None]] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._thread = threading.Thread(target=self._work, name="memory", daemon=True)
        self._context: Context | None = None
        self._memories: OrderedDict[str, Vademecum] = OrderedDict()
        self._recalls: OrderedDict[str, RecallContext] = OrderedDict()

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

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", first: bool = False) -> T:
        """Return what `action` returns, or raise what it raises.

        Args:
            cwd: the folder that the work goes on in; "" when nobody knows.
            first: somebody waits before a prompt.
        """
        return await self._run(lambda: action(self._memory_at(cwd)), first=first)

    async def recall(self, action: Callable[[RecallContext], T], *, cwd: str = "", first: bool = False) -> T:
        """Run an action that only asks or briefs."""
        return await self._run(lambda: action(self._recall_at(cwd)), first=first)

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
        if "" in self._recalls:
            expect(self._recalls[""], event)

    def waiting(self) -> int:
        """Return actions that have not begun."""
        return self._actions.qsize()

    def close(self) -> None:
        """Finish what is begun and close the memory."""
        self._actions.put((_LAST, next(self._numbers), None))
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while True:
            _, _, run = self._actions.get()
            if run is None:
                break
            run()
        if self._context is not None:
            self._context.close()

    def _memory_at(self, cwd: str) -> Vademecum:
        """Return the memory as it is seen from a folder."""
        return _kept(self._memories, cwd, lambda: open_memory(self._settings, folder=_folder(cwd), beside=self._opened()))

    def _recall_at(self, cwd: str) -> RecallContext:
        """Return the memory as it is seen from a folder, only to be asked."""
        return _kept(self._recalls, cwd, lambda: open_recall(self._settings, self._opened(), _folder(cwd)))

    def _opened(self) -> Context:
        if self._context is None:
            self._context = open_context(self._settings)
        return self._context


def _folder(cwd: str) -> Path | None:
    return Path(cwd) if cwd else None


def _kept(known: OrderedDict[str, T], cwd: str, make: Callable[[], T]) -> T:
    """Return what is kept of a folder, made when nothing is; folders that nobody asked about for long are forgotten, but not ""."""
    if cwd not in known:
        known[cwd] = make()
        if len(known) > FOLDERS_KEPT:
            known.pop(next(folder for folder in known if folder))
    known.move_to_end(cwd)
    return known[cwd]


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

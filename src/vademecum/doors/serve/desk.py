"""The one thread that the memory lives in. Whoever waits for a prompt goes first, everybody else in order."""

import asyncio
import itertools
import queue
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from vademecum.doors.serve.size import give_back
from vademecum.memory import Vademecum
from vademecum.model.host import HookEvent
from vademecum.model.query import Query
from vademecum.settings import Settings
from vademecum.wiring import open_memory

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
        self._memory: Vademecum | None = None
        self._elsewhere: OrderedDict[str, Vademecum] = OrderedDict()

    async def open(self) -> None:
        """Open the memory and make it warm, so that the first question need not wait for models to load.

        Raises:
            VademecumError: there is no memory, or its folder is gone.
        """
        self._thread.start()
        await self(_warmed)
        await self.let_go()

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", first: bool = False) -> T:
        """What `action` gives, or raises.

        Args:
            cwd: the folder that the work goes on in; "" when nobody knows.
            first: somebody waits before a prompt.
        """
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def run() -> None:
            if answer.cancelled():
                return
            try:
                result = action(self._at(cwd))
            except BaseException as error:  # noqa: BLE001 -- it belongs to the caller, whatever it is
                loop.call_soon_threadsafe(_fail, answer, error)
            else:
                loop.call_soon_threadsafe(_give, answer, result)

        self._actions.put((_FIRST if first else _IN_ORDER, next(self._numbers), run))
        return await answer

    async def let_go(self) -> None:
        """Give back memory that is read again when it is asked for."""
        await self(_let_go)

    def expect(self, event: HookEvent) -> None:
        """An answer to this will be wanted soon."""
        if self._memory is not None:
            self._memory.expect(event)

    def waiting(self) -> int:
        """Actions that have not begun."""
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
        if self._memory is not None:
            self._memory.close()

    def _at(self, cwd: str) -> Vademecum:
        """The memory as it is seen from a folder."""
        if self._memory is None:
            self._memory = open_memory(self._settings)
        if not cwd:
            return self._memory
        if cwd not in self._elsewhere:
            self._elsewhere[cwd] = open_memory(self._settings, folder=Path(cwd), beside=self._memory)
            if len(self._elsewhere) > FOLDERS_KEPT:
                self._elsewhere.popitem(last=False)
        self._elsewhere.move_to_end(cwd)
        return self._elsewhere[cwd]


def _warmed(memory: Vademecum) -> None:
    memory.warm_up()
    memory.recall(Query("what do we know?"))


def _let_go(memory: Vademecum) -> None:
    memory.let_go()
    give_back()


def _give(answer: "asyncio.Future[Any]", result: Any) -> None:
    if not answer.done():
        answer.set_result(result)


def _fail(answer: "asyncio.Future[Any]", error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)

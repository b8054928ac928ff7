"""A memory of its own, and the single thread in which its calls run in order."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TypeVar

from vademecum.api import Vademecum

T = TypeVar("T")


class OwnThread:
    """A caller with a memory of its own, opened with the first use. An async context manager.

    Args:
        opened: opens the memory; called in that thread.
    """

    def __init__(self, opened: Callable[[], Vademecum]) -> None:
        self._opened = opened
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")
        self._memory: Vademecum | None = None

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        """Run `action` and return its result. `cwd` is ignored: the memory was opened for one folder."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: action(self._there()))

    async def __aenter__(self) -> "OwnThread":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish the running action and close the memory, if it was opened."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    def _there(self) -> Vademecum:
        if self._memory is None:
            self._memory = self._opened()
        return self._memory

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()

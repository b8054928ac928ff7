"""How a door reaches the memory: the settings of a command line, and the one thread in which every call runs, in order."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Protocol, TypeVar

import click

from vademecum.api import Vademecum
from vademecum.settings import Settings
from vademecum.wiring import load_settings

T = TypeVar("T")


def current_config() -> Path | None:
    """Return the configuration file that this command line names, None for the platform's."""
    config: Path | None = click.get_current_context().find_root().params.get("config")
    return config.absolute() if config else None


def current_settings(*, forgiving: bool = False) -> Settings:
    """Return the settings of this command line.

    Args:
        forgiving: for a command that is needed when a setting is wrong: it goes on, and what is wrong is told on standard error.

    Raises:
        InvalidInput: unless forgiving, a setting is wrong.
    """
    home = click.get_current_context().find_root().params.get("home")
    settings = load_settings(config=current_config(), overrides={"home": home}, forgiving=forgiving)
    for sentence in settings.wrong:
        click.echo(sentence, err=True)
    return settings


class Caller(Protocol):
    """Runs an action on the memory and gives what it gives."""

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        """Return what `action` gives, or raises.

        Args:
            cwd: the folder that the work goes on in; "" when the caller does not know it.
            aside: it only reads and can be pickled, so another process may do it (:attr:`vademecum.entrypoints.verbs.table.Verb.is_aside`).
        """


class OwnThread:
    """A caller over one memory of its own, opened when first needed. An async context manager.

    Args:
        opened: opens the memory, in the thread that it will live in.
    """

    def __init__(self, opened: Callable[[], Vademecum]) -> None:
        self._opened = opened
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memory")
        self._memory: Vademecum | None = None

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        """Return what `action` gives. The memory is about the folder it was opened in, whatever `cwd` says."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: action(self._there()))

    async def __aenter__(self) -> "OwnThread":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Finish what is begun and close the memory, if it was opened."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    def _there(self) -> Vademecum:
        if self._memory is None:
            self._memory = self._opened()
        return self._memory

    def _close(self) -> None:
        if self._memory is not None:
            self._memory.close()

"""A second process for long reads, so that no prompt waits behind one.

It opens the same memory at a lower priority, and ends after some idle time. Requests and results are pickled through two pipes.
Models and answers to prompts stay in the helper.
"""

import asyncio
import contextlib
import io
import logging
import os
import pickle
import select
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, TypeVar

from vademecum.api import Vademecum
from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.daemon.opened import Opened
from vademecum.settings import Settings, environment_of_helper

_log = logging.getLogger(__name__)

T = TypeVar("T")

#: Idle time after which the process ends, in seconds.
IDLE_S = 120.0
#: `nice` value, so that hooks get the processor first.
NICE = 10
_HEAD_BYTES, _PICKLE = 8, 5
#: How often a process is started for one read before it is given up.
_TRIES = 2


class LaneClosed(Exception):
    """The second process did not answer. Nothing was changed, so the caller can do the read itself."""


class ReadingLane:
    """One process for long reads, started with the first one. It does one read at a time."""

    def __init__(self, settings: Settings, config: Path | None) -> None:
        self._settings, self._config = settings, config
        self._turn = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "") -> T:
        """Run `action` in the process and return its result, or raise the `VademecumError` that it raised.

        Args:
            action: picklable, and changes nothing.

        Raises:
            LaneClosed: the process cannot be started, died, or raised any other error.
        """
        asked = pickle.dumps((action, cwd), _PICKLE)
        async with self._turn:
            is_done, value = pickle.loads(await self._answer(asked))
        if is_done:
            return value  # type: ignore[no-any-return]
        raise value

    async def _answer(self, asked: bytes) -> bytes:
        for _ in range(_TRIES):  # it may be about to end after its idle time
            process = self._process = await self._running()
            assert process.stdin and process.stdout
            try:
                process.stdin.write(len(asked).to_bytes(_HEAD_BYTES, "big") + asked)
                await process.stdin.drain()
                head = await process.stdout.readexactly(_HEAD_BYTES)
                return await process.stdout.readexactly(int.from_bytes(head, "big"))
            except (OSError, asyncio.IncompleteReadError):
                self.close()
            except asyncio.CancelledError:
                self.close()  # its result is not needed any more
                raise
        raise LaneClosed

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        config = ["--config", str(self._config)] if self._config else []
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                *("-P", "-m", "vademecum", *config, "reads"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=environment_of_helper(self._settings.data_dir, self._settings.home),
            )
        except OSError as error:
            _log.warning("no process for long reads: %s", error)
            raise LaneClosed from error

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()  # safe, because it writes nothing
            self._process = None


def serve_reads(settings: Settings) -> None:
    """Carry out requests from standard input in order, until it ends or no request comes for :data:`IDLE_S`."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    asked, buffered_writer = open(0, "rb", closefd=False), open(1, "wb", closefd=False)  # noqa: SIM115 -- as long as the process
    opened = Opened(settings)
    try:
        while _is_wanted(asked) and (head := asked.read(_HEAD_BYTES)):
            action, cwd = pickle.loads(asked.read(int.from_bytes(head, "big")))
            answer = _answered(opened, action, cwd)
            buffered_writer.write(len(answer).to_bytes(_HEAD_BYTES, "big") + answer)
            buffered_writer.flush()
    except (BrokenPipeError, EOFError, io.UnsupportedOperation):
        pass  # the helper has gone
    finally:
        opened.close()


def _is_wanted(asked: IO[bytes]) -> bool:
    """Wait for a request or the end of input; False after the idle time. Windows cannot wait for a pipe, so there it has no idle time."""
    return sys.platform == "win32" or bool(select.select([asked], [], [], IDLE_S)[0])


def _answered(opened: Opened, action: Callable[[Vademecum], object], cwd: str) -> bytes:
    try:
        return pickle.dumps((True, action(opened.memory_at(cwd))), _PICKLE)
    except VademecumError as error:
        return pickle.dumps((False, error), _PICKLE)  # on any other error the process dies, and the helper does the read itself

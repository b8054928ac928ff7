"""Background work of the helper: capture queued events, follow changed files, compute embeddings.

A child process at low priority does it. So hooks never wait for it, its memory is freed when it ends, and it can be killed at any
moment without a loss: all its input is on disk.
"""

import asyncio
import contextlib
import logging
import sys
import threading
from pathlib import Path

from vademecum.settings import Settings, environment_of_helper
from vademecum.wiring import changes_of

_log = logging.getLogger(__name__)

#: Delay after a hook, in seconds: events come in bursts, and their answers come first.
SOON_S = 2.0
#: How often the delay is extended while hooks keep coming.
PUT_OFF = 5
#: Least seconds between two runs for changed files: a transcript grows with every answer of an agent.
APART_S = 30.0
#: Seconds between two runs without any event, because sync clients and sleeping machines lose file events.
AT_LEAST_EVERY_S = 900.0


class Work:
    """Runs `vade work` when there is something to do, one run at a time."""

    def __init__(self, settings: Settings, config: Path | None) -> None:
        self._settings, self._config = settings, config
        self._hooked, self._changed = asyncio.Event(), asyncio.Event()
        self._stop = threading.Event()
        self._child: asyncio.subprocess.Process | None = None
        self.runs = 0
        self.last_error = ""

    def wake(self) -> None:
        """Run soon: a hook has queued an event."""
        self._hooked.set()

    def is_busy(self) -> bool:
        """Return whether a run is in progress."""
        return self._child is not None

    async def run(self) -> None:
        """Start runs until cancelled; then end the current one."""
        loop = asyncio.get_running_loop()
        watcher = threading.Thread(target=self._watch, args=(loop,), name="watch", daemon=True)
        try:
            self.wake()
            await self._due()
            watcher.start()  # before the first run, which covers all earlier changes
            await asyncio.to_thread(self._renew_client)
            while True:
                await self._once()
                await self._due()
        finally:
            self._stop.set()
            if self._child is not None:
                with contextlib.suppress(ProcessLookupError):
                    self._child.terminate()

    def _renew_client(self) -> None:
        """Write the hook client's files again if the settings changed since: a helper starts anew whenever they do."""
        from vademecum.entrypoints.hooks.place import renew_client

        try:
            renew_client(self._settings, self._config)
        except OSError as error:
            _log.warning("the hook client could not be written: %s", error)

    async def _due(self) -> None:
        """Wait for the next reason to run."""
        hooked = asyncio.ensure_future(self._hooked.wait())
        changed = asyncio.ensure_future(self._changed_and_quiet())
        done, waiting = await asyncio.wait((hooked, changed), timeout=AT_LEAST_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        if hooked in done:
            await self._quiet()
        self._hooked.clear()
        self._changed.clear()

    async def _quiet(self) -> None:
        """Wait until no hook comes for a while, at most a few times."""
        for _ in range(PUT_OFF):
            self._hooked.clear()
            await asyncio.sleep(SOON_S)
            if not self._hooked.is_set():
                return

    async def _changed_and_quiet(self) -> None:
        await self._changed.wait()
        if self.runs:
            await asyncio.sleep(APART_S)

    async def _once(self) -> None:
        config = ["--config", str(self._config)] if self._config else []
        self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-P", "-m", "vademecum", *config, "work"),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env=environment_of_helper(self._settings.data_dir, self._settings.home),
        )
        try:
            _, raw = await self._child.communicate()
            self.last_error = raw.decode("utf-8", "replace").strip()[-500:] if self._child.returncode else ""
            if self.last_error:
                _log.warning("work ended with %s: %s", self._child.returncode, self.last_error)
        finally:
            if self._child.returncode is None:
                self._child.kill()
            self._child = None
            self.runs += 1

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Watch the folders for changes. Runs in a thread of its own."""
        for _ in changes_of(self._settings, self._stop, look_every_s=AT_LEAST_EVERY_S):
            with contextlib.suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(self._changed.set)

"""The helper's life: one for each user, started by the first hook, gone when nobody needs it.

It listens on a line that only this user can open (ports/line.py). A call begins with a line that says what it is about:

    hook 2 <ms> <host> <folder>  then the host's JSON until the end; answered, within so many milliseconds, with what the hook prints
    hook 1 <host> <folder>     the same of a client that was installed before; as many milliseconds as the settings say
    printed 1                  a hook printed the briefing that lay ready
    mcp 1 [strict] <folder>    then one MCP connection; strict: of a host whose own settings ask for strict interfaces
    verb 1 <program>           then a verb that a command of this program asks for, see entrypoints/resident.py
    status 1, stop 1           answered with one JSON object
    NAME 1                     likewise, where the application NAME of a plugin is served, and what it says of itself
"""

import asyncio
import contextlib
import gc
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from vademecum import __version__
from vademecum.domain.errors import VademecumError
from vademecum.domain.host import Delivery
from vademecum.entrypoints import resident
from vademecum.entrypoints.daemon.briefer import Briefer
from vademecum.entrypoints.daemon.executor import Desk
from vademecum.entrypoints.daemon.lazy_apps import LateDoors
from vademecum.entrypoints.daemon.memory_usage import files_mb, memory_mb, own_mb
from vademecum.entrypoints.daemon.scheduler import Work
from vademecum.entrypoints.hooks.answer import Asked, Hooks
from vademecum.entrypoints.hooks.carrier import starting_mark
from vademecum.inject.context import RecallContext
from vademecum.inject.deliver import deliver
from vademecum.ports.line import Writer
from vademecum.settings import Settings, config_path, observed, socket_path, stop_files
from vademecum.wiring import hook_parts, listen_by, load_everything

_log = logging.getLogger(__name__)

#: Longest input of a hook, in bytes; longer ones are answered with nothing.
PAYLOAD_MAX = 32 * 2**20
#: Seconds kept free of the client's deadline, for the way back.
SPARE_S = 0.08
#: How often it looks after itself.
LOOK_EVERY_S = 30.0
#: Seconds between two looks whether the line is still there.
LINE_EVERY_S = 2.0
#: How often it looks whether somebody is being served.
LOOK_S = 0.05
#: It starts anew only when nobody came for so many seconds.
QUIET_S = 1.0
IDLE_S = 120 * 60
#: It starts anew when it takes more memory.
MEMORY_MB = 600
#: Pages of files that it keeps when nobody comes.
IDLE_FILES_MB = 60
#: What a caller has to say, it says within this time.
SAY_WITHIN_S = 10.0

#: How long one thread may hold up the others: hooks are read and sent in another thread than they are answered in, several times each.
SWITCH_S = 0.0001

STOPPED, AGAIN = "stopped", "again"


class Helper:
    """One helper. :meth:`run` returns why it ended: STOPPED, or AGAIN (start anew)."""

    def __init__(self, settings: Settings, config: Path | None) -> None:
        self._settings = settings
        self._socket = socket_path(settings)
        self._desk = Desk(settings, config)
        self._hooks = Hooks(*hook_parts(settings))
        self._work = Work(settings, config)
        self._late = LateDoors(self._desk, settings, config)
        self._clock = self._hooks.clock
        self._briefer = Briefer(settings, self._desk, self._hooks, (config or config_path(),))
        self._started_s = self._last_s = self._clock.elapsed_s()
        self._gave_back_s = 0.0
        self._ending: asyncio.Future[str] | None = None
        self._open = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        self._answered = 0
        self._stamp = _stamp(config, settings)
        self._config = config

    async def run(self) -> str:
        """Serve until told to stop, or until nobody came for long. The caller holds the right to be the only one.

        Raises:
            VademecumError: there is no memory to serve. OSError: the socket cannot be made.
        """
        loop = asyncio.get_running_loop()
        self._ending = loop.create_future()
        if sys.platform != "win32":  # where no loop hears signals
            for name in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(name, self._end, STOPPED)
        listen = listen_by()
        server = await listen(
            str(self._socket), self._meet, PAYLOAD_MAX
        )  # who comes before the memory is open waits no longer than it takes to open
        Path(starting_mark(str(self._socket))).unlink(missing_ok=True)
        others: list[asyncio.Task[None]] = []
        try:
            await self._desk.open()
            gc.freeze()  # what is loaded by now stays; the collector need not look at it
            gc.enable()
            sys.setswitchinterval(SWITCH_S)
            others += map(asyncio.create_task, self._beside())
            await asyncio.sleep(0)  # each has begun: the port is taken
            self._open.set()
            return await self._ending
        finally:
            for other in others:
                other.cancel()
            server.close()
            self._socket.unlink(missing_ok=True)
            await asyncio.gather(*others, return_exceptions=True)
            await self._finish_talks()
            self._desk.close()

    def _beside(self) -> tuple[Coroutine[Any, Any, None], ...]:
        """Do what goes on beside the answers, until cancelled."""
        return (
            self._warm_up(),
            self._work.run(),
            self._late.serve_http(),
            self._look_after(),
            self._end_unreachable(),
            self._briefer.run(),
            *(() if sys.platform == "win32" else (self._serve_commands(),)),  # nothing forks there
        )

    async def _finish_talks(self) -> None:
        """Give the hooks that are being answered their answer."""
        if self._talks:
            _, late = await asyncio.wait(self._talks, timeout=1.0)
            for talk in late:
                talk.cancel()

    def _end(self, why: str) -> None:
        if self._ending is not None and not self._ending.done():
            self._ending.set_result(why)

    async def _meet(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        talk = asyncio.current_task()
        if talk is not None:
            self._talks.add(talk)
            talk.add_done_callback(self._talks.discard)
        self._last_s = self._clock.elapsed_s()
        try:
            head = await asyncio.wait_for(reader.readline(), SAY_WITHIN_S)
            word, _, rest = head.decode("utf-8", "surrogateescape").strip("\n").partition(" ")
            version, _, rest = rest.partition(" ")
            call = self._calls().get(f"{word} {version}") or partial(self._app, word if version == "1" else "")
            await call(rest.strip(), reader, writer)
        except (ConnectionError, TimeoutError, ValueError, asyncio.IncompleteReadError):
            pass  # whoever called is gone, or says nothing that we understand
        finally:
            self._last_s = self._clock.elapsed_s()
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _calls(self) -> dict[str, Callable[[str, asyncio.StreamReader, Writer], Awaitable[None]]]:
        return {
            "hook 2": self._timed_hook,
            "hook 1": self._hook,
            "printed 1": self._printed,
            "mcp 1": self._late.talk_mcp,
            resident.CALL: self._verb,
            "status 1": self._status,
            "stop 1": self._stop,
        }

    async def _hook(self, rest: str, reader: asyncio.StreamReader, writer: Writer) -> None:
        await self._answer_hook(self._settings.hook_deadline_ms, rest, reader, writer)

    async def _timed_hook(self, rest: str, reader: asyncio.StreamReader, writer: Writer) -> None:
        left_ms, _, rest = rest.partition(" ")
        await self._answer_hook(int(left_ms), rest, reader, writer)

    async def _answer_hook(self, left_ms: int, rest: str, reader: asyncio.StreamReader, writer: Writer) -> None:
        host, _, cwd = rest.partition(" ")
        payload = await asyncio.wait_for(reader.read(), SAY_WITHIN_S) if not reader.at_eof() else b""
        asked = self._hooks.read(host, cwd, payload)
        writer.write((await self._answer(asked, left_ms)).encode("utf-8"))
        await writer.drain()
        self._answered += 1
        self._work.wake()
        if asked.event is not None and asked.event.moment == "start":
            self._briefer.remember(host, cwd, payload)
        if asked.event is not None and asked.event.moment == "shrink":
            self._briefer.forget_acted(asked.event.session)

    async def _answer(self, asked: Asked, left_ms: int) -> str:
        """Answer within the client's deadline, or not at all: nobody would hear it."""
        if asked.event is None or not self._hooks.is_told(asked):
            return self._hooks.finish(asked, Delivery())
        event = asked.event
        self._desk.expect(event)
        until_s = asked.started_s + left_ms / 1000 - SPARE_S

        def tell(recall: RecallContext) -> Delivery:
            waited_s = self._clock.elapsed_s() - asked.started_s
            return deliver(recall, event, lambda: self._clock.elapsed_s() < until_s, waited_s)

        try:
            await self._briefer.told(event)
            coroutine = self._desk.recall(tell, cwd=asked.cwd, first=True)
            return self._hooks.finish(asked, await asyncio.wait_for(coroutine, until_s - self._clock.elapsed_s()))
        except TimeoutError:
            return self._hooks.late(asked)
        except (VademecumError, OSError) as error:
            return self._hooks.failed(asked, error)

    async def _verb(self, rest: str, reader: asyncio.StreamReader, writer: Writer) -> None:
        payload = await asyncio.wait_for(reader.read(), SAY_WITHIN_S)
        await self._open.wait()
        writer.write(await resident.answer(self._desk, self._settings, rest, payload))
        await writer.drain()

    async def _printed(self, _rest: str, _reader: asyncio.StreamReader, _writer: Writer) -> None:
        await self._briefer.note_printed()
        self._work.wake()

    async def _warm_up(self) -> None:
        """Load what the first answers did without: the rest of the program, and models once nobody waits for an answer by words."""
        await self._unneeded_for(0.0)
        loading = threading.Thread(target=load_everything, name="load", daemon=True)  # whose end nobody waits for
        loading.start()
        while loading.is_alive():
            await asyncio.sleep(LOOK_S)
        await self._unneeded_for(QUIET_S)
        await self._desk.warm_up()
        gc.freeze()

    async def _serve_commands(self) -> None:
        """Run what carries out command lines, in a process of its own: it forks, which one with threads must not."""
        await self._unneeded_for(QUIET_S)
        command = (sys.executable, "-P", "-m", "vademecum.entrypoints.cli.command_server")
        quiet = asyncio.subprocess.DEVNULL
        while True:
            server = await asyncio.create_subprocess_exec(*command, stdin=asyncio.subprocess.PIPE, stdout=quiet, stderr=quiet)
            try:
                await server.wait()
                _log.warning("what carries out commands ended with %s", server.returncode)
            finally:
                if server.stdin is not None:
                    server.stdin.close()  # by which it knows
                await server.wait()
            await asyncio.sleep(LOOK_EVERY_S)

    async def _unneeded_for(self, seconds: float) -> None:
        """Wait until nobody came for so long."""
        while self._talks or self._clock.elapsed_s() - self._last_s < seconds:
            await asyncio.sleep(LOOK_S)

    async def _status(self, _rest: str, _reader: asyncio.StreamReader, writer: Writer) -> None:
        await self._open.wait()  # who asks wants to know whether it can be asked more
        writer.write(json.dumps(self.status()).encode() + b"\n")

    async def _app(self, name: str, _rest: str, _reader: asyncio.StreamReader, writer: Writer) -> None:
        await self._open.wait()  # then the port is taken
        writer.write(json.dumps(await self._late.told(name) or {"error": "unknown call"}).encode() + b"\n")

    async def _stop(self, _rest: str, _reader: asyncio.StreamReader, writer: Writer) -> None:
        writer.write(json.dumps({"stopping": os.getpid()}).encode() + b"\n")
        await writer.drain()
        self._end(STOPPED)

    def status(self) -> dict[str, object]:
        """Report what the helper is doing."""
        return {
            "pid": os.getpid(),
            "version": __version__,
            "socket": str(self._socket),
            "settings": observed(self._settings),
            "port": self._late.port,
            "http_error": self._late.problem,
            "up_s": round(self._clock.elapsed_s() - self._started_s),
            "answered": self._answered,
            "memory_mb": round(memory_mb()),
            "own_mb": round(own_mb()),
            "working": self._work.is_busy(),
            "work_runs": self._work.runs,
            "work_error": self._work.last_error,
        }

    async def _end_unreachable(self) -> None:
        """End when the line is gone, with all our data or alone: nobody can reach this helper any more, to stop it least of all."""
        while sys.platform != "win32" and self._socket.exists():
            await asyncio.sleep(LINE_EVERY_S)
        if sys.platform != "win32":
            self._end(STOPPED)

    async def _look_after(self) -> None:
        """End when nobody came for long; start anew when it grew too large, or when settings or program changed."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            idle_s = self._clock.elapsed_s() - self._last_s
            if idle_s > LOOK_EVERY_S and self._gave_back_s < self._last_s and files_mb() > IDLE_FILES_MB:
                self._gave_back_s = self._clock.elapsed_s()  # once, until somebody comes again
                await self._desk.let_go()
            if idle_s > IDLE_S and not self._talks:
                self._end(STOPPED)
            elif own_mb() > MEMORY_MB and idle_s > QUIET_S:
                _log.warning("%d MB in use, more than %d: restarting", own_mb(), MEMORY_MB)
                self._end(AGAIN)
            elif _stamp(self._config, self._settings) != self._stamp:
                self._end(AGAIN)


def _stamp(config: Path | None, settings: Settings) -> tuple[int, ...]:
    """Return a mark that changes with the settings, the installed program, and a STOP file."""
    stamps = []
    for path in (config or config_path(), Path(__file__), *stop_files(settings)):
        try:
            stamps.append(path.stat().st_mtime_ns)
        except OSError:
            stamps.append(0)
    return tuple(stamps)

"""The helper process: one for each user, started by the first hook, ended after some idle time.

It listens on a socket or pipe that only this user can open (ports/line.py). The first line of a connection says what it is:

    hook 2 <ms> <host> <folder>  the host's JSON follows, to the end of input; the answer, within <ms> milliseconds, is what to print
    printed 1                  a hook printed the prepared briefing
    mcp 1 [strict] <folder>    an MCP connection follows; strict: the host's own settings ask for strict interfaces
    verb 1 <program>           a verb follows, for a command of this program, see entrypoints/resident.py
    status 1, stop 1           the answer is one JSON object
    NAME 1                     the answer says where the application NAME of a plugin is served
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
from vademecum.entrypoints.daemon.memory_usage import memory_mb, own_mb
from vademecum.entrypoints.daemon.scheduler import Work
from vademecum.entrypoints.hooks.answer import Asked, Hooks
from vademecum.entrypoints.hooks.carrier import remove_mark, starting_mark
from vademecum.inject.context import RecallContext
from vademecum.inject.deliver import deliver
from vademecum.ports.line import Writer
from vademecum.settings import Settings, config_path, observed, socket_path, stop_files
from vademecum.wiring import hook_parts, listen_by, load_everything

_log = logging.getLogger(__name__)

#: Longest input of a hook, in bytes; a longer one gets an empty answer.
PAYLOAD_MAX = 32 * 2**20
#: Seconds reserved of the client's deadline for sending the answer.
SPARE_S = 0.08
#: Interval of its own maintenance, in seconds.
LOOK_EVERY_S = 30.0
#: Interval at which it checks that its socket still exists, in seconds.
LINE_EVERY_S = 2.0
#: Poll interval while it waits for requests to finish, in seconds.
LOOK_S = 0.05
#: It restarts itself only after so many seconds without a request.
QUIET_S = 1.0
IDLE_S = 120 * 60
#: It restarts itself when it uses more memory than this.
MEMORY_MB = 600
#: Timeout for reading a request, in seconds.
SAY_WITHIN_S = 10.0

#: Longest time slice of one thread: each hook call switches several times between the network thread and the memory thread.
SWITCH_S = 0.0001

STOPPED, AGAIN = "stopped", "again"


class Helper:
    """One helper. :meth:`run` returns why it ended: STOPPED, or AGAIN to restart.

    Args:
        ending: called once it begins to end.
    """

    def __init__(self, settings: Settings, config: Path | None, ending: Callable[[], None]) -> None:
        self._settings = settings
        self._socket = socket_path(settings)
        self._desk = Desk(settings, config)
        self._hooks = Hooks(hook_parts(settings))
        self._work = Work(settings, config)
        self._late = LateDoors(self._desk, settings, config)
        self._clock = self._hooks.clock
        self._briefer = Briefer(settings, self._desk, self._hooks, (config or config_path(),))
        self._started_s = self._last_s = self._clock.elapsed_s()
        self._gave_back_s = 0.0
        self._on_ending, self._ending, self._why = ending, asyncio.Event(), ""
        self._open = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()
        self._answered = 0
        self._stamp = _stamp(config, settings)
        self._config = config

    async def run(self, *, started: bool) -> str:
        """Serve until asked to stop or idle for long. The caller holds the lock.

        Args:
            started: it was started by a hook or command that made the marker; it ends if that is gone.

        Raises:
            VademecumError: there is no memory to serve. OSError: the socket cannot be created.
        """
        loop = asyncio.get_running_loop()
        if sys.platform != "win32":  # its event loop handles no signals
            for name in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(name, self._end, STOPPED)
        listen = listen_by()
        server = await listen(
            str(self._socket), self._meet, PAYLOAD_MAX
        )  # a request that comes earlier waits until the memory is open
        others: list[asyncio.Task[None]] = []
        try:
            # After it listens: who stops helpers takes the marker away, then asks who listens, so that it meets this one either way.
            if not remove_mark(str(self._socket)) and started:
                self._end(STOPPED)
                return self._why
            await self._desk.open()
            gc.freeze()  # modules loaded by now stay; the garbage collector can skip them
            gc.enable()
            sys.setswitchinterval(SWITCH_S)
            others += map(asyncio.create_task, self._beside())
            await asyncio.sleep(0)  # let each task begin, so that the port is bound
            self._open.set()
            await self._ending.wait()
        finally:
            for other in others:
                other.cancel()
            if self._why == AGAIN:  # before nobody listens any more, so that who stops helpers finds one or the other
                Path(starting_mark(str(self._socket))).touch(0o600)
            server.close()
            self._socket.unlink(missing_ok=True)
            await asyncio.gather(*others, return_exceptions=True)
            await self._finish_talks()
            self._desk.close()
        return self._why

    def _beside(self) -> tuple[Coroutine[Any, Any, None], ...]:
        """Run the background tasks until cancelled."""
        return (
            self._warm_up(),
            self._work.run(),
            self._late.serve_http(),
            self._look_after(),
            self._end_unreachable(),
            self._briefer.run(),
            *(() if sys.platform == "win32" else (self._serve_commands(),)),  # Windows cannot fork
        )

    async def _finish_talks(self) -> None:
        """Wait until the running hook calls are answered."""
        if self._talks:
            _, late = await asyncio.wait(self._talks, timeout=1.0)
            for talk in late:
                talk.cancel()

    def _end(self, why: str) -> None:
        """End soon. Being asked to stop outdoes a restart that has begun."""
        if not self._ending.is_set():
            self._on_ending()
        self._why = STOPPED if STOPPED in (why, self._why) else why
        self._ending.set()

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
            pass  # the caller is gone, or sent no known request
        finally:
            self._last_s = self._clock.elapsed_s()
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _calls(self) -> dict[str, Callable[[str, asyncio.StreamReader, Writer], Awaitable[None]]]:
        return {
            "hook 2": self._hook,
            "printed 1": self._printed,
            "mcp 1": self._late.talk_mcp,
            resident.CALL: self._verb,
            "status 1": self._status,
            "stop 1": self._stop,
        }

    async def _hook(self, rest: str, reader: asyncio.StreamReader, writer: Writer) -> None:
        left_ms, _, rest = rest.partition(" ")
        host, _, cwd = rest.partition(" ")
        payload = await asyncio.wait_for(reader.read(), SAY_WITHIN_S) if not reader.at_eof() else b""
        asked = self._hooks.read(host, cwd, payload)
        writer.write((await self._answer(asked, int(left_ms))).encode("utf-8"))
        await writer.drain()
        self._answered += 1
        self._work.wake()
        if asked.event is not None and asked.event.moment == "start":
            self._briefer.remember(host, cwd, payload)
        if asked.event is not None and asked.event.moment == "shrink":
            self._briefer.forget_acted(asked.event.session)

    async def _answer(self, asked: Asked, left_ms: int) -> str:
        """Answer within the deadline of the client; after it the client no longer waits, so nothing counts as shown."""
        if asked.event is None or not self._hooks.shows_text(asked):
            return self._hooks.finish(asked, Delivery())
        event = asked.event
        self._desk.expect(event)
        until_s = asked.started_s + left_ms / 1000 - SPARE_S

        def tell(recall: RecallContext) -> Delivery:
            waited_s = self._clock.elapsed_s() - asked.started_s
            return deliver(recall, event, lambda: self._clock.elapsed_s() < until_s, waited_s)

        try:
            await self._briefer.take_over(event)
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
        """Load what first answers do without: the rest of the program, then, once no request waits, the models."""
        await self._unneeded_for(0.0)
        loading = threading.Thread(
            target=load_everything, name="load", daemon=True
        )  # a daemon thread: shutdown does not wait for it
        loading.start()
        while loading.is_alive():
            await asyncio.sleep(LOOK_S)
        await self._unneeded_for(QUIET_S)
        await self._desk.warm_up()
        gc.freeze()

    async def _serve_commands(self) -> None:
        """Run the command server as a separate process: it forks, which is unsafe in a process with threads."""
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
                    server.stdin.close()  # the end of its input tells it to exit
                await server.wait()
            await asyncio.sleep(LOOK_EVERY_S)

    async def _unneeded_for(self, seconds: float) -> None:
        """Wait until no request has come for so many seconds."""
        while self._talks or self._clock.elapsed_s() - self._last_s < seconds:
            await asyncio.sleep(LOOK_S)

    async def _status(self, _rest: str, _reader: asyncio.StreamReader, writer: Writer) -> None:
        await self._open.wait()  # the caller wants to know whether it is ready
        writer.write(json.dumps(self.status()).encode() + b"\n")

    async def _app(self, name: str, _rest: str, _reader: asyncio.StreamReader, writer: Writer) -> None:
        await self._open.wait()  # the port is bound by then
        writer.write(json.dumps(await self._late.details(name) or {"error": "unknown call"}).encode() + b"\n")

    async def _stop(self, _rest: str, _reader: asyncio.StreamReader, writer: Writer) -> None:
        self._end(STOPPED)  # first: whoever asked may be gone by now
        writer.write(json.dumps({"stopping": os.getpid()}).encode() + b"\n")
        await writer.drain()

    def status(self) -> dict[str, object]:
        """Return the state of the helper."""
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
        """End when the socket is gone, because nobody could reach or stop this helper any more."""
        while sys.platform != "win32" and self._socket.exists():
            await asyncio.sleep(LINE_EVERY_S)
        if sys.platform != "win32":
            self._end(STOPPED)

    async def _look_after(self) -> None:
        """End after long idleness; restart if it uses too much memory, or if settings or program changed."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            idle_s = self._clock.elapsed_s() - self._last_s
            if idle_s > LOOK_EVERY_S and self._gave_back_s < self._last_s:
                self._gave_back_s = self._clock.elapsed_s()  # once, until the next request
                await self._desk.let_go()
            if idle_s > IDLE_S and not self._talks:
                self._end(STOPPED)
            elif own_mb() > MEMORY_MB and idle_s > QUIET_S:
                _log.warning("%d MB in use, more than %d: restarting", own_mb(), MEMORY_MB)
                self._end(AGAIN)
            elif _stamp(self._config, self._settings) != self._stamp:
                self._end(AGAIN)


def _stamp(config: Path | None, settings: Settings) -> tuple[int, ...]:
    """Return a stamp that changes with the settings, the installed program and a STOP file."""
    stamps = []
    for path in (config or config_path(), Path(__file__), *stop_files(settings)):
        try:
            stamps.append(path.stat().st_mtime_ns)
        except OSError:
            stamps.append(0)
    return tuple(stamps)

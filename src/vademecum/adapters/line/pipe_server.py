"""Listens at a named pipe of Windows, for this account only.

One thread reads each call and one sends its answer, so that the server uses the same system calls as the client: access to
asyncio's own pipe server cannot be restricted, and it could not be tested here. One of the pipes of a name always waits for the
next client, from before the place is published until the end.
"""

import asyncio
import contextlib
import logging
import queue
import sys
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

assert sys.platform == "win32"

from vademecum.adapters.line.named_pipe import Pipe, create, pipe_name, user_sid  # noqa: E402 -- exists only on Windows

_log = logging.getLogger(__name__)

_CHUNK_BYTES = 1 << 16
#: Seconds until the next attempt when Windows has no resources for another pipe.
_AGAIN_S = 1.0


async def listen(place: str, meet: "Callable[[asyncio.StreamReader, Call], Awaitable[None]]", limit: int) -> "PipeListening":
    """Listen there; see :class:`vademecum.ports.line.Listen`."""
    user = user_sid()
    name = pipe_name(place, user)
    listening = PipeListening(lambda first: create(name, user, first=first), meet, limit)
    Path(place).write_text(name, encoding="utf-8")
    return listening


class PipeListening:
    """A listening helper."""

    def __init__(
        self, made: Callable[[bool], Pipe], meet: "Callable[[asyncio.StreamReader, Call], Awaitable[None]]", limit: int
    ) -> None:
        self._made, self._meet, self._limit = made, meet, limit
        self._loop = asyncio.get_running_loop()
        self._guard, self._over = threading.Lock(), threading.Event()
        self._talks: set[asyncio.Future[None]] = set()
        self._await(made(True))

    def close(self) -> None:
        """Accept no more calls; current ones continue."""
        with self._guard:
            self._over.set()
        self._next.cut()

    def _await(self, pipe: Pipe) -> None:
        with self._guard:
            self._next = pipe
            if self._over.is_set():
                pipe.close()
                return
        threading.Thread(target=self._take_one, args=(pipe,), name="line", daemon=True).start()

    def _take_one(self, pipe: Pipe) -> None:
        """Wait for one call, start another thread for the next one, and read this call to its end."""
        try:
            pipe.accept()
        except OSError as error:
            pipe.close()
            if self._over.is_set():
                return
            _log.warning("a call was lost: %s", error)
            self._await_next()
            return
        self._await_next()
        call = Call(pipe, self._loop, self._limit)
        call.tell(self._begin, call)
        call.read()

    def _await_next(self) -> None:
        while not self._over.is_set():
            try:
                self._await(self._made(False))
                return
            except OSError as error:
                _log.warning("nobody can call: %s", error)
                self._over.wait(_AGAIN_S)

    def _begin(self, call: "Call") -> None:
        if self._over.is_set():
            call.close()
            return
        talk = asyncio.ensure_future(self._meet(call.reader, call))
        self._talks.add(talk)
        talk.add_done_callback(self._talks.discard)


class Call:
    """One call: `reader` contains the client's data; the object itself implements the Writer port for the answer."""

    def __init__(self, pipe: Pipe, loop: asyncio.AbstractEventLoop, limit: int) -> None:
        self._pipe, self._loop = pipe, loop
        self.reader = asyncio.StreamReader(limit=limit, loop=loop)
        self.reader.set_transport(self)  # type: ignore[arg-type]  # the reader only calls pause_reading and resume_reading
        self._may_read = threading.Event()
        self._may_read.set()
        self._to_send: queue.SimpleQueue[bytes | asyncio.Future[None]] = queue.SimpleQueue()
        self._closed = loop.create_future()
        self._is_closing = False
        threading.Thread(target=self._send, name="answer", daemon=True).start()

    def write(self, data: bytes) -> None:
        """Queue bytes, to be sent in order."""
        if data:
            self._to_send.put(data)

    async def drain(self) -> None:
        """Wait until all queued bytes are sent. Raises OSError when the client is gone."""
        went = self._loop.create_future()
        self._to_send.put(went)
        await went

    def close(self) -> None:
        """Send the queued bytes, then end-of-stream."""
        if not self._is_closing:
            self._is_closing = True
            self._to_send.put(self._closed)

    async def wait_closed(self) -> None:
        """Wait until closing is complete."""
        await asyncio.shield(self._closed)

    def pause_reading(self) -> None:
        """Stop reading from the client: the reader's buffer is full."""
        self._may_read.clear()

    def resume_reading(self) -> None:
        """Continue reading."""
        self._may_read.set()

    def read(self) -> None:
        """Pass the client's data to the reader until the end; runs in a thread of its own."""
        try:
            while data := self._pipe.recv(_CHUNK_BYTES):
                self.tell(self.reader.feed_data, data)
                self._may_read.wait()
            self.tell(self.reader.feed_eof)
        except OSError:
            self.tell(self.reader.set_exception, ConnectionResetError("The caller is gone."))

    def tell(self, action: Callable[..., object], *given: object) -> None:
        """Run a function in the event loop, unless that has ended."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(action, *given)

    def _send(self) -> None:
        """Send queued bytes until the end; runs in a thread of its own."""
        problem: OSError | None = None
        while (to_send := self._to_send.get()) is not self._closed:
            if isinstance(to_send, bytes):
                problem = problem or self._problem(self._pipe.sendall, to_send)
            else:
                self.tell(_settle, to_send, problem)
        if problem is None:
            self._problem(self._pipe.shutdown, 1)
        self._pipe.close()
        self.tell(_settle, self._closed, None)

    def _problem(self, send: Callable[..., None], *given: object) -> OSError | None:
        try:
            send(*given)
        except OSError as error:
            return error
        return None


def _settle(future: "asyncio.Future[None]", problem: OSError | None) -> None:
    if not future.done():
        future.set_exception(problem) if problem else future.set_result(None)

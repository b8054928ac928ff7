"""MCP and HTTP of the helper. Their libraries take most of a second and 50 MB, so they are imported with the first call."""

import asyncio
import contextlib
import errno
import importlib.util
import json
import logging
import select
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.mcp.proxy import STRICT
from vademecum.plugin import named
from vademecum.ports.line import Writer
from vademecum.settings import Settings
from vademecum.settings.definitions import PORT_MAX
from vademecum.wiring import access_token, adding_packages

if TYPE_CHECKING:
    import uvicorn
    from mcp.server.lowlevel import Server

    from vademecum.api import Vademecum
    from vademecum.entrypoints.caller import Caller
    from vademecum.entrypoints.http.access import App, Receive, Scope, Send
    from vademecum.entrypoints.http.beside import Served, WebApp

_log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
#: Poll interval for the first connection on Windows, in seconds.
LOOK_S = 0.1
#: How many ports are tried, from the configured one upwards, if it is taken.
PORTS_TRIED = 9


def what_is_missing() -> str:
    """Return which required packages are missing, and how to install them; "" if none is."""
    if missing := [name for name in ("mcp", "starlette", "uvicorn") if importlib.util.find_spec(name) is None]:
        return f"The installation is incomplete: {', '.join(missing)} is missing. Install it with: {adding_packages(*missing)}"
    return ""


class LateDoors:
    """Opens MCP for connections on the helper's socket, and HTTP on a loopback port."""

    def __init__(self, call: "Caller", settings: Settings, config: Path | None) -> None:
        self._call, self._settings = call, settings
        self._loading = asyncio.Lock()
        self._server: uvicorn.Server | None = None
        self._warming: asyncio.Future[None] | None = None
        self._config = config
        self.port = 0
        #: Why HTTP is not served although it is configured; "" if it is.
        self.problem = ""

    async def talk_mcp(self, said: str, reader: asyncio.StreamReader, writer: Writer) -> None:
        """Serve one MCP connection, from its first message to its end.

        Args:
            said: `strict` if the host's own settings ask for it, and the absolute path of the client's working directory.
        """
        word, _, folder = said.partition(" ") if said.startswith(STRICT) else ("", "", said)
        if missing := what_is_missing():
            error = {"jsonrpc": "2.0", "error": {"code": -32000, "message": missing}, "id": None}
            writer.write(json.dumps(error).encode() + b"\n")
            return
        async with self._loading:
            serve = await asyncio.to_thread(_load_mcp)
        await serve(self._mcp_server(folder, strict=word == STRICT), reader, writer)

    def _mcp_server(self, cwd: str, *, strict: bool = False) -> "Server[Any]":
        from vademecum.entrypoints.mcp.server import build_server, rules_of

        settings = self._settings
        rules = rules_of(settings, cwd, strict=strict)
        return build_server(self._call, rules)

    def _mcp_endpoint(self) -> "tuple[App, AbstractAsyncContextManager[None]]":
        from vademecum.entrypoints.mcp.transports import http_endpoint

        return http_endpoint(self._mcp_server(""))

    async def serve_http(self) -> None:
        """Serve until cancelled. The port is bound at once; the application is loaded with the first request."""
        if not self._settings.port:
            return
        if missing := what_is_missing():
            self.problem = missing
            return
        try:
            listening = _first_free(self._settings.port)
        except OSError as error:
            self.problem = f"port {self._settings.port} cannot be taken: {error.strerror}"
            _log.warning("HTTP is not served: %s", self.problem)
            return
        # Headers and body are two writes; without this the second waits 40 ms for the acknowledgement of the first.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with listening:
            self.port = listening.getsockname()[1]
            await asyncio.to_thread(access_token, self._settings)  # the token exists before the port answers
            await _readable(listening)
            async with self._loading:
                self._server = await asyncio.to_thread(self._load_http)
            try:
                await self._server.serve(sockets=[listening])
            finally:
                self._server.should_exit = True

    @cached_property
    def _apps(self) -> "tuple[tuple[WebApp, Served], ...]":
        """The applications of plugins, created when first used, so that a first prompt does not wait for them."""
        apps: tuple[WebApp, ...] = named("apps", (), lambda app: app.name)
        return tuple((app, app.make(self._settings, self._config)) for app in apps)

    async def details(self, name: str) -> dict[str, object] | None:
        """Return the address of an application and what it says about itself; None if there is none of that name."""
        async with self._loading:
            apps = await asyncio.to_thread(lambda: self._apps)
        served = next((served for app, served in apps if app.name == name), None)
        if served is None:
            return None
        if not self.port:
            return {"port": self.port, "http_error": self.problem}
        self._warming = asyncio.ensure_future(self._warm_up())  # a request follows soon
        return {"port": self.port, "http_error": self.problem, **served.details()}

    async def _warm_up(self) -> None:
        with contextlib.suppress(VademecumError):  # the first request gets the error
            await self._call(_looked_at, aside=True)

    def _load_http(self) -> "uvicorn.Server":
        import uvicorn

        from vademecum.entrypoints.http import silence
        from vademecum.entrypoints.http.access import Access
        from vademecum.entrypoints.http.app import Mounted, build_app

        endpoint = _LateEndpoint(self._mcp_endpoint)
        app: Any = build_app(
            self._call,
            Access(access_token(self._settings)),
            mounted=[Mounted("/mcp", endpoint, endpoint.life())],
            beside=[(app.has, served.app(self._call)) for app, served in self._apps],
        )

        class Quiet(uvicorn.Server):
            """A server that leaves signals to the helper."""

            @contextlib.contextmanager
            def capture_signals(self) -> Iterator[None]:
                yield

        config = uvicorn.Config(
            app,
            lifespan="on",
            access_log=False,  # URLs may contain words of the person
            log_config=None,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            timeout_notify=silence.LOOK_EVERY_S,
        )
        server = Quiet(config)
        config.callback_notify = partial(silence.Silence().look, server.server_state.connections)
        return server


class _LateEndpoint:
    """MCP over HTTP, imported with the first request: it takes 40 MB, which pages do not need."""

    def __init__(self, build: "Callable[[], tuple[App, AbstractAsyncContextManager[None]]]") -> None:
        self._build = build
        self._loading, self._over = asyncio.Lock(), asyncio.Event()
        self._app: App | None = None
        self._open: asyncio.Task[None] | None = None

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        async with self._loading:
            if self._app is None:
                self._app = await self._opened()
            app = self._app
        await app(scope, receive, send)

    async def _opened(self) -> "App":
        app, life = await asyncio.to_thread(self._build)
        ready = asyncio.Event()

        async def stay_open() -> None:  # its context must be left in the task that entered it
            async with life:
                ready.set()
                await self._over.wait()

        self._open = asyncio.create_task(stay_open())
        await ready.wait()
        return app

    @contextlib.asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        """Close at shutdown what was opened."""
        try:
            yield
        finally:
            self._over.set()
            if self._open is not None:
                await self._open


def _looked_at(memory: "Vademecum") -> None:
    memory.context.index.counts()


def _load_mcp() -> Any:
    """Import the MCP modules, and return the function that serves a connection."""
    import mcp.server.lowlevel  # noqa: F401

    from vademecum.entrypoints.mcp.transports import serve_connection

    return serve_connection


def _first_free(port: int) -> socket.socket:
    """Return a socket that listens on this port, or on the next free one: another memory on this machine may use it.

    Raises:
        OSError: none of `PORTS_TRIED` ports is free.
    """
    last = min(port + PORTS_TRIED, PORT_MAX)
    while True:
        try:
            return socket.create_server((LOOPBACK, port), backlog=128)
        except OSError as error:
            if error.errno != errno.EADDRINUSE or port == last:
                raise
        port += 1


async def _readable(listening: socket.socket) -> None:
    """Wait for a connection without accepting it."""
    if sys.platform == "win32":  # its event loop cannot wait for readability
        while not select.select([listening], [], [], 0)[0]:
            await asyncio.sleep(LOOK_S)
        return
    loop = asyncio.get_running_loop()
    called = asyncio.Event()
    loop.add_reader(listening, called.set)
    try:
        await called.wait()
    finally:
        loop.remove_reader(listening)

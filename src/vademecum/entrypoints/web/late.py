"""The pages as an application that is loaded with the first request for one: nobody else pays for what they are made with."""

import asyncio
import importlib.util
from typing import NamedTuple, Protocol

from vademecum.entrypoints.caller import Caller
from vademecum.entrypoints.http.access import App, Receive, Refusal, Scope, Send, send_problem

NEEDED = ("htpy", "markdown_it")


class Lanes(NamedTuple):
    """How pages reach the memory: what only looks goes through `read`, so that no hook waits for it; the rest through `work`."""

    read: Caller
    work: Caller


class Keys(Protocol):
    """Who may look."""

    def enter(self, ticket: str) -> str | None:
        """Return a cookie for a ticket that was given out a moment ago, once."""
        ...

    def knows(self, cookie: str) -> bool:
        """Return whether a cookie is one of ours that still lasts."""
        ...


class LatePages:
    """The pages; what they are made with is imported when somebody asks for one."""

    def __init__(self, lanes: Lanes, keys: Keys) -> None:
        self._lanes, self._keys = lanes, keys
        self._loading = asyncio.Lock()
        self._app: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not all(map(importlib.util.find_spec, NEEDED)):
            hint = "pip install 'vademecum[server]'"
            await send_problem(send, Refusal(501, "not_installed", "The pages need packages that are not installed.", hint))
            return
        async with self._loading:
            if self._app is None:
                self._app = await asyncio.to_thread(_load, self._lanes, self._keys)
            app = self._app
        await app(scope, receive, send)


def _load(lanes: Lanes, keys: Keys) -> App:
    from vademecum.entrypoints.web.app import build_pages

    return build_pages(lanes, keys)

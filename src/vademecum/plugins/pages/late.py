"""Loads the pages with the first request for one, so that other processes do not import their packages."""

import asyncio
import importlib.util

from vademecum.plugin import late
from vademecum.plugin_api.helper import Caller
from vademecum.plugin_api.http import App, Receive, Refusal, Scope, Send, send_problem
from vademecum.plugin_api.machine import adding_packages
from vademecum.plugins.pages.machine import Keys, Machine

#: Module -> package that contains it.
NEEDED = {"htpy": "htpy", "markdown_it": "markdown-it-py"}

#: Builds the application.
_build = late("vademecum.plugins.pages.app", "build_pages")


class LatePages:
    """The pages; their packages are imported at the first request."""

    def __init__(self, call: Caller, keys: Keys, machine: Machine) -> None:
        self._call, self._keys, self._machine = call, keys, machine
        self._loading = asyncio.Lock()
        self._app: App | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
            hint = adding_packages(*(NEEDED[name] for name in missing))
            await send_problem(send, Refusal(501, "not_installed", "The pages need packages that are missing.", hint))
            return
        async with self._loading:
            if self._app is None:
                made: App = await asyncio.to_thread(_build, self._call, self._keys, self._machine)
                self._app = made
            app = self._app
        await app(scope, receive, send)

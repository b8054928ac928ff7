"""Applications of plugins that the helper serves on its HTTP port, besides our own routes."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from vademecum.entrypoints.caller import Caller
from vademecum.entrypoints.http.access import App
from vademecum.settings import Settings


class Served(Protocol):
    """An application in the process of the helper."""

    def app(self, call: Caller) -> App:
        """Return the ASGI application. It does its own access control; no token is required."""

    def details(self) -> Mapping[str, object]:
        """Return a JSON value for the command that asks the helper for this application, such as a ticket."""


class WebApp(Struct, frozen=True):
    """An application to serve.

    Attributes:
        name: lower case; a command asks for it with `call(settings, NAME)`.
        has: whether it serves a path. Requests from other machines, to other hosts or from other origins do not reach it.
        make: creates it from the settings and the configuration file (None: the default one); called with the first use.
    """

    name: str
    has: Callable[[str], bool]
    make: Callable[[Settings, Path | None], Served]

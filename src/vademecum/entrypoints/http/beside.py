"""Applications of plugins that the helper serves on its HTTP port, beside our own routes."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from vademecum.entrypoints.caller import Caller
from vademecum.entrypoints.http.access import App
from vademecum.settings import Settings


class Served(Protocol):
    """One such application, in the process of the helper."""

    def app(self, call: Caller) -> App:
        """Return the ASGI application; it decides whom it lets in, since no token is asked for."""

    def told(self) -> Mapping[str, object]:
        """Return what the helper answers to a command that asks for the application by its name, such as a ticket; as JSON."""


class WebApp(Struct, frozen=True):
    """An application to serve.

    Attributes:
        name: lower case; the helper is asked for it by this name: `call(settings, NAME)`.
        has: whether it answers a path. Requests from other machines, for other hosts and of other origins do not reach it.
        make: given the settings and the configuration file, when it is not the platform's; called when it is first asked for.
    """

    name: str
    has: Callable[[str], bool]
    make: Callable[[Settings, Path | None], Served]

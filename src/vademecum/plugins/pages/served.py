"""Registers the pages on the helper's HTTP port."""

from collections.abc import Mapping
from pathlib import Path

from vademecum.plugin_api.helper import Caller
from vademecum.plugin_api.http import App, WebApp
from vademecum.plugin_api.machine import system_clock
from vademecum.plugins.pages.browser_keys import browser_keys
from vademecum.plugins.pages.late import LatePages
from vademecum.plugins.pages.machine import Machine, is_page
from vademecum.settings import Settings


class ServedPages:
    """The pages of one memory, with the access keys of browsers."""

    def __init__(self, settings: Settings, config: Path | None) -> None:
        self._machine, self._keys = Machine(settings, config), browser_keys(settings, system_clock())

    def app(self, call: Caller) -> App:
        """Return the application of the pages."""
        return LatePages(call, self._keys, self._machine)

    def details(self) -> Mapping[str, object]:
        """Return a ticket that admits one browser once."""
        return {"ticket": self._keys.ticket()}


APPS = (WebApp("web", is_page, ServedPages),)

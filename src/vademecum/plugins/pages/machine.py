"""Address of the pages, and their environment: settings and access keys."""

from pathlib import Path
from typing import NamedTuple, Protocol

from vademecum.settings import Settings

#: Prefix of the pages. They require a browser's cookie, not the token of the HTTP interface.
PAGES = "/web"


def is_page(path: str) -> bool:
    """Return whether a path belongs to the pages, including "/", which redirects to them, and the icon that browsers request."""
    return path in ("/", "/favicon.ico", PAGES) or path.startswith(f"{PAGES}/")


class Machine(NamedTuple):
    """Settings, and their file if it is not the platform's."""

    settings: Settings
    config: Path | None = None


class Keys(Protocol):
    """Access keys of browsers."""

    def enter(self, ticket: str) -> str | None:
        """Exchange a fresh ticket for a cookie, once."""

    def knows(self, cookie: str) -> bool:
        """Return whether a cookie is valid."""

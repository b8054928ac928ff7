"""Where the pages stand, and what they are given besides the memory: the machine, and who may look."""

from pathlib import Path
from typing import NamedTuple, Protocol

from vademecum.settings import Settings

#: The person's own pages are below this: they take a browser's cookie, never the token.
PAGES = "/web"


def is_page(path: str) -> bool:
    """Return whether a path is one of the person's pages: "/" leads to them, and browsers ask for the icon by themselves."""
    return path in ("/", "/favicon.ico", PAGES) or path.startswith(f"{PAGES}/")


class Machine(NamedTuple):
    """What the pages are served with: the settings, and their file when it is not the platform's."""

    settings: Settings
    config: Path | None = None


class Keys(Protocol):
    """Who may look."""

    def enter(self, ticket: str) -> str | None:
        """Return a cookie for a ticket that was given out a moment ago, once."""

    def knows(self, cookie: str) -> bool:
        """Return whether a cookie is one of ours that still lasts."""

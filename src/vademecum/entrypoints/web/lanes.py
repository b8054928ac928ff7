"""What the pages are given: ways to the memory, and who may look."""

from pathlib import Path
from typing import NamedTuple, Protocol

from vademecum.entrypoints.caller import Caller
from vademecum.settings import Settings


class Lanes(NamedTuple):
    """How pages reach the memory: what only looks goes through `read`, so that no hook waits for it; the rest through `work`."""

    read: Caller
    work: Caller


class Machine(NamedTuple):
    """What the pages are served with: the settings, and their file when it is not the platform's."""

    settings: Settings
    config: Path | None = None


class Keys(Protocol):
    """Who may look."""

    def enter(self, ticket: str) -> str | None:
        """Return a cookie for a ticket that was given out a moment ago, once."""
        ...

    def knows(self, cookie: str) -> bool:
        """Return whether a cookie is one of ours that still lasts."""
        ...

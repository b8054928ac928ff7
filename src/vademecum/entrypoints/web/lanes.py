"""What the pages are given: ways to the memory, and who may look."""

from typing import NamedTuple, Protocol

from vademecum.entrypoints.caller import Caller


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

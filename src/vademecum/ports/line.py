"""The line between the helper and those who call it, on one machine and for one account alone.

A place is a path in a folder of the person's: there a helper listens, at most one. A call is bytes one way, then their end, and
bytes the other way, then their end; MCP speaks both ways at once. A side that vanishes without the end cuts the line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable


class Line(Protocol):
    """One call, as the caller has it: those methods of a socket that it needs, so that a socket is one.

    One thread may read while another sends. Every method but `settimeout` and `close` raises TimeoutError when its time is over
    and another OSError when the line is cut.
    """

    def settimeout(self, seconds: float | None, /) -> None:
        """Give each of the calls below so long from now on; None: for ever."""
        ...

    def sendall(self, data: bytes, /) -> None:
        """Send all of it."""
        ...

    def shutdown(self, how: int, /) -> None:
        """Say that nothing more is sent (SHUT_WR); also to a side that has closed, whose answer can be read after it."""
        ...

    def recv(self, most: int, /) -> bytes:
        """Return what is there, at least one byte and `most` at most; none at the end."""
        ...

    def close(self) -> None:
        """Release it."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_failure: object) -> None: ...


class Writer(Protocol):
    """Where the helper's answer to one call goes; `asyncio.StreamWriter` is one."""

    def write(self, data: bytes, /) -> None:
        """Take bytes, to be sent in order."""
        ...

    async def drain(self) -> None:
        """Wait until there is room for more. Raises OSError when the caller is gone."""
        ...

    def close(self) -> None:
        """Send what was taken, then the end."""
        ...

    async def wait_closed(self) -> None:
        """Wait until that is done."""
        ...


class Listening(Protocol):
    """A helper that can be called."""

    def close(self) -> None:
        """Take no more calls; those that are going on go on."""
        ...


class Listen(Protocol):
    """The way to become the one that is called at a place."""

    async def __call__(
        self, place: str, meet: Callable[[asyncio.StreamReader, Writer], Awaitable[None]], limit: int, /
    ) -> Listening:
        """Listen to this account alone and have `meet` done for each call, in the running loop.

        What a killed helper left at the place is removed; the caller holds the right to be the only helper. Once this returns a
        file at the place says that somebody listens. `limit`: of a line, in bytes.

        Raises:
            OSError: it cannot be done, or the place is another account's.
        """
        ...

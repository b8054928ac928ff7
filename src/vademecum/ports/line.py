"""Connections between the helper and its clients, on one machine and for one account only.

A place is a path in a folder of the person's where at most one helper listens. A call sends bytes and end-of-stream, and
receives bytes and end-of-stream; MCP uses both directions at once. A side that disappears without end-of-stream breaks the
connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Self

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Awaitable, Callable


class Line(Protocol):
    """One call on the client's side: the methods of a socket that it needs, so that a socket is a Line.

    One thread may read while another sends. Every method but `settimeout` and `close` raises TimeoutError when its time is over
    and another OSError when the connection is broken.
    """

    def settimeout(self, seconds: float | None, /) -> None:
        """Set the timeout of each later call in seconds; None: no timeout."""

    def sendall(self, data: bytes, /) -> None:
        """Send all of it."""

    def shutdown(self, how: int, /) -> None:
        """End sending (SHUT_WR). Also allowed after the other side has closed; its answer can still be read."""

    def recv(self, most: int, /) -> bytes:
        """Return the available bytes, at least one and at most `most`; empty at the end."""

    def close(self) -> None:
        """Release it."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_failure: object) -> None: ...


class Writer(Protocol):
    """Stream for the helper's answer to one call; `asyncio.StreamWriter` is one."""

    def write(self, data: bytes, /) -> None:
        """Queue bytes, to be sent in order."""

    async def drain(self) -> None:
        """Wait until there is room for more. Raises OSError when the caller is gone."""

    def close(self) -> None:
        """Send the queued bytes, then end-of-stream."""

    async def wait_closed(self) -> None:
        """Wait until closing is complete."""


class Listening(Protocol):
    """A listening helper."""

    def close(self) -> None:
        """Accept no more calls; current ones continue."""


class Listen(Protocol):
    """Function that starts listening at a place."""

    async def __call__(
        self, place: str, meet: Callable[[asyncio.StreamReader, Writer], Awaitable[None]], limit: int, /
    ) -> Listening:
        """Accept calls from this account only and run `meet` for each, in the running event loop.

        Remains of a killed helper at the place are removed; the caller must hold the lock of the only helper. When this
        returns, a file at the place shows that somebody listens. `limit`: longest line, in bytes.

        Raises:
            OSError: listening is not possible, or the place belongs to another account.
        """

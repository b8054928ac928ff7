"""Listens at a Unix socket that only its owner can open."""

import asyncio
import os
import socket
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from vademecum.ports.line import Writer

assert sys.platform != "win32"


async def listen(
    place: str, meet: Callable[[asyncio.StreamReader, Writer], Awaitable[None]], limit: int
) -> asyncio.AbstractServer:
    """Listen there; see :class:`vademecum.ports.line.Listen`."""
    Path(place).unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listening.bind(place)
    finally:
        os.umask(before)
    return await asyncio.start_unix_server(meet, sock=listening, limit=limit, backlog=512)

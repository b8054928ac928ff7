"""Connects an MCP host with the helper, byte by byte. Imports almost nothing, because the host waits."""

import os
import socket
import sys
import threading
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from vademecum.ports.line import Line

HEADER = b"mcp 1\n"
#: Word in the header of a connection whose host asks for strict interfaces.
STRICT = "strict"
_CHUNK_BYTES = 1 << 16


def proxy(socket_path: str, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None, header: bytes = HEADER) -> None:
    """Copy bytes in both directions until either side ends.

    Args:
        socket_path: of the helper. stdin, stdout: unbuffered streams with a file descriptor; None: those of the process.
        header: first line sent to the helper.

    Raises:
        OSError: no helper listens at `socket_path`.
    """
    source = (stdin or sys.stdin.buffer).fileno()
    target = (stdout or sys.stdout.buffer).fileno()
    with _connected(socket_path) as helper:
        helper.sendall(header)
        # A thread that blocks on the host's input must not keep the process alive once the helper is gone.
        threading.Thread(target=_to_helper, args=(source, helper), daemon=True).start()
        _to_host(helper, target)


def _connected(place: str) -> "Line":
    if sys.platform == "win32":
        from vademecum.wiring import line_to

        return line_to(place)
    helper = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        helper.connect(place)
    except OSError:
        helper.close()
        raise
    return helper


def _to_helper(source: int, helper: "Line") -> None:
    try:
        while data := os.read(source, _CHUNK_BYTES):
            helper.sendall(data)
        helper.shutdown(socket.SHUT_WR)
    except OSError:
        return  # the helper is gone, which also ends the other direction


def _to_host(helper: "Line", target: int) -> None:
    while data := helper.recv(_CHUNK_BYTES):
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(target, rest) :]

"""Connections to the helper: by a Unix socket, on Windows by a named pipe. See :mod:`vademecum.ports.line`."""

import contextlib
import json
import socket
import sys
from pathlib import Path
from typing import Any

#: Timeout in seconds; a running helper answers at once.
ANSWER_S = 2.0

if sys.platform == "win32":
    from vademecum.adapters.line.named_pipe import connect as connect
else:

    def connect(place: str, within_s: float | None = None) -> socket.socket:
        """Return a connection to the helper at a place; each send and receive has the timeout `within_s`, None: no timeout.

        Raises:
            OSError: nobody listens there, or not for this account.
        """
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.settimeout(within_s)
            line.connect(place)
        except BaseException:
            line.close()
            raise
        return line


def ask(place: Path, what: str) -> dict[str, Any] | None:
    """Return the helper's answer to "status" or "stop", a JSON object; None when there is no helper."""
    with contextlib.suppress(OSError, ValueError), connect(str(place), ANSWER_S) as line:
        line.sendall(f"{what} 1\n".encode())
        line.shutdown(socket.SHUT_WR)
        by_key = json.loads(b"".join(iter(lambda: line.recv(65536), b"")))
        return by_key if isinstance(by_key, dict) else None
    return None

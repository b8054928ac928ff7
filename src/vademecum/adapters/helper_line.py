"""Asking the helper over its socket: one line there, one JSON object back."""

import contextlib
import json
import socket
import sys
from pathlib import Path
from typing import Any

#: A helper that is there answers at once.
ANSWER_S = 2.0


def ask(place: Path, what: str) -> dict[str, Any] | None:
    """Return what the helper at that socket answers to "status" or "stop"; None when there is none, as on every Windows."""
    if sys.platform == "win32":
        return None
    with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(ANSWER_S)
        line.connect(str(place))
        line.sendall(f"{what} 1\n".encode())
        line.shutdown(socket.SHUT_WR)
        found = json.loads(b"".join(iter(lambda: line.recv(65536), b"")))
        return found if isinstance(found, dict) else None
    return None

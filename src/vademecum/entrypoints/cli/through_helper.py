"""Sends a command line, with the three standard streams themselves, to the command server.

Imports `os`, `sys` and `_socket` only. The other side is :mod:`vademecum.entrypoints.cli.command_server`, which the helper runs. It
reads the settings again for each command, so the server of any helper will do, whichever memory that serves.
"""

import _socket
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Answers: the command must run elsewhere; or it runs, and the exit code follows.
ELSEWHERE, BEGUN = b"n", b"y"
#: Message of a client while its command runs: the person pressed Ctrl-C.
INTERRUPT = b"i"
#: Longest path of a socket, in bytes; the strictest platform allows 104.
_PATH_MAX = 100
#: Exit code of a command whose process was killed.
CUT_SHORT = 70


def commands_socket() -> str:
    """Return the socket path of the command server of this installation; "" if it would be too long."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("HOME", "") + "/.cache"
    number = 5381
    for byte in os.fsencode(package_folder()):
        number = (number * 33 ^ byte) & 0xFFFFFFFF
    path = f"{cache}/vademecum/run/{number:08x}.sock"
    return path if cache.startswith("/") and len(os.fsencode(path)) <= _PATH_MAX else ""


def package_folder() -> str:
    """Return the folder of this package."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(arguments: "Sequence[str]") -> int | None:
    """Return the exit code of the command if the command server ran it; None if it did not, and nothing was done."""
    if sys.platform == "win32":
        return None
    line = _connected(commands_socket())
    if line is None or None in (sys.stdin, sys.stdout, sys.stderr):
        return None
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, b"".join(word.to_bytes(4, sys.byteorder) for word in (0, 1, 2)))
    try:
        message = b"\0".join(_request_parts(arguments))
        line.sendmsg([b"%010d" % len(message)], [rights])
        line.sendall(message)
        if line.recv(1) != BEGUN:
            return None
    except OSError:
        return None  # a stream is closed, the folder is gone, or the server ended before it began
    return _code_of(line)


def _connected(place: str) -> _socket.socket | None:
    if sys.platform == "win32" or not place:
        return None
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.connect(place)
    except OSError:
        return None
    return line


def _request_parts(arguments: "Sequence[str]") -> "Iterator[bytes]":
    """Send this process's streams, working directory and environment, and the command."""
    yield os.fsencode(sys.executable)
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        yield f"{stream.encoding} {stream.errors}".encode()
    yield os.fsencode(os.getcwd())
    mask = os.umask(0o077)
    os.umask(mask)
    yield str(mask).encode()
    yield str(len(arguments)).encode()
    yield from map(os.fsencode, arguments)
    yield from (os.fsencode(f"{name}={value}") for name, value in os.environ.items())


def _code_of(line: _socket.socket) -> int | None:
    """Wait for the end of the command and return its exit code; None if it needs to ask the person, and did nothing.

    Ctrl-C is passed on to the command.
    """
    raw = b""
    while not raw.endswith(b"\n"):
        try:
            part = line.recv(16)
        except KeyboardInterrupt:
            line.sendall(INTERRUPT)
            continue
        if not part:
            sys.stderr.write("vade: the command was interrupted. Check what it changed with: vade history\n")
            return CUT_SHORT
        raw += part
    return None if raw[:1] == ELSEWHERE else int(raw)

"""Has a command line carried out by a process that is warm: sends it there with the three standard streams themselves.

Loads `os`, `sys` and `_socket` only. The other end is :mod:`vademecum.entrypoints.cli.command_server`, which the helper runs. It reads
the settings for each command anew, from what is sent: so any such process is the right one, whatever home its helper serves.
"""

import _socket
import os
import sys
from collections.abc import Iterator, Sequence

#: Answers: another process must do it; it is being done, and the code follows.
ELSEWHERE, BEGUN = b"n", b"y"
#: What a client says while its command runs: the person pressed Ctrl-C.
INTERRUPT = b"i"
#: Of 104 on the strictest platform.
_PATH_MAX = 100
#: Exit code of a command whose process was killed.
CUT_SHORT = 70


def commands_socket() -> str:
    """Return where commands of this installation are taken; "" when no socket can lie there."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.environ.get("HOME", "") + "/.cache"
    number = 5381
    for byte in os.fsencode(package_folder()):
        number = (number * 33 ^ byte) & 0xFFFFFFFF
    path = f"{cache}/vademecum/run/{number:08x}.sock"
    return path if cache.startswith("/") and len(os.fsencode(path)) <= _PATH_MAX else ""


def package_folder() -> str:
    """Return the folder that this package is imported from."""
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(arguments: Sequence[str]) -> int | None:
    """Return the exit code of a command that was carried out elsewhere; None: nobody did, and nothing was done."""
    if sys.platform == "win32":
        return None
    line = _connected(commands_socket())
    if line is None or None in (sys.stdin, sys.stdout, sys.stderr):
        return None
    rights = (_socket.SOL_SOCKET, _socket.SCM_RIGHTS, b"".join(word.to_bytes(4, sys.byteorder) for word in (0, 1, 2)))
    try:
        message = b"\0".join(_told(arguments))
        line.sendmsg([b"%010d" % len(message)], [rights])
        line.sendall(message)
        if line.recv(1) != BEGUN:
            return None
    except OSError:
        return None  # a stream is closed, the folder is gone, or the other end went before it began
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


def _told(arguments: Sequence[str]) -> Iterator[bytes]:
    """Give what the other end must know: this process's streams, place and environment, and the command."""
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
    """Wait for the end of the command and return its code; None: it would have asked the person, and did nothing.

    Ctrl-C is the command's.
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

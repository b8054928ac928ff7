"""A process with everything imported that forks for each command of a client, which has imported nothing.

The fork takes over the client's standard streams, environment, working directory and arguments, and then runs the normal command
line: it reads the settings and prints by itself, so results are the same. The helper starts and ends this process.
"""

import atexit
import contextlib
import fcntl
import gc
import io
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NoReturn, TextIO

import vademecum
from vademecum.entrypoints import resident  # noqa: F401 -- so that each fork has it
from vademecum.entrypoints.cli import through_helper
from vademecum.entrypoints.cli.cli import NotHere, commands, is_served, run
from vademecum.settings import take_environment
from vademecum.wiring import load_before_forks

assert sys.platform != "win32"  # the helper runs no command server on Windows

#: Poll interval of a second server that waits for the first to end.
LOOK_S = 1.0
_HEAD = 10
_STREAMS = 3
#: Most bytes of a command line with its environment.
_MESSAGE_MAX = 8 << 20
#: Environment variables that affect the start of Python, which a fork cannot take over.
_OF_PYTHON = "PYTHON"


def main() -> None:
    """Serve until standard input, which the helper holds open, ends. A second server of the same person waits for the first."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not (name := through_helper.commands_socket()):
        return  # the socket path is too long: commands run in their own process
    commands()  # built before the fork, so that each fork has them
    load_before_forks()
    gc.freeze()  # so that the garbage collector does not touch shared pages
    place = Path(name)
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("ab") as lock:
        if not _is_my_turn(lock):
            return
        place.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX) as listening:
            before = os.umask(0o177)
            listening.bind(str(place))
            os.umask(before)
            listening.listen(64)
            try:
                _serve(listening)
            finally:
                place.unlink(missing_ok=True)


def _is_my_turn(lock: IO[bytes]) -> bool:
    """Wait until no other server runs; False if the helper ended first."""
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if select.select([sys.stdin], [], [], LOOK_S)[0]:
            return False


def _program() -> tuple[int, int]:
    """Return a stamp that changes when another version is installed in place of this one."""
    try:
        stat = Path(vademecum.__file__).stat()
    except OSError:
        return (0, 0)
    return (stat.st_ino, stat.st_mtime_ns)


def _serve(listening: socket.socket) -> None:
    """Fork for each command until standard input ends or another version is installed."""
    program = _program()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # forks are not waited for; they answer their client themselves
    while True:
        ready, _, _ = select.select([listening, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        line, _ = listening.accept()
        with line:
            if _program() != program:
                line.sendall(through_helper.ELSEWHERE)
                return
            if os.fork() == 0:
                listening.close()
                _carry_out(line)


def _carry_out(line: socket.socket) -> NoReturn:
    """Run one command and end this process."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    code: int | None = through_helper.CUT_SHORT
    try:
        arguments = _taken_over(line)
        if arguments is None or not is_served(arguments):
            line.sendall(through_helper.ELSEWHERE)
        else:
            line.sendall(through_helper.BEGUN)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            threading.Thread(target=_listen, args=(line,), daemon=True).start()
            code = _run(arguments)
            line.sendall(b"%d\n" % code if code is not None else through_helper.ELSEWHERE + b"\n")
    finally:
        os._exit(code or 0)


def _run(arguments: list[str]) -> int | None:
    """Run the command and return its exit code; None if only the client's own process can run it."""
    try:
        code = _code_of(arguments)
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except NotHere:
        return None
    except BrokenPipeError:
        return 120  # the exit code of Python for a closed output
    except BaseException:  # noqa: BLE001 -- shown where the command runs, as Python itself shows it
        sys.excepthook(*sys.exc_info())
        return 1
    return code


def _code_of(arguments: list[str]) -> int:
    try:
        return run(arguments, served=True)
    except SystemExit as leaving:  # how click ends on a closed output
        return leaving.code if isinstance(leaving.code, int) else 1


def _listen(line: socket.socket) -> None:
    """Pass on Ctrl-C, and end the command when the client is gone."""
    while recv := line.recv(1):
        if recv == through_helper.INTERRUPT:
            os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGHUP)


def _taken_over(line: socket.socket) -> list[str] | None:
    """Take over streams, environment and folder of the client, and return its arguments; None if that is not possible."""
    head, streams, _, _ = socket.recv_fds(line, _HEAD, _STREAMS)
    left = int(head)
    if len(streams) != _STREAMS or left > _MESSAGE_MAX:
        return None
    message = b""
    while len(message) < left:
        part = line.recv(left - len(message))
        if not part:
            return None
        message += part
    python, *rest = message.split(b"\0")
    encodings, (folder, mask, count), words = rest[:3], rest[3:6], rest[6:]
    given = dict(entry.partition("=")[::2] for entry in map(os.fsdecode, words[int(count) :]))
    if os.fsdecode(python) != sys.executable or _of_python(given) != _of_python(dict(os.environ)):
        return None
    try:
        os.chdir(folder)
    except OSError:
        return None
    take_environment(given)
    time.tzset()
    os.umask(int(mask))
    _take_streams(streams, [encoding.decode() for encoding in encodings])
    return list(map(os.fsdecode, words[: int(count)]))


def _of_python(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_OF_PYTHON)}


def _take_streams(streams: Sequence[int], encodings: Sequence[str]) -> None:
    for number, given in enumerate(streams):
        os.dup2(given, number)
        os.close(given)
    for number, (name, mode) in enumerate((("stdin", "rb"), ("stdout", "wb"), ("stderr", "wb"))):
        stream = _text(number, mode, encodings[number], line_buffering=name == "stderr")
        for known in (name, f"__{name}__"):
            setattr(sys, known, stream)


def _text(descriptor: int, mode: str, encoding: str, *, line_buffering: bool) -> TextIO:
    name, errors = encoding.split(" ")
    raw = open(descriptor, mode, closefd=False)  # noqa: SIM115 -- as long as the process
    newline = None if mode == "rb" else "\n"
    lines = line_buffering or (mode == "wb" and os.isatty(descriptor))
    return io.TextIOWrapper(raw, name, errors, newline=newline, line_buffering=lines)


if __name__ == "__main__":
    main()

"""Carries out command lines for clients that have loaded nothing: one process, warm, that forks for each command.

What is forked takes the client's own standard streams, environment, folder and arguments, and then is the command line as ever: it
reads the settings, asks, and prints by itself, so what it does and prints is the same. The helper runs it and ends it.
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
from vademecum.entrypoints.cli import through_helper
from vademecum.entrypoints.cli.cli import NotHere, commands, is_served, run
from vademecum.settings import take_environment
from vademecum.wiring import load_before_forks

assert sys.platform != "win32"  # the helper runs this, and there is none

#: How often one that waits for its turn looks.
LOOK_S = 1.0
_HEAD = 10
_STREAMS = 3
#: A command line with its environment is no longer.
_MESSAGE_MAX = 8 << 20
#: What decides how Python itself starts cannot be taken over.
_OF_PYTHON = "PYTHON"


def main() -> None:
    """Serve until standard input ends, which the helper holds open. Of two servers of one person the second waits for its turn."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not (name := through_helper.commands_socket()):
        return  # the path would be too long: commands do everything by themselves
    load_before_forks()
    commands()  # what is forked has them
    gc.freeze()  # and its collector does not look at what all share
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
    """Wait until no other process serves; False: the helper ended first, so there is nobody to serve for."""
    while True:
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        if select.select([sys.stdin], [], [], LOOK_S)[0]:
            return False


def _program() -> tuple[int, int]:
    """Return what changes when another version is installed in the place of this one."""
    try:
        stat = Path(vademecum.__file__).stat()
    except OSError:
        return (0, 0)
    return (stat.st_ino, stat.st_mtime_ns)


def _serve(listening: socket.socket) -> None:
    """Have each command carried out, until standard input ends, or another version is installed: nobody gets answers of this one then."""
    program = _program()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those that were forked: they answer by themselves
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
    """Do one command and end this process."""
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
    """Do the command as its own process would, and return its exit code; None: only its own process can."""
    try:
        code = _code_of(arguments)
        atexit._run_exitfuncs()
        sys.stdout.flush()
    except NotHere:
        return None
    except BrokenPipeError:
        return 120  # as Python itself ends when nobody reads any more
    except BaseException:  # noqa: BLE001 -- shown where the command runs, as Python itself shows it
        sys.excepthook(*sys.exc_info())
        return 1
    return code


def _code_of(arguments: list[str]) -> int:
    try:
        return run(arguments, served=True)
    except SystemExit as leaving:  # click's way to end when nobody reads any more
        return leaving.code if isinstance(leaving.code, int) else 1


def _listen(line: socket.socket) -> None:
    """Pass on Ctrl-C; when the client is gone, so is the command."""
    while recv := line.recv(1):
        if recv == through_helper.INTERRUPT:
            os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGHUP)


def _taken_over(line: socket.socket) -> list[str] | None:
    """Become the client's process as far as a command can tell; gives its arguments. None: that cannot be done."""
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


def _text(descriptor: int, mode: str, encoding: str, *, line_buffering: bool = False) -> TextIO:
    name, errors = encoding.split(" ")
    raw = open(descriptor, mode, closefd=False)  # noqa: SIM115 -- as long as the process
    newline = None if mode == "rb" else "\n"
    lines = line_buffering or (mode == "wb" and os.isatty(descriptor))
    return io.TextIOWrapper(raw, name, errors, newline=newline, line_buffering=lines)


if __name__ == "__main__":
    main()

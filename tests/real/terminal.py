"""A terminal in which a person sits before a program."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

#: It only ends a test that would hang for ever.
WAIT_LIMIT_S = 120
#: Keys that end a program are pressed again after so long: twice in a second or so means "end".
PRESS_AGAIN_S = 0.3
#: Lines and columns: a prompt of the tests fits on one line.
SIZE = (50, 200)

#: Ctrl-C.
INTERRUPT = "\x03"

#: What a program asks of its terminal -> what the terminal answers.
_QUESTIONS = {
    b"\x1b[6n": b"\x1b[1;1R",  # where the cursor is
    b"\x1b[c": b"\x1b[?62;c",  # which terminal it is
    b"\x1b]10;?": b"\x1b]10;rgb:ffff/ffff/ffff\x1b\\",  # its colours
    b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\",
}
_CONTROL = re.compile(
    rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\[[0-9;:<=>?]*[ -/]*[@-~]|\x1b[()][0-9A-Za-z]|\x1b.|[\x00-\x1f\x7f]"
)
#: It gives a program the terminal at its standard input as the one that controls it, and becomes that program.
_BEGIN = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"


class Terminal:
    """A program that runs in a pseudo-terminal. Use it in a `with` statement: a program that has not ended is killed.

    Attributes:
        written: what the program wrote since the last line was typed, with its control codes.
    """

    def __init__(self, command: Sequence[str], *, cwd: Path, env: Mapping[str, str]) -> None:
        self.written = b""
        self._screen, program = pty.openpty()
        fcntl.ioctl(program, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE, 0, 0))
        begin = [sys.executable, "-I", "-S", "-c", _BEGIN, *command]
        self._process = subprocess.Popen(
            begin, cwd=cwd, env=dict(env), stdin=program, stdout=program, stderr=program, start_new_session=True
        )
        os.close(program)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._screen)

    def shows(self, text: str) -> bool:
        """Return whether the program has written a text since the last line was typed; blanks do not count."""
        return _bare(text.encode()) in _bare(self.written)

    def type(self, text: str) -> None:
        """Type a line, wait until it stands on the screen, and press Enter."""
        self.written = b""
        self._press(text)
        self.wait(lambda: self._echoes(text))
        self.written = b""
        self._press("\r")

    def wait(self, happened: Callable[[], bool]) -> None:
        """Read what the program writes until something has happened."""
        deadline = time.monotonic() + WAIT_LIMIT_S
        while not happened():
            assert time.monotonic() < deadline, _CONTROL.sub(b" ", self.written).decode(errors="replace")
            self._read()

    def end(self) -> int:
        """Press Ctrl-C until the program has ended; its exit code."""
        deadline = time.monotonic() + WAIT_LIMIT_S
        while self._process.poll() is None:
            assert time.monotonic() < deadline, "the program goes on"
            self._press(INTERRUPT)
            again = time.monotonic() + PRESS_AGAIN_S
            while time.monotonic() < again and self._process.poll() is None:
                self._read()
        return self._process.wait()

    def _echoes(self, text: str) -> bool:
        """Return whether all characters of a text were written in their order; hints of the program may stand in between."""
        shown = iter(_bare(self.written))
        return all(character in shown for character in _bare(text.encode()))

    def _press(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def _read(self) -> None:
        """Take what the program has written, and answer what it asks of the terminal."""
        if not select.select([self._screen], [], [], 0.05)[0]:
            return
        try:
            self.written += os.read(self._screen, 65536)
        except OSError:  # the program has ended
            time.sleep(0.05)
            return
        for question, answer in _QUESTIONS.items():
            for _ in range(self.written.count(question)):
                os.write(self._screen, answer)
            self.written = self.written.replace(question, b"")


def _bare(text: bytes) -> bytes:
    return re.sub(rb"\s+", b"", _CONTROL.sub(b"", text))

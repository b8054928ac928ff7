"""Keys of a terminal, for screens on which one key decides."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

#: Ctrl-C, Ctrl-D and Escape leave too.
QUIT = ("q", "\x03", "\x04", "\x1b", "")
#: One key: a character, or the sequence of an arrow key.
_KEYS = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)


class Keyboard:
    """Reads keys of the terminal, one at a time and without Enter. Keys typed ahead are not lost."""

    def __init__(self) -> None:
        self._ahead: list[str] = []
        self._quiet = _quiet_terminal()

    def __enter__(self) -> "Keyboard":
        self._quiet.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._quiet.__exit__(None, None, None)

    def key(self) -> str:
        """Return the next key; "" if the terminal is gone. Arrow keys count as one unknown key."""
        if sys.platform == "win32":
            return click.getchar()
        if not self._ahead:
            typed = os.read(sys.stdin.fileno(), 256).decode("utf-8", "replace")
            self._ahead = ["?" if len(key) > 1 else key for key in _KEYS.findall(typed)]
        return self._ahead.pop(0) if self._ahead else ""

    def edit(self, text: str) -> str | None:
        """Return the text edited in the person's editor; None if it was not saved."""
        self._quiet.__exit__(None, None, None)
        try:
            return click.edit(text)
        finally:
            self._quiet = _quiet_terminal()
            self._quiet.__enter__()


@contextmanager
def _quiet_terminal() -> Iterator[None]:
    """Switch the terminal to single keys without echo, and restore it afterwards."""
    if sys.platform == "win32":  # click's getchar does that
        yield
        return
    import termios
    import tty

    place = sys.stdin.fileno()
    before = termios.tcgetattr(place)
    tty.setcbreak(place, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)

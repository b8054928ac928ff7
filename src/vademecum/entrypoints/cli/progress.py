"""Progress of long work, on standard error."""

import sys
import time
from typing import ClassVar


class Progress:
    """A line with the remaining time on a terminal's standard error, shown once something takes longer than a second.

    It is erased when the work is done; :func:`clear_line` erases it before anything else is printed.
    """

    #: Whether the line is shown. Class-wide, because there is one terminal.
    is_shown: ClassVar[bool] = False

    def __init__(self, *, wanted: bool = True) -> None:
        self._wanted = wanted and sys.stderr.isatty()
        self._what = ""
        self._start = self._last = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show `done` of `total` items of `what`; a new `what` replaces the one before."""
        now = time.perf_counter()
        if what != self._what:
            self._what, self._start, self._last = what, now, now
        if done >= total:
            clear_line()
        if not self._wanted or done >= total or now - self._start < 1.0 or now - self._last < 0.2:
            return
        self._last = now
        rate = done / (now - self._start)
        left = f", {(total - done) / rate:.0f} s left" if rate else ""
        line = f"{what}: {done:,} of {total:,}{left}"[: terminal_width() - 1]
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
        Progress.is_shown = True


def terminal_width() -> int:
    """Return the number of columns of the terminal."""
    import shutil

    return shutil.get_terminal_size().columns


def clear_line() -> None:
    """Erase the progress line, so that the next output begins on a clean line."""
    if Progress.is_shown:
        Progress.is_shown = False
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

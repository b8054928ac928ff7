"""Tell how far long work is, on standard error."""

import shutil
import sys
import time
from typing import ClassVar


class Progress:
    """A line on standard error with the time left, once something takes longer than a second and a person looks on.

    It goes when the work is done, and :func:`clear_line` takes it away before anything else is printed.
    """

    #: Whether such a line stands on the terminal, of which there is one.
    is_shown: ClassVar[bool] = False

    def __init__(self, *, wanted: bool = True) -> None:
        self._wanted = wanted and sys.stderr.isatty()
        self._what = ""
        self._start = self._last = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show `done` of `total` pieces of `what`; a new `what` takes the place of the one before."""
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
        line = f"{what}: {done:,} of {total:,}{left}"[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()
        Progress.is_shown = True


def clear_line() -> None:
    """Take the line of progress off the terminal, so that what is printed next begins on a clean line."""
    if Progress.is_shown:
        Progress.is_shown = False
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()

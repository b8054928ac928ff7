"""Tell how far long work is, on standard error."""

import sys
import time


class Progress:
    """A line on standard error with rate and time left, once something takes longer than a second and a person looks on."""

    def __init__(self, *, wanted: bool = True) -> None:
        self._wanted = wanted and sys.stderr.isatty()
        self._what = ""
        self._start = self._last = 0.0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show `done` of `total` pieces of `what`; a new `what` starts a new line."""
        now = time.perf_counter()
        if what != self._what:
            self._what, self._start, self._last = what, now, now
        if not self._wanted or now - self._start < 1.0 or (now - self._last < 0.2 and done < total):
            return
        self._last = now
        rate = done / (now - self._start)
        left = (total - done) / rate if rate else 0.0
        sys.stderr.write(f"\r\x1b[K{what}: {done}/{total}  {rate:,.0f}/s  {left:.0f} s left")
        if done >= total:
            sys.stderr.write("\n")
        sys.stderr.flush()

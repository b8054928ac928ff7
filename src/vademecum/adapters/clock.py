"""Time and chance, the only place that asks the machine for either."""

import base64
import os
import threading
import time
from datetime import UTC, datetime, timedelta

from vademecum.domain.ids import ENTROPY_BYTES, make_id


class SystemClock:
    """The machine's clock. Ids keep their order within a process even when the wall clock is set back."""

    def __init__(self) -> None:
        self._last_ms = 0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return this moment; aware, UTC."""
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        """Return seconds since some fixed moment."""
        return time.perf_counter()

    def new_id(self) -> str:
        """Return a fresh id; later calls sort later."""
        with self._lock:
            self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms + 1)
            return make_id(self._last_ms, os.urandom(ENTROPY_BYTES))


def local_time(moment: datetime) -> datetime:
    """Return a moment (aware) as this machine's wall clocks show it."""
    return moment.astimezone()


def new_mark() -> str:
    """Return four random letters and digits, to tell things of one name apart."""
    return base64.b32encode(os.urandom(3)).decode()[:4].lower()


def random_bytes(count: int) -> bytes:
    """Return random bytes that nobody can guess."""
    return os.urandom(count)


def new_token() -> str:
    """Return 32 random bytes as text, for a secret that nobody can guess."""
    return base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()


class FixedClock:
    """A clock that stands still until told otherwise: the reference, for tests and demonstrations."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._elapsed = 0.0
        self._count = 0

    def now(self) -> datetime:
        """Return the moment it was set to."""
        return self._now

    def elapsed_s(self) -> float:
        """Return seconds it was advanced by so far."""
        return self._elapsed

    def new_id(self) -> str:
        """Return ids that are the same in each run: the moment, then a counter."""
        self._count += 1
        return make_id(int(self._now.timestamp() * 1000), self._count.to_bytes(ENTROPY_BYTES, "big"))

    def advance(self, step: timedelta) -> None:
        """Let time pass."""
        self._now += step
        self._elapsed += step.total_seconds()


class ShiftedClock(SystemClock):
    """The machine's clock, set to another day: time passes, but from a chosen moment on."""

    def __init__(self, start: datetime) -> None:
        super().__init__()
        self._shift = start - datetime.now(UTC)

    def now(self) -> datetime:
        """Return the chosen moment plus the time that has passed since."""
        return datetime.now(UTC) + self._shift

    def new_id(self) -> str:
        """Return a fresh id of the shifted time."""
        with self._lock:
            self._last_ms = max(int(self.now().timestamp() * 1000), self._last_ms + 1)
            return make_id(self._last_ms, os.urandom(ENTROPY_BYTES))

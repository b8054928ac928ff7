"""Time and randomness; no other module asks the machine for either."""

import os
import threading
import time
from datetime import UTC, datetime, timedelta

from vademecum.domain.ids import ENTROPY_BYTES, make_id


class SystemClock:
    """The machine's clock. Ids stay ordered within a process even when the wall clock is set back."""

    def __init__(self) -> None:
        self._last_ms = 0
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """Return the current time; aware, UTC."""
        return datetime.now(UTC)

    def elapsed_s(self) -> float:
        """Return seconds since some fixed moment."""
        return time.perf_counter()

    def new_id(self) -> str:
        """Return a new id; later calls sort later."""
        with self._lock:
            self._last_ms = max(time.time_ns() // 1_000_000, self._last_ms + 1)
            return make_id(self._last_ms, os.urandom(ENTROPY_BYTES))


def local_time(moment: datetime) -> datetime:
    """Return a moment (aware) in this machine's time zone."""
    return moment.astimezone()


def new_mark() -> str:
    """Return four random letters and digits, to distinguish things with the same name."""
    import base64  # noqa: PLC0415 -- few processes name something

    return base64.b32encode(os.urandom(3)).decode()[:4].lower()


def random_bytes(count: int) -> bytes:
    """Return cryptographically secure random bytes."""
    return os.urandom(count)


def new_token() -> str:
    """Return 32 random bytes as URL-safe base64, for a secret."""
    import base64  # noqa: PLC0415 -- likewise

    return base64.urlsafe_b64encode(os.urandom(32)).rstrip(b"=").decode()


class FixedClock:
    """A clock that changes only when advanced: the reference, for tests and demonstrations."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._elapsed = 0.0
        self._count = 0

    def now(self) -> datetime:
        """Return the time it was set to."""
        return self._now

    def elapsed_s(self) -> float:
        """Return the seconds by which it was advanced so far."""
        return self._elapsed

    def new_id(self) -> str:
        """Return ids that are the same in each run: the time, then a counter."""
        self._count += 1
        return make_id(int(self._now.timestamp() * 1000), self._count.to_bytes(ENTROPY_BYTES, "big"))

    def advance(self, step: timedelta) -> None:
        """Advance the clock."""
        self._now += step
        self._elapsed += step.total_seconds()


class ShiftedClock(SystemClock):
    """The machine's clock, shifted to start at a chosen moment."""

    def __init__(self, start: datetime) -> None:
        super().__init__()
        self._shift = start - datetime.now(UTC)

    def now(self) -> datetime:
        """Return the chosen moment plus the time that has passed since."""
        return datetime.now(UTC) + self._shift

    def new_id(self) -> str:
        """Return a new id with the shifted time."""
        with self._lock:
            self._last_ms = max(int(self.now().timestamp() * 1000), self._last_ms + 1)
            return make_id(self._last_ms, os.urandom(ENTROPY_BYTES))

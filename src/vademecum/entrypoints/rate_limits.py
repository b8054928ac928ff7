"""Rate limits: token buckets, so that a burst is served and a flood is not."""

import math
from collections.abc import Callable

from vademecum.domain.errors import VademecumError


class TooMany(VademecumError):
    """The rate limit is exceeded. Nothing was done."""

    code = "too_many"

    def __init__(self, what: str, per_minute: int, wait_s: float) -> None:
        self.wait_s = math.ceil(wait_s)
        super().__init__(f"More than {per_minute} {what} in a minute.", f"Try again in {self.wait_s} s.")


class Bucket:
    """A token bucket of `per_minute` tokens that refills evenly.

    Args:
        what: what is counted, for the message. now: a monotonic clock in seconds.
    """

    def __init__(self, what: str, per_minute: int, now: Callable[[], float]) -> None:
        self._what, self._per_minute, self._now = what, per_minute, now
        self._left = float(per_minute)
        self._since: float | None = None

    def take(self) -> None:
        """Take one token.

        Raises:
            TooMany: the bucket is empty; the message says how long to wait.
        """
        now = self._now()
        passed = now - self._since if self._since is not None else 0.0
        self._since = now
        self._left = min(float(self._per_minute), self._left + passed * self._per_minute / 60)
        if self._left < 1:
            raise TooMany(self._what, self._per_minute, (1 - self._left) * 60 / self._per_minute)
        self._left -= 1


def loop_time() -> float:
    """Return the monotonic time of the running event loop, in seconds."""
    import asyncio

    return asyncio.get_running_loop().time()

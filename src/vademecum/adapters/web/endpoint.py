"""Access to an endpoint of the person's: address, key, timeout, retries. See :mod:`vademecum.adapters.web.http_client`."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

A = TypeVar("A")
R = TypeVar("R")

#: Longest wait that an endpoint may request, in seconds; for a longer one the request fails.
LONGEST_WAIT_S = 20.0


class Endpoint(Struct, frozen=True):
    """Settings for access to an endpoint.

    Attributes:
        url: base address; "": the service's default.
        api_key: returns the key, "" for none; called when needed, so that the key is stored nowhere.
        timeout_s: of one request.
        attempts: requests before giving up. sleep: waits that many seconds between them; None: one attempt.
    """

    url: str = ""
    api_key: Callable[[], str] = lambda: ""
    timeout_s: float = 120
    attempts: int = 3
    sleep: Callable[[float], None] | None = None

    def address(self, usual: str, path: str) -> str:
        """Return the address of `path` at the endpoint. The base address may already end with `path`."""
        return (self.url or usual).rstrip("/").removesuffix(path) + path

    def bearer(self) -> dict[str, str]:
        """Return the Authorization header with the key; empty without a key."""
        key = self.api_key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    def patient(self, ask: Callable[[A], R], first_wait_s: float) -> Callable[[A], R]:
        """Return `ask` with the configured retries."""
        return retrying(ask, self.attempts, self.sleep, first_wait_s) if self.sleep else ask


class Passing(Exception):
    """An endpoint did not answer this time; a retry may help. `after_s`: the delay in seconds that it requests; 0: none."""

    after_s: float = 0


def retrying(
    ask: Callable[[A], R], attempts: int, sleep: Callable[[float], None], first_wait_s: float = 1.0
) -> Callable[[A], R]:
    """Return `ask` with up to `attempts` attempts after temporary failures; the last failure is raised.

    Each wait is twice as long as the one before, unless the endpoint requests a delay.
    """

    def patient(asked: A) -> R:
        for attempt in range(attempts - 1):
            try:
                return ask(asked)
            except Passing as failure:
                if failure.after_s > LONGEST_WAIT_S:
                    raise
                sleep(failure.after_s or first_wait_s * 2**attempt)
        return ask(asked)

    return patient

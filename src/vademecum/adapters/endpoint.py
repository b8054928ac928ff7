"""How an endpoint of the person's is reached: address, key, patience. Asking it is :mod:`vademecum.adapters.http_client`'s."""

from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct

A = TypeVar("A")
R = TypeVar("R")

#: An endpoint that wants to be left alone for longer is not waited for.
LONGEST_WAIT_S = 20.0


class Endpoint(Struct, frozen=True):
    """How an endpoint is reached, as the settings say.

    Attributes:
        url: base address; "" is the service's usual one.
        api_key: gives the key, "" for none; asked when it is needed, so that it lies nowhere.
        timeout_s: of one request.
        attempts: requests before giving up. sleep: waits that many seconds between them; None: one attempt.
    """

    url: str = ""
    api_key: Callable[[], str] = lambda: ""
    timeout_s: float = 120
    attempts: int = 3
    sleep: Callable[[float], None] | None = None

    def address(self, usual: str, path: str) -> str:
        """Return the address of `path` at the endpoint, whose base address may end with it already."""
        return (self.url or usual).rstrip("/").removesuffix(path) + path

    def bearer(self) -> dict[str, str]:
        """Return the header that shows the key; none without a key."""
        key = self.api_key()
        return {"Authorization": f"Bearer {key}"} if key else {}

    def patient(self, ask: Callable[[A], R], first_wait_s: float) -> Callable[[A], R]:
        """Return `ask`, tried as often as the settings say."""
        return retrying(ask, self.attempts, self.sleep, first_wait_s) if self.sleep else ask


class Passing(Exception):
    """An endpoint did not answer this time; asking again may help. `after_s`: in how many seconds, as it says; 0: it does not."""

    after_s: float = 0


def retrying(
    ask: Callable[[A], R], attempts: int, sleep: Callable[[float], None], first_wait_s: float = 1.0
) -> Callable[[A], R]:
    """Return `ask`, tried up to `attempts` times while it fails in passing; the last failure is raised.

    The first wait is followed by ones twice as long each, unless the endpoint says how long.
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

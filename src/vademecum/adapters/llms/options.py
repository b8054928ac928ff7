"""What reaches a model, as values; the settings fill them in."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from vademecum.adapters.llms.completion import Complete


def _unmetered(complete: Complete) -> Complete:
    return complete


@dataclass(frozen=True, slots=True)
class Options:
    """Endpoints look at `url` and `api_key`, programs at `environment`.

    Attributes:
        url: base address; "" is the service's usual one.
        api_key: gives the key, "" for none; asked when it is needed, so that it lies nowhere.
        timeout_s: of one request, or of one run of a program.
        attempts: requests before giving up. sleep: waits that many seconds between them; None: one attempt.
        metered: puts a limit and a count around what is asked.
        environment: of a program that is run.
    """

    url: str = ""
    api_key: Callable[[], str] = lambda: ""
    timeout_s: float = 120
    attempts: int = 3
    sleep: Callable[[float], None] | None = None
    metered: Callable[[Complete], Complete] = _unmetered
    environment: Mapping[str, str] = field(default_factory=dict)

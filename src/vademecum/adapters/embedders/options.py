"""What a borrowed model may need to know, as values; the settings fill them in."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Options:
    """The services look at all but the first; the models that we ship need nothing.

    Attributes:
        notes: a file of ours that says which weights were found right; None: look anew each time.
        url: base address; "" is the service's usual one.
        api_key: "" for none.
        timeout_s: of one request.
        attempts: requests before giving up. sleep: waits that many seconds between them; None: one attempt.
        query_prefix, passage_prefix: put before the texts of a role; None is what the model is known to want.
        dim: numbers in a vector; None asks the model.
    """

    notes: Path | None = None
    url: str = ""
    api_key: str = ""
    timeout_s: float = 10
    attempts: int = 3
    sleep: Callable[[float], None] | None = None
    query_prefix: str | None = None
    passage_prefix: str | None = None
    dim: int | None = None

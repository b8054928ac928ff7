"""Ask again when an endpoint failed in passing: a wrapper around what is asked, so no embedder knows of it."""

from collections.abc import Callable
from typing import Any

from vademecum.adapters.embedders.http_json import PassingFailure
from vademecum.adapters.embedders.remote import Ask

FIRST_WAIT_S = 0.25


def retrying(ask: Ask, attempts: int, sleep: Callable[[float], None]) -> Ask:
    """`ask`, tried up to `attempts` times with waits of 0.25, 0.5, 1, ... seconds; the last failure is raised."""

    def patient(texts: list[str]) -> Any:
        for attempt in range(attempts - 1):
            try:
                return ask(texts)
            except PassingFailure:
                sleep(FIRST_WAIT_S * 2**attempt)
        return ask(texts)

    return patient

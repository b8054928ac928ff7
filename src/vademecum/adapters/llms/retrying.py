"""Ask again when an endpoint failed in passing: a wrapper around what is asked, so no adapter knows of it."""

from collections.abc import Callable

from vademecum.adapters.llms.completion import Complete, Completion
from vademecum.adapters.llms.endpoint import PassingFailure
from vademecum.model.llm import Prompt

FIRST_WAIT_S = 1.0
#: An endpoint that wants to be left alone for longer is left to the queue, which waits for minutes.
LONGEST_WAIT_S = 20.0


def retrying(complete: Complete, attempts: int, sleep: Callable[[float], None]) -> Complete:
    """`complete`, tried up to `attempts` times with waits of 1, 2, 4, ... seconds, or as long as the endpoint says."""

    def patient(prompt: Prompt) -> Completion:
        for attempt in range(attempts - 1):
            try:
                return complete(prompt)
            except PassingFailure as failure:
                if failure.after_s > LONGEST_WAIT_S:
                    raise
                sleep(failure.after_s or FIRST_WAIT_S * 2**attempt)
        return complete(prompt)

    return patient

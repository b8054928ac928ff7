"""Requests to an HTTP endpoint; every failure becomes one of the port's errors, with a message that a person can act on."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from vademecum.adapters.llms.completion import Complete
from vademecum.adapters.web import http_client
from vademecum.adapters.web.endpoint import Endpoint, Passing
from vademecum.domain.errors import BadAnswer, LLMRefused, LLMUnavailable

#: Statuses that a retry does not change: key, payment, permission, or the model's name.
REFUSED = frozenset({401, 402, 403, 404})
#: Messages under other statuses that report missing payment or permission.
_SPENT = re.compile(
    r"insufficient[_ ]quota|quota (?:exceeded|reached)|exceeded your .{0,20}quota|credit balance|billing|payment required"
    r"|usage limit reached|(?:invalid|incorrect|missing)[_ ](?:x-)?api[_ -]?key|not logged in|please (?:run )?/?log ?in|unauthori[sz]ed",
    re.IGNORECASE,
)


def _unmetered(complete: Complete) -> Complete:
    return complete


class Options(Endpoint, frozen=True):
    """Access to a model: endpoints use the address and the key, programs use `environment`.

    Attributes:
        metered: wraps a function that asks, to limit and count its use.
        environment: of a program that is run.
    """

    metered: Callable[[Complete], Complete] = _unmetered
    environment: Mapping[str, str] = msgspec.field(default_factory=dict)


class PassingFailure(LLMUnavailable, Passing):
    """No answer this time; a retry may help."""

    def __init__(self, message: str, hint: str = "", after_s: float = 0) -> None:
        super().__init__(message, hint)
        self.after_s = after_s


def post(url: str, payload: Mapping[str, Any], headers: Mapping[str, str], timeout_s: float) -> Any:
    """Return the decoded answer.

    Raises:
        PassingFailure: no complete answer within `timeout_s`, no connection, or a temporary error status.
        LLMRefused: the person has to do something first. BadAnswer: no JSON. LLMUnavailable: the request itself was refused.
    """
    try:
        return http_client.post(url, payload, headers, timeout_s)
    except http_client.NotHttp as error:
        raise LLMRefused(str(error), "Set llm_url to http://... or https://...") from error
    except http_client.NoAnswer as error:
        raise PassingFailure(str(error), "Is the server running and the address (setting llm_url) right?") from error
    except http_client.NotJson as error:
        raise BadAnswer(str(error), "Is the address (setting llm_url) right?") from error
    except http_client.Refusal as error:
        raise _refused(error) from error


def _refused(error: http_client.Refusal) -> LLMUnavailable:
    if error.status in REFUSED or is_refusal(error.said):
        return LLMRefused(str(error), "Check the key, the bill and the model's name; then: vade reader queue --retry")
    if error.status in http_client.PASSING:
        return PassingFailure(str(error), "It is tried again later.", error.after_s)
    return LLMUnavailable(str(error), "Check the settings llm and llm_url.")


def is_refusal(said: str) -> bool:
    """Return whether a message of an endpoint or a program says that the person has to do something first."""
    return _SPENT.search(said) is not None

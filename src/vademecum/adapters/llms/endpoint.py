"""Ask an HTTP endpoint; whatever goes wrong becomes one of the port's errors, in a sentence a person can act on."""

import re
from collections.abc import Mapping
from typing import Any

from vademecum.adapters import http_json
from vademecum.model.errors import BadAnswer, LLMRefused, LLMUnavailable

#: Statuses that asking again does not change: the key, the bill, the right to use it, the model's name.
REFUSED = frozenset({401, 402, 403, 404})
#: How endpoints say, under other statuses as well, that money or a right is missing.
_SPENT = re.compile(
    r"insufficient[_ ]quota|quota (?:exceeded|reached)|exceeded your .{0,20}quota|credit balance|billing|payment required"
    r"|usage limit reached|(?:invalid|incorrect|missing)[_ ](?:x-)?api[_ -]?key|not logged in|please (?:run )?/?log ?in|unauthori[sz]ed",
    re.IGNORECASE,
)


class PassingFailure(LLMUnavailable):
    """No answer this time; asking again may help. `after_s`: in how many seconds, as the endpoint says; 0: it does not."""

    def __init__(self, message: str, hint: str = "", after_s: float = 0) -> None:
        super().__init__(message, hint)
        self.after_s = after_s


def post(url: str, payload: Mapping[str, Any], headers: Mapping[str, str], timeout_s: float) -> Any:
    """The decoded answer.

    Raises:
        PassingFailure: no whole answer within `timeout_s`, no connection, or a status that passes.
        LLMRefused: the person has to do something first. BadAnswer: no JSON. LLMUnavailable: the request itself was refused.
    """
    try:
        return http_json.post(url, payload, headers, timeout_s)
    except http_json.NotHttp as error:
        raise LLMRefused(str(error), "Set llm_url to http://... or https://...") from error
    except http_json.NoAnswer as error:
        raise PassingFailure(str(error), "Is the server running and the address (setting llm_url) right?") from error
    except http_json.NotJson as error:
        raise BadAnswer(str(error), "Is the address (setting llm_url) that of a model?") from error
    except http_json.Refusal as error:
        raise _refused(error) from error


def _refused(error: http_json.Refusal) -> LLMUnavailable:
    if error.status in REFUSED or is_refusal(error.said):
        return LLMRefused(str(error), "Check the key, the bill and the model's name; then: vade queue retry")
    if error.status in http_json.PASSING:
        return PassingFailure(str(error), "It is tried again later.", error.after_s)
    return LLMUnavailable(str(error), "Check the settings llm and llm_url.")


def is_refusal(said: str) -> bool:
    """Whether an endpoint's or a program's words say that the person has to do something first."""
    return _SPENT.search(said) is not None

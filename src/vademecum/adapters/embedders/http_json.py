"""POST JSON, get JSON; whatever goes wrong becomes one sentence that a person who chose an embedder can act on."""

from collections.abc import Mapping
from typing import Any

from vademecum.adapters import http_json
from vademecum.model.errors import EmbedderUnavailable


class PassingFailure(EmbedderUnavailable):
    """The endpoint did not answer this time; asking again may help."""


def post(url: str, payload: Mapping[str, Any], headers: Mapping[str, str], timeout_s: float) -> Any:
    """The decoded answer.

    Raises:
        PassingFailure: no answer within `timeout_s`, no connection, or a status that passes.
        EmbedderUnavailable: any other refusal, or an answer that is not JSON.
    """
    try:
        return http_json.post(url, payload, headers, timeout_s)
    except http_json.NotHttp as error:
        raise EmbedderUnavailable(str(error), "Set embedder_url to http://... or https://...") from error
    except http_json.NoAnswer as error:
        raise PassingFailure(str(error), "Is the server running and the address right?") from error
    except http_json.NotJson as error:
        raise EmbedderUnavailable(str(error), "Is it an embeddings endpoint?") from error
    except http_json.Refusal as error:
        if error.status in http_json.PASSING:
            raise PassingFailure(str(error), "Try again later; until then recall goes by words.") from error
        hint = "Check the key." if error.status in (401, 403) else "Check the address and the model's name."
        raise EmbedderUnavailable(str(error), hint) from error

"""POST JSON, get JSON, with a timeout; whatever goes wrong becomes one sentence a person can act on."""

import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from vademecum.model.errors import EmbedderUnavailable

#: Answers after which the same question may succeed.
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
ANSWER_MAX_BYTES = 256 * 1024 * 1024


class PassingFailure(EmbedderUnavailable):
    """The endpoint did not answer this time; asking again may help."""


def post(url: str, payload: Mapping[str, Any], headers: Mapping[str, str], timeout_s: float) -> Any:
    """The decoded answer.

    Raises:
        PassingFailure: no answer within `timeout_s`, no connection, or a status that passes.
        EmbedderUnavailable: any other refusal, or an answer that is not JSON.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise EmbedderUnavailable(f"{url!r} is not an HTTP address.", "Set embedder_url to http://... or https://...")
    body = json.dumps(payload).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            return json.loads(response.read(ANSWER_MAX_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(url, error) from error
    except (OSError, http.client.HTTPException) as error:
        raise PassingFailure(f"No answer from {url}: {error}.", "Is the server running and the address right?") from error
    except ValueError as error:
        raise EmbedderUnavailable(f"{url} did not answer with JSON.", "Is it an embeddings endpoint?") from error


def _refused(url: str, error: urllib.error.HTTPError) -> EmbedderUnavailable:
    said = " ".join(error.read(2000).decode("utf-8", "replace").split())[:200]
    message = f"{url} answered {error.code}: {said or error.reason}"
    if error.code in PASSING:
        return PassingFailure(message, "Try again later; until then recall goes by words.")
    hint = "Check the key." if error.code in (401, 403) else "Check the address and the model's name."
    return EmbedderUnavailable(message, hint)

"""HTTP client for JSON endpoints: JSON request, JSON response, with a timeout.

There are four kinds of failure, for which each caller writes its own message. HTTP is imported at the first request: most
commands make none, and the import takes longer than they do.
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from urllib.error import HTTPError

ANSWER_MAX_BYTES = 256 * 1024 * 1024
#: Most characters of an error's text that are passed on; endpoints may answer with whole pages.
SAID_MAX_CHARS = 200
#: Statuses after which a retry may succeed. 529: Anthropic's "overloaded".
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class HttpFailure(Exception):
    """No usable answer; the message says why."""


class NotHttp(HttpFailure):
    """The address is no HTTP address."""


class NoAnswer(HttpFailure):
    """No connection, no answer in time, or an answer that broke off."""


class NotJson(HttpFailure):
    """An answer that is no JSON."""


class Refusal(HttpFailure):
    """An error status.

    Attributes:
        said: beginning of the answer's text, on one line. after_s: the delay that the endpoint requests; else 0.
    """

    def __init__(self, url: str, status: int, entry: str, after_s: float = 0) -> None:
        super().__init__(f"{url} answered {status}: {entry}")
        self.status = status
        self.said = entry
        self.after_s = after_s


def post(url: str, payload: Mapping[str, Any], headers: Mapping[str, str], timeout_s: float) -> Any:
    """Return the decoded answer.

    Args:
        timeout_s: for the connection and for each wait on it.

    Raises:
        NotHttp, NoAnswer, Refusal, NotJson.
    """
    return _answer(url, json.dumps(payload).encode(), {"Content-Type": "application/json", **headers}, timeout_s)


def get(url: str, timeout_s: float) -> Any:
    """Return the decoded answer to a question without a body; see :func:`post`."""
    return _answer(url, None, {}, timeout_s)


def _answer(url: str, body: bytes | None, headers: Mapping[str, str], timeout_s: float) -> Any:
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import HTTPRedirectHandler, Request, build_opener

    class Stay(HTTPRedirectHandler):
        """Refuses redirections: following one would send the key to another address."""

        def redirect_request(self, *request: Any) -> None:
            return None

    if urlsplit(url).scheme not in ("http", "https"):
        raise NotHttp(f"{url!r} is not an HTTP address.")
    request = Request(url, body, dict(headers))
    try:
        with build_opener(Stay).open(request, timeout=timeout_s) as response:
            data = response.read(ANSWER_MAX_BYTES)
            if response.length:  # announced bytes are missing
                raise NoAnswer(f"The answer of {url} was cut off.")
            return json.loads(data)
    except HTTPError as error:
        with error:
            raise _refusal(url, error) from error
    except (OSError, HTTPException) as error:
        raise NoAnswer(f"No answer from {url}: {error}.") from error
    except ValueError as error:
        raise NotJson(f"{url} did not answer with JSON.") from error


def _refusal(url: str, error: "HTTPError") -> Refusal:
    from http.client import HTTPException

    try:
        said = " ".join(error.read(2000).decode("utf-8", "replace").split())[:SAID_MAX_CHARS]
    except (OSError, HTTPException):
        said = ""
    after = (error.headers.get("Retry-After") or "").strip()
    return Refusal(url, error.code, said or str(error.reason), float(after) if after.isdecimal() else 0.0)

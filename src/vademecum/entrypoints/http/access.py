"""Access control: only programs on this machine with the token, and no foreign web page (X-27, X-52).

An ASGI wrapper around everything, so that nothing of a rejected request is parsed.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from hmac import compare_digest
from ipaddress import ip_address
from typing import Any

from vademecum.entrypoints.rate_limits import Bucket, TooMany

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
#: (whether the application serves a path, the application).
Beside = tuple[Callable[[str], bool], App]

LOCAL_HOSTS = ("127.0.0.1", "localhost", "[::1]")
#: Paths that are open to all: they contain no data.
OPEN_PATHS = ("/health", "/openapi.json")
PROBLEM = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Access:
    """The access rules.

    Attributes:
        token: required as `Authorization: Bearer ...`; never logged.
        hosts: accepted names in the Host header, with any port, against DNS rebinding.
        origins: accepted origins of browsers besides our own.
        per_minute: most requests. max_bytes: most bytes of a request body.
    """

    token: str = field(repr=False)
    hosts: tuple[str, ...] = LOCAL_HOSTS
    origins: tuple[str, ...] = ()
    per_minute: int = 1_200
    max_bytes: int = 32 << 20

    def __post_init__(self) -> None:
        if not self.token:
            raise ValueError("a token is required")


class Refusal(Exception):
    """A rejected request: status, error code, what is wrong and what to do."""

    def __init__(self, status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})
        self.problem = {"error": code, "message": message, "hint": hint}


class Door:
    """Wraps an ASGI application in the access rules.

    Args:
        beside: (whether it serves a path, application) for applications with their own access rules; the first match answers.
    """

    def __init__(self, app: App, access: Access, now: Callable[[], float], beside: Sequence[Beside] = ()) -> None:
        self._app, self._access, self._beside = app, access, beside
        #: A limit of its own, so that requests without a token do not use up the limit of those with one.
        self._held, self._open = (Bucket("requests", access.per_minute, now) for _ in range(2))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # websockets are not served
        app = next((app for has, app in self._beside if has(scope["path"])), self._app)
        try:
            self._must_be_of_here(scope)
            if app is self._app and scope["path"] not in OPEN_PATHS:
                self._must_hold_token(_headers(scope).get("authorization", ""))
                _take(self._held)
            else:
                _take(self._open)
            body = await self._body(scope, receive)
        except Refusal as refusal:
            await send_problem(send, refusal)
            return
        await app(scope, _again(body, receive), send)

    def _must_be_of_here(self, scope: Scope) -> None:
        headers = _headers(scope)
        if not is_local(scope.get("client")):
            raise Refusal(403, "refused", "Only programs on this machine are served.")
        host = headers.get("host", "")
        if _without_port(host) not in self._access.hosts:
            raise Refusal(421, "refused", "This host name is not served.", "Use http://127.0.0.1 and the port.")
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", *self._access.origins):
            raise Refusal(
                403, "refused", "Pages of this origin are not served.", "Only Vademecum's own pages may call from a browser."
            )

    def _must_hold_token(self, given: str) -> None:
        scheme, _, token = given.partition(" ")
        same = compare_digest(token.strip().encode("utf-8", "replace"), self._access.token.encode())
        if scheme.lower() != "bearer" or not same:
            raise Refusal(
                401, "no_token", "The token is missing or wrong.",
                "Send `Authorization: Bearer TOKEN`; the token is in the file `token` of the data folder.",
                {"WWW-Authenticate": 'Bearer realm="vademecum"'},
            )  # fmt: skip

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        limit = self._access.max_bytes
        declared = _headers(scope).get("content-length", "")
        if declared.isdigit() and int(declared) > limit:
            raise _too_large(limit)
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                break
            body += message.get("body", b"")
            if len(body) > limit:
                raise _too_large(limit)
            if not message.get("more_body"):
                break
        return bytes(body)


def _take(bucket: Bucket) -> None:
    try:
        bucket.take()
    except TooMany as error:
        raise Refusal(429, error.code, error.message, error.hint, {"Retry-After": str(error.wait_s)}) from error


def is_local(client: object) -> bool:
    """Return whether a connection comes from this machine. A Unix socket has no address and always does."""
    if not client or not isinstance(client, tuple | list) or not client[0]:
        return True
    return is_loopback(str(client[0]))


def is_loopback(address: str) -> bool:
    """Return whether an address is a loopback address."""
    try:
        return ip_address(address.strip().strip("[]").removeprefix("::ffff:")).is_loopback
    except ValueError:
        return address.strip() == "localhost"


def must_be_direct(headers: Iterable[tuple[bytes, bytes]]) -> None:
    """Reject a request that a proxy forwards for another machine (IN-53).

    Raises:
        Refusal: a forwarding header names another machine.
    """
    for name, value in headers:
        if name.lower() in (b"x-forwarded-for", b"x-real-ip"):
            addresses = value.decode("latin-1").split(",")
            if not all(is_loopback(address) for address in addresses):
                raise Refusal(403, "refused", "This is not possible from other machines.", "Call it on the machine itself.")


async def send_problem(send: Send, refusal: Refusal) -> None:
    """Answer with a problem."""
    body = json.dumps(refusal.problem, ensure_ascii=False).encode()
    headers = {"content-type": PROBLEM, "content-length": str(len(body)), "cache-control": "no-store", **refusal.headers}
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": refusal.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _too_large(limit: int) -> Refusal:
    return Refusal(413, "invalid", f"A request may have {limit >> 20} MB at most.", "Send less at a time.")


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first replays the body that was read already."""
    given = False

    async def once() -> MutableMapping[str, Any]:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once

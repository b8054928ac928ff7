"""A team server over HTTP: `POST /v1/<space>/<operation>` with a token, JSON in and out.

Browsers cannot use it: there are no cookies, and a foreign page cannot send the token header without CORS permission.
"""

from __future__ import annotations

from collections import OrderedDict
from hmac import compare_digest
from typing import TYPE_CHECKING

import msgspec

from vademecum.domain.errors import VademecumError
from vademecum.plugin_api.http import STATUS_OF, Bucket, TooMany
from vademecum.plugins.team.operation import Observed
from vademecum.plugins.team.values import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

    from vademecum.plugins.team.operation import Operation, Seen
    from vademecum.plugins.team.service import TeamService
    from vademecum.plugins.team.set_up import Limits

#: Most bytes of a request body. The longest accepted copy is smaller in every script.
BODY_MAX_BYTES = 1 << 20
#: Most characters of an error message; clients read no more.
_SAID_MAX = 160
_CALLERS_KEPT = 10_000

_STATUS = {**STATUS_OF, "not_let_in": 401, "no_team": 503}


class _Buckets:
    """A token bucket for each caller; the least recently used is dropped."""

    def __init__(self, per_minute: int, now: Callable[[], float]) -> None:
        self._per_minute, self._now = per_minute, now
        self._buckets: OrderedDict[object, Bucket] = OrderedDict()

    def take(self, caller: object) -> None:
        """Count one request.

        Raises:
            TooMany
        """
        bucket = self._buckets.setdefault(caller, Bucket("requests", self._per_minute, self._now))
        self._buckets.move_to_end(caller)
        if len(self._buckets) > _CALLERS_KEPT:
            self._buckets.popitem(last=False)
        bucket.take()


def build_team_app(service: TeamService, operation: Operation, now: Callable[[], float], limits: Limits) -> Observed:
    """Return an ASGI application.

    Args:
        operation: metrics and logs. now: a monotonic clock in seconds.
    """
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import Response
    from starlette.routing import Route

    tokens, addresses = _Buckets(limits.token, now), _Buckets(limits.address, now)

    def answer_member(seen: Seen, asked: tuple[str, str, str], body: bytes) -> bytes:
        space, token, verb = asked
        member = service.tokens.member_of(space, token)
        seen.space, seen.member = member.space, member.name
        answer = service.do(member, verb, body)
        seen.result, seen.rows = "done", answer.rows
        return answer.body

    async def answer(request: Request) -> Response:
        space, verb = request.path_params["space"], request.path_params["verb"]
        token, seen = _bearer(request), request.scope["seen"]
        seen.route = verb if verb in service.operations else "other"
        try:
            addresses.take(seen.address)
            tokens.take(digest_of(token))
            body = await _body(request)
            raw = await run_in_threadpool(answer_member, seen, (space, token, verb), body)
        except VademecumError as error:
            seen.result = error.code
            return _problem(error)
        return Response(raw, media_type="application/json", headers={"Cache-Control": "no-store"})

    routes = [*_operator_routes(service, operation), Route("/v1/{space}/{verb}", answer, methods=["POST"])]
    return Observed(Starlette(routes=routes), operation, now)


def _operator_routes(service: TeamService, operation: Operation) -> list[Route]:
    """Return the routes for whoever runs the server."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    async def health(request: Request) -> Response:
        """Answer that the process runs."""
        request.scope["seen"].route = "health"
        return JSONResponse({"status": "ok"})

    async def ready(request: Request) -> Response:
        """Answer whether members can be served: the database answers and its tables are new enough."""
        request.scope["seen"].route = "ready"
        try:
            away = await run_in_threadpool(service.must_be_ready)
        except VademecumError as error:
            reason = f"{error.message} {error.hint}".strip()
            return JSONResponse({"status": "unavailable", "reason": reason}, 503, headers={"Retry-After": "5"})
        return JSONResponse({"status": "ok", "away": away} if away else {"status": "ok"})

    async def metrics(request: Request) -> Response:
        """Return the metrics to a caller with the metrics token."""
        request.scope["seen"].route = "metrics"
        if not operation.metrics_token:
            return Response(status_code=404)
        if not compare_digest(_bearer(request).encode(), operation.metrics_token.encode()):
            return Response(status_code=401, headers={"WWW-Authenticate": "Bearer"})
        return Response(operation.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return [Route("/health", health), Route("/ready", ready), Route("/metrics", metrics)]


def _bearer(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


class TooLong(VademecumError):
    """The body is too long."""

    code = "invalid"


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_MAX_BYTES:
            raise TooLong(f"The body is longer than {BODY_MAX_BYTES:,} bytes.")
    return bytes(body)


def _problem(error: VademecumError) -> Response:
    from starlette.responses import Response

    text = f"{error.message} {error.hint}".strip()
    body = msgspec.json.encode({"message": text if len(text) <= _SAID_MAX else f"{text[: _SAID_MAX - 1]}…"})
    headers = {"Retry-After": str(error.wait_s)} if isinstance(error, TooMany) else {}
    return Response(body, _STATUS.get(error.code, 500), media_type="application/json", headers=headers)

"""The HTTP interface: `/v1/<verb>` for every verb, routes of plugins, MCP, and an OpenAPI document.

Importing this module is cheap; Starlette is imported when an application is built.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from vademecum import __version__
from vademecum.api import Vademecum
from vademecum.domain.errors import InvalidInput, Proposed, VademecumError
from vademecum.domain.memory import By
from vademecum.entrypoints.answers import as_answer, as_plain, error_answer, proposed_answer
from vademecum.entrypoints.arguments import BadArgument, checked, from_text
from vademecum.entrypoints.caller import Caller
from vademecum.entrypoints.http.access import PROBLEM, Access, Beside, Door, Refusal, must_be_direct
from vademecum.entrypoints.http.older import OlderRoute, older_routes
from vademecum.entrypoints.http.openapi import document
from vademecum.entrypoints.rate_limits import loop_time
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.verbs.verb import Param, Verb

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import Route

#: A program with the token is trusted like an agent: its writes are judged, and do not count as typed by the person.
BY_PROGRAM = By("agent", "http")

#: Error code -> HTTP status. BadArgument shares its code with all invalid input and is 400.
STATUS_OF: Mapping[str, int] = {
    "invalid": 422, "not_found": 404, "ambiguous": 409, "exists": 409, "conflict": 409, "locked": 503, "refused": 403,
    "no_vault": 503, "vault_emptied": 409, "index_damaged": 503, "write_failed": 507, "no_embedder": 503, "too_many": 429,
}  # fmt: skip


class Mounted(Struct, frozen=True):
    """An ASGI application under a path, with the context manager to serve it in."""

    path: str
    app: Any
    lifetime: AbstractAsyncContextManager[None]


def build_app(
    call: Caller,
    access: Access,
    *,
    verbs: Sequence[Verb] = VERBS,
    mounted: Sequence[Mounted] = (),
    now: Callable[[], float] | None = None,
    beside: Sequence[Beside] = (),
) -> Door:
    """Return an ASGI application.

    Args:
        call: runs actions on the memory. access: the access rules.
        mounted: applications under the same access rules, such as MCP.
        beside: applications with access rules of their own.
        now: a monotonic clock in seconds for the rate limit; None: that of the event loop.
    """
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException

    @asynccontextmanager
    async def lifetime(_: Any) -> AsyncIterator[None]:
        from contextlib import AsyncExitStack

        async with AsyncExitStack() as stack:
            for part in mounted:
                await stack.enter_async_context(part.lifetime)
            yield

    app = Starlette(
        routes=_routes(call, verbs, mounted, BY_PROGRAM),
        lifespan=lifetime,
        exception_handlers={
            VademecumError: _answer_error,
            Refusal: _answer_refusal,
            HTTPException: _answer_http_error,
            Exception: _answer_fault,
        },
    )
    return Door(app, access, now or loop_time, beside)


def _routes(call: Caller, verbs: Sequence[Verb], mounted: Sequence[Mounted], by: By) -> "list[Route]":
    from starlette import responses, routing

    @cache
    def described() -> bytes:
        return json.dumps(document(verbs, older_routes()), ensure_ascii=False).encode()

    async def health(request: "Request") -> "Response":
        return responses.JSONResponse({"status": "ok", "version": __version__})

    async def openapi(request: "Request") -> "Response":
        return responses.Response(described(), media_type="application/json")

    routes = [routing.Route("/health", health, methods=["GET"]), routing.Route("/openapi.json", openapi, methods=["GET"])]
    for verb in verbs:
        methods = ["POST"] if verb.writes else ["GET", "POST"]
        routes.append(routing.Route(f"/v1/{verb.slug}", _verb_endpoint(call, verb, by), methods=methods))
    by_path: dict[str, list[OlderRoute]] = {}
    for older in older_routes():
        by_path.setdefault(older.path, []).append(older)
    for path, group in by_path.items():
        methods = [older_route.method.upper() for older_route in group]
        routes.append(routing.Route(path, _older_endpoint(call, group, by), methods=methods))
    return [*routes, *(routing.Route(part.path, endpoint=_Whole(part.app)) for part in mounted)]


class _Whole:
    """Makes an ASGI application an endpoint for every method."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app(scope, receive, send)


Endpoint = Callable[["Request"], Awaitable["Response"]]


def _verb_endpoint(call: Caller, verb: Verb, by: By) -> Endpoint:
    async def answer(request: "Request") -> "Response":
        values = checked(verb, await _arguments(request, verb.params))
        if verb.is_writing(values) and request.method != "POST":
            raise InvalidInput(f"{verb.name} changes something with these values.", "Use POST.")
        return _answer(await call(partial(_done, verb, values, by), aside=verb.is_aside(values)))

    return answer


def _older_endpoint(call: Caller, group: Sequence[OlderRoute], by: By) -> Endpoint:
    of_method = {older_route.method.upper(): older_route for older_route in group}

    async def answer(request: "Request") -> "Response":
        route = of_method["GET" if request.method == "HEAD" else request.method]
        if route.direct_only:
            must_be_direct(request.headers.raw)
        values = checked(route, called=f"{request.method} {route.path}", given=await _arguments(request, route.params))
        return _answer(await call(partial(_older_done, route, values, by), aside=route.method == "get"))

    return answer


def _done(verb: Verb, values: Mapping[str, Any], by: By, memory: Vademecum) -> bytes:
    return _encoded(as_answer(verb.do(memory, values, by)))


def _older_done(route: OlderRoute, values: Mapping[str, Any], by: By, memory: Vademecum) -> bytes:
    return _encoded(as_plain(route.do(memory, values, by)))


async def _arguments(request: "Request", params: Sequence[Param]) -> dict[str, Any]:
    """Return the arguments: query string for GET, JSON body otherwise, both for DELETE."""
    if request.method not in ("GET", "HEAD", "DELETE"):
        return await _body(request)
    known = {param.name: param for param in params}
    names = list(request.query_params)
    asked = {name: from_text(known[name], request.query_params.getlist(name)) if name in known else None for name in names}
    return {**(await _body(request) if request.method == "DELETE" else {}), **asked}


async def _body(request: "Request") -> dict[str, Any]:
    body = await request.body()
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if body and kind != "application/json":
        raise Refusal(415, "invalid", "The body must be JSON.", "Send Content-Type: application/json.")
    try:
        value = json.loads(body or b"{}", parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise BadArgument("The body is not JSON.", "Send one JSON object.") from None
    if not isinstance(value, dict):
        raise BadArgument("The body is not a JSON object.", "Send the arguments by name.")
    return value


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _encoded(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _answer(body: bytes) -> "Response":
    from starlette.responses import Response

    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


def _problem(status: int, problem: Mapping[str, str], headers: Mapping[str, str] | None = None) -> "Response":
    from starlette.responses import Response

    return Response(_encoded(problem), status, media_type=PROBLEM, headers={"Cache-Control": "no-store", **(headers or {})})


async def _answer_error(request: "Request", error: Exception) -> "Response":
    assert isinstance(error, VademecumError)
    if isinstance(error, Proposed):
        return _answer(_encoded(proposed_answer(error)))
    status = 400 if isinstance(error, BadArgument) else STATUS_OF.get(error.code, 500)
    return _problem(status, error_answer(error), {"Retry-After": "1"} if error.code == "locked" else None)


async def _answer_refusal(request: "Request", error: Exception) -> "Response":
    assert isinstance(error, Refusal)
    return _problem(error.status, error.problem, error.headers)


async def _answer_http_error(request: "Request", error: Exception) -> "Response":
    from starlette.exceptions import HTTPException

    assert isinstance(error, HTTPException)
    hint = "See what there is: /openapi.json"
    words = {404: "not_found", 405: "no_method"}
    problem = {"error": words.get(error.status_code, "error"), "message": f"{error.detail}.", "hint": hint}
    return _problem(error.status_code, problem, error.headers)


async def _answer_fault(request: "Request", error: Exception) -> "Response":
    """Answer an internal error without details, which might quote the request; the log says where it happened."""
    problem = {"error": "fault", "message": "This should not have happened.", "hint": "See the log, and: vade status"}
    return _problem(500, problem)

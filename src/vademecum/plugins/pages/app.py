"""The ASGI application of the pages: access control, routes, and headers."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl, quote

import htpy as h
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from vademecum.domain.errors import NotFound, VademecumError
from vademecum.plugin_api.helper import Caller
from vademecum.plugin_api.http import STATUS_OF, App, Receive, Scope, Send
from vademecum.plugins.pages import actions, choices, health, hosts, html, work
from vademecum.plugins.pages.drawn import PAGES_READ, Asked, Drawn, circumstances, drawn_aside, rendered
from vademecum.plugins.pages.machine import PAGES, Keys, Machine
from vademecum.plugins.pages.static import static_address, static_file
from vademecum.plugins.pages.visit import Done, Shown, Visit, address, form_token

Page = Callable[[Visit], Awaitable[Shown]]
Action = Callable[[Visit], Awaitable[Done | Shown]]

#: Pages may run, load, send to and be framed by only what this server provides.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # without it, browsers send "null" as origin of our forms
    "x-content-type-options": "nosniff",
}
#: Accepted values of Sec-Fetch-Site; other sites that request our pages send another value.
FROM_HERE = ("", "none", "same-origin")
#: Seconds between checks for changes that are sent to open pages.
LOOK_S = 3.0

#: Pages about the helper and its machine.
PAGES_HERE: Mapping[str, Page] = {"/work/{rest}": work.page, "/settings": choices.page, "/hosts/{rest}": hosts.page}


def build_pages(call: Caller, keys: Keys, machine: Machine) -> App:
    """Return the ASGI application of the pages."""
    rules = _Rules(call, keys, machine)
    routes = [Route(f"{PAGES}{path}", rules.read(path), methods=["GET"]) for path in PAGES_READ]
    here = {**PAGES_HERE, "/checks": health.Checks(machine).page}
    routes += [Route(f"{PAGES}{path}", rules.page(page), methods=["GET"]) for path, page in here.items()]
    routes += [Route(f"{PAGES}/do/{name}", rules.action(action), methods=["POST"]) for name, action in actions.ACTIONS.items()]
    routes += [
        Route("/", _to_pages), Route(PAGES, _to_pages), Route("/favicon.ico", _icon), Route(f"{PAGES}/enter", rules.enter),
        Route(f"{PAGES}/events", rules.events), Route(f"{PAGES}/static/{{name:path}}", _static),
    ]  # fmt: skip
    handlers: Any = {VademecumError: _error_page, HTTPException: _http_error_page, Exception: _fault_page}
    return _Headed(Starlette(routes=routes, exception_handlers=handlers))


class _Headed:
    """Adds HEADERS to every response."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def headed(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self._app(scope, receive, headed)


class _Rules:
    """Access control, and the conversion of requests for pages."""

    def __init__(self, call: Caller, keys: Keys, machine: Machine) -> None:
        self._call, self._keys, self._machine = call, keys, machine
        self._works = work.Works()
        #: cookie of a browser -> its last action, for a notice on its next page
        self._last_done: dict[str, Done] = {}

    def read(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler for a page about the memory."""

        async def answer(request: Request) -> Response:
            cookie = self._cookie(request)
            if not cookie:
                return _shut_out(request)
            query, rest, part = dict(request.query_params), request.path_params.get("rest", ""), _is_part(request)
            done = None if part else self._last_done.get(cookie)
            asked = Asked(name, request.url.path, query, rest, form_token(cookie), self._machine, part, done)
            drawn = await drawn_aside(self._call, asked)
            if not (part or drawn.name):
                self._last_done.pop(cookie, None)
            return _answer(drawn)

        return answer

    def page(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler for a page of the helper itself."""

        async def answer(request: Request) -> Response:
            cookie = self._cookie(request)
            if not cookie:
                return _shut_out(request)
            visit = await self._visit(request, cookie)
            shown, part = await page(visit), _is_part(request)
            return _answer(rendered(visit, shown, part=part, done=None if part else self._last_done.pop(cookie, None)))

        return answer

    def action(self, action: Action) -> Callable[[Request], Awaitable[Response]]:
        """Return a handler for an action; it redirects to a page that shows the result."""

        async def answer(request: Request) -> Response:
            cookie = self._cookie(request)
            if not cookie:
                return _shut_out(request)
            visit = await self._visit(request, cookie, await request.body())
            if not _is_ours(request, visit):
                return _page_of_error(
                    403, "This was not sent by a page of yours.", "Go back, load the page again, and repeat it."
                )
            done = await action(visit)
            if isinstance(done, Shown):
                return _answer(rendered(visit, done))
            self._last_done[cookie] = done
            return RedirectResponse(done.to, 303)

        return answer

    async def enter(self, request: Request) -> Response:
        """Give a browser its cookie in exchange for a ticket."""
        cookie = self._keys.enter(request.query_params.get("ticket", ""))
        if cookie is None:
            return _shut_out(request)
        answer = RedirectResponse(f"{PAGES}/", 303)
        answer.set_cookie(_cookie_name(request), cookie, max_age=30 * 86400, httponly=True, samesite="strict", path=PAGES)
        return answer

    async def events(self, request: Request) -> Response:
        """Stream the number of waiting proposals to an open page, whenever it changes."""
        if not self._cookie(request):
            return Response(status_code=401)
        return StreamingResponse(self._changes(), media_type="text/event-stream")

    async def _changes(self) -> AsyncIterator[str]:
        before = ""
        while True:
            text = str((await self._call(circumstances, aside=True))[2])
            yield f"event: waiting\ndata: {text}\n\n" if text != before else ": still there\n\n"
            before = text
            await asyncio.sleep(LOOK_S)

    def _cookie(self, request: Request) -> str:
        """Return the cookie of an admitted browser; "" for any other."""
        cookie = request.cookies.get(_cookie_name(request), "")
        from_here = request.headers.get("sec-fetch-site", "") in FROM_HERE
        return cookie if from_here and cookie and self._keys.knows(cookie) else ""

    async def _visit(self, request: Request, cookie: str, body: bytes = b"") -> Visit:
        now, local, waiting = await self._call(circumstances, aside=True)
        sent = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=5_000)
        return Visit(
            path=request.url.path,
            query=dict(request.query_params),
            token=form_token(cookie),
            now=now,
            local=local,
            call=self._call,
            machine=self._machine,
            works=self._works,
            form={name: value.replace("\r\n", "\n") for name, value in sent},
            chosen=tuple(value for name, value in sent if name == "chosen"),
            rest=request.path_params.get("rest", ""),
            waiting=waiting,
        )


def _cookie_name(request: Request) -> str:
    """Return the cookie's name. It includes the port, because browsers send cookies of one port to all ports."""
    server: Sequence[Any] = request.scope.get("server") or ("", "")
    return f"vade-{server[1]}"


def _is_ours(request: Request, visit: Visit) -> bool:
    """Return whether a form comes from a page that was served to this browser."""
    origin = request.headers.get("origin", "")
    same = compare_digest(visit.form.get("token", "").encode(), visit.token.encode())
    return same and origin == f"http://{request.headers.get('host', '')}"


def _is_part(request: Request) -> bool:
    """Return whether only a part of an open page is requested."""
    return "hx-request" in request.headers and "hx-boosted" not in request.headers


def _answer(drawn: Drawn) -> Response:
    """Return a page, or a text that the browser saves as a file."""
    if not drawn.name:
        return HTMLResponse(drawn.text, drawn.status)
    named = {"content-disposition": f"attachment; filename*=UTF-8''{quote(drawn.name)}"}
    return Response(drawn.text, media_type="text/markdown; charset=utf-8", headers=named)


def _shut_out(request: Request) -> Response:
    """Return a page that says how to get access.

    It links to the same page: after a link from another site browsers send no cookie, but they do after this one.
    """
    here = request.url.path if request.url.path.startswith(PAGES) and "/enter" not in request.url.path else f"{PAGES}/"
    body = [
        h.h1["Your memory is closed to this browser"],
        h.p["Open it from a terminal of this machine:"],
        h.pre["vade web"],
        h.p["If this browser was let in before and you followed a link from elsewhere: ", h.a(href=here)["go on"], "."],
    ]
    return HTMLResponse(str(html.bare("Closed", body)), 401)


async def _to_pages(request: Request) -> Response:
    return RedirectResponse(f"{PAGES}/", 303)


async def _icon(request: Request) -> Response:
    return RedirectResponse(static_address("icon.svg"), 308)


async def _static(request: Request) -> Response:
    pair = static_file(request.path_params["name"])
    if pair is None:
        raise HTTPException(404)
    kept = {"cache-control": "max-age=31536000, immutable"}
    return Response(pair[0], media_type=pair[1], headers=kept)


def _page_of_error(status: int, message: str, hint: str, looked_for: str = "") -> Response:
    """Return the page of an error; `looked_for`: what was not there and may be searched for."""
    search = looked_for and h.a(href=address(f"{PAGES}/find", {"q": looked_for}))[f"Search for {looked_for}"]
    body = [
        h.h1["That did not work"],
        h.p[message],
        hint and h.p[hint],
        search and h.p[search],
        h.p[h.a(href=f"{PAGES}/")["Back to the first page"]],
    ]
    return HTMLResponse(str(html.failed("", "That did not work", body)), status)


async def _error_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, VademecumError)
    hint = "" if "vade " in error.hint else error.hint  # commands for a terminal do not help in a browser
    looked_for = str(request.path_params.get("rest", "")) if isinstance(error, NotFound) else ""
    return _page_of_error(STATUS_OF.get(error.code, 500), error.message, hint, looked_for)


async def _http_error_page(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "There is no such page.", 405: "This address cannot be asked that way."}
    return _page_of_error(error.status_code, words.get(error.status_code, error.detail), "")


async def _fault_page(request: Request, error: Exception) -> Response:
    return _page_of_error(500, "This should not have happened.", "The page Health, or vade doctor in a terminal, says more.")

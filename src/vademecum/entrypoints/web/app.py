"""The application behind the pages: who is let in, which page answers what, and what every answer says about itself."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from hmac import compare_digest
from typing import Any
from urllib.parse import parse_qsl, quote

import htpy as h
from htpy import Node
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from vademecum.api import Vademecum
from vademecum.api.runner import READS, run
from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.caller import Caller
from vademecum.entrypoints.http.access import PAGES, App, Receive, Scope, Send
from vademecum.entrypoints.http.app import STATUS_OF
from vademecum.entrypoints.web import (
    around,
    change,
    choices,
    days,
    deeds,
    find,
    forget,
    health,
    hosts,
    html,
    inbox,
    many,
    memory,
    sessions,
    today,
    why,
    work,
)
from vademecum.entrypoints.web.machine import Keys, Machine
from vademecum.entrypoints.web.static import static_address, static_file
from vademecum.entrypoints.web.visit import Done, Shown, Visit, form_token

Page = Callable[[Visit], Awaitable[Shown]]
Deed = Callable[[Visit], Awaitable[Done | Shown]]

#: Nothing runs, loads, is sent or frames this page but what we serve ourselves.
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": CSP,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # without any, browsers say of a form of ours that it comes from nowhere
    "x-content-type-options": "nosniff",
}
#: A page or picture of elsewhere that asks for one of ours comes with another word.
FROM_HERE = ("", "none", "same-origin")
#: How often a page that stands open is told whether something changed, in seconds.
LOOK_S = 3.0

PAGES_BY_PATH: Mapping[str, Page] = {
    "/": today.page,
    "/alarms": today.alarms,
    "/inbox": inbox.page,
    "/inbox/{rest}": inbox.one,
    "/find": find.page,
    "/s": sessions.listed,
    "/s/{rest:path}": sessions.page,
    "/why": why.listed,
    "/why/{rest}": why.page,
    "/many/{rest}": many.page,
    "/work/{rest}": work.page,
    "/time": days.page,
    "/health": health.page,
    "/checks": health.checks,
    "/settings": choices.page,
    "/hosts/{rest}": hosts.page,
    "/m/{rest}": memory.page,
    "/m/{rest}/around": around.page,
    "/m/{rest}/export": memory.export,
    "/m/{rest}/edit": change.edit,
    "/m/{rest}/evolve": change.evolve,
    "/m/{rest}/history": change.history,
    "/m/{rest}/forget": forget.page,
}


def build_pages(call: Caller, keys: Keys, machine: Machine) -> App:
    """Return the ASGI application of the pages."""
    rules = _Rules(call, keys, machine)
    routes = [Route(f"{PAGES}{path}", rules.page(page), methods=["GET"]) for path, page in PAGES_BY_PATH.items()]
    routes += [Route(f"{PAGES}/do/{name}", rules.deed(deed), methods=["POST"]) for name, deed in deeds.DEEDS.items()]
    routes += [
        Route("/", _to_pages), Route(PAGES, _to_pages), Route("/favicon.ico", _icon), Route(f"{PAGES}/enter", rules.enter),
        Route(f"{PAGES}/events", rules.events), Route(f"{PAGES}/static/{{name:path}}", _static),
    ]  # fmt: skip
    handlers: Any = {VademecumError: _tell_error, HTTPException: _tell_http_error, Exception: _tell_fault}
    return _Headed(Starlette(routes=routes, exception_handlers=handlers))


class _Headed:
    """Puts HEADERS on every answer."""

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
    """Who is let in, and what of a request a page gets to see."""

    def __init__(self, call: Caller, keys: Keys, machine: Machine) -> None:
        self._call, self._keys, self._machine = call, keys, machine
        self._works = work.Works()
        #: What was done last by a browser -> what its next page tells of it.
        self._told: dict[str, Done] = {}

    def page(self, page: Page) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers a request for a page."""

        async def answer(request: Request) -> Response:
            cookie = self._cookie(request)
            if not cookie:
                return _shut_out(request)
            visit = await self._visit(request, cookie)
            shown = await page(visit)
            if shown.file:
                return _download(shown)
            if "hx-request" in request.headers and "hx-boosted" not in request.headers:  # a part of a page that stands
                return HTMLResponse(str(h.fragment[shown.body]))
            return _html(visit, shown, self._told.pop(cookie, None))

        return answer

    def deed(self, deed: Deed) -> Callable[[Request], Awaitable[Response]]:
        """Return what answers a request to do something: it goes on at a page, which tells of it."""

        async def answer(request: Request) -> Response:
            cookie = self._cookie(request)
            if not cookie:
                return _shut_out(request)
            visit = await self._visit(request, cookie, await request.body())
            if not _is_ours(request, visit):
                return _page_of_error(
                    403, "This was not sent by a page of yours.", "Go back, load the page again, and repeat it."
                )
            done = await deed(visit)
            if isinstance(done, Shown):
                return _html(visit, done, None)
            self._told[cookie] = done
            return RedirectResponse(done.to, 303)

        return answer

    async def enter(self, request: Request) -> Response:
        """Give a browser its cookie for a ticket."""
        cookie = self._keys.enter(request.query_params.get("ticket", ""))
        if cookie is None:
            return _shut_out(request)
        answer = RedirectResponse(f"{PAGES}/", 303)
        answer.set_cookie(_cookie_name(request), cookie, max_age=30 * 86400, httponly=True, samesite="strict", path=PAGES)
        return answer

    async def events(self, request: Request) -> Response:
        """Tell a page that stands open how many wait, whenever that changes."""
        if not self._cookie(request):
            return Response(status_code=401)
        return StreamingResponse(self._changes(), media_type="text/event-stream")

    async def _changes(self) -> AsyncIterator[str]:
        before = ""
        while True:
            said = str((await self._call(_circumstances, aside=True))[2])
            yield f"event: waiting\ndata: {said}\n\n" if said != before else ": still there\n\n"
            before = said
            await asyncio.sleep(LOOK_S)

    def _cookie(self, request: Request) -> str:
        """Return the cookie of a browser that is let in; "" for everybody else."""
        cookie = request.cookies.get(_cookie_name(request), "")
        from_here = request.headers.get("sec-fetch-site", "") in FROM_HERE
        return cookie if from_here and cookie and self._keys.knows(cookie) else ""

    async def _visit(self, request: Request, cookie: str, body: bytes = b"") -> Visit:
        now, local, waiting = await self._call(_circumstances, aside=True)
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


def _circumstances(memory: Vademecum) -> tuple[datetime, Callable[[datetime], datetime], int]:
    """Return the time, how the person's wall clock shows it, and how many proposals wait."""
    counts = run(memory.context, READS, memory.context.index.counts)
    return memory.now(), memory.context.local_time, counts.get(("memory", "inbox"), 0)


def _cookie_name(request: Request) -> str:
    """Return the cookie's name; it tells the port, because browsers send cookies of one port to all."""
    server: Sequence[Any] = request.scope.get("server") or ("", "")
    return f"vade-{server[1]}"


def _is_ours(request: Request, visit: Visit) -> bool:
    """Return whether a form was sent by a page that we gave to this very browser."""
    origin = request.headers.get("origin", "")
    same = compare_digest(visit.form.get("token", "").encode(), visit.token.encode())
    return same and origin == f"http://{request.headers.get('host', '')}"


def _html(visit: Visit, shown: Shown, done: Done | None) -> Response:
    return HTMLResponse(str(html.layout(visit, shown, _notice(visit, done))), shown.status)


def _download(shown: Shown) -> Response:
    """Return a text that the browser keeps as a file."""
    named = {"content-disposition": f"attachment; filename*=UTF-8''{quote(shown.title)}"}
    return Response(shown.file, media_type="text/markdown; charset=utf-8", headers=named)


def _notice(visit: Visit, done: Done | None) -> Node:
    if done is None or not done.told:
        return None
    back = done.undo and html.deed(visit, "undo", "Undo", {"operation": done.undo}, key="u")
    return h.div(".notice", role="status")[h.p[h.bdi[done.told]], back]


def _shut_out(request: Request) -> Response:
    """Say how to get in. A link to the very page helps whoever followed one from elsewhere: then the cookie is sent along."""
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
    found = static_file(request.path_params["name"])
    if found is None:
        raise HTTPException(404)
    kept = {"cache-control": "max-age=31536000, immutable"}
    return Response(found[0], media_type=found[1], headers=kept)


def _page_of_error(status: int, message: str, hint: str) -> Response:
    body = [h.h1["That did not work"], h.p[message], hint and h.p[hint], h.p[h.a(href=f"{PAGES}/")["To the first page"]]]
    return HTMLResponse(str(html.bare("That did not work", h.div("#page")[body])), status)


async def _tell_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, VademecumError)
    return _page_of_error(STATUS_OF.get(error.code, 500), error.message, error.hint)


async def _tell_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "There is no such page.", 405: "This address cannot be asked that way."}
    return _page_of_error(error.status_code, words.get(error.status_code, error.detail), "")


async def _tell_fault(request: Request, error: Exception) -> Response:
    return _page_of_error(500, "This should not have happened.", "See the log, and: vade doctor")

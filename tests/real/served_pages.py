"""The pages on a real port, and a real Chromium before them."""

import asyncio
import contextlib
import socket
import threading
from functools import partial

import uvicorn

from tests.real.programs import Missing
from tests.real.test_real_browser import chromium
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.own_thread import OwnThread
from vademecum.plugins.pages.browser_keys import browser_keys
from vademecum.plugins.pages.late import LatePages
from vademecum.plugins.pages.machine import Machine, is_page
from vademecum.wiring import open_memory, system_clock


@contextlib.contextmanager
def served(settings):
    """Serve the pages; gives an address that lets one browser in each time it is asked for."""
    call = OwnThread(lambda: open_memory(settings))
    keys = browser_keys(settings, system_clock())
    pages = LatePages(call, keys, Machine(settings))
    app = build_app(call, Access("t0ken-that-is-long-enough"), now=lambda: 0.0, beside=[(is_page, pages)])
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="off", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=partial(server.run, sockets=[listening]))
    thread.start()
    try:
        yield lambda: f"http://127.0.0.1:{listening.getsockname()[1]}/web/enter?ticket={keys.ticket()}"
    finally:
        server.should_exit = True
        thread.join(10)
        closing = threading.Thread(target=lambda: asyncio.run(call.close()))  # the driver of the browser has a loop in this one
        closing.start()
        closing.join(10)


def settled(page):
    """Wait until the parts of a page that come by themselves have come."""
    late = page.locator("[data-hx-trigger=load]").count()
    page.locator(":is(#alarms, #checks, #code)").nth(late - 1).wait_for(state="attached") if late else None


def scripted(page):
    """Wait until htmx answers for forms and links; what is sent before that loads a whole page, which loses the focus."""
    page.locator("[data-htmx-powered]").first.wait_for(state="attached")


@contextlib.contextmanager
def browser():
    """A Chromium without a screen.

    Raises:
        Missing: there is none here, or nothing to drive it with.
    """
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 -- a machine without it skips
    except ImportError as error:
        raise Missing("Playwright is not installed here") from error
    command, *options = chromium()
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=command, args=options)
        try:
            yield opened
        finally:
            opened.close()

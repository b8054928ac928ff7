"""A browser without a screen: it is let in as a real one is, keeps its cookie, and sends the forms that it was shown."""

import html
import pickle
import re
from urllib.parse import urlencode

import pytest
from tests.entrypoints.http.test_http import TOKEN, send

pytest.importorskip("htpy")

from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.plugins.pages.browser_keys import browser_keys
from vademecum.plugins.pages.late import LatePages
from vademecum.plugins.pages.machine import Machine, is_page

HOST = "127.0.0.1:7821"


class Browser:
    """One browser. `ask` gives an answer as it is; `get` and `press` the text of the page one ends at."""

    def __init__(self, app, keys):
        self.app, self.keys, self.cookie, self.page = app, keys, "", ""

    async def ask(self, method, target, form=None, **headers):
        said = {
            "host": HOST, "cookie": self.cookie or None, "authorization": None, "sec-fetch-site": "same-origin",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }  # fmt: skip
        if form is not None:
            said = {"origin": f"http://{HOST}", "content-type": "application/x-www-form-urlencoded", **said}
        body = urlencode(form, doseq=True).encode() if form is not None else None
        return await send(self.app, method, target, body=body, headers=said)

    async def enter(self):
        answer = await self.ask("GET", f"/web/enter?ticket={self.keys.ticket()}", sec_fetch_site="none")
        self.cookie = answer.headers["set-cookie"].partition(";")[0]
        return answer

    async def get(self, target, status=200):
        answer = await self.ask("GET", target)
        assert answer.status == status, answer.body.decode()
        self.page = answer.body.decode()
        return self.page

    async def press(self, label, status=303, nth=0, **typed):
        """Send the form on the last page whose button says so, with what is typed into it."""
        forms = [one for one in re.findall(r"<form[^>]*method=\"post\".*?</form>", self.page, re.S) if f">{label}<" in one]
        fields = {
            name: html.unescape(value) for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', forms[nth])
        }
        action = re.search(r'action="([^"]+)"', forms[nth])[1]
        answer = await self.ask("POST", action, form={**fields, **typed})
        assert answer.status == status, answer.body.decode()
        self.page = answer.body.decode()
        return await self.get(answer.headers["location"].partition("#")[0]) if answer.status == 303 else self.page


def travelling(call):
    """A caller that has what may be done elsewhere travel there and back, as it does between a helper's processes."""

    async def called(action, *, cwd="", aside=False):
        done = await call(pickle.loads(pickle.dumps(action)) if aside else action, cwd=cwd)
        return pickle.loads(pickle.dumps(done)) if aside else done

    return called


@pytest.fixture
def browse(caller, run, settings, clock, tmp_path):
    """Runs a coroutine of a browser that was let in: `browse(walk, setup)`; `opened=False` leaves it outside."""

    def walked(walk, setup=None, opened=True):
        keys, machine = browser_keys(settings(), clock), Machine(settings(), tmp_path / "config.toml")

        async def whole():
            async with caller(setup) as call:
                app = build_app(
                    call,
                    Access(TOKEN),
                    now=lambda: 0.0,
                    beside=[(is_page, LatePages(travelling(call), keys, machine))],
                )
                browser = Browser(app, keys)
                if opened:
                    await browser.enter()
                return await walk(browser)

        return run(whole())

    return walked

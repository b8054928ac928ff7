"""Who may look at the pages, and who may do something on them."""

import hashlib
import stat
import tomllib
from datetime import timedelta
from pathlib import Path

from tests.entrypoints.http.test_http import TOKEN

from vademecum.plugins import pages

VENDOR = Path(pages.__file__).parent / "static" / "vendor"


def kettle(memory):
    memory.notes.save("fact", "Kettle", "Descale the kettle monthly.")


def test_x27_a_ticket_lets_one_browser_in_once(browse, clock):
    """X-27: the address that `vade web` opens works once and for a minute; the cookie for it lasts, and is of this port alone."""

    async def walk(browser):
        ticket = browser.keys.ticket()
        first, again = [await browser.ask("GET", f"/web/enter?ticket={ticket}") for _ in range(2)]
        late = browser.keys.ticket()
        clock.advance(timedelta(seconds=61))
        return first, again, await browser.ask("GET", f"/web/enter?ticket={late}"), await browser.ask("GET", "/web/enter")

    first, *others = browse(walk, opened=False)
    assert (first.status, first.headers["location"]) == (303, "/web/")
    assert first.headers["set-cookie"].startswith("vade-7821=")
    for word in ("HttpOnly", "SameSite=strict", "Path=/web", "Max-Age=2592000"):
        assert word in first.headers["set-cookie"]
    assert [one.status for one in others] == [401, 401, 401]


def test_x52_cookie_and_token_are_two_doors(browse):
    """X-52: a browser's cookie opens no verb, and an agent's token no page: a leaked token cannot approve or forget."""

    async def walk(browser):
        token = {"authorization": f"Bearer {TOKEN}"}
        verbs = [await browser.ask("GET", path) for path in ("/v1/status", "/mcp", "/api/memory")]
        cookie, browser.cookie = browser.cookie, ""
        with_token = [await browser.ask("GET", path, **token) for path in ("/web/", "/web/inbox", "/web/events")]
        deed = await browser.ask("POST", "/web/do/undo", form={"token": TOKEN}, **token)
        browser.cookie = cookie
        return verbs, with_token, deed, await browser.ask("GET", "/v1/status", **token)

    verbs, pages_, deed, both = browse(walk, kettle)
    assert [one.status for one in verbs] == [401, 401, 401]
    assert [one.status for one in pages_] == [401, 401, 401]
    assert "Kettle" not in pages_[0].body.decode()
    assert deed.status == 401
    assert both.status == 200


def test_a_page_of_elsewhere_is_shut_out(browse):
    """X-52: what another page asks for or sends is refused with the cookie in its hands, also one of another port of this machine."""

    async def walk(browser):
        await browser.get("/web/")
        token = browser.page.partition('name="token" value="')[2].partition('"')[0]
        form = {"token": token, "operation": ""}
        return token, [
            await browser.ask("GET", "/web/", sec_fetch_site="cross-site"),
            await browser.ask("GET", "/web/", sec_fetch_site="same-site"),
            await browser.ask("GET", "/web/", host="rebound.test:7821"),
            await browser.ask("POST", "/web/do/undo", form=form, origin="http://127.0.0.1:9999"),
            await browser.ask("POST", "/web/do/undo", form=form, origin="null"),
            await browser.ask("POST", "/web/do/undo", form=form, origin=None),
            await browser.ask("POST", "/web/do/undo", form={**form, "token": "guess"}),
            await browser.ask("POST", "/web/do/undo", form={"operation": ""}),
            await browser.ask("GET", "/web/do/undo"),
            await browser.ask("GET", "/web/"),
        ]

    token, answers = browse(walk, kettle)
    assert len(token) == 32
    assert [one.status for one in answers] == [401, 401, 421, 403, 403, 403, 403, 403, 405, 200]
    assert b"Kettle" in answers[-1].body


def test_cookies_are_kept_hashed_and_can_be_revoked(browse, tmp_path, clock, settings):
    """A browser stays let in when the helper starts anew, until it is shut out or did not come for a month; the file shows no cookie."""

    async def walk(browser):
        file = tmp_path / "data" / "browsers.json"
        secret = browser.cookie.partition("=")[2]
        assert secret not in file.read_text()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        clock.advance(timedelta(days=20))
        await browser.get("/web/")
        clock.advance(timedelta(days=20))
        await browser.get("/web/")
        clock.advance(timedelta(days=31))
        await browser.get("/web/", status=401)
        await browser.enter()
        await browser.get("/web/")
        assert browser.keys.revoke() == 1
        await browser.get("/web/", status=401)
        file.write_text("damaged")
        await browser.get("/web/", status=401)

    browse(walk, kettle)


def test_every_answer_forbids_everything_else(browse):
    """Every answer says that nothing may run, load, frame or be sent but what is ours; no page holds inline script or style."""

    async def walk(browser):
        paths = ("/web/", "/web/inbox", "/web/find", "/web/nowhere", "/web/static/app.css", "/web/static/nothing.css", "/")
        answers = [await browser.ask("GET", path) for path in paths]
        browser.cookie = ""
        return [*answers, await browser.ask("GET", "/web/")]

    for answer in browse(walk, kettle):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers
        text = answer.body.decode()
        assert "<style" not in text
        assert " style=" not in text
        assert " onclick=" not in text
        assert "<script>" not in text
        assert text.count("http://") + text.count("https://") == 0 or answer.headers["content-type"].startswith("text/css")


def test_static_files_only(browse):
    """Only files of ours below `static` are given out, to anybody, and may be kept because their address changes with them."""

    async def walk(browser):
        browser.cookie = ""
        names = (
            "app.css",
            "keys.js",
            "vendor/htmx.min.js",
            "icon.svg",
            "../app.py",
            "..%2fapp.py",
            "__init__.py",
            "vendor/htmx.LICENSE",
        )
        return [await browser.ask("GET", f"/web/static/{name}") for name in names]

    answers = browse(walk)
    assert [one.status for one in answers] == [200] * 4 + [404] * 4
    assert "immutable" in answers[0].headers["cache-control"]


def test_vendored_files_are_what_they_say():
    """What others wrote stands in the tree byte for byte as their package holds it, with version and licence."""
    named = tomllib.loads((VENDOR / "vendored.toml").read_text())["file"]
    assert named
    for one in named:
        assert hashlib.sha256((VENDOR / one["name"]).read_bytes()).hexdigest() == one["sha256"], one["name"]
        assert (VENDOR / one["terms"]).stat().st_size > 300
        assert one["package"]
        assert one["version"]
        assert one["licence"]
    there = {path.name for path in VENDOR.iterdir()} - {"vendored.toml"}
    assert there == {name for one in named for name in (one["name"], one["terms"])}

"""X-52: a page in a real browser tries to read and to write memory through the helper's loopback port, and can do neither.

Chromium shows a hostile page of another origin. What it sends really arrives (its requests are counted), also under a name that
its owner points at this machine (DNS rebinding), also with the token in its hands.
"""

import asyncio
import json
import queue
import shutil
import socket
import subprocess
import threading
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import uvicorn

from tests.real.programs import Missing, command_of
from vademecum.entrypoints.http.access import Access
from vademecum.entrypoints.http.app import build_app
from vademecum.entrypoints.mcp.own_thread import OwnThread
from vademecum.settings import Settings
from vademecum.wiring import open_memory

pytestmark = pytest.mark.slow

TOKEN = "t0ken-that-is-long-enough"
SECRET = "The user's spare key lies under the third fern."
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

#: What a page can try. Each line of its report is `name: what came of it`; what it could read of an answer stands there too.
PAGE = """<!doctype html><title>A page about ferns</title><pre id="report"></pre>
<iframe name="hole"></iframe>
<form id="form" method="post" target="hole" enctype="text/plain" action="http://127.0.0.1:PORT/v1/save">
<input name='{"kind": "fact", "title": "Planted by a form", "body": "' value='x"}'></form>
<img src="http://127.0.0.1:PORT/v1/list" alt=""><script src="http://127.0.0.1:PORT/v1/list"></script>
<script>
const report = document.getElementById("report");
const tell = (name, what) => { report.textContent += name + ": " + what + "\\n"; };
const planted = JSON.stringify({kind: "fact", title: "Planted by a page", body: "Do as the page says."});
const key = {"Authorization": "Bearer TOKEN"};
const json = {...key, "Content-Type": "application/json"};
const own = "http://127.0.0.1:PORT", rebound = "http://rebound.test:PORT";
const attempts = {
  "read": [own + "/v1/list", {}],
  "read with the token": [own + "/v1/list", {headers: key}],
  "read without looking": [own + "/v1/recall?question=key", {mode: "no-cors"}],
  "write as plain text": [own + "/v1/save", {method: "POST", mode: "no-cors", body: planted}],
  "write with the token": [own + "/v1/save", {method: "POST", headers: json, body: planted}],
  "agent's door": [own + "/mcp", {method: "POST", headers: json, body: "{}"}],
  "older route": [own + "/api/memory", {headers: key}],
  "rebound read": [rebound + "/v1/list", {headers: key}],
  "rebound without looking": [rebound + "/v1/list", {mode: "no-cors"}],
  "rebound write": [rebound + "/v1/save", {method: "POST", mode: "no-cors", body: planted}],
};
(async () => {
  for (const [name, [address, how]] of Object.entries(attempts)) {
    try { const answer = await fetch(address, how); tell(name, answer.type + " " + answer.status + " " + await answer.text()); }
    catch (error) { tell(name, "refused " + error); }
  }
  await new Promise(done => {
    const wire = new WebSocket("ws://127.0.0.1:PORT/mcp");
    wire.onopen = () => { tell("socket", "open"); done(); };
    wire.onerror = () => { tell("socket", "refused"); done(); };
  });
  document.getElementById("form").submit();
  await new Promise(done => setTimeout(done, 500));
  try { tell("frame", window.frames.hole.document.body.innerText); } catch (error) { tell("frame", "refused " + error); }
  await fetch("/report", {method: "POST", body: report.textContent});
})();
</script>"""


def chromium() -> list[str]:
    """Command line of Chromium, which `make browser` installs where it may.

    Raises:
        Missing: there is none.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise Missing("Chromium is not installed here; as root on Debian or Ubuntu: make browser")
    return [found, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]


@pytest.fixture
def door(tmp_path):
    """The HTTP door over a memory with one secret, on a real port; (port, what was asked and answered, home)."""
    (tmp_path / "Vault" / "Vademecum").mkdir(parents=True)
    made = Settings(
        home=str(tmp_path / "Vault" / "Vademecum"), data_dir=str(tmp_path / "data"), cache_dir=str(tmp_path / "cache"),
        device="test", embedder="none",
    )  # fmt: skip
    with open_memory(made) as memory:
        memory.notes.save("fact", "Spare key", SECRET)
    call = OwnThread(lambda: open_memory(made))
    app, asked = build_app(call, Access(TOKEN), now=lambda: 0.0), []

    async def watched(scope, receive, send):
        async def noted(message):
            if message["type"] == "http.response.start":
                headers = {name.decode().lower(): value.decode() for name, value in scope["headers"]}
                names = [name.decode().lower() for name, _ in message["headers"]]
                asked.append((scope["method"], scope["path"], headers.get("host", ""), message["status"], names))
            await send(message)

        await app(scope, receive, noted)

    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(watched, log_level="error", lifespan="off"))
    thread = threading.Thread(target=partial(server.run, sockets=[listening]))
    thread.start()
    yield listening.getsockname()[1], asked, made
    server.should_exit = True
    thread.join(10)
    asyncio.run(call.__aexit__(None, None, None))


@pytest.fixture
def hostile(door):
    """Address of the page, at a name and a port of its own, and where its report arrives."""
    told = queue.Queue()
    page = PAGE.replace("PORT", str(door[0])).replace("TOKEN", TOKEN).encode()

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def do_POST(self):
            told.put(self.rfile.read(int(self.headers["content-length"])).decode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *words):
            """Nobody reads it."""

    served = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=served.serve_forever, daemon=True).start()
    yield f"http://meadow.test:{served.server_port}/", told
    served.shutdown()
    served.server_close()


def report_of(hostile, folder):
    """What the page tells when it has tried everything: attempt -> what came of it."""
    address, told = hostile
    command = [*command_of(chromium), "--host-resolver-rules=MAP *.test 127.0.0.1", f"--user-data-dir={folder}", address]
    with (folder.parent / "browser.log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as browser:
        try:
            report = told.get(timeout=90)
        except queue.Empty:
            pytest.fail((folder.parent / "browser.log").read_text(errors="replace")[-2000:])
        finally:
            browser.terminate()
    return dict(line.split(": ", 1) for line in report.splitlines() if ": " in line)


def test_x52_page_in_a_browser(door, hostile, tmp_path):
    """X-52: whatever the page sends, it reads nothing and nothing is written; and it was the door that refused it."""
    _, asked, made = door
    report = report_of(hostile, tmp_path / "profile")
    assert "fern" not in json.dumps(report) and "Spare" not in json.dumps(report)
    looked = {name: what for name, what in report.items() if name not in ("frame", "socket")}
    assert len(looked) == 10
    assert all(what.startswith("refused") or what.strip() == "opaque 0" for what in looked.values()), looked
    assert report["socket"] == "refused"
    arrived = {(method, path, host.partition(":")[0]) for method, path, host, _, _ in asked}
    assert {("GET", "/v1/list", "127.0.0.1"), ("POST", "/v1/save", "127.0.0.1")} <= arrived
    assert {("GET", "/v1/list", "rebound.test"), ("POST", "/v1/save", "rebound.test")} <= arrived
    assert {status for *_, status, _ in asked} <= {401, 403, 421}, asked
    assert {status for _, _, host, status, _ in asked if host.startswith("rebound")} == {421}
    assert not any(name.startswith("access-control-") for *_, names in asked for name in names)
    with open_memory(made) as memory:
        assert [item.title for item in memory.notes.list()] == ["Spare key"]
        assert [version.op for version in memory.notes.history("Spare key")] == ["save"]

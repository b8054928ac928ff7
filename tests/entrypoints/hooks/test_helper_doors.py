"""MCP and HTTP as the running helper serves them: real processes, the official client, a real port."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE

from vademecum.entrypoints.daemon.call import call, ensure
from vademecum.entrypoints.mcp.transports import MESSAGE_MAX_BYTES
from vademecum.vault.places import JOURNAL


@pytest.fixture
def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


@pytest.fixture
def helper(installed, free_port):
    installed.configure(port=str(free_port))
    there = ensure(installed.settings, installed.config)
    assert there
    return there


def server(installed, *options: str) -> StdioServerParameters:
    """What a host starts."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "vademecum", "--config", str(installed.config), "mcp", *options],
        env=installed.environment(),
        cwd=str(installed.folder / "work"),
    )


@pytest.mark.anyio
@pytest.mark.parametrize("options", [(), ("--no-helper",)])
async def test_mcp(installed, helper, options):
    """A host lists the tools and recalls, through the helper or without one."""
    async with Client(server(installed, *options)) as client:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"recall_memory", "save_to_memory", "use_verb"} <= tools
        answer = await client.call_tool("recall_memory", {"query": ABOUT_KETTLE})
    assert "4417" in json.dumps(answer.structured_content)


@pytest.mark.anyio
@pytest.mark.parametrize("first", [True, False])
async def test_restricting_travels(installed, first):
    """D10: strict interfaces of one host's environment hold for its own connection, whoever started the helper, and for no other."""
    strict = server(installed)
    strict = strict.model_copy(update={"env": {**strict.env, "VADEMECUM_STRICT_INTERFACES": "1"}})
    if not first:
        assert ensure(installed.settings, installed.config)
    async with Client(strict) as client:
        refused = await client.call_tool("recall_memory", {"query": ABOUT_KETTLE})
    async with Client(server(installed)) as client:
        answered = await client.call_tool("recall_memory", {"query": ABOUT_KETTLE})
    assert call(installed.settings, "status")
    assert (refused.is_error, "source_interface" in str(refused.content)) == (True, True)
    assert "4417" in json.dumps(answered.structured_content)


@pytest.mark.anyio
async def test_looser_helper_is_not_used(installed, helper):
    """D10: a host whose environment switches memory off saves nothing through a helper for which it is on."""
    off = server(installed)
    off = off.model_copy(update={"env": {**off.env, "VADEMECUM_DISABLED": "1"}})
    async with Client(off) as client:
        saved = await client.call_tool("save_to_memory", {"content": "The lamp is broken."})
    assert saved.is_error


@pytest.mark.anyio
async def test_mcp_starts_a_helper(installed):
    async with Client(server(installed)) as client:
        await client.list_tools()
    assert call(installed.settings, "status")


def asked(port: int, path: str, token: str = "", body: dict | None = None) -> tuple[int, dict]:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", json.dumps(body).encode() if body else None)
    request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_http(installed, helper, free_port):
    """The first request loads what answers it; without the token nothing is told; what is saved there is found by a hook."""
    assert helper["port"] in (0, free_port)
    assert asked(free_port, "/v1/status")[0] == 401
    token = (installed.data / "token").read_text().strip()
    assert (installed.data / "token").stat().st_mode & 0o077 == 0
    status, said = asked(free_port, "/v1/status", token)
    assert (status, said["helper"]["pid"]) == (200, helper["pid"])
    body = {"kind": "fact", "title": "Where the teapot service runs", "body": "The teapot service listens on port 5521."}
    assert asked(free_port, "/v1/save", token, body)[0] == 200
    installed.conf(deadline_ms="20000")  # how fast it is answered is another matter
    assert "5521" in installed.prompted("Which port does the teapot service listen on?")


def test_x33_no_hook_waits_for_a_long_read(installed, helper, free_port):
    """X-33: while a program asks for what was believed long ago, and the journals do not end, a prompt is told what is known."""
    asked(free_port, "/v1/status")
    token = (installed.data / "token").read_text().strip()
    asked(free_port, "/v1/recall", token, {"question": ABOUT_KETTLE})  # fills the index, for which the journals are read
    installed.patient()  # what is waited for here is the reader, which never ends
    assert "4417" in installed.prompted(ABOUT_KETTLE, "before")
    slow = installed.folder / "home" / JOURNAL / "elsewhere" / "2020-01.md"
    slow.parent.mkdir()
    os.mkfifo(slow)
    with ThreadPoolExecutor(1) as beside:
        reading = beside.submit(asked, free_port, "/v1/list?as_of=2020-02-01", token)
        assert asked(free_port, "/v1/recall", token, {"question": ABOUT_KETTLE})[0] == 200  # the read has come in before
        assert "4417" in installed.prompted(ABOUT_KETTLE, "beside")
        assert not reading.done()
        call(installed.settings, "stop")
        with suppress(urllib.error.URLError, http.client.HTTPException, ConnectionError, ValueError):
            reading.result()


def test_long_reads_are_as_others(installed, helper, free_port):
    """What another process reads is what was saved a moment ago; what is wrong is told as ever; a killed process is replaced."""
    asked(free_port, "/v1/status")
    token = (installed.data / "token").read_text().strip()
    for name in ("teapot", "samovar"):
        body = {"kind": "fact", "title": f"Where the {name} stands", "body": f"The {name} stands in the hall."}
        assert asked(free_port, "/v1/save", token, body)[0] == 200
        status, said = asked(free_port, "/v1/list", token)
        assert f"Where the {name} stands" in {one["title"] for one in said["results"]}
        status, said = asked(free_port, "/v1/show?ref=nothing-there", token)
        assert (status, said["error"]) == (404, "not_found")
        status, said = asked(free_port, "/v1/list?as_of=2020-01-01", token)
        assert (status, said["results"]) == (200, [])
        for process in children_of(helper["pid"], "reads"):
            os.kill(process, signal.SIGKILL)


def children_of(parent: int, word: str) -> list[int]:
    """Processes below one whose last argument is a word."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            of = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            found += [int(folder.name)] if of == parent and word.encode() in words[-2:] else []
    return found


def test_taken_port(installed, free_port):
    """Somebody else has the port, such as a second memory: the next free one is taken."""
    with socket.create_server(("127.0.0.1", free_port)):
        installed.configure(port=str(free_port))
        there = ensure(installed.settings, installed.config)
        assert there["port"] > free_port
        socket.create_connection(("127.0.0.1", there["port"])).close()


def test_no_port_left(installed):
    """No port can be had: the helper serves all the same, and who asks is told why there is no HTTP."""
    with socket.create_server(("127.0.0.1", 65535)):
        installed.configure(port="65535")
        there = ensure(installed.settings, installed.config)
        assert there["port"] == 0
        assert there["http_error"].startswith("port 65535 cannot be taken")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for parents in /proc")
def test_x31_helper_is_nobodys_child(installed):
    """X-31: a host that ends its MCP server with all that descends from it leaves the helper that the server started alone."""
    there = ensure(installed.settings, installed.config)
    parent = int(Path(f"/proc/{there['pid']}/stat").read_text().rpartition(")")[2].split()[1])
    assert parent != os.getpid()
    with pytest.raises(ChildProcessError):
        os.waitpid(there["pid"], os.WNOHANG)  # nobody has to bury it


def test_long_line_without_a_helper(installed):
    """A line without end does not fill the memory of `vade mcp --no-helper`: it is answered as too long, and the next one is served."""
    started = server(installed, "--no-helper")
    long = b'{"jsonrpc": "2.0", "id": 7, "x": "' + b"x" * (MESSAGE_MAX_BYTES + 1) + b'"}\n'
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([started.command, *started.args], env=started.env, cwd=started.cwd, **pipes) as process:
        answers = []
        for line in (long, b'{"jsonrpc": "2.0", "id": 8, "method": "ping"}\n'):
            process.stdin.write(line)
            process.stdin.flush()
            answers.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(60) == 0
    assert [one["id"] for one in answers] == [7, 8]
    assert answers[0]["error"]["code"] == -32600

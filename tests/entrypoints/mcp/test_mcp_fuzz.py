"""Whatever is sent, the server answers with an error, goes on serving, and writes nothing outside the memory's folders."""

import asyncio
import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vademecum.entrypoints.mcp import proxy
from vademecum.entrypoints.mcp.server import Rules, build_server, tool_list
from vademecum.entrypoints.mcp.transports import serve_connection

HELLO = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}  # fmt: skip
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
    | st.sampled_from(["../../etc/passwd", "/memories/../../x", "memory://", "\x00", "\ud800", "file:///etc/passwd", "_archive/x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
RULES = Rules()
TOOLS = [tool for tool in tool_list(RULES).values() if tool.name != "sync_session"]


@st.composite
def calls(draw):
    """A call of a tool with arguments that may have the right names and rarely the right values."""
    tool = draw(st.sampled_from(TOOLS))
    names = [param.name for param in tool.params]
    choices = {param.name: st.sampled_from(param.choices) | ANYTHING for param in tool.params if param.choices}
    arguments = {
        name: draw(choices.get(name, ANYTHING)) for name in names if draw(st.integers(0, 3))
    } | draw(st.dictionaries(st.text(max_size=8), ANYTHING, max_size=1))  # fmt: skip
    return {"method": "tools/call", "params": {"name": tool.name, "arguments": arguments}}


LINES = st.one_of(
    st.binary(max_size=60).map(lambda data: data.replace(b"\n", b" ")),
    ANYTHING.map(lambda value: json.dumps(value).encode()),
    st.builds(
        lambda method, params, identity: json.dumps(
            {"jsonrpc": "2.0", "id": identity, "method": method, "params": params}
        ).encode(),
        st.sampled_from(["tools/call", "tools/list", "resources/read", "prompts/get", "nonsense", "initialize", ""]), ANYTHING, ANYTHING,
    ),
    calls().map(lambda call: json.dumps({"jsonrpc": "2.0", "id": 5, **call}).encode()),
)  # fmt: skip


class Wire:
    """A raw connection to a server over a Unix socket."""

    def __init__(self, server, path):
        self.server, self.path = server, str(path)

    async def __aenter__(self):
        self.listening = await asyncio.start_unix_server(self._serve, self.path)
        self.reader, self.writer = await asyncio.open_unix_connection(self.path, limit=1 << 26)
        self.faults = []
        return self

    async def _serve(self, reader, writer):
        try:
            await serve_connection(self.server, reader, writer)
        except Exception as error:
            self.faults.append(error)
            raise

    async def __aexit__(self, *error):
        self.writer.close()
        await asyncio.sleep(0)
        self.listening.close()

    async def say(self, *lines):
        for line in lines:
            self.writer.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        await self.writer.drain()

    async def hear(self, identity):
        """Answers up to the one with that id, inclusive."""
        heard = []
        while not heard or heard[-1].get("id") != identity:
            line = await self.reader.readline()
            assert line, "the server hung up"
            heard.append(json.loads(line))
        return heard


def files_around(folder, home, data):
    """Every file that is neither in the memory's home nor in its data."""
    return {
        path for path in folder.rglob("*") if home not in path.parents and data not in path.parents and path not in (home, data)
    }


@pytest.mark.slow
@pytest.mark.parametrize("era", ["2025-11-25", "2026-07-28"])
@pytest.mark.parametrize("most", [20, pytest.param(200, marks=pytest.mark.soak)])
def test_anything_sent(caller, run, tmp_path, home, era, most):
    """Any bytes, any JSON, any call: each request with an id is answered, the next good one works, nothing is written outside."""

    @settings(max_examples=most, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(LINES, max_size=8))
    def each(lines):
        ping = {"jsonrpc": "2.0", "id": "last", "method": "tools/list", "params": {}}
        if era != "2025-11-25":
            ping["params"]["_meta"] = ENVELOPE

        async def talk():
            async with caller() as call:
                server = build_server(call, RULES, now=iter(range(0, 10**9, 60)).__next__)
                async with Wire(server, tmp_path / "s") as wire:
                    await wire.say(HELLO if era == "2025-11-25" else {**ping, "id": "hello"})
                    await wire.hear("hello")
                    await wire.say(*lines, ping)
                    heard = await wire.hear("last")
                    assert not wire.faults
                    return heard

        heard = run(talk())
        assert "result" in heard[-1]
        for answer in heard[:-1]:
            if "error" in answer:
                assert answer["error"]["message"]
                assert "Traceback" not in answer["error"]["message"]

    before = files_around(tmp_path, home, tmp_path / "data")
    each()
    assert files_around(tmp_path, home, tmp_path / "data") - before <= {tmp_path / "s"}


@pytest.mark.slow
@pytest.mark.parametrize("most", [60, pytest.param(600, marks=pytest.mark.soak)])
def test_any_call_is_answered(caller, run, tmp_path, home, most):
    """Any arguments to any tool: a result, or an error with what is wrong; never a fault of ours, never a file elsewhere."""

    @settings(max_examples=most, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
    @given(calls())
    def each(call_of):
        line = {"jsonrpc": "2.0", "id": 1, **call_of}
        line["params"] = {**line["params"], "_meta": ENVELOPE}
        loop.run_until_complete(wire.say(line))
        (answer,) = loop.run_until_complete(asyncio.wait_for(wire.hear(1), 10))
        if "error" in answer:  # what the library refuses by itself: a request that is none
            assert answer["error"]["code"] in (-32600, -32602, -32700), answer
            return
        result = answer["result"]
        assert result["content"][0]["text"]
        if result.get("isError"):
            assert set(result["structuredContent"]) == {"error", "message", "hint"}
            assert result["structuredContent"]["message"]

    loop = asyncio.new_event_loop()
    opened = caller()
    call = loop.run_until_complete(opened.__aenter__())
    wire = Wire(build_server(call, RULES, now=iter(range(0, 10**9, 60)).__next__), tmp_path / "s")
    loop.run_until_complete(wire.__aenter__())
    before = files_around(tmp_path, home, tmp_path / "data")
    try:
        each()
        assert files_around(tmp_path, home, tmp_path / "data") == before
    finally:
        loop.run_until_complete(wire.__aexit__())
        loop.run_until_complete(opened.__aexit__(None, None, None))
        loop.run_until_complete(asyncio.sleep(0.05))
        loop.close()


def test_lines_that_are_no_messages(caller, run, tmp_path):
    """Each line that is no message is answered with what is wrong with it, and its id where it has one."""

    async def talk():
        async with caller() as call, Wire(build_server(call), tmp_path / "s") as wire:
            await wire.say(b"{", b"[]", b"\xff\xfe", {"id": 9, "method": "tools/list"}, b"", b"null")
            await wire.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}})
            return await wire.hear(1)

    *errors, last = run(talk())
    assert [(one["error"]["code"], one["id"]) for one in errors] == [
        (-32700, None), (-32600, None), (-32700, None), (-32600, 9), (-32600, None),
    ]  # fmt: skip
    assert len(last["result"]["tools"]) == 6


LONG = b"x" * (3 << 20)


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc": "2.0", "id": 7, "x": "' + LONG + b'"}',
        b'{"params": {"id": 3, "x": "' + LONG + b'"}, "jsonrpc": "2.0", "id": 7}',
    ],
    ids=["first", "last"],
)
def test_long_line(caller, run, tmp_path, monkeypatch, line):
    """A line without end does not fill memory: whoever waits for its answer hears that it was too long, and the next one is served."""
    monkeypatch.setattr("vademecum.entrypoints.mcp.transports.MESSAGE_MAX_BYTES", 1 << 20)

    async def talk():
        async with caller() as call, Wire(build_server(call), tmp_path / "s") as wire:
            await wire.say(line)
            await wire.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}})
            return await wire.hear(1)

    assert [(one["id"], one.get("error", {}).get("code")) for one in run(talk())] == [(7, -32600), (1, None)]


def test_long_line_of_nobody(caller, run, tmp_path, monkeypatch):
    """Where nobody can tell who waits for the answer to a line without end, the connection ends: then nobody waits any more."""
    monkeypatch.setattr("vademecum.entrypoints.mcp.transports.MESSAGE_MAX_BYTES", 1 << 20)

    async def talk():
        async with caller() as call, Wire(build_server(call), tmp_path / "s") as wire:
            await wire.say(b'{"params": {"id": 3, "x": "' + LONG + b'"}}')
            return json.loads(await wire.reader.readline()), await wire.reader.read()

    error, rest = run(talk())
    assert (error["id"], error["error"]["code"], rest) == (None, -32600, b"")


def test_client_leaves(caller, run, tmp_path):
    """A client that goes away in the middle of a call is no fault, and the next one is served."""

    async def talk():
        async with caller() as call:
            server = build_server(call)
            for _ in range(3):
                async with Wire(server, tmp_path / "s") as wire:
                    arguments = {"query": "kettle"}
                    params = {"name": "recall_memory", "arguments": arguments, "_meta": ENVELOPE}
                    await wire.say({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
                    wire.writer.transport.abort()
                    await asyncio.sleep(0.05)
                    assert not wire.faults
                (tmp_path / "s").unlink(missing_ok=True)

    run(talk())


def test_proxy(caller, run, tmp_path):
    """`vade mcp` carries bytes both ways between the host's pipes and the helper's socket, and ends when the host does."""

    async def talk():
        async with caller(lambda memory: memory.notes.save("fact", "Kettle", "Descale it.")) as call:
            server, headers = build_server(call), []

            async def serve(reader, writer):
                headers.append(await reader.readline())
                await serve_connection(server, reader, writer)

            listening = await asyncio.start_unix_server(serve, str(tmp_path / "s"))
            code = "import sys; from vademecum.entrypoints.mcp.proxy import proxy; proxy(sys.argv[1])"
            child = await asyncio.create_subprocess_exec(
                sys.executable, "-c", code, str(tmp_path / "s"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=1 << 24,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
            params = {"name": "read_memory", "arguments": {"id": "Kettle"}, "_meta": ENVELOPE}
            for identity, method, given in ((1, "tools/list", {"_meta": ENVELOPE}), (2, "tools/call", params)):
                request = {"jsonrpc": "2.0", "id": identity, "method": method, "params": given}
                child.stdin.write(json.dumps(request).encode() + b"\n")
            lines = [json.loads(await child.stdout.readline()) for _ in range(2)]
            child.stdin.close()
            code = await child.wait()
            listening.close()
            return headers, lines, code

    headers, lines, code = run(talk())
    assert headers == [proxy.HEADER]
    assert code == 0
    by_id = {line["id"]: line["result"] for line in lines}
    assert len(by_id[1]["tools"]) == 6
    assert "Descale it." in by_id[2]["content"][0]["text"]


def test_proxy_is_light():
    """A host waits for the proxy at each start, so it loads neither the MCP library nor anything of ours beside itself."""
    code = "import sys, vademecum.entrypoints.mcp.proxy; print(*sys.modules)"
    said = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if "site-packages" not in path)},
    ).stdout.split()  # fmt: skip
    ours = {name for name in said if name.startswith("vademecum")}
    assert ours == {"vademecum", "vademecum.entrypoints", "vademecum.entrypoints.mcp", "vademecum.entrypoints.mcp.proxy"}
    assert not {"mcp", "asyncio", "pydantic", "json", "click", "pathlib"} & set(said)
    assert len(said) < 90


def test_stdio_without_helper(home, tmp_path, memory):
    """The server also speaks over its own standard streams, for a machine without a helper."""
    memory.notes.save("fact", "Kettle", "Descale it.")
    memory.close()
    code = (
        "import asyncio; from vademecum.entrypoints.mcp.own_thread import OwnThread;"
        "from vademecum.entrypoints.mcp.server import build_server;"
        "from vademecum.entrypoints.mcp.transports import serve_stdio; from vademecum.settings import load;"
        "from vademecum.wiring import open_memory;"
        "asyncio.run(serve_stdio(build_server(OwnThread(lambda: open_memory(load())))))"
    )
    values = {"HOME": home, "DATA_DIR": tmp_path / "data", "CACHE_DIR": tmp_path / "cache", "CONFIG": tmp_path / "c.toml"}
    environment = {f"VADEMECUM_{name}": str(value) for name, value in values.items()}
    environment |= {"VADEMECUM_EMBEDDER": "none", "PYTHONPATH": os.pathsep.join(sys.path)}
    params = {"name": "read_memory", "arguments": {"id": "Kettle"}, "_meta": ENVELOPE}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}) + "\n"
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    ) as child:
        child.stdin.write(line)
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        child.stdin.close()
        child.wait(30)
    assert "Descale it." in answer["result"]["content"][0]["text"]

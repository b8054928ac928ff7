"""The cost of memory for agents: tokens of the tool list, and the time until a host gets the list through the proxy."""

import asyncio
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from vademecum.domain.errors import Refused
from vademecum.domain.tokens import estimate_tokens
from vademecum.entrypoints.mcp.own_thread import OwnThread
from vademecum.entrypoints.mcp.server import Rules, build_server, described, tool_list
from vademecum.entrypoints.mcp.transports import serve_connection
from vademecum.settings import Settings
from vademecum.wiring import open_memory
from vademecum_bench.metrics import percentile

RUNS = 30
SOURCE = Path(__file__).parents[2] / "src"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "benchmark", "version": "1"},
}


def agents_figures() -> dict[str, Any]:
    """Return estimated tokens of the default and the complete tool list, and milliseconds until a client has the default list."""
    took = sorted(asyncio.run(_first_lists()))
    return {
        "tokens": _tokens(Rules()),
        "tokens_all": _tokens(Rules(every_tool=True)),
        "first_list_ms": {f"p{share * 100:.0f}": round(percentile(took, share), 1) for share in (0.5, 0.95)},
    }


def _tokens(rules: Rules) -> int:
    listed = [described(tool, rules) for tool in tool_list(rules).values() if tool.listed]
    return estimate_tokens(json.dumps(listed, separators=(",", ":")))


async def _first_lists() -> list[float]:
    """Return for each run the milliseconds from starting the proxy process to its answer."""
    if sys.platform == "win32":
        raise Refused("This is measured by a Unix socket.", "Run it on Linux or macOS.")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        settings = Settings(
            home=str(place / "home"), data_dir=str(place / "data"), cache_dir=str(place / "cache"), device="bench",
            embedder="none",
        )  # fmt: skip
        async with OwnThread(lambda: open_memory(settings)) as call:
            server = build_server(call)

            async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readline()
                await serve_connection(server, reader, writer)

            listening = await asyncio.start_unix_server(serve, str(place / "s"))
            with contextlib.closing(listening):
                return [await _once(place / "s") for _ in range(RUNS)]


async def _once(socket: Path) -> float:
    code = "import sys; sys.path.insert(0, sys.argv[2]); from vademecum.entrypoints.mcp.proxy import proxy; proxy(sys.argv[1])"
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": ENVELOPE}}
    start = time.perf_counter()
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-S", "-c", code, str(socket), str(SOURCE), stdin=subprocess.PIPE, stdout=subprocess.PIPE, limit=1 << 24
    )
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(request).encode() + b"\n")
    await child.stdout.readline()
    taken = (time.perf_counter() - start) * 1000
    child.stdin.close()
    await child.wait()
    return taken

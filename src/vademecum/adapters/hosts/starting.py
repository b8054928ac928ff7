"""Checks that the commands that hosts run can start, by running them as a host would."""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

#: Timeouts in seconds of the client and the server; hosts wait about as long for a server.
CLIENT_S, SERVER_S = 15.0, 30.0
#: Most characters of a failing command's message that are shown.
_SAID_MAX = 300
#: Loads the modules of the hook client, as the client itself does, and checks its configuration. No hook is answered.
_LOAD = """
import os, sys
folder = sys.argv[1]
sys.path.insert(0, folder)
import acting, carrier, client
python = carrier.read_conf(folder)["python"]
print("ready" if os.access(python, os.X_OK) else "its interpreter is gone: " + python)
"""
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "vade doctor", "version": "1"}},
}


def client_fault(python: str, client: str, environment: Mapping[str, str]) -> str:
    """Return why the hook client cannot run; "" when it can.

    The client itself reports success to hosts in any case, so its modules are loaded by the same interpreter in the same way.
    """
    command = (python, "-I", "-S", "-c", _LOAD, str(Path(client).parent))
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=CLIENT_S, check=False, env=dict(environment)
        )
    except subprocess.TimeoutExpired:
        return f"{python} did not end within {CLIENT_S:.0f} s."
    except OSError as error:
        return f"{python}: {error.strerror or error}"
    if done.stdout.strip() == b"ready":
        return ""
    return _short(done.stderr or done.stdout) or f"It ended with {done.returncode} and printed nothing."


def server_fault(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """Return why the MCP server does not answer; "" when it does. It is started, initialized and ended."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=dict(environment))
    except OSError as error:
        return f"{command[0]}: {error.strerror or error}"
    late = threading.Event()

    def end() -> None:
        late.set()
        process.kill()

    timer = threading.Timer(SERVER_S, end)
    timer.start()
    try:
        answer = _asked(process)
        _, errors = process.communicate()
    finally:
        timer.cancel()
        process.kill()
    if _is_welcome(answer):
        return ""
    if late.is_set():
        return f"It did not answer within {SERVER_S:.0f} s."
    return _short(answer) or _short(errors) or f"It ended with {process.returncode} and printed nothing."


def _asked(process: "subprocess.Popen[bytes]") -> bytes:
    """Return the server's answer to the first request."""
    if process.stdin is None or process.stdout is None:
        return b""
    try:
        process.stdin.write(json.dumps(_INITIALIZE).encode() + b"\n")
        process.stdin.flush()
        return process.stdout.readline()
    except OSError:
        return b""  # it ended before it read the request


def _is_welcome(answer: bytes) -> bool:
    try:
        return "serverInfo" in json.loads(answer)["result"]
    except (ValueError, KeyError, TypeError):
        return False


def _short(raw: bytes) -> str:
    """Return the last line of a command's output, where Python prints the error."""
    lines = raw.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_SAID_MAX] if lines else ""

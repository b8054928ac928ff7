"""Hooks, `vade status` and MCP where the helper listens at a named pipe: the real helper and the real client, over pipes in memory."""

import asyncio
import fcntl
import json
import os
import subprocess
import sys
import threading
import time
import types
from pathlib import Path

import mcp.server.lowlevel  # noqa: F401 -- while this is still Linux
import pytest
from tests.adapters.fake_windows import put_in
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE

from vademecum.adapters.device.event_queue import Spool
from vademecum.domain.errors import Locked
from vademecum.entrypoints.daemon import helper as helper_module
from vademecum.entrypoints.daemon.call import call
from vademecum.entrypoints.daemon.helper import STOPPED, Helper
from vademecum.entrypoints.daemon.lazy_apps import LateDoors
from vademecum.entrypoints.daemon.lock import only_one
from vademecum.entrypoints.hooks import carrier, place
from vademecum.entrypoints.mcp.proxy import proxy

PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": ABOUT_KETTLE}


@pytest.fixture
def windows(installed, monkeypatch):
    machine = put_in(monkeypatch)
    held = types.ModuleType("msvcrt")
    held.LK_NBLCK = fcntl.LOCK_EX | fcntl.LOCK_NB

    def locking(descriptor, how, _size):
        try:
            fcntl.flock(descriptor, how)
        except BlockingIOError:
            raise PermissionError(13, "Permission denied") from None

    held.locking = locking
    monkeypatch.setitem(sys.modules, "msvcrt", held)
    place.write_client(installed.settings, installed.config)  # a pipe's name may be longer than the path of a socket
    return machine


@pytest.fixture
def running(installed, windows, monkeypatch):
    """A helper in a thread of this process, as `vade serve` runs it; gives why it ended once it did."""
    ended, settings, config = [], installed.settings, installed.config

    def live():
        with only_one(settings):
            ended.append(asyncio.run(Helper(settings, config, lambda: None).run(started=False)))

    monkeypatch.setattr(helper_module, "load_everything", lambda: None)  # in a thread that would outlive this
    thread = threading.Thread(target=live)
    thread.start()
    while call(settings, "status") is None:
        assert thread.is_alive()
        time.sleep(0.01)
    yield ended
    call(settings, "stop")
    thread.join(60)


def conf_of(installed):
    return carrier.read_conf(str(installed.client.parent))


def asked(installed, payload, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["client.py", "claude-code"])
    return carrier.ask_helper(conf_of(installed), json.dumps(payload).encode(), carrier.elapsed_s() + 60)


def test_prompt_is_answered(installed, running, monkeypatch):
    """A prompt is told what memory knows; the helper says that it is well, and ends when it is told to."""
    assert "4417" in asked(installed, {**PROMPT, "cwd": str(installed.folder)}, monkeypatch).decode()
    assert carrier.send(conf_of(installed), b"printed 1\n")
    status = call(installed.settings, "status")
    assert (status["answered"], Path(status["socket"]).exists()) == (1, True)
    assert call(installed.settings, "stop")["stopping"] == status["pid"]
    while not running:
        time.sleep(0.01)
    assert running == [STOPPED] and not Path(status["socket"]).exists()
    assert call(installed.settings, "status") is None
    assert asked(installed, PROMPT, monkeypatch) is None


def test_one_helper(installed, running):
    """A second helper is refused while the first is there."""
    with pytest.raises(Locked), only_one(installed.settings):
        pass


def test_mcp_by_pipe(installed, running, monkeypatch):
    """An MCP connection goes through the helper to its end, as strict as its host asks for, in the client's folder, which begins with
    no slash."""
    served, real = [], LateDoors._mcp_server
    monkeypatch.setattr(
        LateDoors, "_mcp_server", lambda *given, **more: served.append((given[1:], more)) or real(*given, **more)
    )
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    called = {"name": "recall_memory", "arguments": {"query": ABOUT_KETTLE}}
    said = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called},
    ]
    (asked, ask), (told, tell) = os.pipe(), os.pipe()
    header = b"mcp 1 strict C:\\work here\n"
    with (
        os.fdopen(ask, "wb") as host,
        os.fdopen(asked, "rb") as source,
        os.fdopen(told, "rb") as answers,
        os.fdopen(tell, "wb") as target,
    ):

        def carried():
            with target:
                proxy(conf_of(installed)["socket"], source, target, header)

        client = threading.Thread(target=carried)
        client.start()
        host.write("".join(json.dumps(one) + "\n" for one in said).encode())
        host.flush()
        assert "source_interface" in next(line for line in map(bytes.decode, answers) if json.loads(line).get("id") == 1)
        host.close()
        client.join(60)
        assert not client.is_alive()
    assert served == [(("C:\\work here",), {"strict": True})]


def test_started_unseen(installed, windows, monkeypatch):
    """A prompt without a helper starts one with a console that nobody sees and asks it as soon as it listens; of a helper that ended
    nobody waits for an answer. What the prompt said is kept for the next one."""
    started = []

    class Started:
        def __init__(self, command, **how):
            started.append((command, how))

        def poll(self):
            return 1

    monkeypatch.setattr(subprocess, "Popen", Started)
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x08000000, raising=False)
    monkeypatch.setattr(carrier, "read_payload", lambda _, __: json.dumps(PROMPT).encode())
    monkeypatch.setattr(carrier, "print_by_words", lambda *_: False)  # alone.py lies beside an installed client only
    monkeypatch.setattr(sys, "argv", ["client.py", "claude-code"])
    installed.patient()
    carrier.carry(str(installed.client.parent))
    [(command, how)] = started
    assert command == [sys.executable, "-P", "-m", "vademecum", "--config", str(installed.config), "serve"]
    assert how["creationflags"] == 0x08000000
    assert {how[name] for name in ("stdin", "stdout", "stderr")} == {subprocess.DEVNULL}
    assert how["cwd"] == str(installed.data / "run") and how["env"]["VADEMECUM_DATA_DIR"] == str(installed.data)
    assert [event.payload for event in Spool(installed.data / "queue").waiting()] == [PROMPT]


def test_client_has_the_pipe(installed, monkeypatch):
    """What is installed on Windows brings what calls the pipe with it, which needs nothing of ours."""
    assert "named_pipe.py" not in [path.name for path in place.client_files(installed.settings, None)]
    monkeypatch.setattr(sys, "platform", "win32")
    files = place.client_files(installed.settings, None)
    text = files[installed.client.with_name("named_pipe.py")]
    assert "import vademecum" not in text and "from vademecum" not in text

"""The hook client: carries, never fails, never blocks, and is next to nothing."""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import threading

import pytest
from tests.doors.hooks.conftest import ABOUT_KETTLE, ABOUT_NOTHING

#: What Python itself loads when `os` is imported; the client adds nothing but `_socket`.
MAY_LOAD = {
    "_socket", "carrier", "os", "os.path", "stat", "_stat", "posixpath", "genericpath", "ntpath", "_collections_abc", "abc", "_abc"
}  # fmt: skip
INSTRUCTIONS_MAX = 60_000_000

PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": ABOUT_KETTLE}


class StandIn:
    """Something that listens where the helper would, to see what the client sends."""

    def __init__(self, installed, answer=b"", *, hold=False, drip=False):
        self.got = b""
        place = installed.data / "run"
        place.mkdir(parents=True, exist_ok=True)
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(str(place / "helper.sock"))
        self._socket.listen()
        installed.conf(socket=str(place / "helper.sock"))
        self._answer, self._hold, self._drip = answer, hold, drip
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        line, _ = self._socket.accept()
        with line:
            if self._hold:
                self._done.wait(30)
                return
            if self._drip:
                with contextlib.suppress(OSError):
                    while not self._done.wait(0.01):
                        line.sendall(b"{")
                return
            self.got = b"".join(iter(lambda: line.recv(65536), b""))
            line.sendall(self._answer)

    def close(self):
        self._done.set()
        self._socket.close()


@pytest.fixture
def stand_in(installed):
    made = []

    def make(answer=b"", **how):
        made.append(StandIn(installed, answer, **how))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_carries_bytes(installed, stand_in):
    """What the host says arrives unchanged behind one line, and so does the answer: no JSON is read or written on the way."""
    payload = b'{"a": "\xff\xfe not UTF-8", "b": ' + b"9" * 300_000 + b"}\n\n"
    helper = stand_in(b'{"answer": "\xc3\xa9"}')
    done = installed.hook(payload, "codex")
    head, _, rest = helper.got.partition(b"\n")
    assert head == b"hook 1 codex " + bytes(installed.folder / "work")
    assert rest == payload
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"answer": "\xc3\xa9"}', b"")


def test_loads_next_to_nothing(installed, stand_in):
    stand_in(b"{}")
    bare = _modules([sys.executable, "-I", "-S", "-X", "importtime", "-c", "pass"], installed)
    used = _modules([sys.executable, "-I", "-S", "-X", "importtime", str(installed.client), "claude-code"], installed)
    assert used - bare - MAY_LOAD == set()
    assert "_socket" in used


def test_alone_loads_what_it_needs(installed):
    """A prompt without a helper is answered with arithmetic, and without what costs milliseconds and serves other commands."""
    installed.no_helper()
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(installed.client), "claude-code"]
    used = _modules(command, installed, json.dumps(PROMPT).encode())
    assert used & {"numpy", "vademecum.recall.pipeline"}
    assert (
        used & {"logging", "concurrent.futures", "hashlib", "asyncio", "subprocess", "sqlite3", "vademecum.doors.cli"} == set()
    )


def _modules(command, installed, given=b"{}"):
    done = subprocess.run(command, input=given, capture_output=True, env=installed.environment(), check=True)
    return {line.split(b"|")[-1].strip().decode() for line in done.stderr.splitlines()[1:]}


@pytest.mark.skipif(not shutil.which("valgrind"), reason="counts instructions with valgrind, which is not there")
def test_instructions(installed, stand_in):
    """A figure that does not depend on how busy the machine is."""
    stand_in(b"{}")
    client = [sys.executable, "-I", "-S", str(installed.client), "claude-code"]
    command = ["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", *client]
    done = subprocess.run(command, input=b"{}", capture_output=True, env=installed.environment(), check=False)
    counted = next(line for line in done.stderr.splitlines() if b"I refs" in line or b"I   refs" in line)
    assert int(counted.split()[-1].replace(b",", b"")) < INSTRUCTIONS_MAX


@pytest.mark.parametrize("arguments", [(), ("claude-code", "--no-such-flag"), ("no-such-host",), ("-x", "--", "\n")])
def test_x34_any_arguments(installed, arguments):
    """A renamed flag or an unknown host is no reason to stop a person's prompt."""
    installed.no_helper()
    done = installed.hook(PROMPT, *arguments)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b"null", b'{"hook_event_name": 7}', b"\xff\xfe", b"[" * 100_000])
def test_x34_any_input(installed, payload):
    installed.no_helper()
    done = installed.hook(payload)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def _break_conf(installed):
    installed.client.with_name("hook.conf").unlink()


def _break_program(installed):
    installed.conf(path="/nowhere")


def _break_index(installed):
    (installed.data / "index.db").write_bytes(b"garbage" * 1000)


def _break_settings(installed):
    installed.config.write_text("home = [[[\n")


def _break_home(installed):
    shutil.rmtree(installed.folder / "home")
    (installed.folder / "home").write_text("a file where the folder was")


@pytest.mark.parametrize("damage", [_break_conf, _break_program, _break_index, _break_settings, _break_home])
def test_x22_broken_installation(installed, damage):
    """X-22: whatever is broken, nothing is printed, the code is 0, the next program in line gets its turn."""
    installed.no_helper()
    damage(installed)
    done = installed.hook(PROMPT)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_x22_reason_in_log(installed):
    installed.no_helper()
    _break_index(installed)
    installed.hook(PROMPT)
    assert installed.log()[-1]["verdict"] == "could not search"


def _break_compiled(installed):
    for compiled in (installed.client.parent / "__pycache__").iterdir():
        compiled.write_bytes(compiled.read_bytes()[:16] + b"garbage")


def _take_compiled(installed):
    shutil.rmtree(installed.client.parent / "__pycache__")
    (installed.client.parent / "__pycache__").write_text("no folder")


@pytest.mark.parametrize("damage", [_break_compiled, _take_compiled])
def test_x22_compiled_is_only_a_cache(installed, stand_in, damage):
    """X-22: what Python kept of the client to start faster may be damaged, or impossible to keep."""
    helper = stand_in(b"{}")
    installed.hook(b"{}")
    helper.close()
    shutil.rmtree(installed.data / "run")
    stand_in(b'{"answer": 1}')
    damage(installed)
    done = installed.hook(PROMPT)
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"answer": 1}', b"")


def test_event_is_kept_when_all_is_broken(installed):
    """What happened is not lost even when nothing of ours can be loaded: the helper finds it when it is there again."""
    installed.conf(path="/nowhere")
    payload = {"hook_event_name": "Stop", "session_id": "s1", "transcript_path": '/a "quoted" place'}
    installed.hook(payload)
    (kept,) = (installed.data / "queue").glob("*.json")
    record = json.loads(kept.read_text())
    assert record["host"] == "claude-code"
    assert record["cwd"] == str(installed.folder / "work")
    assert record["payload"] == payload


def test_x33_silent_helper(installed, stand_in):
    """X-33: a helper that hangs costs the deadline, and then the prompt goes on."""
    installed.conf(deadline_ms="60")
    stand_in(hold=True)
    done = installed.hook(PROMPT)
    assert (done.returncode, done.stdout) == (0, b"")


def test_x33_answer_in_drops(installed, stand_in):
    """X-33: the deadline is for the whole answer, however often a little of it comes."""
    installed.conf(deadline_ms="100")
    stand_in(drip=True)
    done = installed.hook(PROMPT)
    assert (done.returncode, done.stdout) == (0, b"")


def test_without_helper_answered_at_once(installed):
    """The very first prompt is served too: from the index, by words alone."""
    installed.no_helper()
    assert "short answers" in installed.started()
    assert "4417" in installed.prompted(ABOUT_KETTLE)
    assert installed.prompted(ABOUT_NOTHING) == ""
    assert [line["verdict"] for line in installed.log()] == ["told", "told", "nothing known"]


def test_x33_deadline_without_helper(installed):
    """The process ends itself; what it had to keep was kept before."""
    installed.no_helper()
    installed.conf(deadline_ms="1")
    done = installed.hook({"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(list((installed.data / "queue").glob("*.json"))) == 1


def test_switched_off_by_environment(installed):
    installed.no_helper()
    assert installed.hook(PROMPT, VADEMECUM_DISABLED="1").stdout == b""
    assert installed.hook(PROMPT, VADEMECUM_DISABLED="0").stdout != b""


@pytest.mark.parametrize("place", ["data", "home"])
def test_switched_off_by_stop_file(installed, place):
    """A file named STOP is enough; taking it away is enough (MV-43)."""
    installed.no_helper()
    stop = installed.folder / place / "STOP"
    stop.touch()
    done = installed.hook(PROMPT)
    assert (done.returncode, done.stdout) == (0, b"")
    assert installed.log() == []
    stop.unlink()
    assert installed.hook(PROMPT).stdout != b""


def test_switched_off_by_setting(installed):
    installed.no_helper()
    installed.configure(enabled="false")
    assert installed.hook(PROMPT).stdout == b""

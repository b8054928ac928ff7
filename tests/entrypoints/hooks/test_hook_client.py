"""The hook client: carries, never fails, never blocks, and is next to nothing."""

import contextlib
import json
import shutil
import socket
import subprocess
import sys
import threading
import time

import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE, ABOUT_NOTHING

from vademecum.adapters.device.event_queue import Spool
from vademecum.domain.host import Programs
from vademecum.domain.payload import payload_of

#: What Python itself loads when `os` is imported; the client adds nothing but `_socket`.
MAY_LOAD = {
    "_socket", "carrier", "os", "os.path", "stat", "_stat", "posixpath", "genericpath", "ntpath", "_collections_abc", "abc", "_abc"
}  # fmt: skip
#: How many times as many instructions as Python alone, which takes 27.7 million on 3.11 and 32.8 on 3.12; the client takes 64 and 75.
INSTRUCTIONS_MAX = 2.35

PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": ABOUT_KETTLE}
#: A prompt that words alone do not answer.
UNKNOWN = {**PROMPT, "prompt": ABOUT_NOTHING}


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
    words = head.split(b" ", 4)
    assert words[:2] + words[3:] == [b"hook", b"2", b"codex", bytes(installed.folder / "work")]
    assert 0 < int(words[2]) <= 500  # milliseconds that are left
    assert rest == payload
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"answer": "\xc3\xa9"}', b"")


def test_loads_next_to_nothing(installed, stand_in):
    stand_in(b"{}")
    bare = _modules([sys.executable, "-I", "-S", "-X", "importtime", "-c", "pass"], installed)
    used = _modules([sys.executable, "-I", "-S", "-X", "importtime", str(installed.client), "claude-code"], installed)
    assert used - bare - MAY_LOAD == set()
    assert "_socket" in used


def _modules(command, installed, given=b"{}"):
    done = subprocess.run(command, input=given, capture_output=True, env=installed.environment(), check=True)
    return {line.split(b"|")[-1].strip().decode() for line in done.stderr.splitlines()[1:]}


@pytest.mark.skipif(not shutil.which("valgrind"), reason="counts instructions with valgrind, which is not there")
def test_instructions(installed, stand_in):
    """A figure that does not depend on how busy the machine is."""
    stand_in(b"{}")
    client = [sys.executable, "-I", "-S", str(installed.client), "claude-code"]
    alone = _instructions([sys.executable, "-I", "-S", "-c", "pass"], installed)
    assert _instructions(client, installed) < INSTRUCTIONS_MAX * alone


def _instructions(command, installed):
    counting = ["valgrind", "--tool=cachegrind", "--cachegrind-out-file=/dev/null", *command]
    done = subprocess.run(counting, input=b"{}", capture_output=True, env=installed.environment(), check=False)
    counted = next(line for line in done.stderr.splitlines() if b"I refs" in line or b"I   refs" in line)
    return int(counted.split()[-1].replace(b",", b""))


def _given_open(installed, *parts):
    """Run the client with an input that the host leaves open; return its answer."""
    command = [sys.executable, "-I", "-S", str(installed.client), "claude-code"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=installed.environment(), cwd=installed.folder / "work", **pipes) as hook:
        for part in parts:
            hook.stdin.write(part)
            hook.stdin.flush()
        code = hook.wait(30)
        return code, hook.stdout.read(), hook.stderr.read()


WITH_BRACES = {**PROMPT, "prompt": 'a "quoted" } brace \\ and { more', "tail": {"nested": [{}]}}


@pytest.mark.parametrize(
    "parts",
    [
        [json.dumps(WITH_BRACES).encode()],
        [json.dumps(WITH_BRACES, indent=2).encode() + b"\n"],
        [b"\xef\xbb\xbf" + json.dumps(WITH_BRACES).encode() + b"\r\n\r\n"],
        [json.dumps(WITH_BRACES).encode("utf-16")],
        [json.dumps(WITH_BRACES, ensure_ascii=False).encode("utf-16-le")],
        [*(json.dumps(WITH_BRACES)[start : start + 7].encode() for start in range(0, 200, 7))],
    ],
    ids=["plain", "indented", "mark", "utf-16", "utf-16 without a mark", "in pieces"],
)
def test_x33_input_left_open(installed, stand_in, parts):
    """X-33: the hook ends when its payload is whole; it does not wait for the end of an input that the host keeps open."""
    installed.conf(deadline_ms="25000")
    helper = stand_in(b'{"answer": 1}')
    assert _given_open(installed, *parts) == (0, b'{"answer": 1}', b"")
    assert payload_of(helper.got.partition(b"\n")[2]) == WITH_BRACES


@pytest.mark.parametrize("part", [b"", b"{", b'{"hook_event_name": "UserPromptSubmit", "prompt": "cut }'])
def test_x33_input_never_whole(installed, part):
    """X-33: an input that is left open and never whole costs the deadline, and no more."""
    installed.no_helper()
    installed.conf(deadline_ms="100")
    assert _given_open(installed, part) == (0, b"", b"")


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


def _garble_conf(installed):
    installed.client.with_name("hook.conf").write_bytes(b"\xff[=")


def _break_program(installed):
    installed.conf(python="/nowhere")


def _break_index(installed):
    (installed.data / "index.db").write_bytes(b"garbage" * 1000)


def _break_settings(installed):
    installed.config.write_text("home = [[[\n")


def _break_home(installed):
    shutil.rmtree(installed.folder / "home")
    (installed.folder / "home").write_text("a file where the folder was")


@pytest.mark.parametrize("damage", [_break_conf, _garble_conf, _break_program, _break_index, _break_settings, _break_home])
def test_x22_broken_installation(installed, damage):
    """X-22: whatever is broken, nothing is printed, the code is 0, the next program in line gets its turn."""
    installed.patient()
    damage(installed)
    done = installed.hook(UNKNOWN)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_x22_reason_in_log(installed):
    installed.patient()
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
    installed.conf(python="/nowhere")
    payload = {"hook_event_name": "Stop", "session_id": "s1", "transcript_path": '/a "quoted" place'}
    installed.hook(payload)
    (kept,) = (installed.data / "queue").glob("*.json")
    (event,) = Spool(kept.parent).waiting()
    assert (event.host, event.cwd, event.payload) == ("claude-code", str(installed.folder / "work"), payload)


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


def test_deadline_where_the_system_counts_no_time(installed, stand_in):
    """Windows tells no moment by `os.times`; a prompt is let go there all the same while an answer drips."""
    stand_in(drip=True)
    installed.begin("os.times = lambda: (0.0,) * 5")
    done = installed.hook(PROMPT)
    assert (done.returncode, done.stdout) == (0, b"")


@pytest.mark.parametrize("beside", ["", "def connect(place, within_s): raise FileNotFoundError\n"])
def test_hook_without_unix_sockets(installed, beside):
    """Where there are none and no helper can be asked or started, what the hook tells of is kept, without an error: also when the part
    that calls a pipe of Windows is gone."""
    installed.begin("sys.platform = 'win32'; import _socket; del _socket.AF_UNIX, _socket.socketpair, os.posix_spawn")
    if beside:
        installed.client.with_name("named_pipe.py").write_text(beside)
    done = installed.hook(UNKNOWN)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert [event.payload for event in Spool(installed.data / "queue").waiting()] == [UNKNOWN]


def test_first_prompt_starts_a_helper(installed):
    """The very first prompt is served too: by the helper that it starts and waits for."""
    installed.patient()
    assert "4417" in installed.prompted(ABOUT_KETTLE)
    assert [line["verdict"] for line in installed.log()] == ["told"]


def test_first_prompt_waits_longer(installed):
    """While a helper starts, a prompt waits three times as long as for one that runs; X-33: and no longer."""
    installed.conf(python=str(_slow(installed)), deadline_ms="400")
    started = time.monotonic()
    assert installed.hook(UNKNOWN).stdout == b""
    assert 1.2 <= time.monotonic() - started < 8


def test_prompt_without_a_helper(installed):
    """None comes up: nothing is said, in good time, and the helper that comes one day hears of the prompt."""
    installed.no_helper()
    done = installed.hook(UNKNOWN)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(list((installed.data / "queue").glob("*.json"))) == 1


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "PreCompact", "SessionEnd"])
def test_nobody_waits_for_silence(installed, event):
    """An event that nobody is told anything at is kept, a helper is started, and nobody waits for it."""
    installed.conf(python=str(_slow(installed)), deadline_ms="20000")
    started = time.monotonic()
    done = installed.hook({"hook_event_name": event, "session_id": "s1", "last_assistant_message": 'I said "UserPrompt"\n'})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - started < 10
    assert len(list((installed.data / "queue").glob("*.json"))) == 1


def _slow(installed):
    """A program in the place of the helper that is not there for a long time."""
    program = installed.folder / "slow"
    program.write_text("#!/bin/sh\nsleep 15\n")
    program.chmod(0o700)
    return program


def test_x33_deadline_without_helper(installed):
    """The process ends itself; what it had to keep was kept before."""
    installed.no_helper()
    installed.conf(deadline_ms="1")
    done = installed.hook({"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(list((installed.data / "queue").glob("*.json"))) == 1


def test_switched_off_by_environment(installed):
    installed.patient()
    assert installed.hook(PROMPT, VADEMECUM_DISABLED="1").stdout == b""
    assert installed.hook(PROMPT, VADEMECUM_DISABLED="0").stdout != b""


@pytest.mark.parametrize("place", ["data", "home"])
def test_switched_off_by_stop_file(installed, place):
    """A file named STOP is enough; taking it away is enough (MV-43)."""
    installed.patient()
    stop = installed.folder / place / "STOP"
    stop.touch()
    done = installed.hook(PROMPT)
    assert (done.returncode, done.stdout) == (0, b"")
    assert installed.log() == []
    stop.unlink()
    assert installed.hook(PROMPT).stdout != b""


@pytest.mark.parametrize("place", ["work/.harness", ".harness"])
def test_stopped_project(installed, place):
    """A file STOP in a project's .harness folder: neither start nor prompt is told anything in it or below it, wherever the hook
    runs, and no event waits for a helper (MV-43)."""
    installed.patient()
    stop = installed.folder / place / "STOP"
    stop.parent.mkdir()
    stop.touch()
    for event in (PROMPT, {"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}):
        assert installed.hook(event).stdout == b""
    assert installed.log() == [] and not list((installed.data / "queue").glob("*"))
    stop.unlink()
    assert installed.hook(PROMPT).stdout != b""


def test_stopped_folder_of_the_payload(installed, tmp_path):
    """A host may run its hooks somewhere else than in the project: then the folder that the payload names counts."""
    installed.patient()
    (tmp_path / "stopped" / ".harness").mkdir(parents=True)
    (tmp_path / "stopped" / ".harness" / "STOP").touch()
    assert installed.hook({**PROMPT, "cwd": str(tmp_path / "stopped")}).stdout == b""
    assert [line["verdict"] for line in installed.log()] == ["paused"]
    assert installed.hook({**PROMPT, "cwd": str(tmp_path)}).stdout != b""


def test_switched_off_by_setting(installed):
    installed.patient()
    installed.configure(enabled="false")
    assert installed.hook(PROMPT).stdout == b""


@pytest.mark.skipif(sys.platform == "win32", reason="the script is one for a POSIX shell")
def test_gone_is_told_once_a_day(installed):
    """A host whose interpreter or hook client is gone tells the person once a day, at a start or a prompt, and goes on."""
    command = Programs(sys.executable, str(installed.client)).hook("claude-code")
    installed.client.unlink()

    def call(event):
        payload = json.dumps({"hook_event_name": event, "prompt": ABOUT_KETTLE})
        done = subprocess.run(["/bin/sh", "-c", command], input=payload, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        return done.stdout

    assert call("SessionEnd") == ""
    assert "Vademecum is not running" in json.loads(call("UserPromptSubmit"))["systemMessage"]
    assert call("UserPromptSubmit") == ""
    installed.client.with_name("gone.sh").unlink()
    assert call("UserPromptSubmit") == ""  # nothing of ours is left: still no code that blocks the prompt


@pytest.mark.skipif(sys.platform == "win32", reason="the script is one for a POSIX shell")
def test_gone_is_silent_while_all_is_there(installed):
    """A client that was killed has not gone: the script says nothing."""
    script = installed.client.with_name("gone.sh")
    done = subprocess.run(
        ["/bin/sh", script], input='{"hook_event_name": "SessionStart"}', capture_output=True, text=True, check=True
    )
    assert done.stdout == ""


WRONG = {"profile": "nope", "log_level": "loud", "port": "99999", "embedder": "nope"}


@pytest.mark.parametrize("by", ["file", "environment"])
def test_wrong_settings_silence_nothing(installed, by):
    """A value that no setting takes silences no hook: it goes on with the default, and the log says what is wrong."""
    installed.patient()
    environment = {}
    if by == "file":
        installed.configure(**{name: f'"{value}"' for name, value in WRONG.items()})
    else:
        environment = {f"VADEMECUM_{name.upper()}": value for name, value in WRONG.items()}
    done = installed.hook(PROMPT, "claude-code", **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"4417" in done.stdout
    told = installed.log()[-1]["settings"]
    assert all(f"Setting {name} is '{wrong}'" in told for name, wrong in WRONG.items())

"""Commands that a warm process carries out: the same, byte for byte, as when `vade` does everything by itself."""

import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from vademecum.entrypoints.cli import command_server, through_helper

VADE = Path(sys.executable).with_name("vade")
PATIENCE_S = 60
#: The client may take so many times the processor time of an empty Python.
CPU_MOST = 5

COMMANDS = (
    ["recall", "kettle", "port"], ["recall", "kettle", "port", "--json"], ["recall", "nothing of that sort is known"], ["recall"],
    ["list"], ["list", "--json"], ["list", "--kind", "nonsense"], ["links", "Kettle"], ["briefing"], ["--version"], ["--help"],
    ["recall", "--help"],
    ["nonsense"], ["--no-such-option"], [], ["save"], ["save", "nonsense", "Title", "--json"], ["history", "Kettle"],
    ["tag", "Kettle", "--add", "kitchen"], ["save", "fact", "Kettle", "--body", "-"], ["inbox"], ["sql", "SELECT count(*) FROM memories"],
)  # fmt: skip
#: What differs between two runs of one command, whoever carries it out.
_ANEW = ("why: vade why ",)


class Person:
    """A home of its own, with a memory; `vade` as the person runs it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        self.place = folder / ".cache" / "vademecum" / "run"
        self.environment = {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "VADEMECUM_PORT": "0",
            "VADEMECUM_EMBEDDER": "none",
        }

    def vade(self, *words: str, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [VADE, *words],
            input=given,
            capture_output=True,
            cwd=self.home,
            env={**self.environment, **environment},
            check=False,
        )

    def warm(self) -> bool:
        """Whether somebody carries out commands."""
        with socket.socket(socket.AF_UNIX) as line:
            return any(line.connect_ex(str(place)) == 0 for place in self.place.glob("*.sock"))


@pytest.fixture(scope="module")
def memory_folder(tmp_path_factory):
    """A home with a few memories, to copy."""
    folder = tmp_path_factory.mktemp("person")
    person = Person(folder)
    assert person.vade("init", str(folder / "memory")).returncode == 0
    for title, body in (("Kettle", "The kettle service listens on port 4417."), ("Süße Grüße", "Grüße an alle, täglich.")):
        assert person.vade("save", "fact", title, "--body", body).returncode == 0
    return folder


class Helper:
    """The helper of a person: one for all tests, and another where a test has ended it."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        """Start it, if it does not run, and wait until it carries out commands."""
        if self.process is None or self.process.poll() is not None:
            command, person = [VADE, "serve"], self.person
            self.process = subprocess.Popen(command, cwd=person.home, env=person.environment, stderr=subprocess.DEVNULL)
        for _ in range(PATIENCE_S * 20):
            if self.person.warm():
                break
            time.sleep(0.05)
        assert self.person.warm()

    def end(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(PATIENCE_S)


@pytest.fixture(scope="module")
def helper(memory_folder):
    one = Helper(Person(memory_folder))
    yield one
    one.end()


@pytest.fixture
def warm(helper):
    """The person with a helper that carries out commands."""
    helper.start()
    return helper.person


@pytest.fixture
def cold(warm):
    """The same person, by a `vade` that finds no helper: its cache lies elsewhere."""

    class Cold(Person):
        def vade(self, *words: str, given: bytes = b"", **environment: str) -> subprocess.CompletedProcess:
            elsewhere = self.home / "elsewhere"
            return super().vade(*words, given=given, XDG_CACHE_HOME=str(elsewhere), **environment)

    return Cold(warm.home)


def _told(done: subprocess.CompletedProcess) -> tuple[int, bytes, bytes]:
    lines = [line for line in done.stdout.split(b"\n") if not line.startswith(tuple(word.encode() for word in _ANEW))]
    return done.returncode, b"\n".join(lines), done.stderr


#: Commands whose words are broken to the width of the terminal; the others in a narrow one are part of `make soak`.
WRAPPED = (["--help"], ["list"], ["recall", "kettle", "port"])
NARROW = {"COLUMNS": "60", "NO_COLOR": "1"}
CASES = [
    *(pytest.param(words, {}, id=f"plain-{' '.join(words)}") for words in COMMANDS),
    *(
        pytest.param(words, NARROW, id=f"narrow-{' '.join(words)}", marks=() if words in WRAPPED else pytest.mark.soak)
        for words in COMMANDS
    ),
]


@pytest.mark.parametrize(("words", "environment"), CASES)
def test_same_bytes(warm, cold, words, environment):
    given = "Grüße vom Kessel".encode()
    if words[:1] in (["save"], ["tag"]):
        warm.vade(*words, given=given, **environment)  # what changes something has done so
    first, second = cold.vade(*words, given=given, **environment), warm.vade(*words, given=given, **environment)
    strip = (b'"trace"',) if "--json" in words else ()
    if not any(word in first.stdout for word in strip):
        assert _told(second) == _told(first)
    else:
        assert (second.returncode, second.stderr) == (first.returncode, first.stderr)


def test_same_folder(warm, tmp_path):
    """The folder a command is given in, and its settings, are the client's."""
    other = tmp_path / "other"
    done = warm.vade("--home", str(other), "list")
    assert (done.returncode, done.stdout) != (0, b"") or b"Kettle" not in done.stdout
    assert b"Kettle" not in warm.vade("list", VADEMECUM_HOME=str(other), VADEMECUM_DATA_DIR=str(tmp_path / "data")).stdout


def test_processor_time(warm):
    """The client costs little more than Python itself."""

    def cost(command: list[str]) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, cwd=warm.home, env=warm.environment, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    bare = min(cost([sys.executable, "-c", "pass"]) for _ in range(10))
    for words in (
        ["recall", "kettle"],
        ["list"],
        ["save", "fact", "Kettle", "--body", "The kettle service listens on port 4417."],
    ):
        assert min(cost([str(VADE), *words]) for _ in range(5)) <= CPU_MOST * bare


def test_reader_has_gone(warm):
    """`vade list | head -0`: no error, as ever."""
    done = subprocess.run(
        ["/bin/sh", "-c", f"{VADE} list | true"], capture_output=True, cwd=warm.home, env=warm.environment, check=False
    )
    assert done.stderr == b""


def test_about_the_machine(warm, helper):
    """What is about this machine is done by `vade` itself: it may end the helper that would carry it out."""
    assert b"Stopped" in warm.vade("stop").stdout
    helper.process.wait(PATIENCE_S)
    assert warm.vade("list").returncode == 0


@pytest.mark.skipif(not shutil.which("python3"), reason="needs a program to make a terminal")
def test_asks_at_a_terminal(warm):
    """A question for consent is asked by the person's own process; what they do not answer is not done."""
    code = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(VADE), "forget", "Kettle"],
        input=b"n\n", capture_output=True, cwd=warm.home, env=warm.environment, check=False,
    )  # fmt: skip
    assert b"Do it?" in done.stdout
    assert b"4417" in warm.vade("recall", "kettle", "port").stdout


def test_loads_nothing(warm):
    """The person waits for every module: the client loads none of the program's, nor what takes long of Python's."""
    command = [sys.executable, "-X", "importtime", "-m", "vademecum", "list"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=warm.home, env=warm.environment, check=True)
    assert "Kettle" in done.stdout
    loaded = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert "vademecum.entrypoints.cli.through_helper" in loaded
    assert loaded & {"click", "json", "numpy", "apsw", "pathlib", "vademecum.settings", "vademecum.api"} == set()


def test_no_server_below_a_long_path(tmp_path):
    """Where the path of a socket would be too long nothing is served, and nothing goes wrong."""
    environment = {"HOME": str(tmp_path / ("long" * 40)), "PATH": os.environ["PATH"]}
    server = [sys.executable, "-P", "-m", "vademecum.entrypoints.cli.command_server"]
    ended = subprocess.run(server, stdin=subprocess.PIPE, capture_output=True, env=environment, timeout=PATIENCE_S, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_waiting_server_ends_with_its_helper(tmp_path_factory):
    """A second server that waits for its turn ends when its helper does, however that ended, and leaves the first alone."""
    tmp_path = tmp_path_factory.mktemp("w")  # the path of a socket must be short
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    server = [sys.executable, "-P", "-m", "vademecum.entrypoints.cli.command_server"]
    with subprocess.Popen(server, stdin=subprocess.PIPE, env=environment) as first:
        for _ in range(PATIENCE_S * 20):
            if Person(tmp_path).warm():
                break
            time.sleep(0.05)
        with subprocess.Popen(server, stdin=subprocess.PIPE, env=environment) as second:
            second.stdin.close()
            assert second.wait(PATIENCE_S) == 0
        assert Person(tmp_path).warm() and first.poll() is None
        first.stdin.close()
        assert first.wait(PATIENCE_S) == 0


def test_another_version_is_installed(monkeypatch, tmp_path):
    """A process of the version before answers nobody once another is installed: it ends, and the command does everything itself."""
    package = tmp_path / "__init__.py"
    package.touch()
    monkeypatch.setattr(command_server.vademecum, "__file__", str(package))
    monkeypatch.setattr(command_server.signal, "signal", lambda number, handler: None)  # of the main thread only
    ours, theirs = socket.socketpair()
    monkeypatch.setattr(command_server.sys, "stdin", ours)  # it stays open
    with ours, theirs, socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as line:
        listening.bind(str(tmp_path / "s"))
        listening.listen()
        serving = threading.Thread(target=command_server._serve, args=(listening,), daemon=True)
        serving.start()
        time.sleep(0.2)  # it looked which version it is
        os.utime(package, (1, 1))
        line.connect(str(tmp_path / "s"))
        assert line.recv(1) == through_helper.ELSEWHERE
        serving.join(PATIENCE_S)
        assert not serving.is_alive()

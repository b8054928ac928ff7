"""The helper as a service: what each platform is told, and the switch that turns memory off."""

import contextlib
import json
import os
import platform
import plistlib
import shutil
import subprocess
import sys
import threading
import types
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from vademecum.domain.errors import Locked
from vademecum.entrypoints.cli.cli import commands
from vademecum.entrypoints.daemon.lock import only_one
from vademecum.entrypoints.daemon.service import Started, service_for
from vademecum.settings import load, socket_path

COMMAND = ["/opt/a place/python", "-P", "-m", "vademecum", "--config", '/home/u/50% "q".toml', "serve", "--unless-running"]
PLACES = {"VADEMECUM_DATA_DIR": '/home/u/50% "d"'}


def made(system: str, folder: Path):
    log, user = folder / "service.log", "DESK\\user & co"
    return service_for(system, folder, folder / ".config", Started(COMMAND, log, PLACES), user=user)


def test_systemd(tmp_path):
    """Quoted as systemd wants it; the service finds the memory that the shell it was installed from knows."""
    service = made("Linux", tmp_path)
    assert service.path == tmp_path / ".config" / "systemd" / "user" / "vademecum.service"
    text = service.text.decode()
    assert 'ExecStart="/opt/a place/python" "-P"' in text
    assert '"/home/u/50%% \\"q\\".toml"' in text
    assert 'Environment="VADEMECUM_DATA_DIR=/home/u/50%% \\"d\\""' in text
    if shutil.which("systemd-analyze"):
        unit = tmp_path / "vademecum.service"
        unit.write_bytes(service.text.replace(b"/opt/a place/python", b"/bin/true"))
        said = subprocess.run(["systemd-analyze", "verify", "--user", str(unit)], capture_output=True, text=True, check=False)
        assert "vademecum.service" not in said.stderr


def test_launchd(tmp_path):
    """Of the right types for launchd.plist(5), with a key for each thing that a shell would have given."""
    service = made("Darwin", tmp_path)
    job = plistlib.loads(service.text)
    assert job["ProgramArguments"] == COMMAND
    assert job["KeepAlive"] == {"SuccessfulExit": False}
    assert job["EnvironmentVariables"] == PLACES
    assert service.path == tmp_path / "Library" / "LaunchAgents" / f"{job['Label']}.plist"
    kinds = {"Label": str, "RunAtLoad": bool, "ThrottleInterval": int, "ProcessType": str, "StandardErrorPath": str}
    assert all(isinstance(job[name], kind) for name, kind in kinds.items())


#: What [MS-TSCH] 2.5 takes where: element -> its children, in an order that its sequences allow.
TASK = {
    "Task": ["RegistrationInfo", "Triggers", "Principals", "Settings", "Actions"],
    "RegistrationInfo": ["Description"],
    "Triggers": ["LogonTrigger"],
    "LogonTrigger": ["Enabled", "UserId"],
    "Principals": ["Principal"],
    "Principal": ["UserId", "LogonType", "RunLevel"],
    "Settings": [
        "MultipleInstancesPolicy", "DisallowStartIfOnBatteries", "StopIfGoingOnBatteries", "ExecutionTimeLimit", "Hidden",
        "RestartOnFailure",
    ],
    "RestartOnFailure": ["Interval", "Count"],
    "Actions": ["Exec"],
    "Exec": ["Command", "Arguments"],
}  # fmt: skip


def test_windows_task(tmp_path):
    """UTF-16 with its mark, the elements of the schema in its order; for this account alone, also on battery, without a window."""
    service = made("Windows", tmp_path)
    assert service.text[:2] in (b"\xff\xfe", b"\xfe\xff")
    task = ElementTree.fromstring(service.text.decode("utf-16").encode("utf-16"))
    space = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
    found = {one.tag.removeprefix(space): [child.tag.removeprefix(space) for child in one] for one in task.iter() if len(one)}
    assert found == TASK
    told = {one.tag.removeprefix(space): one.text for one in task.iter() if not len(one)}
    assert (
        told["Command"] == "\\opt\\a place\\pythonw" and f'creationflags=0x08000000))" "{COMMAND[0]}" -P' in told["Arguments"]
    )
    assert told["Arguments"].endswith('--config "/home/u/50% \\"q\\".toml" serve --unless-running')
    assert told["UserId"] == "DESK\\user & co"
    assert told["StopIfGoingOnBatteries"] == told["DisallowStartIfOnBatteries"] == "false"
    assert (told["MultipleInstancesPolicy"], told["LogonType"]) == ("IgnoreNew", "InteractiveToken")
    principal = task.find(f"{space}Principals/{space}Principal")
    assert task.find(f"{space}Actions").get("Context") == principal.get("id")


def test_service_finds_another_helper(opened_home, tmp_path):
    """A service that finds a helper running ends with 0, so that launchd does not start it again every ten seconds."""
    settings = load(environment=opened_home)
    with only_one(settings):
        socket_path(settings).touch()
        serve = [sys.executable, "-m", "vademecum", "serve"]
        done = subprocess.run([*serve, "--unless-running"], env=opened_home, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert subprocess.run(serve, env=opened_home, capture_output=True, check=False).returncode == Locked.exit_code


def test_helper_that_ends_is_waited_for(opened_home):
    """A helper may need seconds to end after it has left its socket; the one that starts meanwhile waits for it instead of giving up."""
    settings = load(environment=opened_home)
    ending = contextlib.ExitStack()
    ending.enter_context(only_one(settings))
    threading.Timer(4, ending.close).start()
    with only_one(settings):
        pass


@pytest.fixture
def opened_home(tmp_path):
    """The environment of a person who has a memory."""
    places = {"HOME": "home", "CONFIG": "config.toml", "DATA_DIR": "data", "CACHE_DIR": "cache"}
    (tmp_path / "home").mkdir()
    return {**os.environ, **{f"VADEMECUM_{name}": str(tmp_path / place) for name, place in places.items()}}


@pytest.fixture
def vade(tmp_path, monkeypatch):
    """Runs the command line in a home of its own."""
    for name in ("CONFIG", "DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "notes").mkdir()

    def run(*arguments: str):
        return CliRunner().invoke(commands(), list(arguments))

    assert run("init", str(tmp_path / "notes")).exit_code == 0
    return run


@pytest.mark.skipif(platform.system() != "Linux", reason="looks for systemd's file")
def test_service_dry_run_and_removal(vade, tmp_path):
    """What would be written and run is shown; what was written goes again."""
    shown = vade("service", "install", "--dry-run")
    assert "ExecStart=" in shown.output
    assert "Would run:\n  systemctl --user daemon-reload\n" in shown.output
    unit = tmp_path / "config" / "systemd" / "user" / "vademecum.service"
    assert not unit.exists()
    unit.parent.mkdir(parents=True)
    unit.write_text("[Unit]\n")
    vade("service", "uninstall")
    assert not unit.exists()
    assert "No service" in vade("service", "uninstall").output


def test_untested_on_windows(vade, monkeypatch):
    """`vade doctor` says of a system on which nobody tried it that nobody did."""
    of_windows = types.SimpleNamespace(**{**vars(sys), "platform": "win32"})  # for that module alone: Python itself asks too
    monkeypatch.setattr("vademecum.doctor.facts.sys", of_windows)
    told = json.loads(vade("doctor", "--json").output)["checks"]
    assert "Windows: untested on this system" in next(one for one in told if one["id"] == "python")["details"]


def test_pause_and_resume(vade, tmp_path):
    """Off is off for everything that writes; reading by hand still works; `resume` finds a STOP file that a person made."""
    assert "Memory is off" in vade("pause").output
    refused = vade("save", "fact", "Kettle")
    assert type(refused.exception).__name__ == "Refused"
    assert vade("list").exit_code == 0
    assert vade("resume").output.strip() == "Memory is on."
    assert vade("save", "fact", "Kettle").exit_code == 0
    (tmp_path / "notes" / "STOP").touch()
    assert type(vade("save", "fact", "Tea").exception).__name__ == "Refused"
    vade("resume")
    assert vade("save", "fact", "Tea").exit_code == 0
    assert vade("resume").output.strip() == "Memory was on already."


def test_off_and_on(vade, tmp_path, monkeypatch):
    """`vade off` in a folder: nothing said there is captured, also later; elsewhere memory goes on; `vade on` ends it (MV-43)."""
    talks, project = tmp_path / "talks", tmp_path / "project"
    talks.mkdir()
    (project / "src").mkdir(parents=True)
    (project / ".git").mkdir()
    stop = project / ".harness" / "STOP"

    def say(name, folder, text, time=None):
        line = {"type": "user", "sessionId": name, "cwd": str(folder), "timestamp": time or datetime.now(UTC).isoformat()}
        line |= {"uuid": f"{name}-{text}", "message": {"role": "user", "content": text}}
        with (talks / f"{name}.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    def found(*words):
        vade("capture", str(talks), "--mine")
        return [
            any(hit["exact"] for hit in json.loads(vade("sessions", "search", word, "--json").output)["hits"]) for word in words
        ]

    monkeypatch.chdir(project / "src")
    say("one", project / "src", "The walrus sleeps.")
    assert found("walrus") == [True]
    assert json.loads(vade("off", "--json").output) == {"folder": str(project), "mark": str(stop)} and stop.exists()
    say("one", project / "src", "The otter swims.")
    say("two", project, "From now on never call the heron.", "2026-01-02T03:04:05Z")
    say("three", tmp_path, "The badger digs.")
    assert found("otter", "heron", "badger") == [False, False, True]
    assert "never call" not in vade("list", "--status", "inbox,active").output
    assert "paused since" in vade("status").output
    assert vade("on").output.strip() == f"Memory is on in {project}." and not stop.parent.exists()
    say("one", project, "The crane dances.")
    assert found("otter", "crane") == [False, True]
    assert "was on already" in vade("on").output


def test_said_while_paused(vade, tmp_path):
    """What is said between `vade pause` and `vade resume` is not captured later, for all conversations or for one."""
    talks = tmp_path / "talks"
    talks.mkdir()

    def say(name, *texts):
        with (talks / f"{name}.jsonl").open("a") as file:
            for text in texts:
                now = datetime.now(UTC).isoformat()
                file.write(json.dumps({"speaker": "user", "text": text, "time": now}) + "\n")

    def found(word):
        return any(hit["exact"] for hit in json.loads(vade("sessions", "search", word, "--json").output)["hits"])

    say("one", "The walrus sleeps.")
    vade("capture", str(talks))
    vade("pause")
    say("one", "The otter swims.")
    say("two", "The heron waits.")
    assert vade("resume").output.strip() == "Memory is on."
    say("one", "The badger digs.")
    vade("capture", str(talks))
    assert [found(word) for word in ("walrus", "otter", "heron", "badger")] == [True, False, False, True]
    shown = vade("pause", "--session", "one")
    assert shown.output.startswith("session://plain/one is paused")
    assert "paused since" in vade("status").output
    say("one", "The lynx hides.")
    say("three", "The moth turns.")
    vade("capture", str(talks))
    assert vade("resume", "--session", "one").output.startswith("It was paused since")
    assert vade("resume", "--session", "one").output.strip() == "It was not paused."
    say("one", "The crane flies.")
    vade("capture", str(talks))
    assert [found(word) for word in ("lynx", "moth", "crane")] == [False, True, True]
    assert type(vade("pause", "--session", "nowhere").exception).__name__ == "NotFound"

"""The helper as a service: what each platform is told, and the switch that turns memory off."""

import json
import plistlib
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from vademecum.doors.cli import commands
from vademecum.doors.serve.service import service_for

COMMAND = ["/opt/a place/python", "-P", "-m", "vademecum", "--config", '/home/u/50% "q".toml', "serve"]


def made(system: str, folder: Path):
    return service_for(system, folder, folder / ".config", COMMAND, folder / "service.log")


def test_systemd(tmp_path):
    """Quoted as systemd wants it; a second helper that leaves is no failure."""
    service = made("Linux", tmp_path)
    assert service.path == tmp_path / ".config" / "systemd" / "user" / "vademecum.service"
    text = service.text.decode()
    assert 'ExecStart="/opt/a place/python" "-P"' in text
    assert '"/home/u/50%% \\"q\\".toml"' in text
    assert "SuccessExitStatus=8" in text
    if shutil.which("systemd-analyze"):
        unit = tmp_path / "vademecum.service"
        unit.write_bytes(service.text.replace(b"/opt/a place/python", b"/bin/true"))
        said = subprocess.run(["systemd-analyze", "verify", "--user", str(unit)], capture_output=True, text=True, check=False)
        assert "vademecum.service" not in said.stderr


def test_launchd(tmp_path):
    service = made("Darwin", tmp_path)
    job = plistlib.loads(service.text)
    assert job["ProgramArguments"] == COMMAND
    assert job["KeepAlive"] == {"SuccessfulExit": False}


def test_windows_task(tmp_path):
    service = made("Windows", tmp_path)
    task = ElementTree.fromstring(service.text.decode("utf-16").encode("utf-16"))
    names = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert task.findtext(".//t:Command", namespaces=names) == COMMAND[0]
    assert task.findtext(".//t:MultipleInstancesPolicy", namespaces=names) == "IgnoreNew"


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


def test_service_dry_run_and_removal(vade, tmp_path):
    """What would be written is shown; what was written goes again."""
    shown = vade("service", "install", "--dry-run")
    assert "ExecStart=" in shown.output
    unit = tmp_path / "config" / "systemd" / "user" / "vademecum.service"
    assert not unit.exists()
    unit.parent.mkdir(parents=True)
    unit.write_text("[Unit]\n")
    vade("service", "uninstall")
    assert not unit.exists()
    assert "No service" in vade("service", "uninstall").output


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

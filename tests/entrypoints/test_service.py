"""The helper that ends and starts, and the switches that turn memory off."""

import contextlib
import errno
import json
import os
import sys
import threading
import types
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from vademecum.entrypoints.cli.cli import commands
from vademecum.entrypoints.daemon.lock import only_one
from vademecum.settings import load


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


def test_pause_on_a_full_disk(vade, monkeypatch):
    """Memory is off by an empty file even if the disk has no room for the record of the pause, which follows when it has."""

    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("vademecum.adapters.device.pauses.FilePauses.begin", full)
        assert "Memory is off" in vade("pause").output
    assert type(vade("save", "fact", "Kettle").exception).__name__ == "Refused"
    assert vade("resume").output.strip() == "Memory is on."


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

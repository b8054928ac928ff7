"""Briefings that lie ready: printed without asking anybody, and never when they are not true any more."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE

from vademecum.adapters.device.event_queue import Spool
from vademecum.entrypoints.daemon.call import ensure, stop
from vademecum.entrypoints.hooks.carrier import starting_mark
from vademecum.settings.places import socket_path
from vademecum.wiring import open_memory

PATIENCE_S = 60


def until(condition, what):
    """Wait for something that must come, however slow the machine is."""
    for _ in range(PATIENCE_S * 20):
        if condition():
            return
        time.sleep(0.05)
    pytest.fail(f"waited {PATIENCE_S} s for {what}")


@pytest.fixture
def ready(installed):
    """An installation where a briefing lies ready for sessions that start in the working folder. A helper runs."""
    assert ensure(installed.settings, installed.config)
    installed.patient()
    assert "short answers" in installed.started("first")
    until(lambda: briefings(installed), "a briefing")
    return installed


def briefings(installed):
    """Files of briefings that lie ready."""
    return list((installed.data / "ready").glob("*.ready"))


def without_helper(installed):
    """End the helper; none comes up from here on, so whatever is told lay ready."""
    stop(installed.settings)
    installed.no_helper()
    installed.conf(deadline_ms=str(installed.settings.hook_deadline_ms))


def with_helper(installed):
    """Let hooks start a helper again, and wait for it."""
    installed.conf(python=sys.executable)
    installed.patient()
    Path(starting_mark(str(socket_path(installed.settings)))).unlink(missing_ok=True)  # of the program that did nothing


def vade(installed, *words):
    """The command line, in a process of its own that no helper carries out."""
    command = [sys.executable, "-P", "-m", "vademecum", "--config", str(installed.config), *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=installed.environment(), cwd=installed.folder
    )


def test_without_asking(ready):
    """The same bytes as the helper gives, and nobody is asked."""
    asked = ready.hook({"hook_event_name": "SessionStart", "session_id": "s1", "source": "clear"}).stdout
    without_helper(ready)
    done = ready.hook(
        {"hook_event_name": "SessionStart", "session_id": "s2", "cwd": str(ready.folder / "work"), "source": "startup"}
    )
    assert json.loads(done.stdout) == json.loads(asked)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "s2" in [event.payload["session_id"] for event in Spool(ready.data / "queue").waiting()]


def test_rules_in_a_new_worktree(ready):
    """A rule of a project holds in a worktree beside the repository as soon as a session has started there, before any other change.

    The host runs all hooks in one folder, and its payloads name the others.
    """
    repository, worktree = ready.folder / "lark", ready.folder / "elsewhere"
    for command in (
        ["git", "init", "-q", str(repository)],
        ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "a", "--allow-empty"],
        ["git", "-C", str(repository), "worktree", "add", "-q", str(worktree)],
    ):
        subprocess.run(command, check=True, capture_output=True)
    with open_memory(ready.settings) as memory:
        memory.notes.save("preference", "Publishing", "Never run `npm publish`.", project="lark")
    rules = ready.data / "ready" / "actions.rules"
    for folder in (repository, worktree):
        ready.hook({"hook_event_name": "SessionStart", "session_id": folder.name, "source": "startup", "cwd": str(folder)})
        until(
            lambda folder=folder: rules.exists() and f"folder {folder}\tlark" in rules.read_text(),
            f"the rules in {folder.name}",
        )
    assert f"folder {repository}\tlark" in rules.read_text()


def test_loads_nothing(ready):
    without_helper(ready)
    payload = {"hook_event_name": "SessionStart", "session_id": "s2", "cwd": str(ready.folder / "work"), "source": "startup"}
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(ready.client), "claude-code"]
    work = ready.folder / "work"
    done = subprocess.run(
        command, input=json.dumps(payload).encode(), capture_output=True, cwd=work, env=ready.environment(), check=True
    )
    assert b"short answers" in done.stdout
    loaded = {line.split(b"|")[-1].strip().decode() for line in done.stderr.splitlines()}
    assert loaded & {"json", "re", "datetime", "socket", "pathlib", "apsw", "numpy"} == set()


def test_told_once(ready):
    """What the client told counts as told: the helper's prompts do not brief again, two hooks for one start tell once (X-46)."""
    without_helper(ready)
    assert "short answers" in ready.started("s2")
    assert ready.started("s2") == ""
    with_helper(ready)
    told = ready.prompted(ABOUT_KETTLE, "s2")
    assert "4417" in told
    assert "short answers" not in told
    assert ready.started("s2", source="resume") == ""
    lines = [line for line in ready.log() if line["session"] == "s2"]
    assert {("start", "told"), ("prompt", "told")} <= {(line["moment"], line["verdict"]) for line in lines}


def test_counts_as_delivered(ready):
    """What a briefing showed that lay ready is counted in the project that it was for, as any delivery is."""
    (ready.folder / "work" / ".git").mkdir()
    with open_memory(ready.settings) as memory:
        kept = memory.notes.save("decision", "Kettles", "Kettles are made of copper.", project="work").memory.uri
    assert "copper" in ready.started("s2")
    until(lambda: len(briefings(ready)) == 1, "a briefing")
    until(lambda: b"copper" in briefings(ready)[0].read_bytes(), "a briefing with the decision")
    without_helper(ready)
    assert "copper" in ready.started("s3")
    with_helper(ready)
    ready.prompted("Go on.", "s3")
    with open_memory(ready.settings) as memory:
        until(lambda: memory.context.state.usage.unused("work", [kept])[kept].times == 2, "both to be counted")


def test_prompt_first(ready):
    """A session that a prompt was told in is not briefed by its start, however late that comes."""
    assert "short answers" in ready.prompted(ABOUT_KETTLE, "s3")
    assert ready.started("s3") == ""


@pytest.mark.parametrize("source", ["resume", "clear", "compact", "fork"])
def test_other_starts_are_asked_for(ready, source):
    """Whoever may have been told already, or has something in hand, is answered by the helper alone."""
    without_helper(ready)
    assert ready.started("s2", source=source) == ""


def test_another_folder_is_asked_for(ready, tmp_path):
    without_helper(ready)
    assert ready.told("SessionStart", "s2", source="startup", cwd=str(tmp_path)) == ""


def test_branch(ready):
    """A briefing is one of the project and branch that it was made for."""
    (ready.folder / "work" / ".git").mkdir()
    without_helper(ready)
    assert ready.started("s2") == ""


@pytest.mark.parametrize("name", ["TECH.md", "docs/PRODUCT.md"])
def test_document_of_the_project(ready, name):
    """SW-08: a project's own document that is edited by hand takes the ready briefing away, helper or not."""
    work = ready.folder / "work"
    (work / "docs").mkdir()
    (work / ".git").mkdir()
    document = work / name
    document.write_text("# The press\n\nIt runs on steam.\n")
    assert "It runs on steam." in ready.started("s2")
    until(lambda: any(b"It runs on steam." in path.read_bytes() for path in briefings(ready)), "a briefing of the project")
    without_helper(ready)
    assert "It runs on steam." in ready.started("s3")
    document.write_text("# The press\n\nIt runs on electricity.\n")
    assert ready.started("s4") == ""
    with_helper(ready)
    assert "It runs on electricity." in ready.started("s5")


def test_saved_without_a_helper(ready):
    """A writer takes briefings away before it acknowledges, also when nobody else runs: the old text is told no more."""
    without_helper(ready)
    vade(ready, "save", "preference", "Long answers", "--body", "The user prefers long answers, with examples.")
    assert not briefings(ready)
    assert ready.started("s2") == ""
    with_helper(ready)
    assert "long answers" in ready.started("s3")


def test_made_anew(ready):
    """With a helper a new briefing lies ready soon after a change."""
    vade(ready, "save", "preference", "Long answers", "--body", "The user prefers long answers, with examples.")
    assert "long answers" in ready.started("s2")
    until(lambda: any(b"long answers" in path.read_bytes() for path in briefings(ready)), "a new briefing")


def test_forgotten(ready):
    """What is forgotten stands in no file of ours any more, ready ones and notes of what was told among them."""
    without_helper(ready)
    assert "short answers" in ready.started("s2")
    vade(ready, "forget", "Short answers", "--yes")
    for path in (file for file in ready.data.rglob("*") if file.is_file()):
        assert b"prefers short answers" not in path.read_bytes(), path


def test_edited_by_hand(ready):
    """The helper notices what the person changes in their notes."""
    (note,) = (ready.folder / "home").rglob("short-answers.md")
    note.write_text(note.read_text().replace("short answers", "very short answers"))
    vade(ready, "sync")
    assert not any(b"prefers short answers" in path.read_bytes() for path in briefings(ready))
    assert "very short answers" in ready.started("s2")


@pytest.mark.parametrize("how", ["edited", "added"])
def test_by_hand_without_a_helper(ready, how):
    """What the person changes or adds while no helper runs is not contradicted: the next start tells the edit, without a sync."""
    without_helper(ready)
    (note,) = (ready.folder / "home").rglob("short-answers.md")
    if how == "edited":
        note.write_text(note.read_text().replace("short answers", "terse answers"))
    else:
        note.with_name("tea.md").write_text("# Tea\n\nThe person drinks green tea.\n")
    assert ready.started("s2") == ""
    with_helper(ready)
    assert ("terse answers" in ready.started("s3")) == (how == "edited")


@pytest.mark.parametrize("what", ["STOP", "environment", "setting", "benefit"])
def test_switched_off(ready, what):
    without_helper(ready)
    environment = {}
    if what == "STOP":
        (ready.data / "STOP").touch()
    elif what == "environment":
        environment["VADEMECUM_DISABLED"] = "1"
    else:
        ready.configure(**({"enabled": "false"} if what == "setting" else {"measure_benefit": "true"}))
    payload = {"hook_event_name": "SessionStart", "session_id": "s2", "cwd": str(ready.folder / "work"), "source": "startup"}
    assert ready.hook(payload, **environment).stdout == b""


def test_paused_session(ready):
    """A conversation that is paused is told nothing, whatever lies ready for others."""
    with open_memory(ready.settings) as memory:
        memory.context.storage.pauses.begin(memory.now(), "session://claude-code/s2")
    ready.started("another")
    until(lambda: briefings(ready), "a briefing")
    without_helper(ready)
    assert ready.started("s2") == ""
    assert "short answers" in ready.started("s4")


def test_only_for_this_user(ready):
    assert (ready.data / "ready").stat().st_mode & 0o077 == 0


def test_killed_between(ready):
    """A helper that was killed leaves what is still true, and the next one goes on with it."""
    there = ensure(ready.settings, ready.config)
    os.kill(there["pid"], signal.SIGKILL)
    ready.no_helper()
    assert "short answers" in ready.started("s2")

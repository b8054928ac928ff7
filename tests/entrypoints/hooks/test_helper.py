"""The helper as hosts meet it: real processes, started by the first hook."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.entrypoints.hooks.conftest import ABOUT_KETTLE, ABOUT_NOTHING

from vademecum.entrypoints.daemon.call import call, ensure, stop
from vademecum.entrypoints.hooks.carrier import read_conf, start_helper, starting_mark
from vademecum.settings import socket_path
from vademecum.wiring import open_memory

PATIENCE_S = 60


def until(condition, what):
    """Wait for something that must come, however slow the machine is."""
    for _ in range(PATIENCE_S * 20):
        if found := condition():
            return found
        time.sleep(0.05)
    pytest.fail(f"waited {PATIENCE_S} s for {what}")


def helpers(installed) -> list[int]:
    """Process ids of the helpers that serve this installation."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (place / "cmdline").read_bytes().split(b"\0")
            if b"serve" in words and os.fsencode(installed.config) in words:
                found.append(int(place.name))
    return found


@pytest.fixture
def helper(installed):
    """A helper that is there; hooks wait for it, however busy the machine is."""
    installed.patient()
    there = ensure(installed.settings, installed.config)
    assert there
    return there


def test_session(installed, helper):
    """A session as a person has it: briefed, told what a prompt needs and nothing else, nothing twice."""
    assert "short answers" in installed.started()
    assert "4417" in installed.prompted(ABOUT_KETTLE)
    assert installed.prompted(ABOUT_NOTHING) == ""
    assert installed.prompted("And again, on which port does that kettle service listen?") == ""
    assert installed.started(source="resume") == ""
    assert "short answers" in installed.started(source="compact")
    assert "4417" in installed.prompted("Which port was it that the kettle service listens on?")
    assert [line["verdict"] for line in installed.log()] == [
        "told", "told", "nothing known", "nothing known", "already told", "told", "told"
    ]  # fmt: skip
    assert call(installed.settings, "status")["answered"] == 7


def test_sessions_apart(installed, helper):
    """What one session was told, another still has to be told."""
    assert installed.prompted(ABOUT_KETTLE, "s1") != ""
    assert installed.prompted(ABOUT_KETTLE, "s2") != ""


def test_a_question_is_answered_in_every_session(installed):
    """An outright question is answered in each of ten sessions, by a memory and by a conversation, though nothing of it is ever used."""
    talk = installed.folder / "talk.jsonl"
    lines = [{"type": "session", "id": "talk"}, {"id": "t1", "role": "user", "text": "The spare kiln stands behind the mill."}]
    talk.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with open_memory(installed.settings) as memory:
        memory.maintenance.capture((str(talk),))
    installed.patient()
    assert ensure(installed.settings, installed.config)
    for number in range(10):
        installed.started(f"s{number}")
        assert "4417" in installed.prompted(ABOUT_KETTLE, f"s{number}"), number
        assert "behind the mill" in installed.prompted("Where does the spare kiln stand?", f"s{number}"), number


def test_x46_two_hosts_one_prompt(installed, helper):
    """X-46: two hooks for one prompt, at once, as when a host runs the hooks of another: one of them tells."""
    with ThreadPoolExecutor(2) as both:
        answers = list(both.map(lambda _: installed.prompted(ABOUT_KETTLE), range(2)))
    assert sorted(map(bool, answers)) == [False, True]


def test_not_by_a_person(installed, helper):
    assert installed.prompted(ABOUT_KETTLE, source="loop_wakeup") == ""
    assert installed.log()[-1]["verdict"] == "not by a person"


def test_x47_nothing_below_the_gate(installed, helper):
    """X-47: silence for what memory knows nothing of, and the reason in the log."""
    installed.started()
    for prompt in (ABOUT_NOTHING, "yes", "go on", "Please fix the failing unit tests", "/compact"):
        assert installed.prompted(prompt) == ""
    assert {line["verdict"] for line in installed.log()[1:]} <= {"nothing known", "not by a person"}


def test_late_briefing(installed, helper):
    """A session whose start was not answered is briefed with its first prompt, once."""
    first = installed.prompted(ABOUT_KETTLE)
    assert "short answers" in first
    assert "4417" in first
    assert installed.prompted(ABOUT_NOTHING) == ""
    assert "short answers" in installed.prompted(ABOUT_NOTHING, "s2")


def test_x47_lots_are_drawn(installed):
    """X-47: with `measure_benefit` each memory that a session would be told has its lot there, told or left out, before anything else."""
    installed.configure(measure_benefit="true", hook_deadline_ms="5000")
    installed.patient()
    told = [installed.started(name) + installed.prompted(ABOUT_KETTLE, name) for name in ("s1", "s2")]
    with open_memory(installed.settings) as memory:
        found = memory.person.benefit()
    assert found.delivered + found.left_out == len(told) * 2
    assert found.delivered == sum(("short answers" in text) + ("4417" in text) for text in told)
    assert (found.events, found.e_value) == (0, 1)


def test_notice_for_the_person(installed, helper):
    """Which memories were loaded is told to the person, not to the agent (MV-16, MV-17)."""
    installed.started("s9")
    done = installed.hook({"hook_event_name": "UserPromptSubmit", "session_id": "s9", "prompt": ABOUT_KETTLE})
    told = json.loads(done.stdout)
    assert told["systemMessage"] == "Loaded 1 memory: Where the kettle service runs"
    assert "Loaded 1 memory" not in told["hookSpecificOutput"]["additionalContext"]


def test_one_line_a_hook(installed, helper):
    """Each call leaves one line with what was told, how long it took and where it can be looked up (MV-46)."""
    installed.started()
    installed.prompted(ABOUT_KETTLE)
    _, line = installed.log()
    assert line.keys() - {"skipped"} == {  # what a busy machine had no time for
        "at", "host", "event", "moment", "session", "verdict", "ms", "items", "tokens", "trace"
    }  # fmt: skip
    assert (line["host"], line["moment"], line["items"]) == ("claude-code", "prompt", 1)
    with open_memory(installed.settings) as memory:
        assert memory.recall.why(line["trace"]).query.text == ABOUT_KETTLE


@pytest.mark.slow
def test_x31_one_helper(installed):
    """X-31: 100 hooks of 10 sessions at once, and nobody has started a helper yet: one exists afterwards, and all hooks were answered."""
    installed.patient()
    with ThreadPoolExecutor(10) as sessions:
        done = list(sessions.map(lambda number: installed.prompted(ABOUT_KETTLE, f"s{number % 10}-{number}"), range(100)))
    until(lambda: call(installed.settings, "status"), "the helper")
    until(lambda: len(helpers(installed)) == 1, "those that came second to leave")
    assert len(done) == len(installed.log()) == 100
    assert {line["verdict"] for line in installed.log()} <= {"told", "too late"}


@pytest.mark.slow
def test_x31_memory_stays_flat(installed, helper):
    """What a hundred sessions leave behind in the helper is nothing to speak of."""
    before = 0
    for warming in range(
        10
    ):  # what a helper loads once, some 17 MB, it loads when nobody is being served: on a busy machine late
        for number in range(20):
            installed.prompted(ABOUT_KETTLE, f"warm-{warming}-{number}")
        was, before = before, call(installed.settings, "status")["memory_mb"]
        if before <= was + 1:
            break
    for number in range(100):
        installed.prompted(ABOUT_KETTLE, f"s{number}")
    assert call(installed.settings, "status")["memory_mb"] <= before + 8


def test_killed_helper(installed, helper):
    """Killed at any moment: the next hook is answered all the same, and starts another."""
    installed.patient()
    os.kill(helper["pid"], signal.SIGKILL)
    assert "4417" in installed.prompted(ABOUT_KETTLE)
    again = until(lambda: call(installed.settings, "status"), "another helper")
    assert again["pid"] != helper["pid"]


def test_stop_event_is_kept_before_the_answer(installed, helper):
    """A helper killed right after a Stop hook has lost nothing: the event lies on disk when the hook returns."""
    installed.hook({"hook_event_name": "Stop", "session_id": "s1", "transcript_path": str(installed.folder / "t.jsonl")})
    os.kill(helper["pid"], signal.SIGKILL)
    assert len(list((installed.data / "queue").glob("*.json"))) == 1


def test_second_helper_refuses(installed, helper):
    done = subprocess.run(
        [sys.executable, "-m", "vademecum", "--config", str(installed.config), "serve"],
        capture_output=True, text=True, check=False, env=installed.environment(),
    )  # fmt: skip
    assert done.returncode == 8
    assert "running already" in done.stderr
    assert call(installed.settings, "status")["pid"] == helper["pid"]


def test_stop(installed, helper):
    assert call(installed.settings, "stop") == {"stopping": helper["pid"]}
    until(lambda: not helpers(installed), "the end of the helper")
    assert call(installed.settings, "status") is None
    assert not Path(helper["socket"]).exists()


def test_x31_stop_while_starting(installed):
    """X-31: a helper that a hook has just started does not outlive `vade stop`."""
    installed.started()
    assert stop(installed.settings)
    assert call(installed.settings, "status") is None


def test_stop_reaches_those_that_start(installed, tmp_path):
    """A second helper that a hook started, and that a busy machine has not yet brought to its lock, does not outlive `stop` either."""
    begun, go, mark = tmp_path / "begun", tmp_path / "go", Path(starting_mark(str(socket_path(installed.settings))))
    os.mkfifo(begun)
    os.mkfifo(go)
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\necho >{begun}\nread _ <{go}\nexec {sys.executable} "$@"\n')
    slow.chmod(0o755)
    installed.conf(python=str(slow))
    has_ended = start_helper(read_conf(str(installed.client.parent)))
    begun.read_text()
    os.utime(mark, (0, 0))  # it takes longer than a start may
    assert ensure(installed.settings, installed.config)
    assert stop(installed.settings)
    go.write_text("\n")
    until(has_ended, "the end of the slow helper")
    assert call(installed.settings, "status") is None


def test_only_for_this_user(installed, helper):
    """Nobody else on the machine can ask."""
    place = Path(helper["socket"])
    assert place.stat().st_mode & 0o077 == 0
    assert place.parent.stat().st_mode & 0o077 == 0


def test_index_lost_under_the_helper(installed, helper):
    """X-22: somebody deletes the index: hooks stay silent or right, and the background work builds it again."""
    for path in installed.data.glob("index.db*"):
        path.unlink()
    installed.prompted(ABOUT_KETTLE, "s1")
    until(lambda: "4417" in installed.prompted(ABOUT_KETTLE, f"s{time.monotonic_ns()}"), "a rebuilt index")

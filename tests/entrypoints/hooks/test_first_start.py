"""The first session after `vade install` is briefed although no helper runs, whatever members the host's payload has."""

import json

import pytest
from tests.entrypoints.hooks.conftest import Installed
from tests.entrypoints.hooks.test_ready import briefings, without_helper

from vademecum.adapters.hosts.all_hosts import hosts
from vademecum.entrypoints.cli.hosts import leave_briefings
from vademecum.entrypoints.hooks.starts import alike, foreseen_starts

#: Members of a payload that tell nothing which decides what is told: hosts add such with each version.
EXTRA = {"transcript_path": "/nowhere/s.jsonl", "permission_mode": "default", "model": "large", "agent_type": "main"}


@pytest.fixture
def left(installed, monkeypatch):
    """An installation that no hook ever called, with the briefings that `vade install` leaves; no helper runs any more."""
    monkeypatch.chdir(installed.folder / "work")
    monkeypatch.setattr("vademecum.entrypoints.cli.hosts.current_config", lambda: installed.config)
    leave_briefings(installed.settings, ["claude-code", "codex"])
    assert len(briefings(installed)) == 2, "a briefing for each host is there when the install is done"
    without_helper(installed)
    return installed


@pytest.mark.parametrize("host", ["claude-code", "codex"])
@pytest.mark.parametrize("extra", [{}, EXTRA], ids=["few members", "more members"])
def test_first_start_is_briefed(left: Installed, host, extra):
    """Each host that was installed is briefed at its first start in the folder, with members that nobody foresaw too."""
    payload = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": str(left.folder / "work"), "source": "startup"}
    done = left.hook({**payload, **extra}, host)
    assert "short answers" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize("other", [{"source": "resume"}, {"agent_id": "a1"}, {"cwd": "/elsewhere"}])
def test_another_start_is_not(left: Installed, other):
    """A start that may be told something else is left to the helper: of another cause, of a sub-agent, of another folder."""
    payload = {"hook_event_name": "SessionStart", "session_id": "s1", "cwd": str(left.folder / "work"), "source": "startup"}
    assert left.hook({**payload, **other}).stdout == b""


def test_foreseen_for_each_host():
    """What is foreseen of a host is a start that this host understands."""
    foreseen = {host: foreseen_starts(host, ("/work/here",)) for host in hosts()}
    assert all(foreseen[host] for host in ("claude-code", "codex", "cursor", "opencode"))
    for host, starts in foreseen.items():
        for start in starts:
            found = alike(lambda fields, host=host: hosts()[host].read(fields, "/work/here"), host, "/work/here", start.payload)
            assert found is not None and found.key == start.key, host

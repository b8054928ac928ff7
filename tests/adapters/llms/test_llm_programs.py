"""The person's own programs are run so that nothing of them runs us, and nothing of ours stays."""

import os
import time
from pathlib import Path

import pytest
from tests.adapters.llms.test_llm_conformance import GOOD, PROMPT

from vademecum.adapters.llms import Options, create
from vademecum.domain.errors import LLMRefused, LLMUnavailable


@pytest.mark.parametrize("service", ["claude-cli:haiku", "codex-cli"])
def test_alone(programs, environment, service):
    """In an empty folder that is gone afterwards, with memory switched off, keeping no transcript."""
    programs.say(GOOD)
    answer = create(service, Options(environment=environment)).ask(PROMPT)
    assert answer.value == GOOD
    run = programs.runs[0]
    assert run["env"]["VADEMECUM_DISABLED"] == "1"
    assert not Path(run["cwd"]).exists()
    assert {"--no-session-persistence", "--ephemeral"} & set(run["arguments"])
    assert "Tea, please." in run["stdin"]
    assert "Tea, please." not in " ".join(run["arguments"])  # others on the machine can read those


def test_subscription_costs(programs, environment):
    """Claude Code tells what it cost; that is believed rather than prices of ours."""
    programs.say(GOOD)
    usage = create("claude-cli", Options(environment=environment)).ask(PROMPT).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cost) == (100, 10, 0.25)


@pytest.mark.parametrize("service", ["claude-cli", "codex-cli"])
def test_not_installed(tmp_path, service):
    with pytest.raises(LLMRefused, match="not on this machine"):
        create(service, Options(environment={"PATH": str(tmp_path)})).ask(PROMPT)


@pytest.mark.parametrize("service", ["claude-cli", "codex-cli"])
def test_hangs(programs, environment, service):
    """A program that does not end is ended, with everything it started."""
    programs.say({"sleep": True})
    with pytest.raises(LLMUnavailable, match="gave no answer within"):
        create(service, Options(environment=environment, timeout_s=2)).ask(PROMPT)
    child = int((programs.folder / "child.pid").read_text())
    deadline = time.monotonic() + 10
    while _alive(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _alive(child)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        if Path("/proc").is_dir():
            return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True

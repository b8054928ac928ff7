"""The Copilot command line with what `vade install vscode` writes."""

import json

import pytest

from tests.real.memories import DATABASE, logs, wait_for
from tests.real.model_api import ModelApi, ToolCall
from tests.real.person import Copilot
from tests.real.test_real_proof import MATCHING, OTHER_MATCHING, UNRELATED, change, check, counts, doctor

pytestmark = pytest.mark.slow


@pytest.fixture
def installed(light_memory, copilot: Copilot) -> Copilot:
    """Copilot with our hooks and our MCP server."""
    copilot.person.vade("install", "vscode")
    return copilot


def test_copilot_is_briefed_and_told(installed: Copilot, model_api: ModelApi):
    """The briefing at the start, and again when another process goes on with the session, which has lost it; the memory that matches at
    a prompt, no other; our tools are offered."""
    first = installed.ask(UNRELATED)
    assert (first.code, first.reply) == (0, "Understood."), first
    assert counts(model_api) == {"briefed": 1, "database": 0, "reading": 0}, logs(installed.person)
    installed.ask(MATCHING, resume=first.session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)
    installed.ask(OTHER_MATCHING, resume=first.session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 1}, logs(installed.person)
    assert "vademecum-recall_memory" in model_api.last.tools


def test_x23_copilot_is_captured(installed: Copilot, model_api: ModelApi):
    """X-17, X-23: what was said is searchable; what we told stands in the transcript and is not."""
    person = installed.person
    session = installed.ask(MATCHING).session

    def said(word: str) -> list[str]:
        found = json.loads(person.vade("search", word, "--source", "session", "--json"))
        return [hit["passage"]["text"] for hit in found["hits"]]

    wait_for(person, lambda: any("billing" in text for text in said("billing")))
    for word in ("quillwort", "vermilion"):
        assert word in installed.written(session)
        assert not [text for text in said(word) if word in text]
    wait_for(
        person, lambda: check(person, "host.vscode.sessions")["details"].startswith("1 of 1 captured")
    )  # it writes on at its end
    assert doctor(person, "host.vscode.sessions")
    assert doctor(person, "host.vscode.delivery").startswith("last hook")
    assert doctor(person, "sessions")


@pytest.mark.soak
def test_x23_sub_agent_of_copilot_is_no_person(installed: Copilot, model_api: ModelApi):
    """X-23: a prompt that an agent writes to its sub-agent is answered with nothing."""
    task = {"agent_type": "general-purpose", "name": "look", "description": "Look", "prompt": MATCHING, "mode": "sync"}
    model_api.answer(ToolCall("task", task))
    assert installed.ask(UNRELATED).code == 0
    asked = [request for request in model_api.requests if MATCHING in request.text("user")]
    assert asked, [request.said[-1] for request in model_api.requests]
    assert not [request for request in asked if DATABASE in request.told], logs(installed.person)


@pytest.mark.soak
@pytest.mark.parametrize("breakage", ["the client is gone", "Python has moved"])
def test_x22_broken_install_lets_copilot_go_on(installed: Copilot, model_api: ModelApi, breakage):
    """X-22: whatever of ours is broken, the prompt reaches the model."""
    if breakage == "Python has moved":
        change(installed.hooks_file, " -I -S", "-moved -I -S")
    else:
        (installed.person.home / "xdg" / "data" / "vademecum" / "hook" / "client.py").unlink()
    ran = installed.ask(MATCHING)
    assert (ran.code, ran.reply) == (0, "Understood."), ran
    assert counts(model_api) == {"briefed": 0, "database": 0, "reading": 0}


@pytest.mark.soak
def test_beside_claude_code(installed: Copilot, model_api: ModelApi):
    """X-46: with Claude Code's hooks installed as well, each thing is told once."""
    installed.person.vade("install", "claude-code")
    installed.ask(MATCHING)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)

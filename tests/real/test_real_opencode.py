"""OpenCode with our plugin: what it tells is in the system prompt of each request, and nowhere in the conversation."""

import json

import pytest

from tests.real.memories import DATABASE, logs, wait_for
from tests.real.model_api import ModelApi, ToolCall
from tests.real.person import OpenCode
from tests.real.test_real_proof import MATCHING, OTHER_MATCHING, UNRELATED, check, counts, doctor

pytestmark = pytest.mark.slow


@pytest.fixture
def installed(light_memory, opencode: OpenCode) -> OpenCode:
    """OpenCode with our plugin and our MCP server."""
    opencode.person.vade("install", "opencode")
    return opencode


def test_opencode_is_briefed_and_told(installed: OpenCode, model_api: ModelApi):
    """The briefing at the start, the memory that matches at a prompt, no other, each once.

    OpenCode ends after each prompt here, and what the plugin held ends with it: the next process is briefed anew, and told anew
    what matters.
    """
    first = installed.ask(UNRELATED)
    assert (first.code, first.reply) == (0, "Understood."), first
    assert counts(model_api) == {"briefed": 1, "database": 0, "reading": 0}, logs(installed.person)
    assert "vademecum_recall_memory" in model_api.last.tools

    installed.ask(MATCHING, resume=first.session)
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)
    installed.ask(OTHER_MATCHING, resume=first.session)
    assert counts(model_api) == {"briefed": 1, "database": 0, "reading": 1}, logs(installed.person)
    assert "quillwort" not in "".join(text for role, text in model_api.last.said if role != "system")


@pytest.mark.soak
def test_what_is_told_stays(installed: OpenCode, model_api: ModelApi):
    """Within one process what was told at a prompt is in every later request of the session."""
    (installed.person.work / "notes.txt").write_text("Nothing much.", "utf-8")
    model_api.answer(ToolCall("read", {"filePath": str(installed.person.work / "notes.txt")}))
    assert installed.ask(MATCHING).code == 0
    assert len(model_api.requests) == 2  # the call of the tool, and what follows it
    assert counts(model_api) == {"briefed": 1, "database": 1, "reading": 0}, logs(installed.person)


@pytest.mark.soak
def test_x23_sub_agent_is_no_person(installed: OpenCode, model_api: ModelApi):
    """X-23: a prompt that an agent writes to its sub-agent is answered with nothing."""
    task = {"description": "Look", "prompt": MATCHING, "subagent_type": "general"}
    model_api.answer(ToolCall("task", task))
    assert installed.ask(UNRELATED).code == 0
    asked = [request for request in model_api.requests if MATCHING in request.text("user")]
    assert asked, [request.said[-1] for request in model_api.requests]
    assert not [request for request in asked if DATABASE in request.told or "quillwort" in request.told], logs(installed.person)


@pytest.mark.soak
def test_x22_broken_client_lets_prompt_pass(installed: OpenCode, model_api: ModelApi):
    """X-22: without our client OpenCode goes on."""
    (installed.person.home / "xdg" / "data" / "vademecum" / "hook" / "client.py").unlink()
    ran = installed.ask(MATCHING)
    assert (ran.code, ran.reply) == (0, "Understood."), ran
    assert counts(model_api) == {"briefed": 0, "database": 0, "reading": 0}


@pytest.mark.soak
def test_x23_opencode_is_captured(installed: OpenCode, model_api: ModelApi):
    """X-17, X-23: the helper reads the conversation from OpenCode's database: what was said is searchable, what we told is not, and
    `vade doctor` counts it. `opencode run` marks its sessions as a program's, so nothing is learnt from it."""
    person = installed.person
    model_api.answer("I will keep to Tuesdays.", to="Tuesdays")
    session = installed.ask(MATCHING).session
    installed.ask("From now on we always deploy the billing service on Tuesdays, never on Fridays.", resume=session)

    def said(word: str) -> list[str]:
        found = json.loads(person.vade("search", word, "--source", "session", "--limit", "100", "--json"))
        return [hit["passage"]["text"] for hit in found["hits"]]

    def remembered(word: str) -> list[str]:
        notes = (person.home / "Memory").rglob("*.md")
        return [
            path.name
            for path in notes
            if word in path.read_text("utf-8") and not path.relative_to(person.home / "Memory").parts[0].startswith("_")
        ]

    wait_for(person, lambda: any("I will keep to" in text for text in said("Tuesdays")))
    assert any("From now on" in text for text in said("Tuesdays"))
    assert not remembered("Tuesdays")
    assert "Tuesdays" in installed.written(session)
    assert not [text for text in said("quillwort") if "quillwort" in text]
    assert len(remembered("quillwort")) == 1
    wait_for(person, lambda: check(person, "host.opencode.sessions")["details"].startswith("1 of 1 captured"))
    assert doctor(person, "host.opencode.sessions")
    assert doctor(person, "host.opencode.delivery").startswith("last hook")


@pytest.mark.soak
def test_opencode_uninstalled(installed: OpenCode, model_api: ModelApi):
    """`vade uninstall opencode`, and OpenCode works as if we had never been there."""
    installed.person.vade("uninstall", "opencode")
    assert installed.ask(MATCHING).code == 0
    assert counts(model_api) == {"briefed": 0, "database": 0, "reading": 0}
    assert not [name for name in model_api.last.tools if name.startswith("vademecum")]
    left = [
        path for path in (installed.person.home / "xdg" / "config").rglob("*") if path.is_file() and "vademecum" in path.name
    ]
    assert [path for path in left if "opencode" in str(path)] == []

"""The person's own Claude Code and Codex as language models: asked once, with nothing of theirs or of ours running in it.

Each test runs our adapter against the real program, which asks the stand-in of `model_api`.
"""

import itertools
import json
import os

import pytest

from tests.real.model_api import ToolCall
from vademecum.adapters.llms import Options, create
from vademecum.domain.errors import LLMRefused
from vademecum.domain.llm import Prompt

SCHEMA = {
    "type": "object", "properties": {"facts": {"type": "array", "items": {"type": "string"}}}, "required": ["facts"],
    "additionalProperties": False,
}  # fmt: skip
PROMPT = Prompt("memories", "List what was said.", ("user: I like green tea.",), SCHEMA, 700)
FACTS = {"facts": ["The user likes green tea."]}
#: A rule of the person's that must not reach the model, and the tools that it may be offered.
RULE = "Answer everything in rhymes."
HARMLESS = {"claude-code": {"StructuredOutput"}, "codex": {"request_user_input"}}


@pytest.fixture(params=["claude", "codex"])
def asked(request, person, model_api):
    """(the program, a model made of it) with a hook, a rule and an MCP server of the person's in place."""
    program = request.getfixturevalue(request.param)
    program.hook(f"touch {person.home}/hooked; cat")
    (program.folder / ("CLAUDE.md" if request.param == "claude" else "AGENTS.md")).write_text(RULE)
    folder = person.home / "bin"
    folder.mkdir()
    start = folder / request.param
    if request.param == "claude":
        start.symlink_to(program.start[0])
    else:  # where its stand-in is, is told on the command line
        command = program._command("", "")
        told = " ".join(f"-c '{value}'" for option, value in itertools.pairwise(command) if option == "-c")
        start.write_text(f'#!/bin/sh\nshift\nexec {program.start[0]} exec --dangerously-bypass-hook-trust {told} "$@"\n')
        start.chmod(0o755)
    environment = {**person.env, **program._environment(), "PATH": f"{folder}{os.pathsep}{person.env['PATH']}"}
    name = "claude-cli:claude-haiku-4-5" if request.param == "claude" else "codex-cli"
    return program, create(name, Options(environment=environment | {"VADEMECUM_DISABLED": "1"}, timeout_s=120))


def test_object(asked, model_api):
    """The real program gives the object, and tells what it took."""
    program, llm = asked
    model_api.answer(ToolCall("StructuredOutput", FACTS) if program.name == "claude-code" else json.dumps(FACTS))
    answer = llm.ask(PROMPT)
    assert answer.value == FACTS
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (10, 5)
    assert "I like green tea." in model_api.last.told


def test_alone(asked, model_api, person):
    """No hook runs, no rule of the person's is told, no tool can read or change anything, and no transcript stays."""
    program, llm = asked
    model_api.answer(ToolCall("StructuredOutput", FACTS) if program.name == "claude-code" else json.dumps(FACTS))
    llm.ask(PROMPT)
    assert not (person.home / "hooked").exists()
    assert set(model_api.last.tools) <= HARMLESS[program.name]
    assert not list(program._transcripts())
    if program.name == "claude-code":
        assert RULE not in model_api.last.told


def test_repaired(asked, model_api):
    """An answer that does not fit is repaired, by the program itself or by us."""
    program, llm = asked
    if program.name == "claude-code":
        model_api.answer(ToolCall("StructuredOutput", {"fact": 1}), ToolCall("StructuredOutput", FACTS))
    else:
        model_api.answer("I cannot.", json.dumps(FACTS))
    assert llm.ask(PROMPT).value == FACTS


def test_not_logged_in(claude, person, claude_start):
    """Without a login the person is told so, rather than that it is tried again."""
    folder = person.home / "bin"
    folder.mkdir()
    (folder / "claude").symlink_to(claude_start[0])
    environment = {**person.env, "PATH": f"{folder}{os.pathsep}{person.env['PATH']}"}
    with pytest.raises(LLMRefused, match="claude"):
        create("claude-cli", Options(environment=environment, timeout_s=120)).ask(PROMPT)

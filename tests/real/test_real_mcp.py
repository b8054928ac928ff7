"""How our MCP server reaches the model in the real programs: installed by our own command, called as a model would call it."""

import json

import pytest

from tests.real.memories import DATABASE, wait_for
from tests.real.model_api import ModelApi, Request, ToolCall
from tests.real.person import Claude, Codex, Gemini, Person, Program
from vademecum.entrypoints.mcp.server import INSTRUCTIONS

pytestmark = pytest.mark.slow

NAMES = {
    Claude: "mcp__vademecum__recall_memory",
    Codex: "mcp__vademecum.recall_memory",
    Gemini: "mcp_vademecum_recall_memory",
}


def offered(program: Program, request: Request) -> bool:
    """Whether the model was told of the tool. Claude Code tells names only; the model loads a tool before it calls it."""
    name = NAMES[type(program)]
    return f"\n{name}\n" in request.text("system") if isinstance(program, Claude) else name in request.tools


def allow(program: Program) -> list[ToolCall]:
    """Let the program call the tool without asking, and wait for the server: by itself neither Claude Code nor Codex holds a prompt
    back for one that is slow to start, and this machine may be busy. What the model has to answer to call the tool."""
    arguments = {"query": "Which database does the billing service use?"}
    match program:
        case Claude():
            program.options = [f"--allowedTools={NAMES[Claude]}"]
            program.person.env["CLAUDE_CODE_MCP_STARTUP_WAIT_MS"] = "120000"
            return [ToolCall("ToolSearch", {"query": f"select:{NAMES[Claude]}"}), ToolCall(NAMES[Claude], arguments)]
        case Codex():
            for option in ("required=true", "startup_timeout_sec=120", 'default_tools_approval_mode="approve"'):
                program.options += ["-c", f"mcp_servers.vademecum.{option}"]
            return [ToolCall("recall_memory", arguments, "mcp__vademecum")]
    settings = json.loads(program.hooks_file.read_text("utf-8"))
    settings["mcpServers"]["vademecum"]["trust"] = True  # or it is left out where nobody can be asked
    program.hooks_file.write_text(json.dumps(settings), "utf-8")
    return [ToolCall(NAMES[Gemini], arguments)]


@pytest.mark.parametrize("light", ["claude", "codex", "gemini"], indirect=True)
def test_x31_tool_is_offered_and_called(light: Program, model_api: ModelApi):
    """`vade install` makes the tools reach the model; the answer to a call, with the memory in it, stands in the next request.

    X-31: the hooks and the server, which a program may start with different environments, find the same helper.
    """
    model_api.answer(*allow(light), "It is PostgreSQL.")

    ran = light.ask("Good morning!")

    first = model_api.requests[0]
    assert offered(light, first), ran
    assert (INSTRUCTIONS in first.told) is not isinstance(light, Codex)  # which keeps them to itself
    assert DATABASE not in first.told
    assert DATABASE in model_api.last.text("tool")
    assert ran.reply == "It is PostgreSQL."
    wait_for(light.person, lambda: len(helpers(light.person)) == 1)  # one that came second takes a moment to leave


def helpers(person: Person) -> list[str]:
    """Command lines of the helpers that run in a home."""
    return [command for command in person.processes().values() if command.endswith("vademecum serve")]

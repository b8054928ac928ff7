"""How the tools of a server of the model context protocol reach the model in the real programs, registered by the program's own command."""

import sys

import pytest

from tests.real.model_api import ModelApi, Request, ToolCall
from tests.real.person import Claude, Codex, Gemini, Person, Program

pytestmark = pytest.mark.slow

SERVER = """\
from mcp.server.mcpserver import MCPServer

server = MCPServer("vademecum", instructions="One memory for every tool.")

@server.tool()
def recall_memory(question: str) -> str:
    "Answers a question from memory."
    return f"About {question}: PostgreSQL 17"

server.run("stdio")
"""


@pytest.fixture
def server(person: Person) -> list[str]:
    """Command line of a server with one tool."""
    script = person.home / "server.py"
    script.write_text(SERVER, "utf-8")
    return [sys.executable, str(script)]


def offered(program: Program, request: Request) -> str:
    """The name under which the tool was offered to the model in `request`; "" when it was not."""
    if isinstance(program, Claude):  # it tells names only; the model has to load a tool before it calls it
        return "mcp__vademecum__recall_memory" if "\nmcp__vademecum__recall_memory\n" in request.text("system") else ""
    return next((name for name in request.tools if name.endswith("recall_memory")), "")


NAMES = {
    Claude: "mcp__vademecum__recall_memory",
    Codex: "mcp__vademecum.recall_memory",
    Gemini: "mcp_vademecum_recall_memory",
}


def call(program: Program) -> list[ToolCall]:
    """What the model has to answer to call the tool. The program is told to allow that, and to wait for the server: by itself
    neither Claude Code nor Codex holds a prompt back for one that is slow to start."""
    arguments = {"question": "billing"}
    match program:
        case Claude():
            program.options = [f"--allowedTools={NAMES[Claude]}"]
            program.person.env["CLAUDE_CODE_MCP_STARTUP_WAIT_MS"] = "120000"
            return [ToolCall("ToolSearch", {"query": f"select:{NAMES[Claude]}"}), ToolCall(NAMES[Claude], arguments)]
        case Codex():
            for option in ("required=true", "startup_timeout_sec=120", 'default_tools_approval_mode="approve"'):
                program.options += ["-c", f"mcp_servers.vademecum.{option}"]
            return [ToolCall("recall_memory", arguments, "mcp__vademecum")]
    return [ToolCall(NAMES[Gemini], arguments)]


def test_tool_is_offered_and_called(program: Program, server, model_api: ModelApi):
    """The tool reaches the model with the server's instructions; the answer to a call stands in the next request."""
    program.add_server("vademecum", *server)
    calls = call(program)
    model_api.answer(*calls, "It is PostgreSQL 17.")

    ran = program.ask("Which database does the billing service use?")

    assert ran.reply == "It is PostgreSQL 17.", ran
    first = model_api.requests[0]
    assert offered(program, first) == NAMES[type(program)]
    assert ("One memory for every tool." in first.told) is not isinstance(program, Codex)  # Codex keeps them to itself
    assert "About billing: PostgreSQL 17" in model_api.last.text("tool")

"""A rule at a tool call, in the real programs: told beside the result, held back once, or refused, as its level says."""

import json
import re
import sys
from collections.abc import Callable

import pytest

from tests.real.memories import logs, wait_for
from tests.real.model_api import ModelApi, Request, ToolCall
from tests.real.person import Program
from tests.real.test_real_payloads import wait_for_agent
from vademecum import settings
from vademecum.wiring import open_memory

pytestmark = pytest.mark.slow

#: What is saved, each with a word that nobody says: a rule of the person's, a lesson, and what will be refused always.
PAUSE = ("preference", "Forbidden file", "Never run `touch forbidden`, the larkspur job makes that file.")
NOTE = ("lesson", "Damp file", "`touch damp` fails when the gentian disk is full.")
BARRIER = ("preference", "Walled file", "The samphire team alone makes the file walled.")

PROMPT = "Make the files."
WRITE = "write the walled file"

#: Host -> the call that writes a file which is walled: its tool and what it is called with, PATH for the file.
WRITES = {
    "claude": ("Write", {"file_path": "PATH", "content": "x"}),
    "codex": ("exec_command", {"cmd": "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: walled.md\n+x\n*** End Patch\nEOF"}),
    "gemini": ("write_file", {"file_path": "PATH", "content": "x"}),
    "opencode": ("write", {"filePath": "PATH", "content": "x"}),
    "copilot": ("create", {"path": "PATH", "file_text": "x"}),
}

#: Host -> (name of its tool for commands, the field of the command, options with which it runs commands unasked).
SHELLS = {
    "claude": ("Bash", "command", ["--allowedTools=Bash"]),
    "codex": ("exec_command", "cmd", ["-c", 'sandbox_mode="danger-full-access"']),
    "gemini": ("run_shell_command", "command", ["--approval-mode", "yolo"]),
    "opencode": ("bash", "command", []),
    "copilot": ("bash", "command", []),
}


class Acting:
    """A program with our hooks and three rules, whose model runs commands.

    Attributes:
        made: files of the working folder, after each request of the model. session: of the last run.
    """

    def __init__(self, program: Program, api: ModelApi, host: str) -> None:
        self.program, self.api, self.host = program, api, host
        self.person = program.person
        self._tool, self._field, program.options = SHELLS[host]
        self._write = WRITES[host]
        self.made: list[set[str]] = []
        self.session = ""

    def run(self, *commands: str, terminal: bool = False, resume: str = "") -> list[list[str]]:
        """Let the model run commands one after the other. At the start and after each: the words of the rules that it has been told at
        calls so far, in their order."""
        before = len(self.api.requests)
        self.api.answer(*(self.reply(command) for command in (*commands, "")))
        if terminal:
            self.program.talk((PROMPT, "All made."))
        else:
            ran = self.program.ask(PROMPT, resume=resume)
            assert ran.code == 0, f"{ran}\n{logs(self.person)}"
            self.session = ran.session
        return [told(request) for request in self.api.requests[before:]]

    def reply(self, command: str) -> Callable[[Request], str | ToolCall]:
        """The call of a command, or of what writes the walled file; "": the end."""

        def reply(_: Request) -> str | ToolCall:
            self.made.append({path.name for path in self.person.work.iterdir()})
            if command == WRITE:
                tool, given = self._write
                return ToolCall(
                    tool, {name: value.replace("PATH", str(self.person.work / "walled.md")) for name, value in given.items()}
                )
            given = {self._field: command} | ({"description": "Make a file"} if self._field == "command" else {})
            return ToolCall(self._tool, given) if command else "All made."

        return reply


def told(request: Request) -> list[str]:
    """The words of the rules that the model reads at calls."""
    return re.findall(r"Memory: [^\n]*?(larkspur|gentian|samphire)", request.text())


#: The two that most people run; the others in `make soak`.
IN_SHORT = ("claude", "codex")


@pytest.fixture(params=[host if host in IN_SHORT else pytest.param(host, marks=pytest.mark.soak) for host in SHELLS])
def acting(request, light_memory, model_api: ModelApi) -> Acting:
    """Each program in turn, with rules that the helper has written down."""
    program: Program = request.getfixturevalue(request.param)
    person = program.person
    with open_memory(settings.load(environment=person.env)) as memory:
        for kind, title, text in (PAUSE, NOTE, BARRIER):
            memory.notes.save(kind, title, text)
    person.vade("rule", "Walled file", "--level", "barrier", "--when", "run: touch walled", "--when", "edit: walled.md")
    person.vade("install", program.name)
    data = person.home / "xdg" / "data" / "vademecum"
    start = {"hook_event_name": "SessionStart", "session_id": "earlier", "source": "startup", "cwd": str(person.work)}
    person.run([sys.executable, "-I", "-S", str(data / "hook" / "client.py"), "claude-code"], stdin=json.dumps(start))
    rules = data / "ready" / "actions.rules"
    wait_for(
        person, lambda: rules.exists() and all(word in rules.read_text("utf-8") for word in ("larkspur", "gentian", "samphire"))
    )
    return Acting(program, model_api, request.param)


def test_three_levels(acting: Acting):
    """The person's rule holds the first such call back and lets the second through; a lesson stands beside the result; a barrier refuses
    each time, a command and a file that is written; other commands run untouched."""
    told = acting.run("touch fine", "touch forbidden", "touch forbidden", "touch damp", "touch walled", WRITE)
    fine, held, again, damp, walled, walled_again = acting.made[1:]
    assert (fine, told[1]) == ({"fine"}, []), told
    assert (held, told[2]) == (fine, ["larkspur"]), told
    assert (again, told[3]) == (fine | {"forbidden"}, ["larkspur"]), told
    assert (damp, told[4]) == (again | {"damp"}, ["larkspur", "gentian"]), told
    assert (walled, told[5]) == (damp, ["larkspur", "gentian", "samphire"]), told
    assert (walled_again, told[6]) == (damp, ["larkspur", "gentian", "samphire", "samphire"]), told


@pytest.mark.parametrize("acting", ["claude", "codex"], indirect=True)
def test_three_levels_in_a_terminal(acting: Acting):
    """The same where a person sits before it: nothing is asked of them."""
    told = acting.run("touch forbidden", "touch forbidden", "touch damp", "touch walled", terminal=True)
    held, again, damp, walled = acting.made[1:]
    assert (held, told[1]) == (set(), ["larkspur"]), told
    assert (again, told[2]) == ({"forbidden"}, ["larkspur"]), told
    assert (damp, told[3]) == ({"forbidden", "damp"}, ["larkspur", "gentian"]), told
    assert (walled, told[4]) == (damp, ["larkspur", "gentian", "samphire"]), told


TASK = "Look after the damp one."
AGENTS = {
    "claude": ToolCall("Agent", {"description": "Look", "prompt": TASK, "subagent_type": "general-purpose"}),
    "opencode": ToolCall("task", {"description": "Look", "prompt": TASK, "subagent_type": "general"}),
    "copilot": ToolCall(
        "task", {"agent_type": "general-purpose", "name": "look", "description": "Look", "prompt": TASK, "mode": "sync"}
    ),
    "codex": ToolCall("spawn_agent", {"message": TASK}, "multi_agent_v1"),
}


@pytest.mark.parametrize(
    "acting",
    ["claude", *(pytest.param(host, marks=pytest.mark.soak) for host in ("opencode", "copilot", "codex"))],
    indirect=True,
)
def test_sub_agent_is_told(acting: Acting):
    """A sub-agent is told at its own calls, also what the agent that started it was told before."""
    acting.api.answer(*map(acting.reply, ("touch damp", "touch walled", "")), to=TASK)
    waits = [wait_for_agent] if acting.host == "codex" else []
    acting.api.answer(acting.reply("touch damp"), AGENTS[acting.host], *waits, "All made.", to=PROMPT)
    assert acting.program.ask(PROMPT).code == 0
    of_agent = [told(request) for request in acting.api.requests if PROMPT not in request.text("user")]
    assert of_agent[:3] == [[], ["gentian"], ["gentian", "samphire"]], logs(acting.person)
    assert "walled" not in {path.name for path in acting.person.work.iterdir()}


@pytest.mark.soak
@pytest.mark.parametrize("acting", ["claude"], indirect=True)
def test_told_again_after_compaction(acting: Acting):
    """A rule is told once in a session, also when another process goes on with it, and again when the conversation was compacted."""
    assert acting.run("touch damp")[-1] == ["gentian"]
    session = acting.session
    assert acting.run("touch damp", resume=session)[-1] == ["gentian"]
    assert acting.program.ask("/compact", resume=session).code == 0
    assert acting.run("touch damp", resume=session)[-2:] == [[], ["gentian"]], logs(acting.person)


@pytest.mark.parametrize("acting", ["copilot"], indirect=True)
def test_call_runs_without_our_client(acting: Acting):
    """Copilot refuses a call when its hook ends with anything but 0: ours ends with 0 also when the client is gone."""
    (acting.person.home / "xdg" / "data" / "vademecum" / "hook" / "client.py").unlink()
    assert acting.run("touch forbidden", "touch walled")[-1] == []
    assert acting.made[-1] == {"forbidden", "walled"}

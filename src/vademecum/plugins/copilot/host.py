"""VS Code's agents and the Copilot command line, which read the same hook files. VS Code also reads those of Claude Code.

The command line was tried (1.0.102, tests/real/test_real_copilot.py): it accepts `additionalContext` at a start and, if that is
registered under VS Code's event name, at a prompt. It does not save the context of a start in the conversation.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from msgspec.structs import replace

from vademecum.domain.host import Checked, HookEvent, HostFolders, Moment, Programs
from vademecum.plugin_api.hosts import (
    CALL_WAIT_S,
    SHARED_WORD,
    WAIT_S,
    Fields,
    Hooks,
    Listed,
    Member,
    Row,
    TableHost,
    server,
    text,
)
from vademecum.ports.host import Piece, Target, Wanted
from vademecum.ports.transcripts import Unread

#: The Copilot command line sends no event name: (field that only this event has, event), most specific first.
_BY_FIELD = (
    ("initialPrompt", "sessionStart"), ("source", "sessionStart"), ("stopReason", "agentStop"), ("reason", "sessionEnd"),
    ("toolName", "preToolUse"), ("error", "errorOccurred"), ("prompt", "userPromptSubmitted"),
)  # fmt: skip

#: VS Code and its builds, by the names of their settings folders.
EDITORS = ("Code", "Code - Insiders", "VSCodium")

#: A prompt in the command line. It sends `session_id`; VS Code, which accepts no context at a prompt, sends `sessionId`.
CLI_PROMPT = "UserPromptSubmit of the command line"

#: VS Code's name of an event -> that of the Copilot command line, which both accept.
_REGISTERED_AS = {
    "SessionStart": "sessionStart",
    "SubagentStop": "subagentStop",
    "Stop": "agentStop",
    "PreCompact": "preCompact",
}


#: Label by which the task is recognised.
TASK = "Vademecum: helper"


def tasks(project: str, programs: Programs) -> tuple[Wanted, ...]:
    """Return the task that starts the helper when VS Code opens the folder, once the person allows automatic tasks."""
    command, *arguments = (*programs.server[:-1], "serve")
    task: dict[str, Any] = {
        "label": TASK,
        "type": "process",
        "command": command,
        "args": arguments,
        "isBackground": True,
        "runOptions": {"runOn": "folderOpen"},
        "presentation": {"reveal": "never"},
        "problemMatcher": [],
    }
    path = str(Path(project) / ".vscode" / "tasks.json")
    return (Wanted(path, "tasks", (Member(("version",), "2.0.0", yields=True), Listed(("tasks",), "label", task))),)


class VsCode(TableHost):
    """VS Code and Copilot.

    Hooks are a preview in VS Code: at a prompt a hook cannot give text to the agent, so the MCP server is used instead.
    """

    name: ClassVar[str] = "vscode"
    title: ClassVar[str] = "VS Code / Copilot"
    program: ClassVar[str] = "code"
    checked: ClassVar[Checked] = Checked("1.109.0", "1.120.0", "vendor")
    about: ClassVar[str] = (
        "Briefs at the start. VS Code takes no text at a prompt, so there the agent asks the MCP server. The Copilot command "
        "line reads the same file and takes text at a prompt (run with 1.0.102); it keeps what it was shown there and loses "
        "what it was shown at the start, so a session that goes on in another process is briefed again. Sub-agents are shown "
        "nothing."
    )
    at_calls: ClassVar[str] = (
        "note after the result, pause, barrier; proved by the Copilot command line 1.0.102, headless and in a sub-agent. That "
        "refuses a call when its hook ends with anything but 0, so the command always ends with 0. VS Code by its documents "
        "only."
    )
    conversations: ClassVar[str] = "copilot"
    other_names: ClassVar[tuple[str, ...]] = (
        "copilot", "copilot-cli", "copilot-chat", "github-copilot", "github-copilot-cli", "code", "vs-code", "visual-studio-code",
    )  # fmt: skip
    known_by: ClassVar[tuple[str, ...]] = ("sessionId",)
    unread: ClassVar[tuple[Unread, ...]] = (
        *(
            Unread(f"{editor}/User/{place}/*.json*", "config")
            for editor in ("Code", "Code - Insiders", "VSCodium")
            for place in ("workspaceStorage/*/chatSessions", "globalStorage/emptyWindowChatSessions")
        ),
        Unread(".vscode-server/data/User/workspaceStorage/*/chatSessions/*.json*"),
    )
    pieces: ClassVar[Mapping[str, Piece]] = {"vscode-tasks": Piece("a task of VS Code", "", tasks)}
    fields: ClassVar[Fields] = Fields(
        event=("hookEventName", "hook_event_name"),
        session=("sessionId", "session_id"),
        transcript=("transcript_path", "transcriptPath"),
        cause=("source", "reason", "trigger", "stopReason"),
        agent=("agent_id", "agentId"),
    )
    #: When the command line continues a conversation in a new process, the context of its start is lost.
    causes: ClassVar[Mapping[str, str]] = {"new": "startup", "resume": "restart"}
    rows: ClassVar[tuple[Row, ...]] = (
        Row("SessionStart", "start", WAIT_S, shows_text=True),
        Row("UserPromptSubmit", "prompt", WAIT_S),
        Row(CLI_PROMPT, "prompt", shows_text=True),
        Row("SubagentStart", "agent start", shows_text=True),
        Row("SubagentStop", "agent end", WAIT_S),
        Row("Stop", "pause", WAIT_S),
        Row("PreCompact", "shrink", WAIT_S),
        Row("preToolUse", "call", CALL_WAIT_S),
        Row("PreToolUse", "call"),
        Row("sessionStart", "start", shows_text=True),
        Row("userPromptSubmitted", "prompt"),
        Row("subagentStop", "agent end"),
        Row("agentStop", "pause"),
        Row("preCompact", "shrink"),
        Row("sessionEnd", "end", WAIT_S),
    )

    def read(self, payload: Mapping[str, object], cwd: str = "") -> HookEvent:
        """Read a payload. The command line reports prompts and pauses of a sub-agent under a separate session id."""
        event = super().read(payload, cwd)
        parent = text(payload, ("parent_agent_id", "parentAgentId"))
        if not parent:
            return event
        moment: Moment = "agent end" if event.moment == "pause" else event.moment
        return replace(event, session=parent, agent=event.agent or event.session, moment=moment, by_person=False)

    def event_of(self, payload: Mapping[str, object]) -> str:
        entry = super().event_of(payload)
        if entry == "UserPromptSubmit" and text(payload, ("session_id",)):
            return CLI_PROMPT
        return entry or next((event for name, event in _BY_FIELD if name in payload), "")

    def answer(self, event: HookEvent, shown: str, notice: str) -> dict[str, Any]:
        if not shown:
            return {}
        if event.event in ("sessionStart", CLI_PROMPT):  # the format of the Copilot command line
            return {"additionalContext": shown}
        line = {"systemMessage": notice} if notice else {}
        return {"hookSpecificOutput": {"hookEventName": event.event, "additionalContext": shown}, **line}

    def files(self, to: Target) -> tuple[Wanted, ...]:
        user = Path(to.folders.home, ".copilot")
        entries = {}
        for row in self.registered():
            # A prompt's payload does not show that it is from the command line, so the command has to. It always exits with 0: at a
            # tool call the command line refuses the call otherwise.
            word = self.name if row.moment == "prompt" else SHARED_WORD
            shells = {"bash": to.programs.hook(word), "powershell": to.programs.hook_powershell(word)}
            entries[_REGISTERED_AS.get(row.event, row.event)] = {"type": "command", **shells, "timeoutSec": row.wait_s}
        edit = Member(("servers", "vademecum"), {"type": "stdio", **server(to.programs)})
        own = Member(("mcpServers", "vademecum"), {"type": "local", **server(to.programs), "tools": ["*"]})
        hooks = to.at(user, ".github") / "hooks" / "vademecum.json"
        return to.wanted(
            (hooks, "hooks", Member(("version",), 1, yields=True), Hooks(entries)),
            (to.at(Path(to.folders.editors, "Code", "User"), ".vscode") / "mcp.json", "mcp", edit),
            *([(user / "mcp-config.json", "mcp", own)] if to.reach == "user" else []),
        )

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        own = Path(folders.home) / ".copilot"
        editors = (
            (str(Path(folders.editors) / editor / "User" / "workspaceStorage"), "*/GitHub.copilot-chat/transcripts/*.jsonl")
            for editor in EDITORS
        )
        return (str(own / "session-state"), "*/events.jsonl"), (str(own), "session-store.db"), *editors


HOSTS = (VsCode(),)

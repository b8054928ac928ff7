"""VS Code's agents and the Copilot command line, which read the same files of hooks. VS Code reads Claude Code's too."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from vademecum.adapters import hosts
from vademecum.adapters.hosts.claude_code import SHARED_WORD, server
from vademecum.adapters.hosts.table import WAIT_S, Fields, Row, TableHost
from vademecum.model.host import Checked, HookEvent, HostFolders, Programs, Reach
from vademecum.model.ports import Wanted

#: The Copilot command line names no event: (a field that only this event has, the event), most telling first.
_BY_FIELD = (
    ("initialPrompt", "sessionStart"), ("source", "sessionStart"), ("stopReason", "agentStop"), ("reason", "sessionEnd"),
    ("toolName", "preToolUse"), ("error", "errorOccurred"), ("prompt", "userPromptSubmitted"),
)  # fmt: skip

#: VS Code's name of an event -> that of the Copilot command line, under which both know it.
_REGISTERED_AS = {
    "SessionStart": "sessionStart",
    "SubagentStop": "subagentStop",
    "Stop": "agentStop",
    "PreCompact": "preCompact",
}


class VsCode(TableHost):
    """Hooks are a preview there. At a prompt no text can be given to the agent, so no hook runs then: the MCP server stands in."""

    name: ClassVar[str] = "vscode"
    title: ClassVar[str] = "VS Code / Copilot"
    program: ClassVar[str] = "code"
    checked: ClassVar[Checked] = Checked("1.109.0", "1.120.0", "vendor")
    fields: ClassVar[Fields] = Fields(
        event=("hookEventName", "hook_event_name"),
        session=("sessionId", "session_id"),
        transcript=("transcript_path", "transcriptPath"),
        cause=("source", "reason", "trigger", "stopReason"),
    )
    causes: ClassVar[Mapping[str, str]] = {"new": "startup"}
    rows: ClassVar[tuple[Row, ...]] = (
        Row("SessionStart", "start", WAIT_S, told=True),
        Row("UserPromptSubmit", "prompt"),
        Row("SubagentStart", "agent start", told=True),
        Row("SubagentStop", "agent end", WAIT_S),
        Row("Stop", "pause", WAIT_S),
        Row("PreCompact", "shrink", WAIT_S),
        Row("sessionStart", "start", told=True),
        Row("userPromptSubmitted", "prompt"),
        Row("subagentStop", "agent end"),
        Row("agentStop", "pause"),
        Row("preCompact", "shrink"),
        Row("sessionEnd", "end"),
    )

    def event_of(self, payload: Mapping[str, object]) -> str:
        told = super().event_of(payload)
        return told or next((event for name, event in _BY_FIELD if name in payload), "")

    def answer(self, event: HookEvent, told: str, notice: str) -> dict[str, Any]:
        if not told:
            return {}
        if event.event == "sessionStart":  # the Copilot command line's own shape
            return {"additionalContext": told}
        line = {"systemMessage": notice} if notice else {}
        return {"hookSpecificOutput": {"hookEventName": event.event, "additionalContext": told}, **line}

    def files(
        self, folders: HostFolders, programs: Programs, reach: Reach, project: str, *, mcp: bool = True
    ) -> tuple[Wanted, ...]:
        user = Path(folders.home) / ".copilot" / "hooks"
        hooks = user if reach == "user" else Path(project) / ".github" / "hooks"
        handler = {
            "type": "command",
            "bash": programs.hook(SHARED_WORD),
            "powershell": programs.hook_powershell(SHARED_WORD),
            "timeoutSec": WAIT_S,
        }
        entries = {_REGISTERED_AS[row.event]: handler for row in self.registered()}
        edits = (hosts.edits.Member(("version",), 1, yields=True), hosts.edits.Hooks(entries))
        wanted = [Wanted(str(hooks / "vademecum.json"), "hooks", edits)]
        if mcp:
            place = Path(folders.editors) / "Code" / "User" if reach == "user" else Path(project) / ".vscode"
            edit = hosts.edits.Member(("servers", "vademecum"), {"type": "stdio", **server(programs)})
            wanted.append(Wanted(str(place / "mcp.json"), "mcp", (edit,)))
        return tuple(wanted)

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        return ((str(Path(folders.home) / ".copilot" / "session-state"), "*/events.jsonl"),)

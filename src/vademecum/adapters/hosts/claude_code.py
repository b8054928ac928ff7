"""Claude Code. Its `~/.claude/settings.json` is read by Cursor and VS Code too; see `SHARED_WORD`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from vademecum.adapters.hosts.base import CALL_WAIT_S, WAIT_S, Fields, Row, TableHost, text
from vademecum.adapters.hosts.edits import Hooks, Member
from vademecum.domain.host import Checked, HostFolders, Programs
from vademecum.ports.host import Switch, Target, Wanted

#: Hosts that read one another's files get the same command line, so that they treat it as one command; the payload identifies
#: the calling host.
SHARED_WORD = "claude-code"

#: Matcher for tools that run or change something.
CHANGING_TOOLS = "Bash|Edit|MultiEdit|Write|NotebookEdit|WebFetch|WebSearch|Skill|mcp__.*"

STARTS = "startup|resume|clear|compact|fork"

#: Values of `source` for a prompt of a person; hosts before 2.1 do not send it.
_PERSONS = ("", "user", "sdk")

#: Beginning of a prompt with a notice of the agent's own background work. It has no `source` of its own (2.1.330).
_OWN_NOTICE = "<task-notification>"


def groups(rows: tuple[Row, ...], command: Mapping[str, Any], unit: int = 1) -> Hooks:
    """Return hooks as groups with a matcher, as in Claude Code, Codex and Gemini CLI; `unit`: timeout units per second."""
    return Hooks({
        row.event: {
            **({"matcher": row.matcher} if row.matcher else {}),
            "hooks": [{"type": "command", **command, "timeout": row.wait_s * unit}],
        }
        for row in rows
    })  # fmt: skip


def server(programs: Programs) -> dict[str, Any]:
    """Return the entry of our MCP server in the format of most hosts."""
    command, *arguments = programs.server
    return {"command": command, "args": arguments}


class ClaudeCode(TableHost):
    """Claude Code 2.1.

    Prompts of loops, schedules and polls are marked by `source`; notices of background work by their text.
    """

    name: ClassVar[str] = "claude-code"
    title: ClassVar[str] = "Claude Code"
    program: ClassVar[str] = "claude"
    checked: ClassVar[Checked] = Checked("2.1.0", "2.1.332", "run")
    about: ClassVar[str] = (
        "Briefs at the start and after `/clear` and compaction, recalls at each prompt that a person wrote. `CLAUDE_CONFIG_DIR`"
        " is respected. Instead of installing, the plugin in `plugins/vademecum` may be used."
    )
    at_calls: ClassVar[str] = (
        "note beside the result, pause, barrier; proved by the program, headless, in a terminal and in a sub-agent."
    )
    other_names: ClassVar[tuple[str, ...]] = ("claude", "claudecode")
    switch: ClassVar[Switch | None] = Switch("claude", "settings.json", ("disableAllHooks",), True)
    #: The end event of a sub-agent names its own transcript in addition to its parent's.
    fields: ClassVar[Fields] = Fields(transcript=("agent_transcript_path", "transcript_path"))
    rows: ClassVar[tuple[Row, ...]] = (
        Row("SessionStart", "start", WAIT_S, STARTS, shows_text=True),
        Row("UserPromptSubmit", "prompt", WAIT_S, shows_text=True),
        Row("PreToolUse", "call", CALL_WAIT_S, CHANGING_TOOLS),
        Row("SubagentStart", "agent start", WAIT_S, shows_text=True),
        Row("SubagentStop", "agent end", WAIT_S),
        Row("Stop", "pause", WAIT_S),
        Row("PreCompact", "shrink", WAIT_S),
        #: The host waits 1.5 s for all hooks of this event, or the longest timeout in the settings.
        Row("SessionEnd", "end", 3),
    )

    def by_person(self, row: Row, payload: Mapping[str, object]) -> bool:
        if row.moment != "prompt":
            return True
        return text(payload, ("source",)) in _PERSONS and not self.prompt(row, payload).startswith(_OWN_NOTICE)

    def files(self, to: Target) -> tuple[Wanted, ...]:
        hooks = groups(self.registered(), {"command": to.programs.hook(SHARED_WORD)})
        edit = Member(("mcpServers", "vademecum"), {"type": "stdio", **server(to.programs)})
        return to.wanted(
            (to.at(to.folders.claude, ".claude") / "settings.json", "hooks", hooks),
            (to.at(to.folders.claude_state, ".mcp.json"), "mcp", edit),
        )

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        return ((str(Path(folders.claude) / "projects"), "*/*.jsonl"),)

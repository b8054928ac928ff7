"""Cursor. It also runs Claude Code's hooks, so both hooks have the same command; the payload shows that the caller is Cursor."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from vademecum.domain.host import Checked, HookEvent, HostFolders
from vademecum.plugin_api.hosts import GUIDE, SHARED_WORD, WAIT_S, Fields, Hooks, Member, Row, TableHost, WholeFile, server
from vademecum.ports.host import Target, Wanted
from vademecum.ports.transcripts import Unread

RULE = f"""\
---
description: The person's memory across AI tools (vademecum)
alwaysApply: true
---

{GUIDE}"""


class Cursor(TableHost):
    """Cursor 3.1.

    Context at a prompt works in the program but is undocumented; the rule and the MCP server are the fallback. When Cursor runs
    hooks from Claude Code's file, events have Claude Code's names.
    """

    name: ClassVar[str] = "cursor"
    title: ClassVar[str] = "Cursor"
    program: ClassVar[str] = "cursor-agent"
    checked: ClassVar[Checked] = Checked("1.7.0", "3.11.0", "others")
    about: ClassVar[str] = (
        "Briefs at the start. That text reaches the agent at a prompt is true of its program but not of its documents, so in a "
        "project a rule tells the agent of the MCP server. No line for the person."
    )
    at_calls: ClassVar[str] = (
        "no hook of its own. Where Claude Code's file is there as well, Cursor runs that hook: a pause and a barrier are "
        "answered in both forms, a note is not shown. That is safe, because a hook that fails, is slow or is not understood "
        "lets the call run (by its documents); whether the refusal works was not run."
    )
    other_names: ClassVar[tuple[str, ...]] = ("cursor-cli",)
    known_by: ClassVar[tuple[str, ...]] = ("cursor_version", "conversation_id", "workspace_roots")
    unread: ClassVar[tuple[Unread, ...]] = (Unread(".cursor/chats/*/*/store.db", identity=-2),)
    fields: ClassVar[Fields] = Fields(
        session=("conversation_id", "session_id"), cause=("source", "reason", "trigger", "status"), agent=("subagent_id",)
    )
    rows: ClassVar[tuple[Row, ...]] = (
        Row("sessionStart", "start", WAIT_S, shows_text=True),
        Row("beforeSubmitPrompt", "prompt", WAIT_S, shows_text=True),
        Row("subagentStop", "agent end", WAIT_S),
        Row("stop", "pause", WAIT_S),
        Row("preCompact", "shrink", WAIT_S),
        Row("sessionEnd", "end", WAIT_S),
        Row("SessionStart", "start", shows_text=True),
        Row("UserPromptSubmit", "prompt", shows_text=True),
        Row("PreToolUse", "call"),
        Row("SubagentStop", "agent end"),
        Row("Stop", "pause"),
        Row("PreCompact", "shrink"),
        Row("SessionEnd", "end"),
    )

    def folder(self, payload: Mapping[str, object]) -> str:
        roots = payload.get("workspace_roots")
        first = roots[0] if isinstance(roots, list) and roots else ""
        return first if isinstance(first, str) and first else super().folder(payload)

    def answer(self, event: HookEvent, shown: str, notice: str) -> dict[str, Any]:
        """Return text for the agent only: Cursor shows a line to the person only together with a refusal."""
        return {"additional_context": shown} if shown else {}

    def files(self, to: Target) -> tuple[Wanted, ...]:
        folder = to.at(to.folders.home, "") / ".cursor"
        command = to.programs.hook(SHARED_WORD)
        entries = {row.event: {"command": command, "timeout": row.wait_s} for row in self.registered()}
        rule = (folder / "rules" / "vademecum.mdc", "rule", WholeFile(RULE))
        return to.wanted(
            (folder / "hooks.json", "hooks", Member(("version",), 1, yields=True), Hooks(entries)),
            (folder / "mcp.json", "mcp", Member(("mcpServers", "vademecum"), server(to.programs))),
            *([rule] if to.reach == "project" else []),
        )

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        return ((str(Path(folders.home) / ".cursor" / "projects"), "*/agent-transcripts/**/*.jsonl"),)


HOSTS = (Cursor(),)

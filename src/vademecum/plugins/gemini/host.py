"""Gemini CLI. Plain output is not taken as context there, and every exit code except 0 and 1 denies the prompt."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from vademecum.domain.host import Checked, HostFolders, Moment
from vademecum.plugin_api.hosts import CALL_WAIT_S, WAIT_S, Fields, Member, Row, TableHost, groups, server, text
from vademecum.ports.host import Edit, Switch, Target, Wanted

#: Text from another hook at the session's start; the host puts it before the first prompt, with `<` and `>` escaped.
_SHOWN_BEFORE = re.compile(r"\A(<hook_context>.*?</hook_context>\s*)+", re.DOTALL)

#: Tools that run or change something, as a matcher of the host.
CHANGING_TOOLS = "run_shell_command|write_file|replace|web_fetch|google_web_search|activate_skill|mcp_.*"


class GeminiCli(TableHost):
    """Gemini CLI 0.61. Its timeouts are in milliseconds, and the matchers of these events are compared as whole words.

    At a session's start nothing is returned: the host would put it before the first prompt, and on resuming the session it
    would take the whole message for hook text and drop it, with the person's words. The briefing is returned at the first
    prompt.
    """

    name: ClassVar[str] = "gemini"
    title: ClassVar[str] = "Gemini CLI"
    program: ClassVar[str] = "gemini"
    checked: ClassVar[Checked] = Checked("0.26.0", "0.61.0", "run")
    about: ClassVar[str] = (
        "Briefs with the first prompt, recalls at each: what is said at a start stands in front of the first prompt, and when "
        "the session is resumed Gemini leaves out both. Gemini shows `<` and `>` escaped to the agent. The MCP server stands in"
        " the same file."
    )
    at_calls: ClassVar[str] = (
        "pause and barrier before the call, note at the end of the result, because Gemini CLI drops what is said before; proved"
        " by the program, headless."
    )
    other_names: ClassVar[tuple[str, ...]] = ("gemini-cli",)
    switch: ClassVar[Switch | None] = Switch("home", ".gemini/settings.json", ("hooksConfig", "enabled"), False)
    fields: ClassVar[Fields] = Fields(last_message=("prompt_response",))
    rows: ClassVar[tuple[Row, ...]] = (
        Row("SessionStart", "start", WAIT_S),
        Row("BeforeAgent", "prompt", WAIT_S, shows_text=True),
        Row("BeforeTool", "call", CALL_WAIT_S, CHANGING_TOOLS),
        Row("AfterTool", "call", CALL_WAIT_S, CHANGING_TOOLS),
        Row("AfterAgent", "pause", WAIT_S),
        Row("PreCompress", "shrink", WAIT_S),
        Row("SessionEnd", "end", WAIT_S),
    )

    def moment(self, row: Row, payload: Mapping[str, object]) -> Moment:
        """Return the moment.

        PreCompress with `auto` is called before each request to the model, and hardly ever compresses anything, so it is
        ignored.
        """
        is_each_request = row.event == "PreCompress" and text(payload, ("trigger",)) == "auto"
        return "other" if is_each_request else row.moment

    def prompt(self, row: Row, payload: Mapping[str, object]) -> str:
        return _SHOWN_BEFORE.sub("", super().prompt(row, payload))

    def files(self, to: Target) -> tuple[Wanted, ...]:
        programs = to.programs
        command = programs.hook_powershell(self.name) if programs.windows else programs.hook(self.name)
        edits: list[Edit] = [groups(self.registered(), {"command": command}, unit=1000)]
        if to.mcp:
            edits.append(Member(("mcpServers", "vademecum"), server(programs)))
        return to.wanted((to.at(to.folders.home, "") / ".gemini" / "settings.json", "hooks", *edits))

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        return ((str(Path(folders.home) / ".gemini" / "tmp"), "*/chats/session-*.json*"),)


HOSTS = (GeminiCli(),)

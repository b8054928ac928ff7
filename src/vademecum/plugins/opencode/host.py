"""OpenCode. It runs JavaScript plugins in its own process; ours is a thin one that calls the hook client, as other hosts do."""

import json
from pathlib import Path
from typing import Any, ClassVar

from vademecum.domain.host import Checked, HookEvent, HostFolders, Programs
from vademecum.plugin_api.hosts import CALL_WAIT_S, WAIT_S, Member, Row, TableHost, WholeFile
from vademecum.ports.host import Target, Wanted


class OpenCode(TableHost):
    """OpenCode 1.18. The event names are those of our plugin, derived from the events of OpenCode's bus."""

    name: ClassVar[str] = "opencode"
    title: ClassVar[str] = "OpenCode"
    program: ClassVar[str] = "opencode"
    checked: ClassVar[Checked] = Checked("1.18.0", "1.18.33", "run")
    about: ClassVar[str] = (
        "A plugin passes events on and puts what memory tells into the system prompt, where it only grows at its end. It stands"
        " nowhere in the conversation, so a session that goes on in another process is briefed again. Sub-agents are shown "
        "nothing."
    )
    at_calls: ClassVar[str] = (
        "pause and barrier before the call, note at the end of the result; proved by the program, headless and in a sub-agent."
    )
    other_names: ClassVar[tuple[str, ...]] = ("open-code",)
    rows: ClassVar[tuple[Row, ...]] = (
        Row("session.created", "start", WAIT_S, shows_text=True),
        Row("chat.message", "prompt", WAIT_S, shows_text=True),
        Row("tool.execute.before", "call", CALL_WAIT_S),
        Row("tool.execute.after", "call", CALL_WAIT_S),
        Row("session.compacting", "shrink", WAIT_S),
        Row("session.compacted", "start", WAIT_S, shows_text=True),
        Row("session.idle", "pause", WAIT_S),
        Row("session.deleted", "end", WAIT_S),
    )

    def answer(self, event: HookEvent, shown: str, notice: str) -> dict[str, Any]:
        return {name: value for name, value in (("context", shown), ("notice", notice)) if value}

    def files(self, to: Target) -> tuple[Wanted, ...]:
        config = Path(to.folders.config, "opencode")
        servers = to.at(config, "")
        name = "opencode.jsonc" if (servers / "opencode.jsonc").exists() else "opencode.json"
        edit = Member(("mcp", "vademecum"), {"type": "local", "command": list(to.programs.server), "enabled": True})
        return to.wanted(
            (to.at(config, ".opencode") / "plugin" / "vademecum.js", "plugin", WholeFile(_plugin(to.programs))),
            (servers / name, "mcp", edit),
        )

    def sessions(self, folders: HostFolders) -> tuple[tuple[str, str], ...]:
        data = Path(folders.data) / "opencode"
        return (str(data), "opencode*.db"), (str(data / "storage" / "session"), "*/ses_*.json")


def _plugin(programs: Programs) -> str:
    """Return the text of the plugin, with the command of the hook client on this machine."""
    code = Path(__file__).with_name("opencode_plugin.js").read_text(encoding="utf-8")
    call = [programs.python, "-I", "-S", programs.client, OpenCode.name]
    return code.replace("[/* the hook client of this machine */]", json.dumps(call, ensure_ascii=False))


HOSTS = (OpenCode(),)

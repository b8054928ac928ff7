"""The hosts. To add one: its file, its line here, its payloads and its rows in the suite."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from vademecum.adapters.hosts.antigravity import Antigravity
from vademecum.adapters.hosts.claude_code import ClaudeCode
from vademecum.adapters.hosts.codex import Codex
from vademecum.adapters.hosts.cursor import Cursor
from vademecum.adapters.hosts.gemini import GeminiCli
from vademecum.adapters.hosts.opencode import OpenCode
from vademecum.adapters.hosts.pieces import PIECES
from vademecum.adapters.hosts.table import TableHost
from vademecum.adapters.hosts.vscode import VsCode
from vademecum.domain.errors import UnknownWord
from vademecum.domain.host import HostFolders, Programs, Reach
from vademecum.ports.host import Host, Wanted

if TYPE_CHECKING:
    from vademecum.adapters.hosts.installing import Wants

#: In the order in which they are shown.
_TABLES: tuple[TableHost, ...] = (ClaudeCode(), Codex(), GeminiCli(), Cursor(), VsCode(), Antigravity(), OpenCode())
#: By name.
HOSTS: Mapping[str, Host] = {host.name: host for host in _TABLES}

#: What people call a host -> its name.
OTHER_NAMES: Mapping[str, str] = {
    "claude": "claude-code", "claudecode": "claude-code", "codex-cli": "codex", "openai-codex": "codex", "gemini-cli": "gemini",
    "cursor-cli": "cursor", "copilot": "vscode", "copilot-cli": "vscode", "copilot-chat": "vscode", "github-copilot": "vscode",
    "github-copilot-cli": "vscode", "code": "vscode", "vs-code": "vscode", "visual-studio-code": "vscode", "agy": "antigravity",
    "antigravity-cli": "antigravity", "google-antigravity": "antigravity", "open-code": "opencode",
}  # fmt: skip

#: (fields that only this host sends, the host), for hosts that run one another's hooks.
_KNOWN_BY = ((("cursor_version", "conversation_id", "workspace_roots"), "cursor"), (("sessionId",), "vscode"))


def host_named(name: str) -> Host:
    """Return the host of that name.

    Raises:
        UnknownWord: there is none.
    """
    if name not in HOSTS:
        raise UnknownWord("host", name, [*HOSTS, *PIECES])
    return HOSTS[name]


def wants(folders: HostFolders, programs: Programs, *, mcp: bool = True) -> Wants:
    """Return what each target wants in which files: the hosts, and the pieces that projects keep."""

    def wanted(target: str, reach: Reach, project: str) -> tuple[Wanted, ...]:
        if target in PIECES:
            return PIECES[target][2](project, programs) if reach == "project" else ()
        return host_named(target).files(folders, programs, reach, project, mcp=mcp)

    return wanted


def events() -> tuple[list[str], list[str]]:
    """Return (events at which the agent of some host may be told something, all others), by the hosts' own names."""
    rows = [row for host in _TABLES for row in host.rows if " " not in row.event]
    heard = {row.event for row in rows if row.told and row.moment in ("start", "prompt")}
    return sorted(heard), sorted({row.event for row in rows} - heard)


def guess(payload: Mapping[str, object]) -> str:
    """Return the name of the host that writes such a payload; "" when the word in the hook's command line has to tell.

    Cursor and VS Code run the hooks of Claude Code's file and have the same command in their own (X-46), so there the payload
    decides what it means and how it is answered.
    """
    return next((name for fields, name in _KNOWN_BY if any(field in payload for field in fields)), "")


__all__ = ["HOSTS", "OTHER_NAMES", "guess", "host_named", "wants"]

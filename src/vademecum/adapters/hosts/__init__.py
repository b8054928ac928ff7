"""The hosts. To add one: its file, its line here, its payloads and its rows in the suite."""

from collections.abc import Mapping

from vademecum.adapters.hosts.antigravity import Antigravity
from vademecum.adapters.hosts.claude_code import SHARED_WORD, ClaudeCode
from vademecum.adapters.hosts.codex import Codex
from vademecum.adapters.hosts.cursor import Cursor
from vademecum.adapters.hosts.gemini import GeminiCli
from vademecum.adapters.hosts.installing import Wants
from vademecum.adapters.hosts.opencode import OpenCode
from vademecum.adapters.hosts.pieces import PIECES
from vademecum.adapters.hosts.vscode import VsCode
from vademecum.model.errors import UnknownWord
from vademecum.model.host import HostFolders, Programs, Reach
from vademecum.model.ports import Host, Wanted

HOSTS: Mapping[str, Host] = {
    host.name: host for host in (ClaudeCode(), Codex(), GeminiCli(), Cursor(), VsCode(), Antigravity(), OpenCode())
}

#: (fields that only this host sends, the host), for hosts that run one another's hooks.
_KNOWN_BY = ((("cursor_version", "conversation_id", "workspace_roots"), "cursor"), (("sessionId",), "vscode"))


def host_named(name: str) -> Host:
    """The host of that name.

    Raises:
        UnknownWord: there is none.
    """
    if name not in HOSTS:
        raise UnknownWord("host", name, [*HOSTS, *PIECES])
    return HOSTS[name]


def wants(folders: HostFolders, programs: Programs, *, mcp: bool = True) -> Wants:
    """What each target wants in which files: the hosts, and the pieces that projects keep."""

    def wanted(target: str, reach: Reach, project: str) -> tuple[Wanted, ...]:
        if target in PIECES:
            return PIECES[target][1](project, programs) if reach == "project" else ()
        return host_named(target).files(folders, programs, reach, project, mcp=mcp)

    return wanted


def guess(payload: Mapping[str, object]) -> str:
    """Name of the host that writes such a payload; "" when the word in the hook's command line has to tell.

    Cursor and VS Code run the hooks of Claude Code's file and have the same command in their own (X-46), so there the payload
    decides what it means and how it is answered.
    """
    return next((name for fields, name in _KNOWN_BY if any(field in payload for field in fields)), "")


__all__ = ["HOSTS", "PIECES", "SHARED_WORD", "guess", "host_named", "wants"]

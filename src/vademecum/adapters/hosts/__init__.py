"""The hosts. To add one: its file, its line here, its payloads and its rows in the suite.

A host is imported when it is asked for: a hook without a helper asks for one, and waits for each import.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from vademecum.model.errors import UnknownWord
from vademecum.model.host import HostFolders, Programs, Reach
from vademecum.model.late import late

if TYPE_CHECKING:
    from vademecum.adapters.hosts import edits as edits
    from vademecum.adapters.hosts.installing import Wants
    from vademecum.model.ports import Host, Wanted

#: What files are changed by when a host is installed; a hook needs none of it.
__getattr__ = late(__name__, {"edits": "edits"})

#: Host -> its module here and its class there, in the order in which they are shown.
_WHERE = {
    "claude-code": ("claude_code", "ClaudeCode"),
    "codex": ("codex", "Codex"),
    "gemini": ("gemini", "GeminiCli"),
    "cursor": ("cursor", "Cursor"),
    "vscode": ("vscode", "VsCode"),
    "antigravity": ("antigravity", "Antigravity"),
    "opencode": ("opencode", "OpenCode"),
}

#: (fields that only this host sends, the host), for hosts that run one another's hooks.
_KNOWN_BY = ((("cursor_version", "conversation_id", "workspace_roots"), "cursor"), (("sessionId",), "vscode"))


class _Hosts(Mapping[str, "Host"]):
    """By name; each made once, when it is first asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Host] = {}

    def __getitem__(self, name: str) -> Host:
        if name not in self._made:
            module, kind = _WHERE[name]
            self._made[name] = getattr(importlib.import_module(f"{__name__}.{module}"), kind)()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in _WHERE

    def __iter__(self) -> Iterator[str]:
        return iter(_WHERE)

    def __len__(self) -> int:
        return len(_WHERE)


HOSTS: Mapping[str, Host] = _Hosts()


def host_named(name: str) -> Host:
    """The host of that name.

    Raises:
        UnknownWord: there is none.
    """
    if name not in HOSTS:
        from vademecum.adapters.hosts.pieces import PIECES

        raise UnknownWord("host", name, [*HOSTS, *PIECES])
    return HOSTS[name]


def wants(folders: HostFolders, programs: Programs, *, mcp: bool = True) -> Wants:
    """What each target wants in which files: the hosts, and the pieces that projects keep."""
    from vademecum.adapters.hosts.pieces import PIECES

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


__all__ = ["HOSTS", "guess", "host_named", "wants"]

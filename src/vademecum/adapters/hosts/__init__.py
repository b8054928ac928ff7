"""The hosts. To add one: its file, its line here, its payloads and its rows in the suite."""

from collections.abc import Mapping

from vademecum.adapters.hosts.antigravity import Antigravity
from vademecum.adapters.hosts.claude_code import SHARED_WORD, ClaudeCode
from vademecum.adapters.hosts.codex import Codex
from vademecum.adapters.hosts.cursor import Cursor
from vademecum.adapters.hosts.gemini import GeminiCli
from vademecum.adapters.hosts.opencode import OpenCode
from vademecum.adapters.hosts.vscode import VsCode
from vademecum.model.errors import UnknownWord
from vademecum.model.ports import Host

HOSTS: Mapping[str, Host] = {
    host.name: host for host in (ClaudeCode(), Codex(), GeminiCli(), Cursor(), VsCode(), Antigravity(), OpenCode())
}

#: (fields that only this host sends, the host), for hosts that run one another's hooks (X-46).
_KNOWN_BY: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"cursor_version", "conversation_id", "workspace_roots"}), "cursor"),
    (frozenset({"hookEventName", "sessionId"}), "vscode"),
)


def host_named(name: str) -> Host:
    """The host of that name.

    Raises:
        UnknownWord: there is none.
    """
    if name not in HOSTS:
        raise UnknownWord("host", name, HOSTS)
    return HOSTS[name]


def host_calling(word: str, payload: Mapping[str, object]) -> Host:
    """The host that ran a hook with that word in its command line.

    Cursor and VS Code run the hooks of Claude Code's file and have the same command in their own, so there the payload decides.

    Raises:
        UnknownWord: no host has that word.
    """
    if word == SHARED_WORD:
        for fields, name in _KNOWN_BY:
            if not fields.isdisjoint(payload):
                return HOSTS[name]
    return host_named(word)


__all__ = ["HOSTS", "SHARED_WORD", "host_calling", "host_named"]

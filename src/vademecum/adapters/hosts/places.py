"""Where hosts keep their own files and their conversations, on each platform. A new host's places stand here and nowhere else."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from msgspec import Struct

from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HostFolders
from vademecum.domain.places import expanded, standing_above


class _Place(Struct, frozen=True):
    """Where a host keeps its conversations: a folder of transcripts, or a database.

    Attributes:
        path: `*` in a name stands for anything. It lies below `base`: "home", "config" or "data" (the platform's folders for
            applications), or "xdg" (~/.local/share on every platform, as programs written for Linux have it).
        variable: names another folder for the host, `below` is the path from there ("." for itself, "" when there is none).
    """

    host: str
    path: str
    base: Literal["home", "config", "data", "xdg"] = "home"
    variable: str = ""
    below: str = ""


#: As of 2026-11; docs/transcripts.md tells where each comes from.
HOST_PLACES = (
    _Place("claude-code", ".claude/projects", variable="CLAUDE_CONFIG_DIR", below="projects"),
    _Place("codex", ".codex/sessions", variable="CODEX_HOME", below="sessions"),
    _Place("codex", ".codex/archived_sessions", variable="CODEX_HOME", below="archived_sessions"),
    _Place("cursor", ".cursor/projects"),
    _Place("cursor", "Cursor/User/globalStorage/state.vscdb", "config"),
    _Place("gemini", ".gemini/tmp"),
    _Place("opencode", "opencode/opencode*.db", "xdg", variable="OPENCODE_DB", below="."),
    _Place("opencode", "opencode/storage/session", "xdg"),
    _Place("opencode", "opencode/project/*/storage/session/info", "xdg"),
    _Place("antigravity", ".gemini/antigravity-cli/brain/*/.system_generated/logs"),
    _Place("antigravity", ".gemini/antigravity/brain/*/.system_generated/logs"),
    _Place("antigravity", ".gemini/antigravity-ide/brain/*/.system_generated/logs"),
    _Place("copilot", ".copilot/session-state"),
    _Place("copilot", ".copilot/session-store.db"),
    *(
        _Place("copilot", f"{editor}/User/workspaceStorage/*/GitHub.copilot-chat/transcripts", "config")
        for editor in ("Code", "Code - Insiders", "VSCodium")
    ),
    _Place("copilot", ".vscode-server/data/User/workspaceStorage/*/GitHub.copilot-chat/transcripts"),
    _Place("kiro", ".kiro/sessions", variable="KIRO_HOME", below="sessions"),
    _Place("kiro", "kiro-cli/data.sqlite3", "data"),
    _Place("kiro", "Kiro/workspace-sessions", "config"),
    _Place("kiro", "Kiro/User/globalStorage/kiro.kiroagent/workspace-sessions", "config"),
    _Place("droid", ".factory/sessions"),
    _Place("pi", ".pi/agent/sessions", variable="PI_CODING_AGENT_DIR", below="sessions"),
    _Place("pi", ".pi/agent/sessions", variable="PI_CODING_AGENT_SESSION_DIR", below="."),
)


def host_places(environment: Mapping[str, str], system: str = sys.platform) -> tuple[tuple[str, str], ...]:
    """Return (host, path) of the places where hosts keep conversations, whether they are there or not, each once.

    Args:
        system: as `sys.platform` has it.
    """
    home = _home(environment)
    if not home:
        return ()
    bases = _application_folders(Path(home), environment, system)
    found = {}
    for place in HOST_PLACES:
        named = environment.get(place.variable, "") if place.variable else ""
        path = expanded(named) / place.below if named else bases[place.base] / place.path
        found[str(path)] = place.host
    return tuple((host, path) for path, host in found.items())


def _application_folders(home: Path, environment: Mapping[str, str], system: str) -> dict[str, Path]:
    xdg = Path(environment.get("XDG_DATA_HOME") or home / ".local" / "share")
    if system == "darwin":
        support = home / "Library" / "Application Support"
        return {"home": home, "config": support, "data": support, "xdg": xdg}
    if system == "win32":
        roaming = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        local = Path(environment.get("LOCALAPPDATA") or home / "AppData" / "Local")
        return {"home": home, "config": roaming, "data": local, "xdg": xdg}
    return {"home": home, "config": Path(environment.get("XDG_CONFIG_HOME") or home / ".config"), "data": xdg, "xdg": xdg}


def found_places(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the places of :data:`HOST_PLACES` that are there; of one with `*` it is enough that the folder before is there."""
    return tuple(path for _, path in host_places(environment) if standing_above(path).exists())


def host_folders(environment: Mapping[str, str]) -> HostFolders:
    """Return where the hosts keep their files, by an environment.

    Raises:
        InvalidInput: the person's home folder is not known.
    """
    home = _home(environment)
    if not home:
        raise InvalidInput("The home folder is not known.", "Set HOME (on Windows: USERPROFILE).")
    windows, person = os.name == "nt", Path(home)
    config = environment.get("XDG_CONFIG_HOME") or str(person / ".config")
    claude = environment.get("CLAUDE_CONFIG_DIR")
    return HostFolders(
        home=home,
        config=config,
        data=environment.get("XDG_DATA_HOME") or str(person / ".local" / "share"),
        editors=str(_application_folders(person, environment, sys.platform)["config"]),
        claude=claude or str(person / ".claude"),
        claude_state=str(Path(claude or home) / ".claude.json"),
        codex=environment.get("CODEX_HOME") or str(person / ".codex"),
        windows=windows,
    )


def _home(environment: Mapping[str, str]) -> str:
    """Return the person's home folder; "" when the environment does not tell."""
    return environment.get("HOME") or environment.get("USERPROFILE") or ""

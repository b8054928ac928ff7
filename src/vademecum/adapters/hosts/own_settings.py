"""Reads from a host's own settings whether hooks are disabled, and whether our plugin is installed. Nothing is written.

Observed with the real programs (tests/real/test_real_plugin.py): while one of these settings is active, registered hooks do not
run, and the host does not report it.
"""

import tomllib
from pathlib import Path
from typing import Any

from msgspec import Struct

from vademecum import __version__
from vademecum.adapters.hosts import json_spans
from vademecum.domain.errors import InvalidInput
from vademecum.domain.host import HostFolders
from vademecum.ports.host import Host

#: Name of our plugin in any marketplace.
PLUGIN = "vademecum@"


class PluginFound(Struct, frozen=True):
    """Our plugin in a host.

    Attributes:
        name: with its marketplace, as in the host's commands. version: "" when the host does not report it.
        written_s: when plugins were last installed or updated, seconds since 1970.
    """

    name: str
    version: str
    written_s: float

    @property
    def is_current(self) -> bool:
        """Whether it has the version of this program."""
        return self.version in ("", __version__)


def hooks_off(host: Host, folders: HostFolders) -> str:
    """Return the setting of a host that disables all hooks, and its file; "" when hooks are enabled."""
    switch = host.switch
    if switch is None:
        return ""
    path = Path(getattr(folders, switch.folder)) / switch.file
    value: Any = _values(path)
    for key in switch.way:
        value = value.get(key) if isinstance(value, dict) else None
    return f"{'.'.join(switch.way)} = {str(switch.off).lower()} in {path}" if value is switch.off else ""


def plugin_of(host: str, folders: HostFolders) -> PluginFound | None:
    """Return our plugin if it is installed and enabled in Claude Code."""
    if host != "claude-code":
        return None
    enabled = _values(Path(folders.claude) / "settings.json").get("enabledPlugins")
    names = (
        [name for name, on in enabled.items() if name.startswith(PLUGIN) and on is True] if isinstance(enabled, dict) else []
    )
    if not names:
        return None
    record = Path(folders.claude) / "plugins" / "installed_plugins.json"
    installed = _values(record).get("plugins")
    copies = installed.get(names[0]) if isinstance(installed, dict) else None
    versions = [str(copy.get("version", "")) for copy in copies if isinstance(copy, dict)] if isinstance(copies, list) else []
    return PluginFound(names[0], versions[0] if versions else "", record.stat().st_mtime if record.exists() else 0.0)


def _values(path: Path) -> dict[str, Any]:
    """Return the content of a settings file; empty when it is missing or invalid, which the check of registrations reports."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        by_key = tomllib.loads(text) if path.suffix == ".toml" else json_spans.parse(text).value
    except (OSError, ValueError, InvalidInput):
        return {}
    return by_key if isinstance(by_key, dict) else {}

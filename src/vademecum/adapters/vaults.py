"""Obsidian's own list of the person's vaults."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

#: Below the home folder: Linux, Flatpak, Snap, macOS.
_LISTS = (
    ".config/obsidian/obsidian.json",
    ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
    "snap/obsidian/current/.config/obsidian/obsidian.json",
    "Library/Application Support/obsidian/obsidian.json",
)


def obsidian_vaults(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the vaults that are there, the one that is open or was opened last first."""
    listed = sorted(_listed(environment), key=lambda row: row[:2], reverse=True)
    return tuple(dict.fromkeys(path for _, _, path in listed))


def _listed(environment: Mapping[str, str]) -> Iterator[tuple[bool, float, Path]]:
    """Yield (it is open, when it was opened, its folder) of each vault in the lists."""
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "/nowhere")
    lists = [home / entry for entry in _LISTS]
    lists += [
        Path(environment[name]) / "obsidian" / "obsidian.json"
        for name in ("XDG_CONFIG_HOME", "APPDATA")
        if environment.get(name)
    ]
    for file in lists:
        try:
            vaults = json.loads(file.read_text(encoding="utf-8"))["vaults"].values()
            known = [(bool(vault.get("open")), float(vault.get("ts") or 0), Path(str(vault["path"]))) for vault in vaults]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # it is not there, or is of another version
        yield from (row for row in known if row[2].is_dir())

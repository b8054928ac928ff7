"""Finds the person's Obsidian vaults: those in Obsidian's own list, then those in the usual folders."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path, PureWindowsPath

#: Below the home folder: Linux, Flatpak, Snap, macOS.
_LISTS = (
    ".config/obsidian/obsidian.json",
    ".var/app/md.obsidian.Obsidian/config/obsidian/obsidian.json",
    "snap/obsidian/current/.config/obsidian/obsidian.json",
    "Library/Application Support/obsidian/obsidian.json",
)
#: Path of that list on Windows, below a user's folder.
_LIST_OF_WINDOWS = "AppData/Roaming/obsidian/obsidian.json"
#: Folder that marks a vault, and the file in it that Obsidian writes while the vault is used.
_MARK, _USED = ".obsidian", "workspace.json"
#: Usual parent folders of vaults below the home folder; "*" matches any characters.
_PLACES = (
    "Library/Mobile Documents/iCloud~md~obsidian/Documents", "Library/Mobile Documents/com~apple~CloudDocs", "Library/CloudStorage/*",
    "iCloudDrive/iCloud~md~obsidian", "iCloudDrive", "OneDrive*", "Dropbox*", "Google Drive*", "Nextcloud*", "Documents", "Obsidian*",
    "Notes", "Desktop",
)  # fmt: skip
#: Search depth below one of these folders, and below the home folder; most folders, and most seconds, of the search.
_DEPTH, _DEPTH_OF_HOME, _FOLDERS, _SECONDS = 3, 2, 5_000, 1.0
#: Folders that never contain notes but many folders.
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "AppData", "Library", "Applications"})
#: Users' folders of Windows in WSL, and folders there that are no person's.
_USERS_OF_WINDOWS = "/mnt/c/Users"
_NOBODY = frozenset({"Public", "Default", "Default User", "All Users"})


def obsidian_vaults(environment: Mapping[str, str], elapsed_s: Callable[[], float]) -> tuple[Path, ...]:
    """Return the existing vaults: first those in Obsidian's list, then those found by searching.

    Listed vaults are sorted by whether they are open, then the last opened first; the others by last use. Links and hidden
    folders are not followed; a vault inside another one is omitted.

    Args:
        elapsed_s: clock in seconds; the search ends when it has taken too long.
    """
    homes = [*_homes(environment)]
    listed = [path for _, _, path in sorted(_listed(environment, homes), key=lambda row: row[:2], reverse=True)]
    end = elapsed_s() + _SECONDS
    found = {path: _used_s(path) for path in _found(homes, lambda: elapsed_s() < end)}
    by_place: dict[str, Path] = {}
    for path in (*listed, *sorted(found, key=found.__getitem__, reverse=True)):
        if path in listed or not any(other != path and path.is_relative_to(other) for other in (*listed, *found)):
            by_place.setdefault(os.path.realpath(path), path)
    return tuple(by_place.values())


def _homes(environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the person's home folder; in WSL also those of Windows."""
    yield Path(environment.get("HOME") or environment.get("USERPROFILE") or "/nowhere")
    if environment.get("WSL_DISTRO_NAME"):
        yield from (folder for folder in _below(Path(_USERS_OF_WINDOWS)) if folder.name not in _NOBODY)


def _listed(environment: Mapping[str, str], homes: Sequence[Path]) -> Iterator[tuple[bool, float, Path]]:
    """Yield (is open, time of opening, folder) of each vault in the lists."""
    lists = [homes[0] / entry for entry in _LISTS] + [home / _LIST_OF_WINDOWS for home in homes[1:]]
    lists += [
        Path(environment[name]) / "obsidian" / "obsidian.json"
        for name in ("XDG_CONFIG_HOME", "APPDATA")
        if environment.get(name)
    ]
    for file in lists:
        try:
            vaults = json.loads(file.read_text(encoding="utf-8"))["vaults"].values()
            known = [(bool(vault.get("open")), float(vault.get("ts") or 0), _as_here(str(vault["path"]))) for vault in vaults]
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # missing, or of another version
        yield from (row for row in known if row[2].is_dir())


def _as_here(path: str) -> Path:
    """Return a Windows path as seen in WSL; any other path, and every path on Windows, unchanged."""
    windows = PureWindowsPath(path)
    if os.name == "nt" or len(windows.drive) != len("C:"):
        return Path(path)
    return Path("/mnt", windows.drive[0].lower(), *windows.parts[1:])


def _found(homes: Sequence[Path], in_time: Callable[[], bool]) -> Iterator[Path]:
    """Yield folders that are vaults, by breadth-first search."""
    waiting: list[tuple[Path, int]] = []
    for home in homes:
        places = [place for name in _PLACES for place in sorted(home.glob(name)) if place.is_dir() and not place.is_symlink()]
        waiting += [*((place, _DEPTH) for place in places), *((folder, _DEPTH_OF_HOME - 1) for folder in _below(home))]
    seen = set[Path]()
    for looked_at, (folder, depth) in enumerate(waiting):  # the list grows during the loop
        if looked_at >= _FOLDERS or not in_time():
            return
        if folder in seen:
            continue
        seen.add(folder)
        if (folder / _MARK).is_dir():
            yield folder
        elif depth:
            waiting += [(below, depth - 1) for below in _below(folder)]


def _below(folder: Path) -> list[Path]:
    """Return the folders in a folder, without hidden and unreadable ones and links."""
    try:
        with os.scandir(folder) as entries:
            return sorted(
                Path(entry.path)
                for entry in entries
                if not entry.name.startswith(".") and entry.name not in _SKIPPED and entry.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []


def _used_s(vault: Path) -> float:
    """Return when a vault was last used, in seconds since 1970; 0 when unknown."""
    for file in (vault / _MARK / _USED, vault / _MARK):
        try:
            return file.stat().st_mtime
        except OSError:
            continue
    return 0.0

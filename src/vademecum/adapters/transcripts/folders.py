"""Working folders of conversations whose transcripts do not contain them, from files beside the transcripts.

Every function takes the path of a transcript and returns an absolute folder, or "" when it is unknown. A folder that no longer
exists is returned too, since it names the project. As of 2026-11:

* VS Code and its derivatives: `workspaceStorage/<hash>/workspace.json` contains the URI of the folder, or of a
  `.code-workspace` file.
"""

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path, PureWindowsPath
from urllib.parse import unquote, urlsplit

#: Most bytes that are read of a file that names folders.
_BYTES_MAX = 4 << 20
_WINDOWS = re.compile(r"/?[A-Za-z]:[/\\]")


def workspace_folder(transcript: str) -> str:
    """Return the folder of a conversation that an editor of VS Code's family stores below `workspaceStorage/<hash>`."""
    place, _ = below(transcript, "workspaceStorage")
    return folder_of_workspace(place) if place is not None else ""


def folder_of_workspace(place: Path) -> str:
    """Return the folder that `workspace.json` names; of a workspace with several folders the first."""
    about = json_in(place / "workspace.json")
    folder = about.get("folder", about.get("folderUri"))
    if isinstance(folder, str):
        return path_of_uri(folder)
    workspace = about.get("workspace", about.get("configuration"))
    workspace = workspace.get("configPath") if isinstance(workspace, dict) else workspace
    file = path_of_uri(workspace) if isinstance(workspace, str) else ""
    folders = json_in(Path(file)).get("folders") if file else None
    for by_key in folders if isinstance(folders, list) else []:
        uri, path = (by_key.get("uri"), by_key.get("path")) if isinstance(by_key, dict) else (None, None)
        if isinstance(uri, str):
            return path_of_uri(uri)
        if isinstance(path, str):
            around = PureWindowsPath(file).parent if _WINDOWS.match(file) else Path(file).parent
            return str(around / path)
    return ""


def path_of_uri(uri: str) -> str:
    """Return the path in a `file:` or `vscode-remote:` URI, in its system's syntax; a plain path unchanged, else ""."""
    if _WINDOWS.match(uri) or uri.startswith("/"):
        return uri
    with contextlib.suppress(ValueError):
        parts = urlsplit(uri)
        if parts.scheme in ("file", "vscode-remote"):
            path = unquote(parts.path)
            if _WINDOWS.match(path):
                return str(PureWindowsPath(path.lstrip("/")))
            share = parts.netloc if parts.scheme == "file" and parts.netloc not in ("", "localhost") else ""
            return str(PureWindowsPath(f"//{unquote(share)}{path}")) if share else path
    return ""


def below(transcript: str, name: str) -> tuple[Path | None, Path | None]:
    """Return the folder directly below the innermost folder `name` around a transcript, and the parent of `name`."""
    folders = list(Path(transcript).parents)
    for number, folder in enumerate(folders[1:]):
        if folder.name == name:
            return folders[number], folder.parent
    return None, None


def globbed(folder: Path, pattern: str) -> list[Path]:
    """Return the paths below a folder that match, in order; empty if it cannot be listed."""
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def json_in(file: Path) -> Mapping[str, object]:
    """Return the object in a JSON file, which may have comments on lines of their own; an empty one when there is none."""
    text = text_in(file)
    value = parsed(text)
    if value is None and text:
        value = parsed(re.sub(r"(?m)^\s*//.*$|,(?=\s*[}\]])", "", text))
    return value if isinstance(value, dict) else {}


def parsed(text: str) -> object:
    """Return the value of a JSON text; None if it is invalid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def text_in(file: Path) -> str:
    """Return the beginning of a file as text; "" when it cannot be read."""
    try:
        with file.open("rb") as opened:
            return opened.read(_BYTES_MAX).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return ""

"""Which working folder a conversation belongs to, for hosts whose transcripts do not say it: read from the files beside them.

Every function takes the path of a transcript, as its host has it, and returns an absolute folder, or "" when nothing says one. A folder
that is gone is returned all the same: it names the project. As of 2026-11:

* Gemini CLI: `tmp/<name>/.project_root` holds the path; `projects.json` maps paths to names; `projectHash` is the SHA-256 of the path.
* VS Code and Cursor: `workspaceStorage/<hash>/workspace.json` holds the URI of the folder, or of a `.code-workspace` file.
* Cursor: `projects/<slug>/.workspace-trusted` holds `workspacePath`; the slug is the path with "-" for other signs; `chats/<MD5 of path>`.
* Antigravity CLI: `cache/last_conversations.json` and `history.jsonl` name conversation and workspace together.
"""

import contextlib
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PureWindowsPath
from urllib.parse import unquote, urlsplit

from vademecum.adapters.projects import folder_written_as

#: Of a file that names folders so much is read.
_BYTES_MAX = 4 << 20
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_WINDOWS = re.compile(r"/?[A-Za-z]:[/\\]")


def gemini_folder(transcript: str, project_hash: str) -> str:
    """Return the folder of a chat of Gemini CLI.

    Args:
        project_hash: as the chat's header has it; "" when it has none. A folder that fits it is preferred to the folder's own note.
    """
    place, home = _below(transcript, "tmp")
    if place is None or home is None:
        return ""
    named = _text(place / ".project_root").strip()
    by_name = {text: path for path, text in _strings(_json(home / "projects.json").get("projects")).items()}
    digest = project_hash or (place.name if len(place.name) == hashlib.sha256().digest_size * 2 else "")
    known = [named, *by_name.values(), *_strings(_json(home / "trustedFolders.json"))]
    if digest:
        known += (_text(note).strip() for note in _globbed(home, "*/*/.project_root"))
    fitting = next((path for path in known if path and hashlib.sha256(path.encode()).hexdigest() == digest), "")
    return fitting or named or by_name.get(place.name, "")


def workspace_folder(transcript: str) -> str:
    """Return the folder of a conversation that an editor of VS Code's family keeps below `workspaceStorage/<hash>`."""
    place, _ = _below(transcript, "workspaceStorage")
    return _folder_of_workspace(place) if place is not None else ""


def cursor_folder(transcript: str) -> str:
    """Return the folder of a conversation of Cursor: of the editor, of an agent's transcript or of its command line."""
    return workspace_folder(transcript) or _of_cursor_project(transcript) or _of_cursor_chat(transcript)


def antigravity_folder(transcript: str) -> str:
    """Return the folder of a conversation of Antigravity, whose transcript lies below `brain/<id>`."""
    place, home = _below(transcript, "brain")
    if place is None or home is None:
        return ""
    lines = reversed(_text(home / "history.jsonl").splitlines())
    values = [_json(home / "cache" / "last_conversations.json"), *(_parsed(line) for line in lines if place.name in line)]
    return next((path for value in values for path in _beside(value, place.name)), "")


def _of_cursor_project(transcript: str) -> str:
    place, home = _below(transcript, "projects")
    if place is None or home is None or home.name != ".cursor":
        return ""
    trusted = _json(place / ".workspace-trusted").get("workspacePath")
    if isinstance(trusted, str) and trusted:
        return trusted
    known = (path for path in _cursor_workspaces(home) if _NOT_SLUG.sub("-", path.lower()).strip("-") == place.name.lower())
    return folder_written_as(place.name) or next(known, "")


def _of_cursor_chat(transcript: str) -> str:
    place, home = _below(transcript, "chats")
    if place is None or home is None or home.name != ".cursor":
        return ""
    return next((path for path in _cursor_workspaces(home) if _md5(path) == place.name), "")


def _cursor_workspaces(home: Path) -> Iterator[str]:
    """Yield folders that Cursor was opened in: by its command line's notes of trust, then by the editor's."""
    for note in _globbed(home, "projects/*/.workspace-trusted"):
        path = _json(note).get("workspacePath")
        if isinstance(path, str) and path:
            yield path
    for user in ("Library/Application Support/Cursor/User", ".config/Cursor/User", "AppData/Roaming/Cursor/User"):
        for note in _globbed(home.parent / user, "workspaceStorage/*/workspace.json"):
            folder = _folder_of_workspace(note.parent)
            if folder:
                yield folder


def _folder_of_workspace(place: Path) -> str:
    """Return the folder that `workspace.json` names; of a workspace of several folders the first."""
    about = _json(place / "workspace.json")
    folder = about.get("folder", about.get("folderUri"))
    if isinstance(folder, str):
        return path_of_uri(folder)
    workspace = about.get("workspace", about.get("configuration"))
    workspace = workspace.get("configPath") if isinstance(workspace, dict) else workspace
    file = path_of_uri(workspace) if isinstance(workspace, str) else ""
    folders = _json(Path(file)).get("folders") if file else None
    for by_key in folders if isinstance(folders, list) else []:
        uri, path = (by_key.get("uri"), by_key.get("path")) if isinstance(by_key, dict) else (None, None)
        if isinstance(uri, str):
            return path_of_uri(uri)
        if isinstance(path, str):
            around = PureWindowsPath(file).parent if _WINDOWS.match(file) else Path(file).parent
            return str(around / path)
    return ""


def path_of_uri(uri: str) -> str:
    """Return the path in a `file:` or `vscode-remote:` URI as its system writes it; a plain path stays as it is, "" for others."""
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


def _below(transcript: str, name: str) -> tuple[Path | None, Path | None]:
    """Return the folder right below the last folder called `name` around a transcript, and the folder that holds that one."""
    folders = list(Path(transcript).parents)
    for number, folder in enumerate(folders[1:]):
        if folder.name == name:
            return folders[number], folder.parent
    return None, None


def _beside(value: object, name: str) -> Iterator[str]:
    """Yield absolute paths that a JSON value states together with `name`: path -> name, name -> path, or both in one object."""
    if isinstance(value, list):
        yield from (path for inner in value for path in _beside(inner, name))
    if not isinstance(value, dict):
        return
    yield from _paths(key for key, inner in value.items() if inner == name)
    together = [inner for inner in value.values() if isinstance(inner, str)] if name in map(str, value.values()) else []
    yield from _paths([*together, *_leaves(value.get(name))])
    for inner in value.values():
        yield from _beside(inner, name)


def _leaves(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for entry in inner for text in _leaves(entry)]


def _paths(texts: Iterable[str]) -> Iterator[str]:
    yield from (path for text in texts if (path := path_of_uri(text)))


def _strings(value: object) -> dict[str, str]:
    """Return the pairs of a JSON object whose values are texts."""
    return {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


def _globbed(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def _json(file: Path) -> Mapping[str, object]:
    """Return the object in a file of JSON, which may have comments on lines of their own; an empty one when there is none."""
    text = _text(file)
    value = _parsed(text)
    if value is None and text:
        value = _parsed(re.sub(r"(?m)^\s*//.*$|,(?=\s*[}\]])", "", text))
    return value if isinstance(value, dict) else {}


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_BYTES_MAX).decode("utf-8-sig", "replace")
    except (OSError, ValueError):
        return ""

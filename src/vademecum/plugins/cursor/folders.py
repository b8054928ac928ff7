"""Find the working folder of a conversation of Cursor that does not contain it.

`workspaceStorage/<hash>/workspace.json` of the editor has the URI of the folder. `projects/<slug>/.workspace-trusted` has
`workspacePath`; the slug is the path with "-" for other characters. A folder of `chats` is named by the MD5 of the path
(2026-11).
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from vademecum.plugin_api.transcripts import (
    below,
    folder_of_workspace,
    folder_written_as,
    globbed,
    json_in,
    workspace_folder,
)

_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def cursor_folder(transcript: str) -> str:
    """Return the working folder of a conversation of the editor, of an agent's transcript, or of the command line."""
    return workspace_folder(transcript) or _by_name(transcript, "projects") or _by_name(transcript, "chats")


def _by_name(transcript: str, kind: str) -> str:
    """Return the folder after which a folder in `projects` or `chats` is named."""
    place, home = below(transcript, kind)
    if place is None or home is None or home.name != ".cursor":
        return ""
    if kind == "chats":
        hashes = ((path, hashlib.md5(path.encode(), usedforsecurity=False).hexdigest()) for path in _cursor_workspaces(home))
        return next((path for path, name in hashes if name == place.name), "")
    trusted = json_in(place / ".workspace-trusted").get("workspacePath")
    if isinstance(trusted, str) and trusted:
        return trusted
    known = (path for path in _cursor_workspaces(home) if _NOT_SLUG.sub("-", path.lower()).strip("-") == place.name.lower())
    return folder_written_as(place.name) or next(known, "")


def _cursor_workspaces(home: Path) -> Iterator[str]:
    """Yield folders in which Cursor was opened: by the trust notes of its command line, then by the editor's workspaces."""
    for note in globbed(home, "projects/*/.workspace-trusted"):
        path = json_in(note).get("workspacePath")
        if isinstance(path, str) and path:
            yield path
    for user in ("Library/Application Support/Cursor/User", ".config/Cursor/User", "AppData/Roaming/Cursor/User"):
        for note in globbed(home.parent / user, "workspaceStorage/*/workspace.json"):
            folder = folder_of_workspace(note.parent)
            if folder:
                yield folder

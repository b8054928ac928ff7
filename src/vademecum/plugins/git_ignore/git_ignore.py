"""Which files of the memory folder to version, and which to ignore (IN-57).

Memories, journals, project notes and daily notes are versioned. Index, locks, checkpoints and logs are never in this folder.
"""

from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import NotFound
from vademecum.domain.memory import personal_space
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import CONFLICTS, VIEWS_FOLDER, files

NAME = ".gitignore"
HEADING = "# Vademecum: made anew, or left over"
#: Generated pages, merged copies of sync tools, and unfinished temporary files.
LINES = (f"/{VIEWS_FOLDER}/", f"/{CONFLICTS}/", f"{files.TEMPORARY_PREFIX}*{files.TEMPORARY_SUFFIX}")


class IgnoreMap(Struct, frozen=True):
    """Result of a comparison with the .gitignore.

    Attributes:
        path: of the file.
        missing: lines that it lacked.
        written: they were added.
    """

    path: str
    missing: tuple[str, ...]
    written: bool


def ignore_map(context: Context, write: bool) -> IgnoreMap:
    """Return the lines that the .gitignore of the memory folder lacks; with `write`, append them.

    Raises:
        Conflict: it was changed meanwhile.
        WriteFailed: the folder is not writable.
    """
    root = Path(personal_space(context.vault.spaces).root)
    path = root / NAME
    try:
        before = files.read_bytes(path)
    except NotFound:
        before = b""
    there = {line.strip() for line in before.decode("utf-8", "replace").splitlines()}
    missing = tuple(line for line in LINES if line not in there)
    if write and missing:
        gap = b"" if not before or before.endswith(b"\n") else b"\n"
        added = "\n".join([HEADING, *missing, ""]).encode()
        if before:
            files.replace(root, path, before + gap + added, etag=files.etag_of(before))
        else:
            files.create(root, path, added)
    return IgnoreMap(str(path), missing, written=write and bool(missing))

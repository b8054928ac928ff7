"""Which files of the memory folder belong into a repository, and which do not (IN-57).

Memories, journals, project notes and notes of days are versioned. Index, locks, checkpoints and logs never lie here.
"""

from pathlib import Path

from msgspec import Struct

from vademecum.domain.errors import NotFound
from vademecum.domain.memory import personal_space
from vademecum.plugin_api.memory import Context
from vademecum.plugin_api.vault import CONFLICTS, VIEWS_FOLDER, files

NAME = ".gitignore"
HEADING = "# Vademecum: made anew, or left over"
#: Pages that are generated from memories, copies of sync tools that were merged, and files that were half written.
LINES = (f"/{VIEWS_FOLDER}/", f"/{CONFLICTS}/", f"{files.TEMPORARY_PREFIX}*{files.TEMPORARY_SUFFIX}")


class IgnoreMap(Struct, frozen=True):
    """What a .gitignore lacks. path: of the file. missing: lines that it lacked. written: they were added."""

    path: str
    missing: tuple[str, ...]
    written: bool


def ignore_map(context: Context, write: bool) -> IgnoreMap:
    """Return the lines that the .gitignore of the memory folder lacks; with `write` add them at its end.

    Raises:
        Conflict: somebody wrote to it meanwhile. WriteFailed: the folder cannot be written to.
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

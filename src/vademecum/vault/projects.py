"""Projects recorded in the vault: one small note each in `_projects`, by which every device recognises them.

A sync tool's copy of such a note counts as well, so that devices that write at once lose nothing.
:mod:`vademecum.vault.project_notes` writes them; this module imports nothing that only writing needs.
"""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.project import Project, distinct
from vademecum.vault.places import PROJECTS, slugify

_TEXT = """---
project: {slug}
since: {since}
{lists}---
Vademecum recognises this project by what stands above. Give it another name, or join it to another one, with `vade project rename`.
"""
#: Names of lists in the note -> fields of a project.
_LISTS = {"remotes": "remotes", "first_commits": "roots", "folders": "folders", "formerly": "formerly"}
_KEY = late_pattern(r"(?P<key>[a-z_]+):\s*(?P<value>.*?)\s*")
_ITEM = late_pattern(r"\s*-\s+(?P<value>.*?)\s*")
#: Maximum size of a project note in bytes.
_BYTES_MAX = 1 << 20

Marks = tuple[tuple[str, int, int], ...]


def marks_of_projects(root: Path) -> Marks:
    """Return name, size and time of every project note in a personal space. While they are equal, the projects are unchanged."""
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in _notes_in(root))


def mark_of_folder(root: Path) -> tuple[int, int] | None:
    """Return inode and time, in nanoseconds since 1970, of the folder of project notes; None if there is none.

    While it is equal, no note was added, renamed, replaced or deleted.
    """
    try:
        stat = (root / PROJECTS).stat()
    except OSError:
        return None
    return (stat.st_ino, stat.st_mtime_ns)


def read_projects(root: Path) -> tuple[Project, ...]:
    """Return the projects recorded in a personal space, without duplicates; other notes are skipped."""
    return distinct(record for _, record in records_of_projects(root))


def records_of_projects(root: Path) -> Iterator[tuple[str, Project]]:
    """Yield (path in the space, project) of every project note, even if several record the same project."""
    for name, stat in _notes_in(root):
        try:
            project = _project_at(f"{root}/{PROJECTS}/{name}", (stat.st_size, stat.st_mtime_ns, stat.st_ino))
        except OSError:
            continue
        if project is not None:
            yield f"{PROJECTS}/{name}", project


def _notes_in(root: Path) -> list[tuple[str, os.stat_result]]:
    try:
        with os.scandir(root / PROJECTS) as entries:
            notes = [
                (file.name, file.stat()) for file in entries if file.name.endswith(".md") and not file.name.startswith(".")
            ]
    except OSError:
        return []
    return sorted(notes, key=lambda note: note[0])


@lru_cache(maxsize=10_000)
def _project_at(file: str, _state: tuple[int, int, int]) -> Project | None:
    """Return the project that a note records, which is read again when size, time or file are others."""
    with open(file, "rb") as opened:  # noqa: PTH123 -- thousands are looked up at once
        return project_in(opened.read(_BYTES_MAX).decode("utf-8-sig", "replace"))


def project_in(text: str) -> Project | None:
    """Return the project that a note records; None if it is no project note."""
    given: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    key = ""
    for line in text.splitlines()[1:]:
        if line.rstrip() == "---":
            break
        item, pair = _ITEM.fullmatch(line), _KEY.fullmatch(line)
        if item and key:
            lists.setdefault(key, []).append(_plain(item["value"]))
        elif pair:
            key = pair["key"]
            given[key] = _plain(pair["value"])
    if not given.get("project") or slugify(given["project"]) != given["project"]:
        return None
    of = {field: tuple(dict.fromkeys(filter(None, lists.get(name, ())))) for name, field in _LISTS.items()}
    return Project(given["project"], _time(given.get("since", "")), **of)


def text_of_project(project: Project) -> str:
    """Return the note that records a project."""
    lists = ""
    for name, field in _LISTS.items():
        values = getattr(project, field)
        lists += f"{name}:\n" + "".join(f"  - {json.dumps(value, ensure_ascii=False)}\n" for value in values) if values else ""
    return _TEXT.format(slug=project.slug, since=project.since.astimezone(UTC).isoformat(), lists=lists)


def is_note(path: str) -> bool:
    """Return whether a path, relative to the space or to the vault around it, is that of a project note."""
    return f"/{PROJECTS}/" in f"/{path}"


def path_of_project(slug: str) -> str:
    """Return the path of a project's note, relative to the personal space."""
    return f"{PROJECTS}/{slug}.md"


def _plain(value: str) -> str:
    if value[:1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value.strip('"')
    return value[1:-1].replace("''", "'") if len(value) > 1 and value[0] == value[-1] == "'" else value


def _time(text: str) -> datetime:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)
    return time if time.tzinfo else time.replace(tzinfo=UTC)

"""The projects that the vault records: one small note for each in `_projects`, by which every device recognises them.

A copy of such a note that a sync tool made counts as well, so that devices that write at once lose nothing.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from vademecum.domain.memory import By, Space, personal_space
from vademecum.domain.project import Project, distinct
from vademecum.vault.files import read_bytes
from vademecum.vault.journal import DOCUMENTS, GENERATED, Change
from vademecum.vault.note import text_of
from vademecum.vault.places import PROJECTS, slugify
from vademecum.vault.writer import Writer, version

_TEXT = """---
project: {slug}
since: {since}
{lists}---
Vademecum recognises this project by what stands above. Give it another name, or join it to another one, with `vade project rename`.
"""
#: Names of lists -> what of a project they hold.
_LISTS = {"remotes": "remotes", "first_commits": "roots", "folders": "folders", "formerly": "formerly"}
_KEY = re.compile(r"(?P<key>[a-z_]+):\s*(?P<value>.*?)\s*")
_ITEM = re.compile(r"\s*-\s+(?P<value>.*?)\s*")
#: A note of a project has fewer bytes.
_BYTES_MAX = 1 << 20

Marks = tuple[tuple[str, int, int], ...]


def marks_of_projects(root: Path) -> Marks:
    """Return name, size and time of every note of a project in a personal space: while they stay, the projects are the same."""
    folder = root / PROJECTS
    try:
        found = [
            (file.name, file.stat()) for file in folder.iterdir() if file.suffix == ".md" and not file.name.startswith(".")
        ]
    except OSError:
        return ()
    return tuple(sorted((name, stat.st_size, stat.st_mtime_ns) for name, stat in found))


def read_projects(root: Path) -> tuple[Project, ...]:
    """Return the projects that a personal space records, each once; notes that are none are passed over."""
    return distinct(record for _, record in records_of_projects(root))


def records_of_projects(root: Path) -> Iterator[tuple[str, Project]]:
    """Yield (path in the space, what it records) of every note of a project, also of several that record one."""
    for name, _, _ in marks_of_projects(root):
        try:
            with (root / PROJECTS / name).open("rb") as file:
                project = project_in(file.read(_BYTES_MAX).decode("utf-8-sig", "replace"))
        except OSError:
            continue
        if project is not None:
            yield f"{PROJECTS}/{name}", project


def project_in(text: str) -> Project | None:
    """Return what a note of a project records; None when it is none."""
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
    """Return whether a path, of the space or of the vault around it, is one of a project's note."""
    return f"/{PROJECTS}/" in f"/{path}"


def path_of_project(slug: str) -> str:
    """Return where the note of a project stands, relative to the personal space."""
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


class ProjectNotes:
    """The notes of projects in the personal space.

    Args:
        settled: file of this device that tells for which notes everything stands where it belongs.
    """

    def __init__(self, spaces: Sequence[Space], writer: Writer, settled: Path) -> None:
        self._space, self._writer, self._settled = personal_space(spaces), writer, settled

    def known(self) -> tuple[Project, ...]:
        """Return the projects that are recorded, each once, the first recorded first."""
        return read_projects(Path(self._space.root))

    def settled(self) -> bool:
        """Return whether this device has seen to it that what belongs to projects stands where these notes put it."""
        try:
            return self._settled.read_text(encoding="utf-8") == self._marks()
        except OSError:
            return False

    def clashing(self) -> bool:
        """Return whether devices gave one name to several projects."""
        records = [record for _, record in records_of_projects(Path(self._space.root))]
        return {one.slug for one in distinct(records)} != {one.slug for one in records}

    def note_settled(self) -> None:
        """Remember that everything stands where these notes put it."""
        self._settled.parent.mkdir(parents=True, exist_ok=True)
        self._settled.write_text(self._marks(), encoding="utf-8")

    def _marks(self) -> str:
        return json.dumps(marks_of_projects(Path(self._space.root)))

    def record(self, change: Callable[[Sequence[Project]], Project], *, by: By) -> Project:
        """Record a project, or what is new of one. "Undo" passes it over: it says how a project is recognised, and nothing about it.

        Args:
            change: the projects that are recorded -> the one as it shall be; its slug names the note.
        """
        with self._writer.held("project"):
            project = change(self.known())
            changes = self.changes({project.slug: project}, suffix=GENERATED)
            if changes:
                self._writer.commit("project", changes, by)
        return project

    def changes(self, wanted: Mapping[str, Project | None], *, suffix: str) -> list[Change]:
        """Return what makes the notes record these projects, and all others once, in a note of their own. Only under the lock.

        Args:
            wanted: slug -> the project as it shall be; None: there shall be none of this slug. suffix: of the space, for the journal.
        """
        root = Path(self._space.root)
        standing = dict(records_of_projects(root))
        after: dict[str, Project | None] = {one.slug: one for one in distinct(standing.values())}
        after |= wanted
        due = {path_of_project(slug): one for slug, one in after.items() if one is not None}
        name = self._space.name + suffix
        around = Path(self._space.documents_root or root) if suffix == DOCUMENTS else root
        changes = []
        for path in sorted(standing.keys() | due.keys()):
            file, project = root / path, due.get(path)
            if project is not None and standing.get(path) == project:
                continue
            place = file.relative_to(around).as_posix()
            before = version(name, place, text_of(read_bytes(file))) if file.exists() else None
            changes.append(Change("", before, version(name, place, text_of_project(project)) if project else None))
        return changes

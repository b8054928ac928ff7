"""Write the notes by which the vault records projects (:mod:`vademecum.vault.projects` reads them)."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from vademecum.domain.memory import By, Space, personal_space
from vademecum.domain.project import Project, distinct
from vademecum.vault.files import read_bytes
from vademecum.vault.journal import DOCUMENTS, GENERATED, Change, version
from vademecum.vault.note import text_of
from vademecum.vault.projects import marks_of_projects, path_of_project, read_projects, records_of_projects, text_of_project
from vademecum.vault.writer import Writer


class ProjectNotes:
    """The notes of projects in the personal space.

    Args:
        settled: file of this device that says for which project notes all files are already in their places.
    """

    def __init__(self, spaces: Sequence[Space], writer: Writer, settled: Path) -> None:
        self._space, self._writer, self._settled = personal_space(spaces), writer, settled

    def known(self) -> tuple[Project, ...]:
        """Return the recorded projects, without duplicates, oldest record first."""
        return read_projects(Path(self._space.root))

    def settled(self) -> bool:
        """Return whether this device has already moved all files to the places given by the current project notes."""
        try:
            return self._settled.read_text(encoding="utf-8", errors="replace") == self._marks()
        except OSError:
            return False

    def clashing(self) -> bool:
        """Return whether devices gave the same name to several projects."""
        records = [record for _, record in records_of_projects(Path(self._space.root))]
        return {project.slug for project in distinct(records)} != {project.slug for project in records}

    def note_settled(self) -> None:
        """Save that all files are in the places given by the current project notes."""
        self._settled.parent.mkdir(parents=True, exist_ok=True)
        self._settled.write_text(self._marks(), encoding="utf-8")

    def _marks(self) -> str:
        return json.dumps(marks_of_projects(Path(self._space.root)))

    def record(self, change: Callable[[Sequence[Project]], Project], *, by: By) -> Project:
        """Record a project or changes to one. "Undo" skips this record: it only says how a project is recognised.

        Args:
            change: recorded projects -> the new state of one; its slug names the note.
        """
        with self._writer.held("project"):
            project = change(self.known())
            changes = self.changes({project.slug: project}, suffix=GENERATED)
            if changes:
                self._writer.commit("project", changes, by)
        return project

    def changes(self, wanted: Mapping[str, Project | None], *, suffix: str) -> list[Change]:
        """Return the changes after which the notes record these projects, and every other one exactly once.

        The caller must hold the lock.

        Args:
            wanted: slug -> new state of the project; None: remove the project of this slug. suffix: of the space, for the journal.
        """
        root = Path(self._space.root)
        standing = dict(records_of_projects(root))
        after: dict[str, Project | None] = {recorded.slug: recorded for recorded in distinct(standing.values())}
        after |= wanted
        due = {path_of_project(slug): recorded for slug, recorded in after.items() if recorded is not None}
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

"""Which project a folder belongs to."""

from collections.abc import Sequence
from typing import Protocol

from vademecum.domain.project import Project, Sign


class Projects(Protocol):
    """Tells what project a folder belongs to, by what the vault records of projects. Nothing is written."""

    def sign_of(self, folder: str) -> Sign | None:
        """Return what tells which project a folder belongs to; None where there is none: no folder, or the person's home."""

    def known(self) -> Sequence[Project]:
        """Return the projects that the vault records."""

    def slug_of(self, folder: str) -> str:
        """Return the slug of a folder's project; "" for none. A folder without a repository is one only when the vault records it."""

    def name_of(self, folder: str) -> str:
        """Return the slug that a folder's project has, or would have as soon as it is recorded; "" for no project."""


class NoProjects:
    """No folder belongs to any project."""

    def sign_of(self, folder: str) -> Sign | None:
        return None

    def known(self) -> Sequence[Project]:
        return ()

    def slug_of(self, folder: str) -> str:
        return ""

    def name_of(self, folder: str) -> str:
        return ""


NO_PROJECTS = NoProjects()

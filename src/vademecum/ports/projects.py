"""The project of a folder."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from vademecum.domain.project import Project, Sign


class Projects(Protocol):
    """Determines the project of a folder from the projects recorded in the vault. Nothing is written."""

    def sign_of(self, folder: str) -> Sign | None:
        """Return the features that identify a folder's project; None for a missing folder or the home folder."""

    def known(self) -> Sequence[Project]:
        """Return the projects recorded in the vault."""

    def slug_of(self, folder: str) -> str:
        """Return the slug of a folder's project; "" for none.

        A folder without a repository has one only when the vault records it.
        """

    def name_of(self, folder: str) -> str:
        """Return the slug of a folder's project, or the slug it would get when it is recorded; "" for no project."""

    def names_of(self, folders: Collection[str]) -> Mapping[str, str]:
        """Return folder -> :meth:`name_of` it, for many folders at once: the recorded projects are looked at once."""


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

    def names_of(self, folders: Collection[str]) -> Mapping[str, str]:
        return dict.fromkeys(folders, "")


NO_PROJECTS = NoProjects()

"""Builds the mapping of folders to projects, from git and from the records in the vault."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from vademecum.adapters.clock import SystemClock
from vademecum.adapters.repositories.projects import Signs
from vademecum.domain.places import place_named
from vademecum.domain.project import Project, free_slug, recognise
from vademecum.vault.projects import Marks, mark_of_folder, marks_of_projects, read_projects

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from vademecum.domain.project import Sign
    from vademecum.ports.clock import Clock
    from vademecum.settings import Settings

#: File in the data folder that caches the first commits of repositories.
KNOWN_NAME = "repositories.json"


#: Seconds after which every note is looked at again. One that is added, renamed or replaced is seen at once, one that an editor
#: writes in place within this time: thousands of notes are too many to look at for each prompt.
LOOK_AGAIN_S = 60.0
#: A folder that was changed within so many seconds may change again and keep its time.
_SETTLED_S = 2.0


class FolderProjects:
    """The Projects port for a personal space. Its records are read again when their notes have changed."""

    def __init__(self, root: str, signs: Signs, clock: Clock) -> None:
        self._root, self._signs, self._clock = root, signs, clock
        self._marks: Marks | None = None
        self._known: tuple[Project, ...] = ()
        self._folder: tuple[int, int] | None = None
        self._looked_s = 0.0

    def sign_of(self, folder: str) -> Sign | None:
        return self._signs.of(folder)

    def known(self) -> Sequence[Project]:
        folder = mark_of_folder(Path(self._root)) if self._root else None
        if folder is not None and folder == self._folder and self._clock.elapsed_s() - self._looked_s < LOOK_AGAIN_S:
            return self._known
        is_settled = folder is not None and abs(self._clock.now().timestamp() - folder[1] / 1e9) > _SETTLED_S
        self._folder, self._looked_s = folder if is_settled else None, self._clock.elapsed_s()
        marks = marks_of_projects(Path(self._root)) if self._root else ()
        if marks != self._marks:
            self._known = read_projects(Path(self._root)) if marks else ()
            self._marks = marks
        return self._known

    def slug_of(self, folder: str) -> str:
        sign = self.sign_of(folder)
        return _named(sign, self.known(), new=sign.repository) if sign else ""

    def name_of(self, folder: str) -> str:
        return self.names_of((folder,))[folder]

    def names_of(self, folders: Collection[str]) -> Mapping[str, str]:
        signs = {folder: self.sign_of(folder) for folder in folders}
        known = self.known() if any(signs.values()) else ()
        return {folder: _named(sign, known, new=True) if sign else "" for folder, sign in signs.items()}


def _named(sign: Sign, known: Sequence[Project], *, new: bool) -> str:
    """Return the slug of the known project with this sign; for another one the slug that it would get, or "" unless `new`."""
    project = recognise(sign, known)
    if project is not None:
        return project.slug
    return free_slug(sign, {recorded.slug for recorded in known}) if new else ""


def projects_of(settings: Settings) -> FolderProjects:
    """Return the Projects port, the same object for the same settings."""
    return _projects_of(settings.home, settings.data_dir, settings.device, str(place_named("~")))


@lru_cache(maxsize=8)
def _projects_of(root: str, data_dir: str, device: str, home: str) -> FolderProjects:
    from vademecum.settings import Settings
    from vademecum.wiring.stores import device_id

    settings = Settings(home=root, data_dir=data_dir, device=device)
    return FolderProjects(root, Signs(home, lambda: device_id(settings), Path(data_dir) / KNOWN_NAME), SystemClock())

"""Builds the list of memory folders, and finds projects of folders."""

from __future__ import annotations

from pathlib import Path

from vademecum.adapters.repositories.projects import place_of, places_of_documents, signs_of
from vademecum.domain.errors import VaultMissing
from vademecum.domain.memory import Space
from vademecum.settings import Settings, no_memory
from vademecum.wiring.projects import projects_of

HOME_NAME = "Vademecum"


def project_root(folder: Path) -> Path:
    """Return the root of the project of a folder, or the folder itself."""
    place = place_of(folder)
    return place.root if place else folder


def project_signs(settings: Settings, folder: str) -> list[Path]:
    """Return the files and folders that decide the project and branch of a folder, the recorded projects, whether memory is off there, and
    its documents; none for ""."""
    from vademecum.ingest.stop_files import stop_marks
    from vademecum.vault.places import PROJECTS

    if not folder:
        return []
    documents = places_of_documents(Path(folder))
    return [*signs_of(Path(folder)), Path(settings.home, PROJECTS), *stop_marks(folder), *documents]


def spaces_of(settings: Settings, folder: Path | None = None) -> tuple[Space, ...]:
    """Return the personal space, then that of the project of `folder`, then those of other projects.

    Raises:
        InvalidInput: no home is set. VaultMissing: it is not there.
    """
    if not settings.home:
        raise no_memory(settings)
    home = Path(settings.home)
    if not home.is_dir():
        raise VaultMissing(str(home))
    personal = Space("personal", str(home), settings.vault)
    return (personal, *_project_spaces(settings, folder))


def is_home(folder: Path) -> bool:
    """Return whether a folder is or was a memory."""
    from vademecum.vault.places import JOURNAL

    return (folder / JOURNAL).is_dir()


def _project_spaces(settings: Settings, folder: Path | None) -> list[Space]:
    """Return the spaces of the project of `folder` and of the configured projects, each once."""
    places = [place_of(Path(place)) for place in (folder, *settings.projects) if place]
    own = dict.fromkeys(
        (str(place.root), str(place.memories)) for place in places if place is not None and place.memories is not None
    )
    projects = projects_of(settings)
    spaces = {projects.slug_of(root): memories for root, memories in reversed(own)}
    return [Space(slug, memories, project=slug) for slug, memories in reversed(spaces.items())]


def project_of(settings: Settings, folder: str) -> str:
    """Return the slug of the project of a folder; "" for none."""
    return projects_of(settings).slug_of(folder)

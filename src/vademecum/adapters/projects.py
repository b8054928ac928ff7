"""Which project a folder belongs to: known by the git remote, else by the repository's main folder, so that worktrees and
clones share it (X-43). Read from git's own files; git itself need not be installed."""

import contextlib
import itertools
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from vademecum.domain.project_document import ProjectDocument

#: A folder that holds a project's memories, versioned with it.
MEMORY_FOLDER = ".vademecum"

#: Of a document so much is read.
DOCUMENT_BYTES = 16_000
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_NOT_NAME = re.compile(r"[^\w]+")


class Project(Struct, frozen=True):
    """A project on this machine.

    Attributes:
        slug: its name in memories, the same in every clone.
        root: folder of this clone or worktree.
        memories: folder of its own memories, or None.
    """

    slug: str
    root: Path
    memories: Path | None


def project_at(folder: Path) -> Project | None:
    """Return the project that a folder lies in, or None. A folder that is gone belongs to none."""
    for place in (folder, *folder.parents):
        git, memories = place / ".git", place / MEMORY_FOLDER
        if git.exists() or memories.is_dir():
            name = _remote_name(_common_folder(git)) or _main_name(git, place)
            return Project(_slug(name), place, memories if memories.is_dir() else None)
    return None


def signs_of(folder: Path) -> list[Path]:
    """Return the files and folders that say which project and branch a folder belongs to, those that are not there too."""
    found = []
    for place in (folder, *folder.parents):
        git, memories = place / ".git", place / MEMORY_FOLDER
        found += [git, memories]
        if git.exists() or memories.is_dir():
            common = _common_folder(git)
            return [*found, common / "config", git / "HEAD" if git.is_dir() else common / "HEAD"]
    return found


def places_of_documents(folder: Path | None, names: Sequence[str]) -> tuple[Path, ...]:
    """Return where a project's own documents may lie: in its root, or in `docs` there; none outside of a project."""
    found = project_at(folder) if folder and names else None
    return tuple(place / name for name in names for place in (found.root, found.root / "docs")) if found else ()


def documents_in(folder: Path | None, names: Sequence[str]) -> tuple[ProjectDocument, ...]:
    """Return the beginnings of a project's own documents in the order of `names`; what cannot be read is left out."""
    read: dict[str, ProjectDocument] = {}
    for place in places_of_documents(folder, names):
        with contextlib.suppress(OSError, UnicodeDecodeError), place.open("rb") as file:
            text = file.read(DOCUMENT_BYTES).decode(errors="ignore")
            if text.strip():
                read.setdefault(place.name, ProjectDocument(place.name, str(place), text))
    return tuple(read.values())


def folder_slug(path: str) -> str:
    """Return the name of the last folder of a path of any system, as a slug: what a folder in no repository goes by.

    A number alone names nothing (tools call worktrees 1, 2, 3): then the folder around it does.
    """
    parts = [part for part in re.split(r"[/\\]", path) if part]
    named = next((part for part in reversed(parts) if not part.isdigit()), parts[-1] if parts else "")
    return _NOT_NAME.sub("-", named).strip("-").lower()


def folder_written_as(slug: str) -> str:
    """Return the folder of this machine whose path a tool wrote as `slug`, other signs as "-"; "" for none, or when several fit."""
    found = list(itertools.islice(_fitting(Path(Path.cwd().anchor), _NOT_SLUG.sub("-", slug.lower()).strip("-")), 2))
    return str(found[0]) if len(found) == 1 else ""


def _fitting(place: Path, rest: str) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        for child in place.iterdir():
            name = _NOT_SLUG.sub("-", child.name.lower()).strip("-")
            if name and (rest == name or rest.startswith(f"{name}-")) and child.is_dir():
                yield from [child] if rest == name else _fitting(child, rest[len(name) + 1 :])


def _common_folder(git: Path) -> Path:
    """Return where the repository's configuration lies; a worktree's `.git` is a file that leads there."""
    if not git.is_file():
        return git
    try:
        named = git.read_text(encoding="utf-8").partition("gitdir:")[2].strip()
        folder = (git.parent / named).resolve()
        common = folder / "commondir"
        return (folder / common.read_text(encoding="utf-8").strip()).resolve() if common.exists() else folder
    except (OSError, UnicodeError):
        return git


def _remote_name(common: Path) -> str:
    """Return the last part of the address of `origin`, or of the first remote; "" when there is none or the file is odd."""
    import configparser  # noqa: PLC0415 -- two milliseconds that a folder without a repository does not need to pay

    config = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
    try:
        config.read(common / "config", encoding="utf-8")
    except (OSError, UnicodeError, configparser.Error):
        return ""
    remotes = sorted((name != 'remote "origin"', name) for name in config.sections() if name.startswith("remote "))
    address = config.get(remotes[0][1], "url", fallback="") if remotes else ""
    return re.split(r"[/:\\]", (address or "").rstrip("/").removesuffix(".git"))[-1]


def _main_name(git: Path, place: Path) -> str:
    """Return the name of the main folder: of a worktree that of the repository it was made from, which may be gone or bare."""
    common = _common_folder(git)
    if not git.is_file() or "modules" in common.parts:
        return place.name
    if common.parent.name == "worktrees":
        common = common.parent.parent
    return (common.parent if common.name == ".git" else common).name.removesuffix(".git")


def _slug(name: str) -> str:
    return _NOT_SLUG.sub("-", name.lower()).strip("-") or "project"

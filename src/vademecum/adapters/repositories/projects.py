"""Identifies the project of a folder from git's own files; git itself need not be installed."""

import contextlib
import itertools
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.project import (
    Sign,
    below_home,
    elsewhere,
    folder_slug,
    one_spelling,
    remote_key,
    remote_name,
    slug_of,
    without_worktree,
)
from vademecum.domain.project_document import ProjectDocument

#: Folder with a project's memories, versioned with it.
MEMORY_FOLDER = ".vademecum"

#: Documents of a project, in its root or in `docs`, whose beginnings are shown in its sessions (SW-08).
DOCUMENTS = ("PRODUCT.md", "TECH.md", "IMPROVEMENT.md", "PROJECT.md")
#: Most bytes that are read of a document, and of git's files that identify a repository.
DOCUMENT_BYTES, CONFIG_BYTES = 16_000, 1 << 20
#: Timeout in seconds for git to find the first commit, once for each repository.
ROOT_S = 2.0
_NOT_SLUG = late_pattern(r"[^a-z0-9]+")
_SECTION = late_pattern(r"""\[\s*remote\s+"(?P<name>(?:[^"\\]|\\.)*)"\s*\]|\[(?P<other>[^\]]*)\]""")
_URL = late_pattern(r"url\s*=\s*(?P<url>.*)", re.IGNORECASE)
#: Reflog entry of the first commit of a repository created on this machine, and of its amended version.
_FIRST = late_pattern(r"0+ (?P<commit>[0-9a-f]{40,64}) .*\tcommit \(initial\)")
_AMENDED = late_pattern(r"(?P<before>[0-9a-f]{40,64}) (?P<commit>[0-9a-f]{40,64}) .*\tcommit \(amend\)")
#: Content of a bare repository's folder.
_BARE = frozenset({"HEAD", "objects", "refs"})


class Place(Struct, frozen=True):
    """Location of a repository, or of a folder with memories of its own, on this machine.

    Attributes:
        root: folder of this clone or worktree. git: its `.git`, a folder or a file; the root itself if it is bare.
        memories: folder of its own memories, or None.
    """

    root: Path
    git: Path
    memories: Path | None

    @property
    def common(self) -> Path:
        """Folder with the repository's configuration, which all its worktrees share."""
        return _common_folder(self.git)

    @property
    def main(self) -> Path:
        """Folder of the repository itself; for a worktree the repository it was created from, which may be deleted or bare."""
        common = self.common
        if not self.git.is_file() or "modules" in common.parts:
            return self.root
        if common.parent.name == "worktrees":
            common = common.parent.parent
        return common.parent if common.name.startswith(".") else common


def place_of(folder: Path) -> Place | None:
    """Return the repository, or the folder with memories of its own, that contains a folder; None for none."""
    for root in (folder, *folder.parents):
        git, memories = root / ".git", root / MEMORY_FOLDER
        bare = root.name.endswith(".git") and all((root / name).exists() for name in _BARE)
        if bare or git.exists() or memories.is_dir():
            return Place(root, root if bare else git, memories if memories.is_dir() else None)
    return None


class Signs:
    """Reads the features that identify a folder's project. Results are cached while git's files do not change.

    Args:
        home: home folder. device: returns the name of this computer. known: file that caches first commits.
    """

    def __init__(self, home: str, device: Callable[[], str], known: Path) -> None:
        self._home, self._device, self._file = home, device, known
        self._roots: dict[str, list[str]] | None = None
        self._read: dict[tuple[str, tuple[object, ...]], Sign] = {}

    def of(self, folder: str) -> Sign | None:
        """Return the features that identify a folder's project; None for "" and for the home folder, which is no project."""
        if not folder:
            return None
        path = _here(folder)
        place = None
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            path = path.resolve() if path is not None else None
            place = place_of(path) if path is not None else None
        return self._of_place(place) if place is not None else self._of_plain(folder, path)

    def _of_place(self, place: Place) -> Sign:
        common = place.common
        key = str(place.root), tuple(map(_mark, (common / "config", common / "logs" / "HEAD", common / "shallow")))
        known = self._read.get(key)
        if known is None:
            known = self._read_place(place, common)
            if known.root:  # otherwise the first commit may be made at any moment
                self._read[key] = known
        return known

    def _read_place(self, place: Place, common: Path) -> Sign:
        address = _remote(common)
        main = place.main
        remote = remote_key(address, _ssh_hosts(self._home)) if address else ""
        # A remote that is a path still gives a name: "../till" names its repository, but no other computer knows the path.
        name = slug_of(remote_name(address)) or slug_of(main.name.removesuffix(".git")) or "project"
        folders = [main] if main in (place.root, *place.root.parents) else [main, place.root]
        keys = tuple(self._key(str(folder)) for folder in folders)
        return Sign(name, remote, self._root(common), keys, repository=True)

    def _of_plain(self, folder: str, path: Path | None) -> Sign | None:
        gone = path is None or not os.path.exists(path)  # noqa: PTH110 -- False where a Path raises, as for names that are too long
        main, by_name = without_worktree(folder) if gone else (str(path), False)
        name, key = folder_slug(main), self._key(main)
        if not name or key == "~":
            return None
        return Sign(name, folders=(key,), gone=gone, by_name=by_name)

    def _key(self, folder: str) -> str:
        key = below_home(_cased(folder), _cased(self._home))
        return key or elsewhere(_cased(folder), self._device())

    def _root(self, common: Path) -> str:
        """Return the first commit of a repository; "" when it has none, or its history is shallow."""
        if (common / "shallow").exists():
            return ""
        mark, key = _birth(common), str(common)
        known = self._known().get(key)
        if known is not None and known[0] == mark:
            return known[1]
        root = _root_by_reflog(common) or _root_by_git(common)
        if root:
            self._note(key, [mark, root])
        return root

    def _known(self) -> dict[str, list[str]]:
        if self._roots is None:
            self._roots = {}
            with contextlib.suppress(OSError, ValueError):
                read = json.loads(self._file.read_bytes())
                self._roots = {str(key): list(map(str, value)) for key, value in dict(read).items() if len(value) == 2}
        return self._roots

    def _note(self, key: str, value: list[str]) -> None:
        self._known()[key] = value
        part = self._file.with_suffix(f".{os.getpid()}")
        with contextlib.suppress(OSError):
            part.write_text(json.dumps(self._known()), encoding="utf-8")
            part.replace(self._file)


def signs_of(folder: Path) -> list[Path]:
    """Return the files and folders that determine a folder's project and branch, existing or not."""
    paths = []
    for place in (folder, *folder.parents):
        git, memories = place / ".git", place / MEMORY_FOLDER
        paths += [git, memories]
        if git.exists() or memories.is_dir():
            common = _common_folder(git)
            return [*paths, common / "config", git / "HEAD" if git.is_dir() else common / "HEAD"]
    return paths


def places_of_documents(folder: Path | None) -> tuple[Path, ...]:
    """Return the possible paths of a project's own documents: in its root, or in `docs`; none outside of a project."""
    place = place_of(folder) if folder else None
    return tuple(parent / name for name in DOCUMENTS for parent in (place.root, place.root / "docs")) if place else ()


def documents_in(folder: Path | None) -> tuple[ProjectDocument, ...]:
    """Return the beginnings of a project's own documents in the order of `DOCUMENTS`; unreadable ones are omitted."""
    read: dict[str, ProjectDocument] = {}
    for place in places_of_documents(folder):
        with contextlib.suppress(OSError, UnicodeDecodeError), place.open("rb") as file:
            text = file.read(DOCUMENT_BYTES).decode(errors="ignore")
            if text.strip():
                read.setdefault(place.name, ProjectDocument(place.name, str(place), text))
    return tuple(read.values())


def folder_written_as(slug: str) -> str:
    """Return the folder of this machine whose path a tool wrote as `slug` (other characters as "-"); "" for none or several."""
    paths = list(itertools.islice(_fitting(Path(Path.cwd().anchor), _NOT_SLUG.sub("-", slug.lower()).strip("-")), 2))
    return str(paths[0]) if len(paths) == 1 else ""


def _fitting(place: Path, rest: str) -> Iterator[Path]:
    with contextlib.suppress(OSError):
        for child in place.iterdir():
            name = _NOT_SLUG.sub("-", child.name.lower()).strip("-")
            if name and (rest == name or rest.startswith(f"{name}-")) and child.is_dir():
                yield from [child] if rest == name else _fitting(child, rest[len(name) + 1 :])


def _common_folder(git: Path) -> Path:
    """Return the folder with the repository's configuration; a worktree's `.git` is a file that points to it."""
    if not git.is_file():
        return git
    try:
        named = git.read_text(encoding="utf-8", errors="replace").partition("gitdir:")[2].strip()
        folder = (git.parent / named).resolve()
        common = folder / "commondir"
        return (folder / common.read_text(encoding="utf-8", errors="replace").strip()).resolve() if common.exists() else folder
    except (OSError, UnicodeError):
        return git


def _remote(common: Path) -> str:
    """Return the address of `origin`, or of the first remote by name; "" when there is none or the file is invalid."""
    addresses: dict[str, str] = {}
    remote = None
    for line in _lines(common / "config"):
        section, url = _SECTION.match(line), _URL.fullmatch(line)
        if section:
            remote = section["name"]
        elif url and remote is not None:
            addresses.setdefault(remote, url["url"].strip().strip('"'))
    named = sorted((name != "origin", name) for name, address in addresses.items() if address)
    return addresses[named[0][1]] if named else ""


def _ssh_hosts(home: str) -> Mapping[str, str]:
    """Return host aliases in the person's ssh configuration -> the real host."""
    hosts: dict[str, str] = {}
    names: list[str] = []
    for line in _lines(Path(home) / ".ssh" / "config"):
        word, _, rest = line.replace("=", " ", 1).partition(" ")
        if word.lower() == "host":
            names = [name for name in rest.split() if "*" not in name and "." not in name]
        elif word.lower() == "hostname":
            hosts |= {name: rest.strip() for name in names if name not in hosts}
    return hosts


def _root_by_reflog(common: Path) -> str:
    """Return the first commit of a repository that was created on this machine: the first entry of its reflog."""
    root = ""
    for line in _lines(common / "logs" / "HEAD"):
        first, amended = _FIRST.match(line), _AMENDED.match(line)
        if not root and first:
            root = first["commit"]
        elif root and amended and amended["before"] == root:
            root = amended["commit"]
        else:
            break
    return root


def _root_by_git(common: Path) -> str:
    """Return the oldest root commit among HEAD's ancestors, from git; "" without git or commits."""
    if _is_unborn(common):
        return ""  # asked again at each look, since the first commit may come: a process for each would add up
    import subprocess  # noqa: PLC0415 -- 5 ms that a known repository avoids

    command = ("git", "--no-pager", "-c", "core.fsmonitor=false", f"--git-dir={common}", "rev-list", "--max-parents=0", "HEAD")
    try:
        done = subprocess.run(command, capture_output=True, timeout=ROOT_S, check=False, text=True)
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    return next(reversed(done.stdout.split()), "") if done.returncode == 0 else ""


def _is_unborn(common: Path) -> bool:
    """Return whether a repository surely has no commit: HEAD is the name of a branch, and there is no ref at all."""
    head = _lines(common / "HEAD")[:1]
    if not head or not head[0].startswith("ref:") or any((common / name).exists() for name in ("packed-refs", "reftable")):
        return False
    return not any(files for _, _, files in os.walk(common / "refs"))


def _birth(common: Path) -> str:
    """Return a mark that distinguishes a repository from a later one at the same path: files that git writes only once."""
    for name in ("description", "info/exclude", "objects", "."):
        with contextlib.suppress(OSError):
            stat_result = (common / name).stat()
            return f"{name}:{stat_result.st_ino}:{stat_result.st_mtime_ns if name in ('description', 'info/exclude') else 0}"
    return ""


def _mark(file: Path) -> object:
    try:
        stat_result = file.stat()
    except OSError:
        return None
    return stat_result.st_ino, stat_result.st_size, stat_result.st_mtime_ns


def _lines(file: Path) -> list[str]:
    """Return the stripped lines of a small text file; empty when it cannot be read."""
    try:
        with file.open("rb") as opened:
            return [line.strip() for line in opened.read(CONFIG_BYTES).decode("utf-8", "replace").splitlines()]
    except (OSError, ValueError):
        return []


def _here(folder: str) -> Path | None:
    """Return the path of a folder on this system, a Windows folder through the mounted drive; None if it has none."""
    spelled = one_spelling(folder)
    if os.name == "nt" or spelled[1:2] != ":":
        return Path(folder)
    return Path("/mnt", spelled[0], spelled[3:]) if os.path.isdir(f"/mnt/{spelled[0]}") else None  # noqa: PTH112


def _cased(path: str) -> str:
    """Return a path in the form in which this system's disks compare it."""
    return path.casefold() if sys.platform in ("darwin", "win32") else path

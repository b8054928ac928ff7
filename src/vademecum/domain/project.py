"""Projects: how a folder is matched to a known project, and how a new project gets its slug.

A project is identified by its repository: by the address of its remote, or without a remote by its first commit. A folder
without a repository is identified by its path. The slug names the project in memories and in folders of the vault; it is chosen
once and recorded.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

from vademecum.domain.errors import InvalidInput
from vademecum.domain.late_pattern import late_pattern

_NOT_SLUG = late_pattern(r"[^a-z0-9]+")
#: What a path has and the name of a project has not.
_OF_A_PATH = late_pattern(r"[/\\]|^\.")
_NOT_NAME = late_pattern(r"[^\w]+")
_ON = " @ "
_URL = late_pattern(r"[a-z][a-z0-9+.-]*://(?:[^/@]*@)?(?P<host>\[[^\]]+\]|[^/:?#]*)(?::\d*)?(?P<path>/[^?#]*)?", re.IGNORECASE)
_SCP = late_pattern(r"(?:[^/@:\\]+@)?(?P<host>\[[^\]]+\]|[^/:\\@]{2,}):(?!//)(?P<path>[^\\]+)")
#: Alternative host names of the same service, offered on the HTTPS port to pass firewalls.
_SAME_HOST = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org"}
#: Folders in which tools create the worktrees of a repository: "<repository>/<one of these>", or next to it
#: "<repository>__worktrees" and similar. The repository is identified from the path even after the worktree is deleted.
_WORKTREES_IN = late_pattern(
    r"(?P<main>.+?)(?:/(?:\.worktrees|\.claude/worktrees|\.git/worktrees|\.trees|\.wt)|(?<=[^/])[-_.]{1,2}(?:worktrees|trees|wt))/[^/]+(?:/.*)?"
)
#: Tools that create worktrees elsewhere: the repository's name is one of the folders.
_WORKTREES_OF = late_pattern(
    r"(?P<place>.*/(?:\.cursor/worktrees|conductor/workspaces|\.codex/worktrees/[^/]+)/)(?P<name>[^/]+)(?:/.*)?"
)


class Sign(Struct, frozen=True):
    """Features of a folder that identify its project.

    Attributes:
        name: short name of the repository or folder; a slug.
        remote: "host/owner/name" of the repository's remote; "": it has none, or its remote is a path.
        root: its first commit; "": it has no commits, or the first one cannot be determined.
        folders: its locations in the form of :func:`below_home` and :func:`elsewhere`, the repository's main folder first.
        repository: whether it is a repository. A folder without one is a project only when a conversation took place in it.
        gone: the folder no longer exists. by_name: only the repository's name is known.
    """

    name: str
    remote: str = ""
    root: str = ""
    folders: tuple[str, ...] = ()
    repository: bool = False
    gone: bool = False
    by_name: bool = False


class Project(Struct, frozen=True):
    """A project as the vault records it.

    Attributes:
        slug: its short name. since: when it was first recorded; aware, UTC. If two projects have one slug, the earlier one
            keeps it.
        remotes, roots, folders: identify it, as in :class:`Sign`; several if it was moved or cloned.
        formerly: earlier slugs; references that use them still resolve to this project.
    """

    slug: str
    since: datetime
    remotes: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()

    @property
    def is_repository(self) -> bool:
        return bool(self.remotes or self.roots)


def recognise(sign: Sign, known: Sequence[Project]) -> Project | None:
    """Return the known project that a folder belongs to; None when it is a new one.

    The remote is compared first. The first commit is compared if the folder or the project has no remote, or if the project's
    own folder now has another remote; forks, which share a first commit, remain separate projects. The path alone decides only
    if there is no repository. A project that is recorded by name only is matched by the first folder of that name.
    """
    project = _recognised(sign, known)
    nameless = (
        recorded
        for recorded in known
        if not (recorded.is_repository or recorded.folders) and sign.name in (recorded.slug, *recorded.formerly)
    )
    return project or next(nameless, None)


def _recognised(sign: Sign, known: Sequence[Project]) -> Project | None:
    if sign.remote:
        by_remote = next((project for project in known if sign.remote in project.remotes), None)
        if by_remote is not None:
            return by_remote
    here = [project for project in known if not set(sign.folders).isdisjoint(project.folders)]
    if sign.root:
        alike = [project for project in known if sign.root in project.roots]
        own = next((project for project in alike if project in here), None)
        free = [project for project in alike if not project.remotes or not sign.remote]
        if own is not None or len(free) == 1:
            return own or free[0]
    if not sign.repository:
        named = [project for project in known if project.is_repository and sign.name in _names(project)] if sign.by_name else []
        inside = named[0] if len(named) == 1 else _around(sign.folders, known) if sign.gone else None
        return next(iter(here), inside)
    if not sign.root:  # without a root commit, only the remote's name can tell two repositories at this path apart
        here = [
            project
            for project in here
            if not (sign.remote and project.remotes) or sign.remote.rpartition("/")[2] in _names(project)
        ]
        return next(iter(here), None)
    return next((project for project in here if not project.is_repository), None)


def _names(project: Project) -> set[str]:
    """Return the short names of a project: its slug, and the last parts of its remotes and folders."""
    last = [remote.rpartition("/")[2] for remote in (*project.remotes, *(path_in(folder) for folder in project.folders))]
    return {project.slug, *last, *map(slug_of, last)}


def _around(folders: Sequence[str], known: Sequence[Project]) -> Project | None:
    """Return the innermost repository that contained a folder that no longer exists."""
    pairs = [
        (len(place), project)
        for project in known
        if project.is_repository
        for place in project.folders
        if any(folder.startswith(f"{path_in(place)}/") for folder in folders)
    ]
    return max(pairs, key=lambda pair: pair[0])[1] if pairs else None


def with_sign(project: Project, sign: Sign) -> Project:
    """Return the project extended by the features of a folder; an equal project when nothing is new."""
    lasting = tuple(folder for folder in sign.folders if sign.repository or not project.is_repository)
    return replace(
        project,
        remotes=_added(project.remotes, [sign.remote]),
        roots=_added(project.roots, [sign.root]),
        folders=_added(project.folders, lasting),
    )


def joined(projects: Sequence[Project]) -> Project:
    """Return several records of one project merged into one, with the slug of the first record and the earliest time."""
    first = projects[0]
    for project in projects[1:]:
        first = replace(
            first,
            since=min(first.since, project.since),
            remotes=_added(first.remotes, project.remotes),
            roots=_added(first.roots, project.roots),
            folders=_added(first.folders, project.folders),
            formerly=tuple(slug for slug in _added(first.formerly, (project.slug, *project.formerly)) if slug != first.slug),
        )
    return first


def renamed(project: Project, slug: str) -> Project:
    """Return the project with a new slug; the old one is added to `formerly`, so that it still resolves."""
    formerly = tuple(entry for entry in _added(project.formerly, [project.slug]) if entry != slug)
    return replace(project, slug=slug, formerly=formerly)


def check_name(name: str) -> str:
    """Return the name of a project as somebody typed it, without spaces around it.

    Raises:
        InvalidInput: it is empty or a path.
    """
    if not name.strip() or _OF_A_PATH.search(name.strip()):
        raise InvalidInput(
            f"{name!r} cannot be the name of a project.", "Give a name such as webapp. Those that are known: vade project"
        )
    return name.strip()


def slug_now(name: str, known: Iterable[Project]) -> str:
    """Return the current slug of the project that has, or had, a name: the name itself unless it is only a former slug."""
    projects = tuple(known)
    if any(project.slug == name for project in projects):
        return name
    return next((project.slug for project in projects if name in project.formerly), name)


def is_same(one: Project, other: Project) -> bool:
    """Return whether two records describe one project.

    They do if they share a remote, or if they share a first commit or folder and do not both have remotes.
    """
    if set(one.remotes) & set(other.remotes):
        return True
    if one.remotes and other.remotes:
        return False
    return bool(set(one.roots) & set(other.roots) or set(one.folders) & set(other.folders))


def distinct(records: Iterable[Project]) -> tuple[Project, ...]:
    """Return the distinct projects in these records, each with a unique slug. The result does not depend on the order of the
    records.

    Records of one project under one slug are merged. If different projects claim one slug, the earliest keeps it.
    """
    projects: dict[str, Project] = {}
    for record in sorted(
        records, key=lambda project: (project.since, project.slug, project.remotes, project.roots, project.folders)
    ):
        known = projects.get(record.slug)
        if known is not None and is_same(known, record):
            projects[record.slug] = joined([known, record])
            continue
        slug = record.slug if known is None else free_slug(_sign_of(record), projects)
        projects[slug] = replace(record, slug=slug)
    return tuple(projects.values())


def _sign_of(project: Project) -> Sign:
    return Sign(project.slug, next(iter(project.remotes), ""), next(iter(project.roots), ""), project.folders, True)


def free_slug(sign: Sign, taken: Collection[str]) -> str:
    """Return a free slug for a new project: its short name, prefixed by owner or folders, or numbered, if that is in use."""
    for name in (sign.name, *_longer_names(sign)):
        if name not in taken:
            return name
    number = 2
    while f"{sign.name}-{number}" in taken:
        number += 1
    return f"{sign.name}-{number}"


def _longer_names(sign: Sign) -> Iterator[str]:
    parts = sign.remote.split("/")[:-1]
    if sign.folders and not parts:
        parts = [part for part in _BETWEEN_FOLDERS.split(path_in(sign.folders[0]))[:-1] if part]
    before = list(filter(None, map(slug_of, parts)))
    for count in range(1, len(before) + 1):
        yield "-".join((*before[-count:], sign.name))


def remote_key(address: str, hosts: Mapping[str, str]) -> str:
    """Return "host/owner/name" of a remote's address, equal for all ways to write it; "" for a path, which names no host.

    User, password and port are removed. Letters are lower-cased, since no large host distinguishes addresses by case.

    Args:
        hosts: host aliases in the person's ssh configuration -> the real host.
    """
    text = address.strip()
    match = _URL.fullmatch(text) if "://" in text else _SCP.fullmatch(text)
    if not match or text.lower().startswith("file:") or not match["path"]:
        return ""
    host = hosts.get(match["host"], match["host"]).lower().strip("[]").removeprefix("www.")
    host = _SAME_HOST.get(host, host)
    parts = [part for part in unquote(match["path"]).lower().split("/") if part not in ("", ".", "~")]
    if host.endswith(("dev.azure.com", ".visualstudio.com")):
        host, parts = "dev.azure.com", [part for part in parts if part not in ("v3", "_git")]
    if parts[:1] == ["scm"] and len(parts) > 2:
        parts = parts[1:]
    if not host or not parts:
        return ""
    return "/".join((host, *parts[:-1], parts[-1].removesuffix(".git")))


def remote_name(address: str) -> str:
    """Return the last part of a remote's address; "" when it has none."""
    return re.split(r"[/:\\]", address.strip().rstrip("/").removesuffix(".git"))[-1]


def slug_of(name: str) -> str:
    """Return a name as a slug of ASCII letters and digits; "" when it has none."""
    return _NOT_SLUG.sub("-", name.lower()).strip("-")


def folder_slug(path: str) -> str:
    """Return the slug of a folder without a repository: the name of the last folder of its path, in the syntax of any system.

    A name that is only a number says nothing (tools name worktrees 1, 2, 3); then the parent folder's name is used.
    """
    parts = [part for part in path.replace("\\", "/").split("/") if part]
    named = next((part for part in reversed(parts) if not part.isdigit()), parts[-1] if parts else "")
    return _NOT_NAME.sub("-", named).strip("-").lower()


_BETWEEN_FOLDERS = late_pattern(r"[/\\:~]")
_OF_WINDOWS = late_pattern(r"[A-Za-z]:[\\/]|\\\\")
_LONG_PATH = late_pattern(r"^//[?.]/(?=[A-Za-z]:/)|(?<=^//)[?.]/UNC/")
_OF_WSL = late_pattern(r"^//(?:wsl\.localhost|wsl\$)/[^/]+(?=/)", re.IGNORECASE)
_MOUNTED = late_pattern(r"(?:/mnt/|/cygdrive/)([a-z])(?=/|$)", re.IGNORECASE)
_DRIVE = late_pattern(r"[A-Za-z]:/")


def one_spelling(path: str) -> str:
    """Return a path in one spelling for Windows, WSL and Unix: slashes, NFC characters, drives as "c:/..." in lower case."""
    text = unicodedata.normalize("NFC", path)
    text = text.replace("\\", "/") if _OF_WINDOWS.match(text) else text
    text = _LONG_PATH.sub("", text)
    text = _OF_WSL.sub("", text)
    drive = _MOUNTED.match(text)
    text = f"{drive[1]}:{text[drive.end() :] or '/'}" if drive else text
    text = text.lower() if _DRIVE.match(text) else text
    return text.rstrip("/") or text[:1]


def below_home(path: str, home: str) -> str:
    """Return a folder below the home folder in the form that is the same on every device: "~/..."; "" for any other folder."""
    text, own = one_spelling(path), one_spelling(home)
    return f"~{text[len(own) :]}" if own and (text == own or text.startswith(f"{own}/")) else ""


def elsewhere(path: str, device: str) -> str:
    """Return a folder outside the home folder in recorded form: the path and the name of the device."""
    return f"{one_spelling(path)}{_ON}{device}"


def path_in(key: str) -> str:
    """Return the path in the recorded form of a folder."""
    return key.partition(_ON)[0]


def without_worktree(path: str) -> tuple[str, bool]:
    """Return the repository folder of a worktree, derived from the path alone, and whether only its name is reliable.

    For a path that is no worktree, return the path itself and False. The flag is True where a tool puts the worktrees of all
    repositories in one place: then the parent of the returned path is not the repository's.
    """
    text = one_spelling(path)
    inside, elsewhere = _WORKTREES_IN.fullmatch(text), _WORKTREES_OF.fullmatch(text)
    if inside:
        return inside["main"], False
    if elsewhere:
        return elsewhere["place"] + elsewhere["name"], True
    return path, False


def _added(have: Sequence[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, (*have, *more))))

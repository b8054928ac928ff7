"""Projects: how a folder is recognised as one that is known, and what a new one is called.

A project is known by its repository: by the address of its remote, by its first commit where there is no remote, by the folder's path
where there is no repository. Its slug is what it is called in memories and in folders of the vault; it is chosen once and recorded.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from urllib.parse import unquote

from msgspec import Struct
from msgspec.structs import replace

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_NOT_NAME = re.compile(r"[^\w]+")
_ON = " @ "
_URL = re.compile(r"[a-z][a-z0-9+.-]*://(?:[^/@]*@)?(?P<host>\[[^\]]+\]|[^/:?#]*)(?::\d*)?(?P<path>/[^?#]*)?", re.IGNORECASE)
_SCP = re.compile(r"(?:[^/@:\\]+@)?(?P<host>\[[^\]]+\]|[^/:\\@]{2,}):(?!//)(?P<path>[^\\]+)")
#: Hosts that answer under a second name, so that a firewall lets it pass.
_SAME_HOST = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com", "altssh.bitbucket.org": "bitbucket.org"}
#: Where tools put the worktrees of a repository, so that the repository is known when the worktree is gone: "<repository>/<one of these>",
#: or beside it in "<repository>__worktrees" and the like.
_WORKTREES_IN = re.compile(
    r"(?P<main>.+?)(?:/(?:\.worktrees|\.claude/worktrees|\.git/worktrees|\.trees|\.wt)|(?<=[^/])[-_.]{1,2}(?:worktrees|trees|wt))/[^/]+(?:/.*)?"
)
#: Tools that put them elsewhere: the name of the repository is one of the folders.
_WORKTREES_OF = re.compile(
    r"(?P<place>.*/(?:\.cursor/worktrees|conductor/workspaces|\.codex/worktrees/[^/]+)/)(?P<name>[^/]+)(?:/.*)?"
)


class Sign(Struct, frozen=True):
    """What tells which project a folder belongs to.

    Attributes:
        name: short name of the repository or folder; a slug.
        remote: "host/owner/name" of the repository's remote; "": it has none, or one that is a path.
        root: its first commit; "": it has none yet, or that cannot be told.
        folders: where it lies, as :func:`below_home` and :func:`elsewhere` write it, the repository's main folder first.
        repository: whether it is one. A folder without one is a project only when a conversation was held there.
        gone: the folder is not there any more. by_name: all that is left of it is the repository's name.
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
        slug: what it is called. since: when it was recorded first; aware, UTC. Of two with one slug the earlier keeps it.
        remotes, roots, folders: by which it is recognised, as in :class:`Sign`; several where it moved or was cloned.
        formerly: slugs that it had, so that what names it by one still means it.
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

    The remote decides first. The first commit decides where the folder or the project has no remote, or where the project's own folder
    has got another remote; forks, which share a first commit, stay apart. The path alone decides where there is no repository to ask.
    A project that is recorded by its name alone is taken by the first folder of that name.
    """
    project = _recognised(sign, known)
    nameless = (
        other_project
        for other_project in known
        if not (other_project.is_repository or other_project.folders)
        and sign.name in (other_project.slug, *other_project.formerly)
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
    if not sign.root:  # nothing tells it from another one at this place, unless its remote has another name
        here = [
            project
            for project in here
            if not (sign.remote and project.remotes) or sign.remote.rpartition("/")[2] in _names(project)
        ]
        return next(iter(here), None)
    return next((project for project in here if not project.is_repository), None)


def _names(project: Project) -> set[str]:
    """Return the short names that a project goes by: its slug, and the last parts of its addresses and folders."""
    last = [remote.rpartition("/")[2] for remote in (*project.remotes, *(path_in(folder) for folder in project.folders))]
    return {project.slug, *last, *map(slug_of, last)}


def _around(folders: Sequence[str], known: Sequence[Project]) -> Project | None:
    """Return the repository in whose folder a folder lay that is gone; of several the innermost."""
    pairs = [
        (len(place), project)
        for project in known
        if project.is_repository
        for place in project.folders
        if any(folder.startswith(f"{path_in(place)}/") for folder in folders)
    ]
    return max(pairs, key=lambda pair: pair[0])[1] if pairs else None


def with_sign(project: Project, sign: Sign) -> Project:
    """Return the project with what a folder tells of it; the same one when it tells nothing new."""
    lasting = tuple(folder for folder in sign.folders if sign.repository or not project.is_repository)
    return replace(
        project,
        remotes=_added(project.remotes, [sign.remote]),
        roots=_added(project.roots, [sign.root]),
        folders=_added(project.folders, lasting),
    )


def joined(projects: Sequence[Project]) -> Project:
    """Return several records of one project as one, under the slug and time of the first."""
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
    """Return the project under another slug; it is still found by the one that it had."""
    formerly = tuple(entry for entry in _added(project.formerly, [project.slug]) if entry != slug)
    return replace(project, slug=slug, formerly=formerly)


def slug_now(name: str, known: Iterable[Project]) -> str:
    """Return what the project that goes, or went, by a name is called now: the name itself when no other took its place."""
    projects = tuple(known)
    if any(project.slug == name for project in projects):
        return name
    return next((project.slug for project in projects if name in project.formerly), name)


def is_same(one: Project, other: Project) -> bool:
    """Return whether two records are of one project: they share something by which it is recognised, and no remotes part them."""
    if set(one.remotes) & set(other.remotes):
        return True
    if one.remotes and other.remotes:
        return False
    return bool(set(one.roots) & set(other.roots) or set(one.folders) & set(other.folders))


def distinct(records: Iterable[Project]) -> tuple[Project, ...]:
    """Return the projects in these records, each once and each with a slug of its own, whatever order they came in.

    Records of one project under one slug are joined. Where one slug is claimed by different projects, the earliest keeps it.
    """
    projects: list[Project] = []
    for record in sorted(
        records, key=lambda project: (project.since, project.slug, project.remotes, project.roots, project.folders)
    ):
        same = next(
            (number for number, project in enumerate(projects) if project.slug == record.slug and is_same(project, record)),
            None,
        )
        if same is not None:
            projects[same] = joined([projects[same], record])
            continue
        taken = {project.slug for project in projects}
        slug = record.slug if record.slug not in taken else free_slug(_sign_of(record), taken)
        projects.append(replace(record, slug=slug))
    return tuple(projects)


def _sign_of(project: Project) -> Sign:
    return Sign(project.slug, next(iter(project.remotes), ""), next(iter(project.roots), ""), project.folders, True)


def free_slug(sign: Sign, taken: Collection[str]) -> str:
    """Return what a new project is called: its short name, and where another has that, the name of its owner or folder before it."""
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
        parts = [part for part in re.split(r"[/\\:~]", path_in(sign.folders[0]))[:-1] if part]
    before = list(filter(None, map(slug_of, parts)))
    for count in range(1, len(before) + 1):
        yield "-".join((*before[-count:], sign.name))


def remote_key(address: str, hosts: Mapping[str, str]) -> str:
    """Return "host/owner/name" of a remote's address, equal for all ways to write it; "" for a path, which names no host.

    User, password and port are left out; letters become small, since no large host tells addresses apart by them.

    Args:
        hosts: names that stand for hosts in the person's ssh configuration -> the host.
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
    """Return a name as a slug of plain letters and digits; "" when it has none."""
    return _NOT_SLUG.sub("-", name.lower()).strip("-")


def folder_slug(path: str) -> str:
    """Return the name of the last folder of a path of any system, as a slug: what a folder in no repository goes by.

    A number alone names nothing (tools call worktrees 1, 2, 3): then the folder around it does.
    """
    parts = [part for part in re.split(r"[/\\]", path) if part]
    named = next((part for part in reversed(parts) if not part.isdigit()), parts[-1] if parts else "")
    return _NOT_NAME.sub("-", named).strip("-").lower()


def one_spelling(path: str) -> str:
    """Return a path as Windows, WSL and Unix would all write it: slashes, composed characters, drives as "c:/..." in small letters."""
    text = unicodedata.normalize("NFC", path)
    text = text.replace("\\", "/") if re.match(r"[A-Za-z]:[\\/]|\\\\", text) else text
    text = re.sub(r"^//(?:wsl\.localhost|wsl\$)/[^/]+(?=/)", "", text, flags=re.IGNORECASE)
    drive = re.match(r"(?:/mnt/|/cygdrive/)([a-z])(?=/|$)", text, re.IGNORECASE)
    text = f"{drive[1]}:{text[drive.end() :] or '/'}" if drive else text
    text = text.lower() if re.match(r"[A-Za-z]:/", text) else text
    return text.rstrip("/") or text[:1]


def below_home(path: str, home: str) -> str:
    """Return how a folder below the person's home is recorded, the same on every device: "~/..."; "" for any other."""
    text, own = one_spelling(path), one_spelling(home)
    return f"~{text[len(own) :]}" if own and (text == own or text.startswith(f"{own}/")) else ""


def elsewhere(path: str, device: str) -> str:
    """Return how a folder outside of the person's home is recorded: with the name of the device that has it."""
    return f"{one_spelling(path)}{_ON}{device}"


def path_in(key: str) -> str:
    """Return the path in what is recorded of a folder."""
    return key.partition(_ON)[0]


def without_worktree(path: str) -> tuple[str, bool]:
    """Return the folder of the repository that a worktree was made from, as far as the path says it, else the path itself; and whether
    of that folder only the name is known, because a tool keeps worktrees of all repositories in one place.
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

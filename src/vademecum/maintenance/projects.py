"""Rename and join projects, and assign memories and sessions to the right project."""

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from itertools import combinations
from pathlib import Path, PurePosixPath

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.branches import branch_in
from vademecum.domain.errors import InvalidInput, NotFound
from vademecum.domain.item import FILED_SOURCES, Item
from vademecum.domain.memory import BY_PERSON, By, Memory, personal_space
from vademecum.domain.places import place_named
from vademecum.domain.project import (
    Project,
    Sign,
    folder_slug,
    free_slug,
    joined,
    path_in,
    recognise,
    renamed,
    slug_now,
    with_sign,
)
from vademecum.domain.query import Scope
from vademecum.domain.session import Cursor, Turn
from vademecum.ingest.discover import form_of
from vademecum.ingest.load_session import whole_session
from vademecum.ingest.reader import HEAD_BYTES, head_of
from vademecum.vault.change import Placing
from vademecum.vault.places import ARCHIVE, HANDOFFS, check_slug

BY_SETTLING = By("extraction", "projects")
#: Limit for queries that must return all memories or conversations.
_ALL = 10_000_000
_SETTLE = "settle projects"


class Renamed(Struct, frozen=True):
    """Result of renaming or joining a project.

    Attributes:
        project: its name now.
        former: its former name.
        memories: number of memories that moved.
        joined: whether it was joined to an existing project.
    """

    project: str
    former: str
    memories: int
    joined: bool


class Settled(Struct, frozen=True):
    """Result of correcting projects.

    Attributes:
        moved: title -> (former project, project) of memories that moved.
        unclear: project that mixes several repositories -> titles of its memories whose repository is unknown.
    """

    moved: Mapping[str, tuple[str, str]] = {}
    unclear: Mapping[str, tuple[str, ...]] = {}


def projects(context: Context) -> tuple[Project, ...]:
    """Return the projects recorded in the vault and those that only memories name, sorted by slug."""
    known = {project.slug: project for project in context.vault.projects.known()}
    named = {item.project for item in _memories(context) if item.project}
    unrecorded = {slug: Project(slug, context.clock.now()) for slug in named - known.keys()}
    return tuple(sorted((known | unrecorded).values(), key=lambda project: project.slug))


def rename(context: Context, former: str, name: str, *, join: bool, by: By = BY_PERSON) -> Renamed:
    """Rename a project with all of its memories, or join it to another. One undo reverses it.

    Args:
        join: `name` is an existing project; the two become one.

    Raises:
        NotFound: there is no such project.
        InvalidInput: the name is taken or invalid, or there is no project to join.
    """
    check_slug(name, "project")
    known = {project.slug: project for project in projects(context)}
    if former not in known:
        raise NotFound(f"There is no project {former!r}.", f"Projects: {', '.join(known) or 'none'}")
    if former == name:
        raise InvalidInput(f"{former} has that name already.")
    if name in known and not join:
        raise InvalidInput(f"There is a project {name} already.", f"To join them: vade project rename {former} {name} --join")
    if join and name not in known:
        raise InvalidInput(f"There is no project {name} to join it to.", "Leave out --join to give it that name.")
    after = joined([known[name], known[former]]) if join else renamed(known[former], name)
    moves = [_placed(context, item, name) for item in _memories(context) if item.project == former]
    notes: dict[str, Project | None] = {former: None, name: after}
    memories = context.vault.give_projects("rename project", moves, notes, f"project {former} is {name} now", by=by)
    settle_sessions(context)
    return Renamed(name, former, len(memories), join)


def _memories(context: Context) -> Sequence[Item]:
    """Return every memory in the personal space that has a file, whatever its status."""
    space = personal_space(context.vault.spaces).name
    return context.index.select(Scope(sources=FILED_SOURCES, spaces=(space,), statuses=None, branches=None), limit=_ALL)


def _placed(context: Context, item: Item, project: str) -> Placing:
    """Return the changes to a memory when its project changes."""
    memory = context.vault.get(item.key.removeprefix("memory://"))
    properties: dict[str, object] = {"project": project or None}
    branch = branch_in(memory.branch)
    if branch is not None and branch.repository == memory.project:
        properties["branch"] = str(replace(branch, repository=project)) if project else None
    return Placing(memory.id, properties, _path(memory, project))


def _path(memory: Memory, project: str) -> str:
    """Return the path of a memory's file after its project changed."""
    put_away = f"{ARCHIVE}/" if memory.path.startswith(f"{ARCHIVE}/") else ""
    path = memory.path.removeprefix(put_away)
    for before, after in (
        (f"projects/{memory.project}/", f"projects/{project}/"),
        (f"{HANDOFFS}/{memory.project}/", f"{HANDOFFS}/{project}/"),
    ):
        if path.startswith(before):
            return put_away + after + path.removeprefix(before)
    return memory.path


# assigning memories to the right project


def settle(context: Context) -> Settled:
    """Move memories to the right project after the records of projects changed, or if this device never checked.

    A memory moves if its conversation took place in another repository than its project's: formerly several repositories could
    share a name, and two devices could give one name to two. Unclear cases stay. One undo reverses all moves.
    """
    notes = context.vault.projects
    if notes.settled() or not context.index.select(Scope(sources=("session",), statuses=None, branches=None), limit=1):
        return Settled()  # before any conversation is read, the origin of memories is unknown
    done = _sort_out(context)
    settle_sessions(context)
    notes.note_settled()
    return done


class _Origin(Struct, frozen=True):
    """A memory, and the folder where it was said."""

    item: Item
    folder: str
    sign: Sign | None


def _sort_out(context: Context) -> Settled:
    folder_of = cache(partial(_folder_of, context))
    began = {project.slug: project.since for project in context.vault.projects.known()}
    memories = _memories(context)
    older = [item for item in memories if item.project and item.origin.startswith("session://")]
    if not context.vault.projects.clashing():  # memories made after their project was recorded are in the right one
        older = [
            memory
            for memory in older
            if memory.created is None or memory.project not in began or memory.created < began[memory.project]
        ]
    settled = context.vault.history.touched_by(BY_SETTLING, _SETTLE) if older else frozenset()
    origins = []
    for item in older:
        # Move each memory once only, so that the person's later decisions stay.
        if item.key.removeprefix("memory://") not in settled:
            folder = folder_of(item.origin, _first_turn(context, item))
            origins.append(_Origin(item, folder, context.outside.projects.sign_of(folder) if folder else None))
    misnamed = [origin for origin in origins if origin.sign is not None and origin.item.project in _names_before(origin)]
    records, slugs = _recorded(context, misnamed)
    moves = [
        (origin, slugs[origin.sign])
        for origin in misnamed
        if origin.sign is not None and slugs[origin.sign] not in ("", origin.item.project)
    ]
    unclear = _unclear(
        memories,
        {origin.item.key for origin in origins if origin.sign is not None},
        {origin.item.project for origin, _ in moves},
    )
    before = {project.slug: project for project in context.vault.projects.known()}
    if not moves and records == before:
        return Settled({}, unclear)
    placings = [_placed(context, origin.item, project) for origin, project in moves]
    reason = "each memory belongs to the repository that it was said in"
    context.vault.give_projects(_SETTLE, placings, records, reason, by=BY_SETTLING)
    return Settled({origin.item.title: (origin.item.project, project) for origin, project in moves}, unclear)


def _names_before(origin: _Origin) -> set[str]:
    """Return the former names of an origin's project, made of the last part of its remote or folder alone."""
    return {origin.sign.name if origin.sign else "", folder_slug(origin.folder)} - {""}


def _recorded(context: Context, origins: Sequence[_Origin]) -> tuple[dict[str, Project | None], dict[Sign, str]]:
    """Return (slug -> project to record, sign -> slug).

    Of repositories with the same name, the one with most memories keeps it.
    """
    counts = Counter(origin.sign for origin in origins if origin.sign is not None)
    known = list(context.vault.projects.known())
    slugs: dict[Sign, str] = {}
    for sign, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0].remote, pair[0].root, pair[0].folders)):
        project = recognise(sign, known)
        if project is not None:
            known.remove(project)
        slug = project.slug if project else free_slug(sign, {recorded.slug for recorded in known})
        known.append(with_sign(project or Project(slug, context.clock.now()), sign))
        slugs[sign] = slug
    return {recorded.slug: recorded for recorded in known}, slugs


def _unclear(memories: Sequence[Item], names: set[str], mixed: set[str]) -> dict[str, tuple[str, ...]]:
    """Return project -> titles of its memories whose repository is unknown, for the projects in `mixed`."""
    left: dict[str, list[str]] = {}
    for item in memories:
        if item.project in mixed and item.key not in names:
            left.setdefault(item.project, []).append(item.title)
    return {project: tuple(titles) for project, titles in left.items()}


def _first_turn(context: Context, item: Item) -> str:
    """Return the ref of the turn that a memory came from; "" for a handoff, which covers a whole session."""
    if item.source == "handoff":
        return ""
    with contextlib.suppress(NotFound):
        return context.vault.get(item.key.removeprefix("memory://")).source_span.partition(" to ")[0]
    return ""


def _folder_of(context: Context, session: str, turn: str) -> str:
    """Return the folder of a turn, or else of its session, from the transcript, archive, index or marker; "" when unknown."""
    with contextlib.suppress(NotFound):
        whole = whole_session(context, session)[0]
        last_turn = next((said for said in whole.turns if said.ref == turn), Turn("", "note", "-"))
        return last_turn.cwd or whole.cwd
    item, marker = context.index.items([session]).get(session), context.storage.markers.get(session)
    return (item.folder if item else "") or (marker.cwd if marker else "")


def settle_sessions(context: Context) -> int:
    """Assign indexed conversations and their snapshots to the project that their folder belongs to now.

    Returns how many changed.
    """
    items = context.index.select(Scope(sources=("session", "log"), statuses=None, branches=None), limit=_ALL)
    began = [(item, item.folder or _began_in(context, item.path)) for item in items]
    known, names = context.outside.projects.known(), context.outside.projects.names_of({folder for _, folder in began} - {""})
    count = 0
    for item, folder in began:
        project = names[folder] if folder else slug_now(item.project, known)
        if (project, folder) == (item.project, item.folder):
            continue
        context.indexer.set_project(item, project, folder)
        words = context.state.snapshots.get(item.key)
        if words is not None:
            context.state.snapshots.set(replace(words, project=project))
        count += 1
    return count


# questions that only the person can answer


class Alike(Struct, frozen=True):
    """Two projects that may be the same. `why`: what they have in common, in words."""

    project: str
    other: str
    why: str


def alike(context: Context) -> tuple[Alike, ...]:
    """Return pairs of projects that are or may be the same.

    A fork shares its first commit with the original; while the folders of both exist, they count as two.
    """
    alikes = []
    for project, other in combinations(context.vault.projects.known(), 2):
        shared = set(project.remotes) & set(other.remotes)
        if shared:
            alikes.append(Alike(project.slug, other.slug, f"are one repository, {min(shared)}"))
        elif set(project.roots) & set(other.roots) and not (_is_here(project) and _is_here(other)):
            alikes.append(Alike(project.slug, other.slug, "have the same first commit, and the folder of one is gone"))
        elif pair := _moved(project, other) or _moved(other, project):
            alikes.append(pair)
    return tuple(alikes)


def _moved(former: Project, now: Project) -> Alike | None:
    """Return the two projects if a folder without a repository was probably renamed or moved.

    The folder is gone, and one beside it or with its name became a project later; else None.
    """
    if former.is_repository or now.is_repository or former.since > now.since or _is_here(former) or not _is_here(now):
        return None
    paths = [{PurePosixPath(path_in(folder)) for folder in project.folders} for project in (former, now)]
    if any(gone.parent == there.parent or gone.name == there.name for gone in paths[0] for there in paths[1]):
        return Alike(
            former.slug,
            now.slug,
            f"may be one: the folder of {former.slug} is gone, and that of {now.slug} is near it or called so",
        )
    return None


def _is_here(project: Project) -> bool:
    """Return whether a folder of a project exists on this machine."""
    return any(place_named(path_in(folder)).is_dir() for folder in project.folders)


def _began_in(context: Context, path: str) -> str:
    """Return the folder in which a conversation began, from the beginning of its transcript.

    It is "" when the transcript is gone or names none.
    """
    try:
        with Path(path).open("rb") as file:
            beginning = head_of(file.read(HEAD_BYTES))
        form = form_of(context.outside.formats, beginning, Path(path), lambda: beginning)
    except OSError:
        return ""
    return form.parse(beginning[: form.complete(beginning)], Cursor(), path).session.cwd if form is not None else ""

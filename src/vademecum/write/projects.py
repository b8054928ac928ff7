"""Record projects in the vault, so that every device recognises them, and determine the project of a conversation."""

from collections.abc import Iterable, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from vademecum.context.context import Context
from vademecum.domain.errors import InvalidInput
from vademecum.domain.kinds import OF_NO_PROJECT
from vademecum.domain.memory import By
from vademecum.domain.project import Project, Sign, check_name, free_slug, one_spelling, recognise, slug_now, with_sign
from vademecum.domain.session import Session

BY_RECORDING = By("extraction", "projects")


class WorkedIn(Struct, frozen=True):
    """Working folder of most of a conversation, and its project, "" for none."""

    folder: str
    project: str


def project_for(context: Context, kind: str, project: str, *, personal: bool) -> str:
    """Return the project of a new memory, and record the project; "" for a memory of all projects.

    A memory saved inside a project belongs to it unless the caller says otherwise. The person's identity belongs to no project.

    Args:
        project: the named one; "": none. personal: the memory must have no project.

    Raises:
        InvalidInput: both a project and `personal` are given, or the name is a path.
    """
    if personal and project:
        raise InvalidInput(f"It cannot be of the project {project} and of no project.", "Leave one of the two out.")
    here = context.outside.projects.name_of(context.folder) if context.folder else ""
    project = slug_now(check_name(project), context.outside.projects.known()) if project else ""
    if project and project != here:
        return project
    if personal or kind in OF_NO_PROJECT or not (project or context.outside.projects.slug_of(context.folder)):
        return ""
    record_projects(context, [context.folder])
    return here


def record_projects(context: Context, folders: Iterable[str]) -> None:
    """Record the projects of these working folders, and new facts about known ones. Nothing is written if all is already recorded."""
    projects = context.outside.projects
    for folder in dict.fromkeys(folders):
        sign = projects.sign_of(folder)
        if sign is None:
            continue
        known = recognise(sign, projects.known())
        if known is None or with_sign(known, sign) != known:
            context.vault.projects.record(partial(_recorded, context, sign), by=BY_RECORDING)


def _recorded(context: Context, sign: Sign, known: Sequence[Project]) -> Project:
    """Return the new record of the project with this sign."""
    project = recognise(sign, known)
    slug = project.slug if project else free_slug(sign, {recorded.slug for recorded in known})
    return with_sign(project or Project(slug, context.clock.now()), sign)


def worked_in(context: Context, session: Session) -> WorkedIn:
    """Return the folder and project of most turns of a conversation.

    If the host gives no folder, it may name the project itself.
    """
    folders = session.folders or (((session.cwd, 1),) if session.cwd else ())
    if not folders:
        return WorkedIn("", session.project)
    roots = folders_to_record(context, session)
    counts: dict[str, int] = {}
    first: dict[str, str] = {}
    for folder, count in folders:
        root = next((entry for entry in reversed(roots) if folder == entry or _is_below(folder, entry)), roots[0])
        project = context.outside.projects.name_of(root)
        counts[project] = counts.get(project, 0) + count
        first.setdefault(project, folder)
    project = max(reversed(counts), key=lambda entry: counts[entry])
    return WorkedIn(first[project], project)


def folders_to_record(context: Context, session: Session) -> tuple[str, ...]:
    """Return the folders of a conversation whose projects are to be recorded.

    These are the first folder, and later ones (after a `cd`) that are repositories, or that no longer exist and are not inside
    another folder of the conversation. Any other existing folder counts as part of the first project.
    """
    folders = [folder for folder, _ in session.folders] or list(filter(None, [session.cwd]))
    own = []
    for folder in folders[1:]:
        sign = context.outside.projects.sign_of(folder)
        alone = sign is not None and sign.gone and not any(_is_below(folder, other) for other in folders)
        if alone or (sign is not None and sign.repository):
            own.append(folder)
    return (*folders[:1], *own)


def _is_below(folder: str, other: str) -> bool:
    return one_spelling(folder).startswith(f"{one_spelling(other)}/")


def in_project(session: Session, where: WorkedIn) -> Session:
    """Return the session with this folder and project."""
    return replace(session, cwd=where.folder or session.cwd, project=where.project)

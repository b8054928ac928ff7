"""Verbs for projects: what one is about, and its names."""

from collections.abc import Sequence

from vademecum.api import Vademecum
from vademecum.domain.project import Project, path_in
from vademecum.entrypoints.text import memory_text
from vademecum.entrypoints.verbs.verb import REQUIRED, Param, Verb, body_param
from vademecum.maintenance.projects import Renamed


def projects_text(result: Sequence[Project]) -> str:
    """Return one line for each project: its name, how it is recognised, and its former names."""
    lines = []
    for project in result:
        facts = [
            *project.remotes,
            *(f"first commit {root[:10]}" for root in project.roots if not project.remotes),
            *map(path_in, project.folders),
        ]
        facts += [f"formerly {', '.join(project.formerly)}"] if project.formerly else []
        lines.append(f"{project.slug}  {'; '.join(facts) or 'known by its name alone'}")
    return "\n".join(lines) or "There are no projects yet."


def renamed_text(result: Renamed) -> str:
    """Return the new name of a project, and how to undo that."""
    what = (
        f"{result.former} is part of {result.project} now"
        if result.joined
        else f"{result.former} is called {result.project} now"
    )
    return f"{what}: {result.memories} memories moved along. Take that back with: vade undo"


#: First word of two-word verbs -> what they are about.
FIRST_WORDS = {"project": "Projects: list, rename and join them; say what one is about, which every agent in it is shown."}

VERBS = (
    Verb("project show", "What a project is about: the page that every agent in it is shown.",
         (Param("name", "text", "The project; empty: that of the working folder.", "", place=True, max_chars=100),),
         Vademecum.projects.show, memory_text),
    Verb("project edit", "Write what a project is about; the earlier text stays in the history.", (
        Param("name", "text", "The project; empty: that of the working folder.", "", place=True, max_chars=100),
        body_param("What it is about.", REQUIRED),
    ), Vademecum.projects.edit, memory_text, writes=True, signed=True),
    Verb("project show --all", "The known projects, and how each is recognised.", (),
         Vademecum.projects.all, projects_text),
    Verb("project rename",
         "Give a project another name, with its memories, handoffs and conversations; or join it to another. One undo takes it back.", (
        Param("former", "text", "The project.", place=True, max_chars=100),
        Param("name", "text", "Its new name, or with --join the project that it is part of.", place=True, max_chars=100),
        Param("join", "flag", "Both names are one project.", False),
    ), Vademecum.projects.rename, renamed_text, writes=True, agents=False, signed=True),
)  # fmt: skip

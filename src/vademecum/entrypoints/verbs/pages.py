"""Pages made of memories, and drawings of them."""

import json

import msgspec

from vademecum.api import Vademecum
from vademecum.entrypoints.verbs.table import Param, Verb, ref_param
from vademecum.features.canvas import Canvas
from vademecum.features.views import ViewsReport


def views_text(result: ViewsReport) -> str:
    """Return which pages were written, and what was taken in from them."""
    lines = [f"written: {path}" for path in result.written]
    lines += [f"taken over from a page: {title}" for title in result.taken]
    lines += [f"waits in vade review, from a page: {title}" for title in result.proposed]
    lines += [f"problem: {problem.path}: {problem.message}" for problem in result.problems]
    return "\n".join(lines) or "The pages are as new as the memories."


def canvas_text(result: Canvas) -> str:
    """Return the file that Obsidian opens."""
    return json.dumps(msgspec.to_builtins(result), ensure_ascii=False, indent=2)


#: Stands over these verbs in the help of the command line.
TITLE = "Pages"

VERBS = (
    Verb(
        "views",
        "Make pages of the memories in _views (MEMORY, EVOLUTION, hot, index, log, KNOWLEDGE, PROJECTS, one a project, an agent, a week)"
        " and Memories.base, kept up to date from then on; what you write there is taken over or waits for review.",
        (),
        Vademecum.maintenance.views,
        views_text,
        writes=True,
        agents=False,
    ),
    Verb(
        "canvas",
        "How a memory came about, as JSON Canvas for Obsidian: vade canvas KD03 > why.canvas",
        (ref_param(), Param("limit", "number", "Most links.", 20)),
        Vademecum.notes.canvas,
        canvas_text,
        signed=True,
    ),
)

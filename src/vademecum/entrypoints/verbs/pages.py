"""Pages made of memories, and drawings of them."""

import json

import msgspec

from vademecum.api import Vademecum
from vademecum.compose.standing import Instructions
from vademecum.entrypoints.text import bundle_text, memory_text
from vademecum.entrypoints.verbs.table import REQUIRED, Param, Verb, body_param, ref_param
from vademecum.features.canvas import Canvas
from vademecum.features.views import ViewsReport


def instructions_text(result: Instructions) -> str:
    """Return them as they are."""
    return result.text


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


#: First word of verbs of two -> what they are about.
FIRST_WORDS = {"project": "What a project is about, as every agent in it is told: show it, edit it."}

#: Stands over these verbs in the help of the command line.
TITLE = "Pages"

VERBS = (
    Verb("views",
         "Make pages of the memories in _views (MEMORY, EVOLUTION, hot, index, log, KNOWLEDGE, PROJECTS, one a project, an agent, a week)"
         " and Memories.base, kept up to date from then on; what you write there is taken over or waits for review.", (
    ), Vademecum.maintenance.views, views_text, writes=True, agents=False),
    Verb("canvas", "How a memory came about, as JSON Canvas for Obsidian: vade canvas KD03 > why.canvas",
         (ref_param(), Param("limit", "number", "Most links.", 20)), Vademecum.pages.canvas, canvas_text),
    Verb("project show", "What a project is about: the page that every agent in it is told.",
         (Param("name", "text", "The project; empty: that of the working folder.", "", place=True, max_chars=100),),
         Vademecum.pages.project, memory_text),
    Verb("project edit", "Say what a project is about; what was said before stays in the history.", (
        Param("name", "text", "The project; empty: that of the working folder.", "", place=True, max_chars=100),
        body_param("What it is about.", REQUIRED),
    ), Vademecum.pages.edit_project, memory_text, writes=True),
    Verb("inject",
         "What an agent of a host without hooks is given for a new session: its briefing, then what is known about a question.", (
        Param("agent", "text", "Name of the agent.", place=True, max_chars=80),
        Param("question", "words", "What the session is about; empty: the briefing alone.", "", place=True),
        Param("project", "text", "The project; empty: that of the working folder.", "", max_chars=100),
        Param("budget", "number", "Most tokens; 0, or more than 2000: 2000.", 0),
    ), Vademecum.recall.inject, bundle_text, asks=True),
    Verb("instructions", "What to tell an agent without hooks once, so that it reads and writes memory by itself.", (
        Param("agent", "text", "The agent; empty: any.", "", max_chars=80),
        Param("project", "text", "The project; empty: that of the working folder.", "", max_chars=100),
    ), Vademecum.recall.instructions, instructions_text),
)  # fmt: skip

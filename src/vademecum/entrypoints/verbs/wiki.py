"""Events of a workflow in layers, and what such a workflow needs to be there."""

from vademecum.api import Vademecum
from vademecum.entrypoints.text import memory_text, saved_text
from vademecum.entrypoints.verbs.pages import views_text
from vademecum.entrypoints.verbs.table import Param, Verb
from vademecum.features.wiki_events import EVENTS, EventReport

_EVENTS = "; ".join(f"{name} ({one.meaning})" for name, one in EVENTS.items())


def event_text(result: EventReport) -> str:
    """Return what became of it."""
    lines = [saved_text(one) for one in result.saved]
    if result.views is not None:
        lines.append(views_text(result.views))
    return "\n".join(lines) or "Nothing in it is to be kept."


#: Stands over these verbs in the help of the command line.
TITLE = "Wiki"

VERBS = (
    Verb(
        "event",
        "Keep what a workflow in layers tells: a spec, a plan, what held or broke, the end of a turn or session.",
        (
            Param("name", "text", f"Which: {_EVENTS}.", place=True, max_chars=40),
            Param(
                "payload",
                "object",
                "What there is to say, as JSON: title, body, project, source, tags; all else becomes sections.",
                {},
            ),
        ),
        Vademecum.wiki.event,
        event_text,
        writes=True,
        signed=True,
    ),
    Verb(
        "require",
        "The memory that must be there, by kind and title; exit code 4 (MISSING) when none stands, so that a host halts.",
        (
            Param("kind", "text", "What sort: decision, spec, plan, failure_pattern, ...", place=True, named="kind"),
            Param("title", "words", "Its title, key, alias or id.", place=True),
            Param("project", "text", "Only this project's and those of no project.", ""),
        ),
        Vademecum.wiki.require,
        memory_text,
        signed=True,
    ),
)

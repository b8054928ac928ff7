"""`vade list --threads`."""

from collections.abc import Sequence

from vademecum.domain.ids import short_id
from vademecum.plugin import on_context
from vademecum.plugin_api.verbs import Param, Verb
from vademecum.plugins.threads.threads import Thread, threads


def threads_text(result: Sequence[Thread]) -> str:
    """Return a line for each open task, with evidence that it may be done."""
    lines = []
    for one in result:
        facts = ", ".join(filter(None, (f"since {one.since}", one.project, f"priority {one.priority}" if one.priority else "")))
        lines.append(f"{f'[{one.key}] ' if one.key else ''}{one.title}  ({facts}, {short_id(one.id)})")
        if one.maybe_done:
            lines.append(f"  a session says: {one.maybe_done}\n  if that is it: vade archive --resolved {short_id(one.id)}")
    return "\n".join(lines) or "Nothing is open."


VERBS = (
    Verb("list --threads", "Open tasks with their keys, the most important first; marked where a session says that one is done.",
         (Param("project", "text", "Only of this project.", "", max_chars=80),), on_context(threads), threads_text, signed=True),
)  # fmt: skip

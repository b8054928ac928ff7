"""`vade list --threads`."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from vademecum.domain.ids import short_id
from vademecum.domain.memory import By
from vademecum.plugin import late
from vademecum.plugin_api.verbs import Param, Verb


class Thread(Struct, frozen=True):
    """One open task.

    Attributes:
        key: its display key, "" for none.
        maybe_done: line of a session that suggests that it is done, "" for none.
    """

    id: str
    title: str
    key: str
    project: str
    priority: int
    since: str
    maybe_done: str = ""


def _threads(memory: Any, project: str, by: By) -> tuple[Thread, ...]:
    found: tuple[Thread, ...] = late("vademecum.plugins.threads.threads", "threads")(memory.context, project, by=by)
    return found


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
         (Param("project", "text", "Only of this project.", "", max_chars=80),), _threads, threads_text, signed=True),
)  # fmt: skip

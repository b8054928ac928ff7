"""Projects: number of memories, last activity, and last handoff."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

import htpy as h
from htpy import Element, Node
from msgspec import Struct

from vademecum.domain.item import Item
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.verbs import counted
from vademecum.plugins.pages import html
from vademecum.plugins.pages.icons import icon
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Shown, Visit, address

#: Most projects on the page; most recent items from which last activity and handoff are taken.
SHOWN, LOOKED_AT = 60, 3_000
#: Items read at once.
READ_AT_ONCE = 100
_STANDING = ("active", "disputed")


class Standing(Struct, frozen=True):
    """State of a project.

    Attributes:
        memories, conversations: their number.
        last: time of the last change of a memory or conversation.
        handoff: of the last conversation; None if there is none.
    """

    name: str
    memories: int
    conversations: int
    last: datetime | None
    handoff: Item | None


def standing(memory: Vademecum, limit: int) -> tuple[Standing, ...]:
    """Return the state of projects, the most recent first."""
    memories, conversations, handed = (
        memory.notes.facets(source=(source,), status=_STANDING).by["project"] for source in ("memory", "session", "handoff")
    )
    last: dict[str, datetime] = {}
    handoffs: dict[str, Item] = {}
    for items in _recent(memory):
        for item in items:
            if item.updated:
                last.setdefault(item.project, item.updated)
            if item.source == "handoff":
                handoffs.setdefault(item.project, item)
        first = list(islice(filter(None, last), limit))
        is_all = len(first) == limit or not {*memories, *conversations, *handed} - {*last, ""}
        if is_all and all(name in handoffs for name in first if name in handed):
            break  # what is older changes nothing
    names = [*last, *(name for name in {**memories, **conversations} if name not in last)]
    standings = (
        Standing(name, memories.get(name, 0), conversations.get(name, 0), last.get(name), handoffs.get(name))
        for name in names
        if name
    )
    return tuple(islice(standings, limit))


def _recent(memory: Vademecum) -> Iterator[Sequence[Item]]:
    """Yield the most recent items, some at a time, read as they are needed."""
    after: tuple[datetime, str] | None = None
    for _ in range(LOOKED_AT // READ_AT_ONCE):
        items = memory.notes.list(READ_AT_ONCE, source=("memory", "session", "handoff"), status=_STANDING, after=after)
        yield items
        if len(items) < READ_AT_ONCE or items[-1].updated is None:
            return
        after = items[-1].updated, items[-1].key


async def page(visit: Visit) -> Shown:
    """Show the projects."""
    projects: Sequence[Standing] = await visit.read(standing, SHOWN)
    none = html.nothing("No project is known yet. A project is the folder or repository in which you work with an agent.")
    return Shown(
        "Projects", [h.h1["Projects"], h.div(".cards")[[_card(visit, project) for project in projects]] if projects else none]
    )


def _card(visit: Visit, project: Standing) -> Element:
    memories, talks = counted(project.memories, "memory"), counted(project.conversations, "conversation")
    return h.article(".entry.card", data_entry=True, tabindex="-1")[
        h.h2[icon("project"), h.a(href=address(f"{PAGES}/find", {"project": project.name}))[h.bdi[project.name]]],
        _stopped(visit, project),
        h.div(".under")[
            h.a(href=address(f"{PAGES}/find", {"project": project.name, "source": "memory"}))[memories],
            h.a(href=address(f"{PAGES}/s", {"project": project.name}))[talks],
            html.when(visit, project.last),
        ],
    ]


def short_card(visit: Visit, project: Standing) -> Element:
    """Return a project in a few lines: name, last activity, last handoff."""
    return h.article(".short")[
        h.div(".line")[html.project_link(project.name), html.when(visit, project.last)],
        _stopped(visit, project),
    ]


def _stopped(visit: Visit, project: Standing) -> Node:
    if project.handoff is None:
        return h.p(".aside")["No handoff yet. It is written when a conversation ends."]
    return h.p[html.memory_link(visit, project.handoff.key, project.handoff.title)]

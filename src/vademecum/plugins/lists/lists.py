"""Generated pages that look back or list: each week, each agent's knowledge, the library, the projects.

Nothing is written here.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta

from vademecum.domain.item import Item
from vademecum.domain.query import Scope, is_withheld
from vademecum.plugin_api.vault import VIEWS_FOLDER, Line, archived_on, from_root, slugify
from vademecum.plugin_api.views import HINT, LOOKED_AT, Known, Parts, View, entry, label, listed, more, section

#: Heading of a week's page -> kinds listed under it.
_WEEK = {
    "Decided": ("decision", "spec"),
    "Learned": ("lesson", "fix", "incident", "procedure", "preference", "identity"),
    "Still open": ("task", "plan"),
}
_CHANGED, _WORKED_ON = "Replaced, done or put away", "Where sessions stopped"
#: The five headings of an agent's page -> their kinds.
_AGENT = {
    "Key Decisions": ("decision", "spec"),
    "Lessons Learned": ("lesson", "fix", "incident"),
    "Open Threads": ("task", "plan"),
    "Projects": ("project",),
    "Where it stopped": ("handoff",),
}
#: Heading -> kind of a line that somebody adds below it.
MEANT = {heading: kinds[0] for heading, kinds in (*_WEEK.items(), *_AGENT.items())}
#: Most entries of a section; most notes named for each folder of the library; most folders.
MOST, NOTES, FOLDERS = 20, 5, 60
FIXED = frozenset(
    {
        *("# Week", "# Agent", "# Knowledge", "# Projects"),
        *(f"## {heading}" for heading in (*_WEEK, *_AGENT, _CHANGED, _WORKED_ON)),
    }
)


def lists(known: Known) -> dict[str, Parts]:
    """Return path below the folder of pages -> content of that page, without its mark."""
    made = {name: parts for name, parts in (("KNOWLEDGE.md", _knowledge(known)), ("PROJECTS.md", _projects(known))) if parts}
    made |= {f"weeks/{name}.md": parts for name, parts in _weeks(known).items()}
    made |= {f"agents/{slugify(agent)}.md": _agent(known, agent, own) for agent, own in _by_agent(known).items()}
    return made


def agent_of(path: str) -> Mapping[str, object]:
    """Return the owner of a line that somebody adds to a page: the agent on an agent's page, else nobody."""
    folder, _, name = path.partition("/")
    return {"agent": name.removesuffix(".md")} if folder == "agents" else {}


def _weeks(known: Known) -> dict[str, Parts]:
    """Return a page for each week in which something was decided, learned, changed or begun, or a session stopped."""
    fresh, gone, stops = (
        _by_week(known.items, lambda item: _day(known, item.said_at)),
        _by_week(
            _selected(known, ("memory",), ("superseded", "resolved", "archived")),
            lambda item: archived_on(item.path) or _day(known, item.updated),
        ),
        _by_week(_selected(known, ("handoff",), ("active",)), lambda item: _day(known, item.created)),
    )
    pages: dict[str, Parts] = {}
    for monday in sorted({*fresh, *gone, *stops}):
        sections = {heading: [item for item in fresh.get(monday, ()) if item.kind in kinds] for heading, kinds in _WEEK.items()}
        sections |= {_CHANGED: gone.get(monday, []), _WORKED_ON: stops.get(monday, [])}
        if any(sections.values()):
            year, week, _ = monday.isocalendar()
            pages[f"{year}-W{week:02d}"] = _page("# Week", _first_sentence(monday, sections), known, sections)
    return pages


def _first_sentence(monday: date, sections: Mapping[str, Sequence[Item]]) -> str:
    """Return the first sentence of a week's page."""
    counted = ", ".join(f"{heading[0].lower()}{heading[1:]}: {len(items)}" for heading, items in sections.items() if items)
    return f"{monday:%d %B} to {monday + timedelta(days=6):%d %B %Y}. {counted[0].upper()}{counted[1:]}."


def _by_week(items: Iterable[Item], when: Callable[[Item], date | None]) -> dict[date, list[Item]]:
    by_key: dict[date, list[Item]] = defaultdict(list)
    for item in items:
        day = when(item)
        if day is not None:
            by_key[day - timedelta(days=day.weekday())].append(item)
    return by_key


def _day(known: Known, moment: datetime | None) -> date | None:
    return known.context.local_time(moment).date() if moment else None


def _selected(known: Known, sources: tuple[str, ...], statuses: tuple[str, ...]) -> list[Item]:
    items = known.context.index.select(Scope(sources=sources, statuses=statuses), limit=LOOKED_AT)
    return [item for item in items if not item.agent and not is_withheld(item.tags) and item.kind != "self"]


def _page(title: str, about: str, known: Known, sections: Mapping[str, Sequence[Item]]) -> Parts:
    parts: Parts = [title, "", HINT, "", Line(about)]
    for heading, items in sections.items():
        if items:
            lines = [listed(known, item) for item in items[:MOST]]
            parts += section(heading, lines + more(len(items) - MOST, items[0].kind))
    return parts


def _by_agent(known: Known) -> dict[str, list[Item]]:
    """Return agent -> its own memories that may be shown, newest first, without those about itself."""
    by_key: dict[str, list[Item]] = defaultdict(list)
    handoffs = known.context.index.select(Scope(sources=("handoff",), statuses=("active",)), limit=LOOKED_AT)
    for item in (*known.all, *handoffs):
        if item.agent and item.kind != "self":
            by_key[item.agent].append(item)
    return dict(sorted(by_key.items()))


def _agent(known: Known, agent: str, items: Sequence[Item]) -> Parts:
    parts: Parts = ["# Agent", "", HINT, "", Line(f"What only {agent} is shown, beside what everybody is shown.")]
    for heading, kinds in _AGENT.items():
        own = [item for item in items if item.kind in kinds]
        if own:
            lines = [entry(known, memory) for memory in known.memories(own[:MOST])]
            parts += section(heading, lines + more(len(own) - MOST, own[0].kind))
    return parts


def _knowledge(known: Known) -> Parts:
    """Return the notes around the memory by folder: the fullest folders first, with their newest notes."""
    by_folder: dict[str, list[Item]] = defaultdict(list)
    documents = known.context.index.select(Scope(sources=("document",), statuses=None), limit=LOOKED_AT)
    for item in documents:
        if not is_withheld(item.tags):
            by_folder[item.path.rpartition("/")[0]].append(item)
    parts: Parts = ["# Knowledge", "", HINT] if by_folder else []
    for folder, items in sorted(by_folder.items(), key=lambda pair: (-len(pair[1]), pair[0]))[:FOLDERS]:
        rest = f", and {len(items) - NOTES} more" if len(items) > NOTES else ""
        named = ", ".join(f"[[{item.path.removesuffix('.md')}|{label(item.title)}]]" for item in items[:NOTES])
        parts += ["", Line(f"**{folder or 'At the top'}** ({len(items)}): {named}{rest}")]
    return parts


def _projects(known: Known) -> Parts:
    """Return a line for each project: link to its overview, number of memories, latest change."""
    by_project: dict[str, list[Item]] = defaultdict(list)
    for item in known.items:
        if item.project:
            by_project[item.project].append(item)
    parts: Parts = ["# Projects", "", HINT, ""] if by_project else []
    home = known.context.vault.spaces[0]
    for project, items in sorted(by_project.items()):
        page = from_root(home.root, home.documents_root, f"{VIEWS_FOLDER}/projects/{project}/overview")
        counted = f"{len(items)} memories" if len(items) > 1 else "1 memory"
        parts.append(Line(f"- [[{page}|{project}]] — {counted}, the last: {label(items[0].title)}"))
    return parts


VIEWS = (View("lists", re.compile(r"(?:KNOWLEDGE|PROJECTS)\.md|(?:weeks|agents)/[^/]+\.md"), lists, FIXED, MEANT, agent_of),)

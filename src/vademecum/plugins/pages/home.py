"""The first page: new memories, waiting proposals, state of projects, memories shown to agents, problems, and the reader."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

import htpy as h
from htpy import Element, Node

from vademecum.domain.item import Item
from vademecum.domain.reading import ModelUsage
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.upkeep import Facets, LogFilter, Operation, ShownLog, ShownSession, Status, Touched
from vademecum.plugin_api.verbs import counted
from vademecum.plugins.pages import html
from vademecum.plugins.pages.icons import icon
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.markdown import own_address
from vademecum.plugins.pages.projects import Standing, short_card, standing
from vademecum.plugins.pages.visit import Shown, Visit, address

#: Most operations, proposals, sessions, titles of a session, and projects on the page.
SAVED_SHOWN, WAITING_SHOWN, SESSIONS_SHOWN, TITLES_SHOWN, PROJECTS_SHOWN = 40, 5, 5, 4, 4
#: Maximum of the count of new memories of a week.
WEEK_COUNTED = 500

#: Operation -> its description for a person.
DID = {
    "save": "saved", "adopt": "found in your notes", "approve": "approved", "edit": "changed", "evolve": "replaced by a new text",
    "supersede": "replaced", "archive": "put away", "reject": "rejected", "restore": "brought back", "confirm": "confirmed",
    "resolve": "done", "undo": "taken back", "forget": "forgotten", "settle": "settled", "move": "moved", "rename": "renamed",
    "tag": "tagged", "link": "linked", "propose": "proposed", "delete": "deleted by hand",
}  # fmt: skip
WHO = {"user": "you", "hand": "you, in a file", "agent": "an agent", "extraction": "reading a conversation"}
#: Operations that create or bring back a memory.
_NEW = frozenset({"save", "adopt", "approve", "evolve", "restore", "edit"})


async def page(visit: Visit) -> Shown:
    """Show new memories, waiting proposals, and the state of projects."""
    today = visit.local(visit.then - timedelta(seconds=1) if visit.then else visit.now).date()
    since = visit.day(f"{today}", -1)
    if visit.at:
        return await _then(visit, since)
    looked = await visit.read(_looked, since, visit.day(f"{today}", -6))
    body = [
        h.h1["Home"],
        h.p(".sum")[_sum(looked.counts)],
        html.late(f"{PAGES}/alarms", "alarms", "Does anything need a look?"),
        h.div(".columns")[
            h.div[
                h.section[h.h2["Learned since yesterday"], _week(visit, looked), _learned(visit, looked)],
                h.section[h.h2["Delivered to agents lately"], _delivered(visit, looked.shown.sessions)],
            ],
            h.div[_waits(visit, looked), _projects(visit, looked.projects)],
        ],
    ]
    return Shown("Home", body)


async def _then(visit: Visit, since: datetime) -> Shown:
    """Show what was saved on a day and the day before."""
    saved: Sequence[Operation] = await visit.ask("log", limit=SAVED_SHOWN, since=since, until=visit.then)
    facets: Facets = await visit.ask("list --count", as_of=visit.then)
    held = h.p(".sum")[f"{counted(facets.total, 'memory')} then."]
    none = html.nothing("Nothing was saved on that day or the day before.")
    return Shown("Home", [h.h1["That day"], held, _operations(visit, saved, {}) if saved else none], dated=True)


class Looked(NamedTuple):
    """Content of the page.

    Attributes:
        operations: since yesterday, without handoffs and undecided proposals.
        week: number of new memories this week.
        waiting: the most likely proposals.
        conflicts: number of pairs of contradicting memories.
        projects: the most recent ones, each with its handoff.
        counts: (source, status) -> number of items.
        project_of: id of a memory of an operation -> its project, if it has one.
    """

    operations: tuple[Operation, ...]
    week: int
    waiting: tuple[Item, ...]
    conflicts: int
    shown: ShownLog
    projects: tuple[Standing, ...]
    counts: dict[tuple[str, str], int]
    project_of: Mapping[str, str]


def _looked(memory: Vademecum, since: datetime, week: datetime) -> Looked:
    waiting = memory.notes.list(max(WAITING_SHOWN, SAVED_SHOWN), status=("inbox",))
    undecided = {item.key.removeprefix("memory://") for item in waiting}
    done, shown = memory.maintenance.log(SAVED_SHOWN, LogFilter(since=since)), memory.maintenance.shown(limit=SESSIONS_SHOWN)
    operations = tuple(operation for operation in done if _is_news(operation, undecided))
    new = memory.notes.list(WEEK_COUNTED, since=week, status=("active", "disputed"))
    counts = dict(memory.context.index.counts())
    conflicts = len(memory.notes.conflicts())
    keys = [f"memory://{operation.memories[0].id}" for operation in operations]
    project_of = {key.removeprefix("memory://"): item.project for key, item in memory.context.index.items(keys).items()}
    return Looked(
        operations, len(new), waiting[:WAITING_SHOWN], conflicts, shown, standing(memory, PROJECTS_SHOWN), counts, project_of
    )


def _is_news(operation: Operation, undecided: Collection[str]) -> bool:
    """Return whether an operation is news: no handoff, which is shown with its project, and no undecided proposal."""
    return any(touched.kind != "handoff" and touched.id not in undecided for touched in operation.memories)


def _sum(counts: dict[tuple[str, str], int]) -> str:
    memories = sum(count for (source, status), count in counts.items() if source == "memory" and status != "archived")
    talks = sum(count for (source, _), count in counts.items() if source == "session")
    notes = sum(count for (source, _), count in counts.items() if source == "document")
    yours = f", {counted(notes, 'note')} of yours" if notes else ""
    return f"{counted(memories, 'memory')}, {counted(talks, 'conversation')}{yours}."


def _waits(visit: Visit, looked: Looked) -> Node:
    if not (looked.waiting or looked.conflicts):
        return None
    number = "it" if visit.waiting == 1 else f"all {visit.waiting}"
    conflicts = counted(looked.conflicts, "conflict")
    return h.section(".card")[
        h.h2["Waits for you"],
        h.ul(".entries.plain")[[html.entry(item, visit) for item in looked.waiting]],
        looked.conflicts > 0
        and h.p(".small")[h.a(href=f"{PAGES}/inbox#conflicts")[f"{conflicts} between memories"], ": which of them holds?"],
        bool(looked.waiting) and h.p[h.a(".go", href=f"{PAGES}/inbox")[f"Decide about {number}"]],
    ]


def _week(visit: Visit, looked: Looked) -> Node:
    if not looked.week:
        return None
    since = f"{visit.local(visit.now).date() - timedelta(days=6)}"
    more = "+" if looked.week == WEEK_COUNTED else ""
    words = f"{looked.week}{more} from this week"
    return h.p(".aside")[h.a(href=address(f"{PAGES}/find", {"source": "memory", "since": since}))[words]]


def _projects(visit: Visit, projects: Sequence[Standing]) -> Node:
    if not projects:
        return None
    return h.section(".card")[
        h.h2["Where work stands"],
        [short_card(visit, project) for project in projects],
        h.p(".small")[h.a(href=f"{PAGES}/projects")["All projects"]],
    ]


def _learned(visit: Visit, looked: Looked) -> Node:
    if not looked.operations:
        more = h.a(href=f"{PAGES}/find")["See everything that is known"]
        return html.nothing(
            "Nothing since yesterday. What you and your agents talk about is read when a conversation ends.", more
        )
    return _operations(visit, looked.operations, looked.project_of)


def _operations(visit: Visit, operations: Sequence[Operation], project_of: Mapping[str, str]) -> Element:
    """Return the newest operation on each memory as an entry; earlier ones on the same memories are counted there."""
    undone = {operation.undoes for operation in operations if operation.undoes}
    changes: dict[tuple[str, ...], list[Operation]] = {}
    for one in operations:
        changes.setdefault(tuple(touched.id for touched in one.memories), []).append(one)
    return h.ul(".entries")[
        [
            _operation(visit, of_one[0], project_of, undone=of_one[0].id in undone, earlier=len(of_one) - 1)
            for of_one in changes.values()
        ]
    ]


def _operation(visit: Visit, one: Operation, project_of: Mapping[str, str], *, undone: bool, earlier: int) -> Element:
    """Return an operation as a list entry with its actions.

    Args:
        earlier: number of earlier operations on the same memories, which the page of the memory shows.
    """
    first = one.memories[0]
    others = len(one.memories) - 1
    return h.li(".entry", data_entry=True)[
        icon(first.kind or "concept"),
        h.div(".line")[
            html.memory_link(visit, first.id, first.title),
            others > 0 and h.span(".mark")[f"and {others} more"],
            undone and h.span(".mark")["undone"],
        ],
        h.div(".under")[
            html.project_link(project_of.get(first.id, "")),
            first.kind and h.span[first.kind],
            h.span(title=f"through {one.interface}" if one.interface else None)[
                f"{DID.get(one.op, one.op)} by {WHO.get(one.actor, one.actor)}"
            ],
            html.when(visit, one.time),
            earlier > 0 and h.span[f"and {counted(earlier, 'earlier change')}"],
        ],
        None if undone or one.undoes or visit.at else html.menu("What can be done", _what_can_be_done(visit, one, first)),
    ]


def _what_can_be_done(visit: Visit, operation: Operation, first: Touched) -> Node:
    return [
        html.action(visit, "undo", "Undo", {"operation": operation.id}, key="u"),
        operation.op in _NEW and html.action(visit, "wrong", "Wrong", {"ref": first.id}, key="w"),
        operation.op in _NEW
        and h.a(".button", href=f"{own_address(f'memory://{first.id}')}/edit", data_key="e")["Edit", h.kbd["e"]],
    ]


def _delivered(visit: Visit, sessions: Sequence[ShownSession]) -> Node:
    if not sessions:
        return html.nothing(
            "Nothing was shown to an agent in the last 30 days. Hooks deliver memories to agents; connect a program on the page",
            [h.a(href=f"{PAGES}/settings")["Settings"], "."],
        )
    return [
        h.ul(".entries")[[_shown_session(visit, session) for session in sessions]],
        h.p(".aside")["The page of each memory says how often it was used."],
    ]


def _shown_session(visit: Visit, session: ShownSession) -> Element:
    more = len(session.shown) - TITLES_SHOWN
    return h.li(".entry", data_entry=True)[
        icon("session"),
        h.div(".line")[html.memory_link(visit, session.session, session.title or session.session)],
        h.div(".under")[h.span[counted(len(session.shown), "memory")], html.when(visit, session.last)],
        h.ul(".small")[[h.li[html.memory_link(visit, item.key, item.title)] for item in session.shown[:TITLES_SHOWN]]],
        more > 0 and h.p(".small")[f"and {more} more"],
    ]  # fmt: skip


async def alarms(visit: Visit) -> Shown:
    """Show problems and the reader. It is a part of the first page that loads later, and a separate page without scripts."""
    status: Status = await visit.ask("status")
    usage: ModelUsage = await visit.ask("reader show --usage")
    lines = [*status.degraded, *([status.inbox_alarm] if status.inbox_alarm else [])]
    body = [
        health_line(lines),
        h.p(".aside")[_reader(status, usage)],
    ]
    return Shown("What needs a look", [h.h1["What needs a look"], h.div("#alarms")[body]])


def health_line(problems: Sequence[str]) -> Element:
    """Return one line where all is well, else the problems."""
    if not problems:
        return h.p[h.a(href=f"{PAGES}/health")["Memory works"], ": capture, index and search report no problem."]
    return h.section(".alarm")[h.h2["Needs a look"], h.ul[[h.li[line] for line in problems]]]


def _reader(status: Status, usage: ModelUsage) -> str:
    if status.model is None or status.model.name == "none":
        return "No language model reads your conversations, only patterns do. Nothing leaves this machine for that."
    week, took = status.model.week, f"today {usage.input_tokens:,} tokens in and {usage.output_tokens:,} out"
    cost = f", this week ${week.cost:.2f}" if week.cost else ""
    return f"{status.model.name} reads your conversations: {took}{cost}; {status.model.waiting} wait to be read."

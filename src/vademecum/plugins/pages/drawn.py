"""A page made where it is read: in the process for long reads, so that the helper neither reads nor draws while hooks wait.

What needs a model is done by the helper, and the page is made again with what came of it.
"""

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeVar

import htpy as h
from htpy import Node

from vademecum.plugin_api.helper import Caller
from vademecum.plugin_api.memory import READS, Vademecum, run
from vademecum.plugins.pages import (
    around,
    change,
    forget,
    health,
    home,
    html,
    inbox,
    many,
    memory,
    projects,
    search,
    sessions,
    timeline,
    weeks,
    why,
)
from vademecum.plugins.pages.machine import Machine
from vademecum.plugins.pages.visit import Done, Shown, Visit
from vademecum.plugins.pages.work import Works

T = TypeVar("T")

Page = Callable[[Visit], Coroutine[Any, Any, Shown]]

#: Pages of what memory holds; those of the helper itself stand in `app`.
PAGES_READ: Mapping[str, Page] = {
    "/": home.page,
    "/alarms": home.alarms,
    "/inbox": inbox.page,
    "/inbox/{rest}": inbox.one,
    "/find": search.page,
    "/jump": search.jump,
    "/projects": projects.page,
    "/s": sessions.listed,
    "/s/{rest:path}": sessions.page,
    "/why": why.listed,
    "/why/{rest}": why.page,
    "/many/{rest}": many.page,
    "/time": timeline.page,
    "/weeks": weeks.page,
    "/health": health.page,
    "/m/{rest}": memory.page,
    "/m/{rest}/around": around.page,
    "/m/{rest}/code": memory.code,
    "/m/{rest}/export": memory.export,
    "/m/{rest}/edit": change.edit,
    "/m/{rest}/evolve": change.evolve,
    "/m/{rest}/history": change.history,
    "/m/{rest}/forget": forget.page,
}


class Asked(NamedTuple):
    """One request for a page, as it travels.

    Attributes:
        page: its key in PAGES_READ. token: what its forms show. part: of a page that stands, so nothing around it is wanted.
        done: what was done before, to be told. answers: what came of the actions that the page wanted, in order.
    """

    page: str
    path: str
    query: Mapping[str, str]
    rest: str
    token: str
    machine: Machine
    part: bool = False
    done: Done | None = None
    answers: tuple[Any, ...] = ()


class Drawn(NamedTuple):
    """A page as text; with `name`, a file of that name to keep."""

    text: str
    status: int = 200
    name: str = ""


class Wanted(NamedTuple):
    """What the page cannot go on without, and only the helper can do."""

    action: Callable[[Vademecum], Any]


class _Unanswered(Exception):
    """A page wants something of the helper."""


class _AtHand:
    """Answers a page out of the memory at hand, and with what the helper did for it before."""

    def __init__(self, memory: Vademecum, answers: tuple[Any, ...]) -> None:
        self._memory, self._answers = memory, iter(answers)

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        if aside:
            return action(self._memory)
        for answer in self._answers:
            return answer  # type: ignore[no-any-return]
        raise _Unanswered(action)


def drawn(asked: Asked, memory: Vademecum) -> Drawn | Wanted:
    """Return the page that was asked for, or what it wants first.

    Raises:
        VademecumError: as the page does.
    """
    now, local, waiting = circumstances(memory)
    visit = Visit(
        asked.path, asked.query, asked.token, now, local, _AtHand(memory, asked.answers), asked.machine, Works(),
        rest=asked.rest, waiting=waiting,
    )  # fmt: skip
    try:
        return rendered(visit, _ended(PAGES_READ[asked.page](visit)), part=asked.part, done=asked.done)
    except _Unanswered as wanted:
        return Wanted(wanted.args[0])


def _ended(page: Coroutine[Any, Any, Shown]) -> Shown:
    """Return what a page shows that waits for nothing."""
    try:
        page.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise RuntimeError("A page of memory waits for something else.")


def circumstances(memory: Vademecum) -> tuple[Any, Callable[[Any], Any], int]:
    """Return the time, how the person's wall clock shows it, and how many proposals wait."""
    counts = run(memory.context, READS, memory.context.index.counts)
    return memory.now(), memory.context.local_time, counts.get(("memory", "inbox"), 0)


def rendered(visit: Visit, shown: Shown, *, part: bool = False, done: Done | None = None) -> Drawn:
    """Return what is shown as text."""
    if shown.file:
        return Drawn(shown.file, name=shown.title)
    if part:
        return Drawn(str(h.fragment[shown.body]))
    return Drawn(str(html.layout(visit, shown, _notice(visit, done))), shown.status)


def _notice(visit: Visit, done: Done | None) -> Node:
    if done is None or not done.told:
        return None
    back = done.undo and html.deed(visit, "undo", "Undo", {"operation": done.undo}, key="u")
    return h.div(".notice", role="status")[h.p[h.bdi[done.told]], back]


async def drawn_aside(call: Caller, asked: Asked) -> Drawn:
    """Return the page that was asked for, made where no hook waits for it.

    Raises:
        VademecumError: as the page does.
    """
    while isinstance(wanted := await call(partial(drawn, asked), aside=True), Wanted):
        asked = asked._replace(answers=(*asked.answers, await call(wanted.action)))
    return wanted

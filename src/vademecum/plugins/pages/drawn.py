"""Pages rendered in the process for long reads, so that the helper does not keep hooks waiting.

If a page needs a model, the helper does that part, and the page is rendered again with its result.
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

#: Pages about the memory; those about the helper are in `app`.
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
    """One request for a page, in a form that can be sent to another process.

    Attributes:
        page: its key in PAGES_READ.
        token: for its forms.
        part: only a part of an open page is needed, without the frame.
        done: previous action, for a notice.
        answers: results of actions that the page requested, in order.
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
    """A page as text; with `name`, a file of that name to save."""

    text: str
    status: int = 200
    name: str = ""


class Wanted(NamedTuple):
    """An action that a page needs and only the helper can run."""

    action: Callable[[Vademecum], Any]


class _Unanswered(Exception):
    """Raised if a page needs the helper."""


class _AtHand:
    """Answers a page from the given memory, and with earlier results of the helper."""

    def __init__(self, memory: Vademecum, answers: tuple[Any, ...]) -> None:
        self._memory, self._answers = memory, iter(answers)

    async def __call__(self, action: Callable[[Vademecum], T], *, cwd: str = "", aside: bool = False) -> T:
        if aside:
            return action(self._memory)
        for answer in self._answers:
            return answer  # type: ignore[no-any-return]
        raise _Unanswered(action)


def drawn(asked: Asked, memory: Vademecum) -> Drawn | Wanted:
    """Return the requested page, or the action that it needs first.

    Raises:
        VademecumError: as raised by the page.
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
    """Return the result of a page that never waits."""
    try:
        page.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    raise RuntimeError("A page of memory waits for something else.")


def circumstances(memory: Vademecum) -> tuple[Any, Callable[[Any], Any], int]:
    """Return the time, the conversion to the person's local time, and the number of waiting proposals."""
    counts = run(memory.context, READS, memory.context.index.counts)
    return memory.now(), memory.context.local_time, counts.get(("memory", "inbox"), 0)


def rendered(visit: Visit, shown: Shown, *, part: bool = False, done: Done | None = None) -> Drawn:
    """Render a page to text."""
    if shown.file:
        return Drawn(shown.file, name=shown.title)
    if part:
        return Drawn(str(h.fragment[shown.body]))
    return Drawn(str(html.layout(visit, shown, _notice(visit, done))), shown.status)


def _notice(visit: Visit, done: Done | None) -> Node:
    if done is None or not done.notice:
        return None
    back = done.undo and html.action(visit, "undo", "Undo", {"operation": done.undo}, key="u")
    return h.div(".notice", role="status")[h.p[h.bdi[done.notice]], back]


async def drawn_aside(call: Caller, asked: Asked) -> Drawn:
    """Return the requested page, rendered where no hook has to wait for it.

    Raises:
        VademecumError: as raised by the page.
    """
    while isinstance(wanted := await call(partial(drawn, asked), aside=True), Wanted):
        asked = asked._replace(answers=(*asked.answers, await call(wanted.action)))
    return wanted

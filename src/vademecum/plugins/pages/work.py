"""Long-running work: started by a form, done in batches, with a page for its progress."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import htpy as h
from htpy import Node

from vademecum.domain.errors import NotFound, VademecumError
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Done, Shown, Visit

#: Seconds that a form waits for the end before it shows the progress page.
AT_ONCE_S = 1.0
#: Most works remembered, and lines of one shown.
KEPT, LINES_SHOWN = 20, 100


@dataclass(slots=True)
class Work:
    """One piece of work.

    Attributes:
        title: description.
        total, done: number of items.
        undo: operations to undo, last first.
        lines: messages.
        proved: number of files searched for remains.
        problem: why it stopped early; "" if it did not.
    """

    title: str
    total: int
    done: int = 0
    undo: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    proved: int = 0
    problem: str = ""
    ended: bool = False

    @property
    def summary(self) -> str:
        """The result in a sentence."""
        return f"{self.title}: {self.done:,}." if self.done == self.total else f"{self.title}: {self.done:,} of {self.total:,}."


class Works:
    """Current and recent works."""

    def __init__(self) -> None:
        self._works: dict[str, Work] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def done(
        self, visit: "Visit", work: Work, bits: Sequence[list[str]], step: Callable[[Work, list[str]], Awaitable[None]]
    ) -> Done:
        """Start work, and return the page to continue at.

        It is the page that the form asks for if the work ends soon and without messages, else the progress page.
        """
        name = str(len(self._works) + 1)
        self._works = {**dict(list(self._works.items())[1 - KEPT :]), name: work}
        task = asyncio.create_task(_carried_out(work, bits, step))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        await asyncio.wait({task}, timeout=AT_ONCE_S)
        if work.ended and not (work.lines or work.problem or work.proved):
            return Done(visit.back, work.summary, ",".join(work.undo))
        return Done(f"{PAGES}/work/{name}")

    def named(self, name: str) -> Work:
        """Return a piece of work.

        Raises:
            NotFound: it is unknown or no longer remembered.
        """
        if name not in self._works:
            raise NotFound("That work is not remembered any more.", "What it did stands in the history of each memory.")
        return self._works[name]


async def _carried_out(work: Work, bits: Sequence[list[str]], step: Callable[[Work, list[str]], Awaitable[None]]) -> None:
    try:
        for bit in bits:
            await step(work, bit)
            work.done += len(bit)
    except VademecumError as error:
        work.problem = f"{error.message} {error.hint}".strip()
    finally:
        work.ended = True


async def page(visit: "Visit") -> Shown:
    """Show the progress of some work, then its result."""
    work = visit.works.named(visit.rest)
    poll = {"get": visit.here, "trigger": "every 1s", "select": "#work", "swap": "outerHTML"}
    again = {} if work.ended else {f"data_hx_{name}": value for name, value in poll.items()}
    body = [
        h.h1[work.title],
        h.div("#work", role="status", **again)[_state(visit, work)],
        h.p[h.a(href=f"{PAGES}/")["To the first page"]],
    ]
    return Shown(work.title, body)


def _state(visit: "Visit", work: Work) -> Node:
    if not work.ended:
        bar = h.progress(value=str(work.done), max=str(work.total), aria_label="How far it is")
        return [h.p[work.summary], h.p[bar, " ", h.a(href=visit.here)["Look again"]]]
    is_known = any("STILL" in line for line in work.lines)
    return [
        h.p[work.summary],
        bool(work.problem) and h.p(".alarm", role="alert")["It stopped: ", work.problem],
        bool(work.undo) and html.action(visit, "undo", "Undo", {"operation": ",".join(work.undo), "back": f"{PAGES}/"}),
        bool(work.lines) and h.ul(".small")[[h.li[line] for line in work.lines[:LINES_SHOWN]]],
        work.proved > 0 and not is_known and h.p[f"Searched for their words in {work.proved:,} files of ours: nothing found."],
    ]

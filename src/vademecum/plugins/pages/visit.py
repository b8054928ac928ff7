"""One request of the person's, as a page sees it: what is asked, and how the memory is reached."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from htpy import Node

from vademecum.domain.daily import midnight
from vademecum.domain.memory import By
from vademecum.plugin_api.helper import Caller, verb_named
from vademecum.plugin_api.memory import READS, Vademecum, run
from vademecum.plugin_api.verbs import Verb, checked, parse_date
from vademecum.plugins.pages.machine import PAGES, Machine

if TYPE_CHECKING:
    from vademecum.plugins.pages.work import Works

T = TypeVar("T")

#: Whoever decides on a page is the person.
BY_PERSON_HERE = By("user", "web")


@dataclass(frozen=True, slots=True)
class Shown:
    """A page: its title, what stands on it, the status of the answer, and whether it shows the day that was asked for.

    With `file`, a text, it is no page but a file to keep, and the title is its name.
    """

    title: str
    body: Node
    status: int = 200
    dated: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """Something was done: where to go on, what to tell there, and what takes it back (an operation or a memory), "" for nothing."""

    to: str
    told: str = ""
    undo: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request.

    Attributes:
        path: of the page; query: what its address asks for. form: what was sent; rest: what the path names behind the page.
        token: what a form of this browser's must show. now: aware, UTC. local: a moment in the person's own time.
        waiting: how many proposals wait.
    """

    path: str
    query: Mapping[str, str]
    token: str
    now: datetime
    local: Callable[[datetime], datetime]
    call: Caller = field(repr=False)
    machine: Machine = field(repr=False)
    works: "Works" = field(repr=False)
    form: Mapping[str, str] = field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    rest: str = ""
    waiting: int = 0

    @property
    def here(self) -> str:
        """Address of this page, with everything that it was asked."""
        return address(self.path, self.query)

    def with_query(self, **more: str) -> str:
        """Return the address of this page, asked something else besides; "" takes a question away."""
        return address(self.path, {**self.query, **more})

    @property
    def back(self) -> str:
        """Address that a form wants to go on at; one of ours, whatever it says."""
        wanted = self.form.get("back", "")
        return wanted if wanted.startswith(f"{PAGES}/") and not wanted.startswith("//") else f"{PAGES}/"

    @property
    def at(self) -> str:
        """The day, or moment, that the address asks to be shown; "" for now."""
        return self.query.get("at", "")

    @property
    def then(self) -> datetime | None:
        """Return the end of that day, or that moment; None for now.

        Raises:
            BadArgument: it is no date.
        """
        return self.day(self.at, 1) if self.at else None

    def day(self, text: str, more: int = 0) -> datetime:
        """Return when a day begins on the person's clocks, or so many days behind it; of a moment that moment.

        Raises:
            BadArgument: the text is neither.
        """
        moment = parse_date(text)
        with suppress(OverflowError):  # at either end of the calendar a day has no other
            return midnight(moment.date() + timedelta(days=more), self.local) if len(text) == len("2026-01-01") else moment
        return moment

    async def read(self, looked: Callable[..., T], *given: Any) -> T:
        """Return what `looked`, a function of a module, finds in the memory, without secrets, where no hook waits for it."""
        return await self.call(partial(_read, looked, given), aside=True)

    async def ask(self, verb: str, **values: Any) -> Any:
        """Return what a verb gives that changes nothing and needs no model, where no hook waits for it."""
        row = verb_named(verb)
        return await self.call(partial(_done, row, checked(row, values)), aside=True)

    async def do(self, verb: str, **values: Any) -> Any:
        """Return what a verb gives that may change something; the person does it."""
        row = verb_named(verb)
        given = checked(row, values)
        return await self.call(partial(_done, row, given), aside=row.is_aside(given))

    async def decide(self, action: Callable[[Vademecum], T]) -> T:
        """Return what `action` gives that changes something and is no verb by itself."""
        return await self.call(lambda memory: run(memory.context, verb_named("review").needs, lambda: action(memory)))


def _read(looked: Callable[..., T], given: tuple[Any, ...], memory: Vademecum) -> T:
    return run(memory.context, READS, lambda: looked(memory, *given))


def _done(row: Verb, given: dict[str, Any], memory: Vademecum) -> Any:
    return row.do(memory, given, BY_PERSON_HERE)


def address(path: str, query: Mapping[str, str]) -> str:
    """Return a path with what it is asked; nothing is asked by empty values."""
    asked = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(asked)}" if asked else path


def form_token(cookie: str) -> str:
    """Return what the forms of a browser must show: only who was sent one of our pages can know it."""
    digest = hashlib.sha256(b"form\0" + cookie.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()

"""A request to a page, and access to the memory."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
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

#: Actions on a page are the person's.
BY_PERSON_HERE = By("user", "web")


@dataclass(frozen=True, slots=True)
class Shown:
    """A page.

    Attributes:
        status: of the response.
        dated: the page shows the state at the requested day.
        file: if not empty, the response is a file with this text, and `title` is its name.
    """

    title: str
    body: Node
    status: int = 200
    dated: bool = False
    file: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """Result of an action.

    Attributes:
        to: address to continue at.
        notice: notice to show there.
        undo: operation or memory to undo; "" for none.
    """

    to: str
    notice: str = ""
    undo: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """One request.

    Attributes:
        path: of the page.
        query: parameters of the address.
        form: fields of the form.
        rest: the path below the page's.
        token: required in forms of this browser.
        now: aware, UTC.
        local: converts a time to the person's local time.
        waiting: number of waiting proposals.
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
        """Address of this page with all parameters."""
        return address(self.path, self.query)

    def with_query(self, **more: str) -> str:
        """Return the address of this page with other parameters added or replaced; "" removes one."""
        return address(self.path, {**self.query, **more})

    @property
    def back(self) -> str:
        """Address to continue at after a form; always one of our pages, whatever the form says."""
        wanted = self.form.get("back", "")
        return wanted if wanted.startswith(f"{PAGES}/") and not wanted.startswith("//") else f"{PAGES}/"

    @property
    def at(self) -> str:
        """Day or time in the address whose state is to be shown; "" for now."""
        return self.query.get("at", "")

    @property
    def then(self) -> datetime | None:
        """End of that day, or that time; None for now.

        Raises:
            BadArgument: it is not a date.
        """
        return self.day(self.at, 1) if self.at else None

    def day(self, text: str, more: int = 0) -> datetime:
        """Return the start of a day in local time, or that of a day `more` days later; a time is returned unchanged.

        Raises:
            BadArgument: the text is neither.
        """
        moment = parse_date(text)
        with suppress(ValueError, OverflowError):  # the first and last days of the calendar have no neighbour
            return midnight(date.fromisoformat(text) + timedelta(days=more), self.local)
        return moment

    async def read(self, looked: Callable[..., T], *given: Any) -> T:
        """Return the result of `looked`, a module-level function of the memory, without secrets, where no hook waits for it."""
        return await self.call(partial(_read, looked, given), aside=True)

    async def ask(self, verb: str, **values: Any) -> Any:
        """Run a verb that neither changes anything nor needs a model, where no hook waits for it."""
        row = verb_named(verb)
        return await self.call(partial(_done, row, checked(row, values)), aside=True)

    async def do(self, verb: str, **values: Any) -> Any:
        """Run a verb that may change something, as the person."""
        row = verb_named(verb)
        given = checked(row, values)
        return await self.call(partial(_done, row, given), aside=row.is_aside(given))

    async def decide(self, action: Callable[[Vademecum], T]) -> T:
        """Run an action that changes something and is not a verb."""
        return await self.call(lambda memory: run(memory.context, verb_named("review").needs, lambda: action(memory)))


def _read(looked: Callable[..., T], given: tuple[Any, ...], memory: Vademecum) -> T:
    return run(memory.context, READS, lambda: looked(memory, *given))


def _done(row: Verb, given: dict[str, Any], memory: Vademecum) -> Any:
    return row.do(memory, given, BY_PERSON_HERE)


def address(path: str, query: Mapping[str, str]) -> str:
    """Return a path with parameters; empty ones are left out."""
    asked = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(asked)}" if asked else path


def form_token(cookie: str) -> str:
    """Return the token required in forms of a browser; only pages served to it contain the token."""
    digest = hashlib.sha256(b"form\0" + cookie.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()

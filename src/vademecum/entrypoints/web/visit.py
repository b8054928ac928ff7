"""One request of the person's, as a page sees it: what is asked, and how the memory is reached."""

import base64
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar
from urllib.parse import urlencode

from htpy import Node

from vademecum.api import Vademecum
from vademecum.api.runner import READS, run
from vademecum.domain.memory import By
from vademecum.entrypoints.arguments import checked
from vademecum.entrypoints.http.access import PAGES
from vademecum.entrypoints.verbs import VERBS
from vademecum.entrypoints.web.lanes import Lanes, Machine

T = TypeVar("T")

#: Whoever decides on a page is the person.
BY_PERSON_HERE = By("user", "web")

_VERBS = {verb.name: verb for verb in VERBS}


@dataclass(frozen=True, slots=True)
class Shown:
    """A page: its title, what stands on it, and the status of the answer."""

    title: str
    body: Node
    status: int = 200


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
    lanes: Lanes = field(repr=False)
    machine: Machine = field(repr=False)
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

    async def read(self, action: Callable[[Vademecum], T]) -> T:
        """Return what `action` gives, without secrets, where no hook waits for it."""
        return await self.lanes.read(lambda memory: run(memory.context, READS, lambda: action(memory)))

    async def ask(self, verb: str, **values: Any) -> Any:
        """Return what a verb gives that changes nothing."""
        row = _VERBS[verb]
        given = checked(row, values)
        return await self.lanes.read(lambda memory: row.do(memory, given, BY_PERSON_HERE))

    async def do(self, verb: str, **values: Any) -> Any:
        """Return what a verb gives that may change something; the person does it."""
        row = _VERBS[verb]
        given = checked(row, values)
        return await self.lanes.work(lambda memory: row.do(memory, given, BY_PERSON_HERE))

    async def decide(self, action: Callable[[Vademecum], T]) -> T:
        """Return what `action` gives that changes something and is no verb by itself."""
        return await self.lanes.work(lambda memory: run(memory.context, _VERBS["review"].needs, lambda: action(memory)))


def address(path: str, query: Mapping[str, str]) -> str:
    """Return a path with what it is asked; nothing is asked by empty values."""
    asked = {name: value for name, value in query.items() if value}
    return f"{path}?{urlencode(asked)}" if asked else path


def form_token(cookie: str) -> str:
    """Return what the forms of a browser must show: only who was sent one of our pages can know it."""
    digest = hashlib.sha256(b"form\0" + cookie.encode("utf-8", "replace")).digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()

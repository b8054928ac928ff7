"""A day's work as its daily note shows it: one block for each conversation, and one JSON line in a sidecar file."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

from msgspec import Struct

#: Result of the last test run; "" when none ran.
Validation = Literal["", "passed", "failed", "run, result unknown"]


class Commit(Struct, frozen=True):
    """A commit of a repository. `hash`: abbreviated. `time`: when it was committed; aware. `subject`: first line of its message."""

    hash: str
    time: datetime
    subject: str


class Block(Struct, frozen=True):
    """A block of a day's note that is not yet placed in it.

    Attributes:
        session: URI, its identity. time: "HH:MM", its sort key. title: one line.
        body: Markdown after the heading, without headings of the first or second level. facts: the sidecar's fields.
        incident: whether a serious failure happened on the day.
    """

    session: str
    time: str
    title: str
    body: str
    facts: Mapping[str, Any]
    incident: bool = False


def midnight(day: date, local: Callable[[datetime], datetime]) -> datetime:
    """Return the moment at which a day begins in the person's time zone; aware, UTC."""
    guess = datetime.combine(day, time(), UTC)
    for _ in range(2):  # the second pass corrects the offset if the clocks were changed in between
        guess = datetime.combine(day, time(), UTC) - (local(guess).utcoffset() or timedelta())
    return guess

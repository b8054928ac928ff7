"""When in a session memory is asked, as data: how much may be told then, how long it may take, and to whom.

Reproduces the three stages of a published design and the limits that it kept in practice. A profile says how to search; a stage
says when, so that any profile can serve any stage.
"""

from collections.abc import Sequence

from msgspec import Struct

from vademecum.domain.errors import UnknownWord
from vademecum.domain.item import Item


class Stage(Struct, frozen=True):
    """One moment of a session.

    Attributes:
        budget_tokens: of what is told. deadline_s: an answer that takes longer is not told at all; None: it may take its time.
        once: told once in a session, or not at all. channels: told also where others read along.
        asks: whether there is a question; else the focus of the work is looked for.
    """

    name: str
    budget_tokens: int
    deadline_s: float | None
    once: bool
    channels: bool
    asks: bool = True


_ROWS = (
    Stage("pre-session", 8_000, 0.150, once=True, channels=False, asks=False),
    Stage("first-message", 8_000, 0.150, once=True, channels=False),
    Stage("mid-session", 15_000, None, once=False, channels=True),
)

STAGES: dict[str, Stage] = {row.name: row for row in _ROWS}

#: What the work is about is read off the titles of what is open, of where the last session stopped, and of what changed last.
FOCUS_KINDS = (("task", "plan"), ("handoff",), ("decision", "lesson", "fix", "project"))


def stage_named(name: str) -> Stage:
    """Return the stage of that name.

    Raises:
        UnknownWord: there is none; the message names the nearest.
    """
    if name not in STAGES:
        raise UnknownWord("stage", name, STAGES)
    return STAGES[name]


def focus(groups: Sequence[Sequence[Item]]) -> str:
    """Return a question about what the work is about: the titles of the items, each once; "" for none."""
    return "; ".join(dict.fromkeys(item.title for group in groups for item in group))

"""The stages of a session at which memory is searched: budget, deadline, and whether it is shown in channels.

Reproduces the three stages of a published design, with the limits it used in practice. A profile says how to search; a stage says
when, so any profile can serve any stage.
"""

from collections.abc import Sequence

from msgspec import Struct

from vademecum.domain.errors import UnknownWord
from vademecum.domain.item import Item


class Stage(Struct, frozen=True):
    """One stage of a session.

    Attributes:
        budget_tokens: maximum tokens shown. deadline_s: a later answer is dropped; None: no deadline.
        once: shown at most once per session. channels: also shown where others read along.
        asks: the caller gives a question; else the focus of the work is the question.
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

#: Kinds whose titles describe the current work: open tasks, the last handoff, and recent changes.
FOCUS_KINDS = (("task", "plan"), ("handoff",), ("decision", "lesson", "fix", "project"))


def stage_named(name: str) -> Stage:
    """Return the stage with that name.

    Raises:
        UnknownWord: there is none; the message names the nearest.
    """
    if name not in STAGES:
        raise UnknownWord("stage", name, STAGES)
    return STAGES[name]


def focus(groups: Sequence[Sequence[Item]]) -> str:
    """Return a query for the current work: the titles of the items, without duplicates; "" if there are none."""
    return "; ".join(dict.fromkeys(item.title for group in groups for item in group))

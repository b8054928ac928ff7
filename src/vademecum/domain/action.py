"""What is told at a tool call of an agent: rules with the calls that they are for, and what a call came to."""

from datetime import datetime
from typing import Literal, get_args

from msgspec import Struct

#: What happens at a call that a rule is for. note: the rule is told beside the result. pause: the first such call of a session is refused
#: with the rule, the same call goes through when it is made again. barrier: it is always refused, with the rule.
Level = Literal["note", "pause", "barrier"]
LEVELS: tuple[Level, ...] = get_args(Level)

#: Properties of a memory: patterns of calls that it is told at, texts in a call that already obeys it, and its level.
WHEN, UNLESS, LEVEL = "when", "unless", "level"


class ActionRule(Struct, frozen=True):
    """A rule that is told at a tool call.

    Attributes:
        id: of the memory it comes from; for what a failure taught: "failed:" and its pattern.
        project: slug of the project that it holds in; "" for all.
        when: patterns of calls (:mod:`vademecum.domain.call_patterns`). unless: texts by which a call already obeys.
        text: one line, as an agent is told it.
        is_set: the person gave it its level.
    """

    id: str
    project: str
    when: tuple[str, ...]
    unless: tuple[str, ...]
    level: Level
    text: str
    is_set: bool = False


class LoggedCall(Struct, frozen=True):
    """A tool call of a conversation that changes or runs something.

    Attributes:
        session: URI of the conversation. call: ref of its turn there. id: the host's id of the call, "" when it has none.
        at: aware, UTC, or None when nobody noted it.
        tool, target: as :func:`vademecum.domain.call_patterns.call_of` names them, what a tool of a server was given behind its name; of a
            target at most 500 characters.
        outcome: "" when nobody noted it.
        says: the line of the answer that tells most; "" for none. words: what the person typed when they refused it.
    """

    session: str
    call: str
    project: str
    at: datetime | None
    tool: str
    target: str
    outcome: Literal["", "ok", "failed", "refused", "interrupted"]
    says: str = ""
    words: str = ""
    id: str = ""

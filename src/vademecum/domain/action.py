"""Rules that are shown at an agent's tool calls: the calls they apply to, and the outcomes of calls."""

from datetime import datetime
from typing import Literal, get_args

from msgspec import Struct

#: Effect of a rule on a matching call. note: the rule is shown beside the result. pause: the first matching call of a session
#: is refused with the rule, and the repeated call goes through. barrier: every matching call is refused with the rule.
Level = Literal["note", "pause", "barrier"]
LEVELS: tuple[Level, ...] = get_args(Level)

#: Properties of a memory: patterns of calls at which it is shown, texts in a call that already obeys it, and its level.
WHEN, UNLESS, LEVEL = "when", "unless", "level"


class ActionRule(Struct, frozen=True):
    """A rule that is shown at a tool call.

    Attributes:
        id: of the memory it comes from; for a rule learnt from a failure: "failed:" and its pattern.
        project: slug of the project it applies to; "" for all.
        when: patterns of calls (:mod:`vademecum.domain.call_patterns`). unless: texts in a call that already obeys it.
        text: one line, as it is shown to an agent.
        is_set: the person set its level.
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
        at: aware, UTC, or None when no time was recorded.
        tool, target: as :func:`vademecum.domain.call_patterns.call_of` returns them; for an MCP tool the target also contains
            the input. A target has at most 500 characters.
        outcome: "" when it was not recorded.
        says: the most informative line of the result; "" for none. words: what the person typed when they refused it.
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

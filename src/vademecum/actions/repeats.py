"""List repeated mistakes: calls that failed or were refused in more than one session, and the memories about them."""

from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from vademecum.actions.call_rules import MOST, RULE_KINDS, rule_of
from vademecum.actions.failed_calls import FailedCalls, failed_calls
from vademecum.actions.failures import REPEATED
from vademecum.context.context import Context
from vademecum.domain.errors import NotFound
from vademecum.domain.memory import Memory
from vademecum.domain.query import Scope


class Repeated(Struct, frozen=True):
    """Calls of one kind that failed or were refused in several sessions of a project.

    Attributes:
        pattern: matches the calls. times: number of failed calls. sessions: number of sessions. first, last: aware, UTC; None: unknown.
        refused: the person refused the last one. said: output of the program, or the person's words; "" for nothing.
        worked: the command that worked instead, "" if unclear. succeeded: number of such calls that ever succeeded.
        shown: it is shown at the next such call. memory: id of the memory about it, title: its title; "" for none.
        waits: that memory is a proposal in the inbox.
    """

    project: str
    pattern: str
    times: int
    sessions: int
    first: datetime | None
    last: datetime | None
    refused: bool
    said: str
    worked: str
    succeeded: int
    shown: bool
    memory: str = ""
    title: str = ""
    waits: bool = False


def repeated(context: Context, project: str) -> tuple[Repeated, ...]:
    """Return what failed or was refused in more than one session, most sessions first.

    Args:
        project: only there; "": in all projects.
    """
    all_failed = [failed for failed in failed_calls(context, project or None, None) if len(failed.calls) >= REPEATED]
    memories = _by_pattern(context) if all_failed else {}
    lines = [_line(failed, memories) for failed in all_failed]
    return tuple(sorted(lines, key=lambda line: (-line.sessions, -line.times, line.project, line.pattern)))


def _by_pattern(context: Context) -> dict[tuple[str, str], Memory]:
    """Return (project, pattern) -> the memory whose rule has the pattern; an active memory before a proposal in the inbox."""
    by_key: dict[tuple[str, str], Memory] = {}
    scope = Scope(sources=("memory",), kinds=RULE_KINDS, statuses=("active", "inbox"))
    for memory in sorted(_memories(context, scope), key=lambda other: other.status == "inbox"):
        rule = rule_of(memory)
        for pattern in rule.when if rule else ():
            by_key.setdefault((memory.project, pattern), memory)
    return by_key


def _memories(context: Context, scope: Scope) -> Iterable[Memory]:
    for item in context.index.select(scope, limit=MOST):
        try:
            yield context.vault.get(item.key)
        except NotFound:
            continue


def _line(failed: FailedCalls, memories: dict[tuple[str, str], Memory]) -> Repeated:
    memory = memories.get((failed.project, failed.pattern)) or memories.get(("", failed.pattern))
    return Repeated(
        failed.project,
        failed.pattern,
        failed.times,
        len(failed.calls),
        failed.calls[0].at,
        failed.last.at,
        failed.last.outcome == "refused",
        failed.last.words or failed.last.says,
        failed.worked,
        failed.succeeded,
        failed.open > 0 or (memory is not None and memory.status == "active"),
        memory.id if memory else "",
        memory.title if memory else "",
        memory is not None and memory.status == "inbox",
    )

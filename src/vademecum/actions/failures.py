"""Warn at a tool call of a kind that failed or was refused before. Uses no model: only the call log and the output of programs.

Per project: nothing from one project is shown in another, and calls outside of projects are never shown.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from vademecum.actions.failed_calls import FailedCalls, failed_calls
from vademecum.context.context import Context
from vademecum.domain.action import WHEN, ActionRule, Level
from vademecum.domain.errors import Refused
from vademecum.domain.memory import By, Draft
from vademecum.write.gate import keep

#: Failed calls are shown for this long.
REMEMBERED = timedelta(days=180)
BY_ACTIONS = By("extraction", "actions")
#: Number of sessions with the failure from which the rule pauses the call, and a memory is proposed.
REPEATED = 2
#: Maximum characters of the line shown to an agent, and of the program's output in it.
TEXT_MAX_CHARS, SAYS_MAX_CHARS = 200, 90


def failing(context: Context) -> tuple[ActionRule, ...]:
    """Return a rule per kind of call that failed or was refused and has not succeeded as often since, ordered by project.

    Old failures are ignored, because programs change.
    """
    all_failed = (failed for failed in failed_calls(context, None, _since(context)) if failed.open)
    return tuple(
        ActionRule(f"failed:{failed.pattern}", failed.project, (failed.pattern,), (), _level(failed), text_of(failed))
        for failed in all_failed
    )


def propose_lessons(context: Context, projects: Collection[str]) -> int:
    """Propose a memory for each kind of call that failed in two sessions of one of these projects; return how many.

    Each is proposed once only, whatever became of the proposal.
    """
    proposed = 0
    names: frozenset[str] | None = None
    for project in projects:
        for failed in failed_calls(context, project, _since(context)):
            if failed.open < REPEATED or not context.storage.calls.propose(project, failed.pattern):
                continue
            names = _known_patterns(context) if names is None else names
            if failed.pattern not in names and _propose(context, failed):
                proposed += 1
    return proposed


def _since(context: Context) -> datetime:
    return context.clock.now() - REMEMBERED


def text_of(failed: FailedCalls) -> str:
    """Return the line shown to an agent."""
    last, count = failed.last, len(failed.calls)
    day = f"{last.at:%Y-%m-%d}" if last.at else ""
    sessions = "an earlier session" if count == 1 else f"{count} earlier sessions"
    since = f", {'on' if count == 1 else 'last on'} {day}" if day else ""
    if last.outcome == "refused":
        entry = f' They said: "{last.words}"' if last.words else ""
        text = f"The person refused {failed.name} in {sessions}{since}.{entry}"
    else:
        says = f": {last.says[:SAYS_MAX_CHARS].rstrip(' .')}" if last.says else ""
        text = f"{failed.name} failed in {sessions}{since}{says}."
    more = f" What worked instead: `{failed.worked}`." if failed.worked else f" {failed.advice}" if failed.advice else ""
    room = TEXT_MAX_CHARS - len(more)
    return (text if len(text) <= room else text[: room - 1].rstrip() + "…") + more


def _level(failed: FailedCalls) -> Level:
    return "pause" if failed.open >= REPEATED and not failed.succeeded else "note"


# ---------------------------------------------------------------------- proposals


def _known_patterns(context: Context) -> frozenset[str]:
    """Return the patterns of all memories, including proposals that the person rejected."""
    return frozenset(pattern for memory in context.vault.files() for pattern in memory.when)


def _propose(context: Context, failed: FailedCalls) -> bool:
    last = failed.last
    refused = last.outcome == "refused"
    title = f"{failed.name} was refused" if refused else f"{failed.name} fails"
    body = text_of(failed)
    if failed.worked:
        title = f"{failed.name} fails, `{failed.worked}` works"
    properties = {
        "status": "inbox",
        "project": failed.project,
        "source": last.session,
        "source_span": last.call,
        "trust": "extracted",
        WHEN: (failed.pattern,),
        "mining_route": "propose",
        "mining_confidence": "medium",
        "mining_occurrences": len(failed.calls),
        "mining_excerpt": f"{last.target}\n{last.words or last.says}".strip(),
        "mining_sessions": tuple(call.session for call in failed.calls[-10:]),
        "mining_rationale": f"actions.repeated: {'refused' if refused else 'failed'} in {len(failed.calls)} sessions",
    }
    if last.at is not None:
        properties |= {"said": last.at, "valid_from": last.at}
    try:
        keep(context, Draft("lesson" if refused else "fix", title, body, properties=properties), by=BY_ACTIONS, unique=True)
    except Refused:
        return False
    return True

"""Whether a pattern of calls is narrow enough to be told at each of them, by the calls that were made."""

from collections.abc import Sequence

from vademecum.context.context import Context
from vademecum.domain.action import LoggedCall
from vademecum.domain.call_patterns import fits, literal, parsed

#: A pattern may fit this share of the calls that were made, and none that all of so many sessions made.
MOST_SHARE, SESSIONS_MIN = 0.02, 5
#: Calls that are looked at, the last ones, and so many at least: of fewer nothing can be told.
LOOKED_AT, CALLS_MIN = 3_000, 100


def last_calls(context: Context, project: str) -> Sequence[LoggedCall]:
    """Return the last calls of a project, by which its patterns are judged; "": of all, for what is shown in every project."""
    return context.storage.calls.latest(project or None, LOOKED_AT)


def too_wide(calls: Sequence[LoggedCall], line: str) -> str:
    """Return why a pattern would be told too often, "" when it would not: it fits more than `MOST_SHARE` of the calls, or some of each
    session.

    Raises:
        ValueError: the line is no pattern.
    """
    tool, pattern = parsed(line)
    if len(calls) < CALLS_MIN:
        return ""
    sign = literal(pattern).lower()
    met = [call for call in calls if sign in call.target.lower() and fits(tool, pattern, (call.tool, call.target, ""))]
    sessions, with_one = {call.session for call in calls}, {call.session for call in met}
    if len(met) > MOST_SHARE * len(calls):
        return f"{line} fits {len(met)} of the last {len(calls)} calls, more than {MOST_SHARE:.0%}"
    if len(sessions) >= SESSIONS_MIN and with_one == sessions:
        return f"{line} fits a call of each of the last {len(sessions)} sessions"
    return ""

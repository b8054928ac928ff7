"""Whether a call pattern is narrow enough to be shown at each matching call, judged by past calls."""

from collections.abc import Sequence

from vademecum.context.context import Context
from vademecum.domain.action import LoggedCall
from vademecum.domain.call_patterns import fits, literal, parsed

#: Maximum share of past calls that a pattern may match. From SESSIONS_MIN sessions on, it must not match in every session.
MOST_SHARE, SESSIONS_MIN = 0.02, 5
#: Number of latest calls checked; with fewer than CALLS_MIN no pattern is rejected.
LOOKED_AT, CALLS_MIN = 3_000, 100


def last_calls(context: Context, project: str) -> Sequence[LoggedCall]:
    """Return the latest calls of a project, to judge its patterns; "": of all projects, for rules shown everywhere."""
    return context.storage.calls.latest(project or None, LOOKED_AT)


def too_wide(calls: Sequence[LoggedCall], line: str) -> str:
    """Return why a pattern would be shown too often; "" if it is narrow enough.

    It is too wide if it matches more than `MOST_SHARE` of the calls, or calls in every session.

    Raises:
        ValueError: the line is not a pattern.
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

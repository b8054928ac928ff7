"""Number of pending proposals. Called at the start of every session, so this module imports nothing that only reviewing needs."""

from datetime import datetime, timedelta

from vademecum.context.context import Context
from vademecum.domain.query import Scope
from vademecum.domain.verdict import Inbox

#: The inbox raises an alarm at this many proposals, or when one is this old (X-24).
ALARM_COUNT, ALARM_AGE = 50, timedelta(hours=72)
#: More incubating ideas than this are reported as well (MV-47).
ALARM_IDEAS = 20
#: Maximum number of pending proposals read; higher than any real inbox.
_LOOKED_AT = 20_000


def inbox(context: Context, *, quick: bool = False) -> Inbox:
    """Return the number of pending proposals, the oldest creation time, and an alarm if there are too many.

    Args:
        quick: read the oldest only if its age could matter, because a hook is waiting.
    """
    counts = context.index.counts()
    count, ideas = counts.get(("memory", "inbox"), 0), _ideas_alarm(counts.get(("memory", "incubating"), 0))
    if not count or (quick and count >= ALARM_COUNT):
        return Inbox(count, None, _both(_alarm(count, None, context.clock.now()), ideas))
    waiting = context.index.select(Scope(sources=("memory",), statuses=("inbox",), branches=None), limit=_LOOKED_AT)
    oldest = min((item.created for item in waiting if item.created), default=None)
    return Inbox(count, oldest, _both(_alarm(count, oldest, context.clock.now()), ideas))


def _ideas_alarm(incubating: int) -> str:
    return f"{incubating} open ideas: vade idea list" if incubating > ALARM_IDEAS else ""


def _both(*alarms: str) -> str:
    return "; ".join(alarm for alarm in alarms if alarm)


def _alarm(count: int, oldest: datetime | None, now: datetime) -> str:
    age = now - oldest if oldest else timedelta()
    if count < ALARM_COUNT and age < ALARM_AGE:
        return ""
    since = f", the oldest for {age.days} days" if age >= ALARM_AGE else ""
    return f"{count} {'proposal waits' if count == 1 else 'proposals wait'} in the inbox{since}: vade review"

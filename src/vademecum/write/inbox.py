"""How much waits for the person. Every session that starts asks, so nothing that reviewing needs is loaded here."""

from datetime import datetime, timedelta

from vademecum.context.context import Context
from vademecum.domain.query import Scope
from vademecum.domain.verdict import Inbox

#: The inbox alarms when so many wait, or one of them for so long (X-24).
ALARM_COUNT, ALARM_AGE = 50, timedelta(hours=72)
#: More ideas than these in the incubator are told too (MV-47).
ALARM_IDEAS = 20
#: More than ever wait; what is beyond is not looked at.
_LOOKED_AT = 20_000


def inbox(context: Context, *, quick: bool = False) -> Inbox:
    """Return how many wait, since when, and whether that is too much.

    Args:
        quick: look for the oldest only where its age could matter: somebody waits for a hook.
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

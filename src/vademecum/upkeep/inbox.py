"""How much waits for the person. Every session that starts asks, so nothing that reviewing needs is loaded here."""

from datetime import datetime, timedelta

from vademecum.model.query import Scope
from vademecum.model.verdict import Inbox
from vademecum.upkeep.parts import Parts

#: The inbox alarms when so many wait, or one of them for so long (X-24).
ALARM_COUNT, ALARM_AGE = 50, timedelta(hours=72)
#: More than ever wait; what is beyond is not looked at.
_LOOKED_AT = 20_000


def inbox(parts: Parts, *, quick: bool = False) -> Inbox:
    """How many wait, since when, and whether that is too much.

    Args:
        quick: look for the oldest only where its age could matter: somebody waits for a hook.
    """
    count = parts.index.counts().get(("memory", "inbox"), 0)
    if not count or (quick and count >= ALARM_COUNT):
        return Inbox(count, None, _alarm(count, None, parts.clock.now()))
    waiting = parts.index.select(Scope(sources=("memory",), statuses=("inbox",)), limit=_LOOKED_AT)
    oldest = min((item.created for item in waiting if item.created), default=None)
    return Inbox(count, oldest, _alarm(count, oldest, parts.clock.now()))


def _alarm(count: int, oldest: datetime | None, now: datetime) -> str:
    age = now - oldest if oldest else timedelta()
    if count < ALARM_COUNT and age < ALARM_AGE:
        return ""
    since = f", the oldest for {age.days} days" if age >= ALARM_AGE else ""
    return f"{count} {'proposal waits' if count == 1 else 'proposals wait'} in the inbox{since}: vade review"

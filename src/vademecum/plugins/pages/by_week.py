"""Report week by week what memory delivered to agents, how much of it was used, what that cost, and how much is known."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from msgspec import Struct

from vademecum.domain.daily import midnight
from vademecum.domain.query import Scope
from vademecum.domain.uris import item_and_place
from vademecum.plugin_api.memory import Context

#: Statuses of memories that count as known.
_KNOWN = ("active", "disputed", "incubating")
_QUARTER_S, _DAY_S = 900, 86400
#: Maximum conversations with deliveries that are read.
_SESSIONS_MOST = 10_000


class Week(Struct, frozen=True):
    """One week, beginning on a Monday of the person's calendar.

    Attributes:
        delivered: memories and notes shown to agents in conversations of the week, each counted once; known for the last 30
            days.
        used: how many of them were used in that week or later; known for the last 30 days.
        tokens: estimated tokens that hooks delivered; known for the last 30 days.
        conversations: host -> number of conversations last active in the week.
        memories: number of memories known now that existed at the end of the week.
    """

    begins: date
    delivered: int
    used: int
    tokens: int
    conversations: Mapping[str, int]
    memories: int


def by_week(context: Context, count: int) -> tuple[Week, ...]:
    """Return the last `count` weeks, oldest first; the last one is the current week."""
    today = context.local_time(context.clock.now()).date()
    this = today - timedelta(days=today.weekday())
    weeks = [this - timedelta(weeks=number) for number in range(count)][::-1]
    delivered, used = _delivered(context)
    tokens, conversations = _tokens(context), _conversations(context, weeks[0])
    memories = _memories(context, weeks)
    return tuple(
        Week(week, delivered[week], used[week], tokens[week], conversations.get(week, {}), memories[week]) for week in weeks
    )


def _week_of(context: Context, moment: datetime) -> date:
    day = context.local_time(moment).date()
    return day - timedelta(days=day.weekday())


def _delivered(context: Context) -> tuple[Counter[date], Counter[date]]:
    """Return (week -> items shown in its conversations, week -> how many of those were used since)."""
    first: dict[tuple[date, str], datetime] = {}
    for session in context.state.shown.sessions(_SESSIONS_MOST):
        week = _week_of(context, session.last)
        for key in {item_and_place(key)[0] for key in session.keys if key.startswith(("memory://", "document://"))}:
            first[week, key] = min(session.last, first.get((week, key), session.last))
    uses = context.state.usage.of(list({key for _, key in first}))
    used = Counter[date]()
    for (week, key), at in first.items():
        last = uses[key].last_used if key in uses else None
        used[week] += last is not None and last >= at
    return Counter(week for week, _ in first), used


def _tokens(context: Context) -> Counter[date]:
    tokens = Counter[date]()
    for line in context.storage.hook_log.lines() if context.storage.hook_log else ():
        count = line.get("tokens", 0)
        if isinstance(count, int) and count > 0:
            tokens[_week_of(context, datetime.fromisoformat(str(line["at"])))] += count
    return tokens


def _conversations(context: Context, first: date) -> dict[date, Counter[str]]:
    scope = Scope(sources=("session",), statuses=None, since=midnight(first, context.local_time))
    found: dict[date, Counter[str]] = {}
    for (quarter, host), count in context.index.facets(scope, ("quarter", "host")).items():
        moment = datetime.fromtimestamp(int(quarter) * _QUARTER_S, UTC)
        found.setdefault(_week_of(context, moment), Counter())[host or "other"] += count
    return found


def _memories(context: Context, weeks: Sequence[date]) -> dict[date, int]:
    """Return week -> number of memories known now that existed at its end. Memories without a date count in every week."""
    days = context.index.facets(Scope(sources=("memory",), statuses=_KNOWN), ("created_day",))
    made = [(datetime.fromtimestamp(int(day or 0) * _DAY_S, UTC).date(), count) for (day,), count in days.items()]
    return {week: sum(count for day, count in made if day < week + timedelta(weeks=1)) for week in weeks}

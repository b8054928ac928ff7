"""What memory did, week by week: what was delivered to agents and used, what that took, and how much there is."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from msgspec import Struct

from vademecum.context.context import Context
from vademecum.domain.daily import midnight
from vademecum.domain.query import Scope

#: Statuses of memories that count as what is known.
_KNOWN = ("active", "disputed", "incubating")
_QUARTER_S, _DAY_S = 900, 86400
#: Conversations that were delivered something, at most.
_SESSIONS_MOST = 10_000


class Week(Struct, frozen=True):
    """One week, from its Monday on the person's calendar.

    Attributes:
        delivered: memories and notes that agents were given in conversations of the week, each once. used: those of them that were used
            in that week or later. Both are known for the last 30 days.
        tokens: of what hooks delivered, estimated; known for the last 30 days.
        conversations: host -> conversations that were last active in the week.
        memories: that are known now and existed at the end of the week.
    """

    begins: date
    delivered: int
    used: int
    tokens: int
    conversations: Mapping[str, int]
    memories: int


def by_week(context: Context, count: int) -> tuple[Week, ...]:
    """Return the last `count` weeks, the oldest first; the last one is still going on."""
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
    """Return week -> what was delivered in its conversations, and what of that was used since."""
    first: dict[tuple[date, str], datetime] = {}
    for session in context.state.told.sessions(_SESSIONS_MOST):
        week = _week_of(context, session.last)
        for key in {key.partition("#")[0] for key in session.keys if key.startswith(("memory://", "document://"))}:
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
    """Return week -> memories that are known now and existed at its end; one without a day counts from the beginning."""
    days = context.index.facets(Scope(sources=("memory",), statuses=_KNOWN), ("created_day",))
    made = [(datetime.fromtimestamp(int(day or 0) * _DAY_S, UTC).date(), count) for (day,), count in days.items()]
    return {week: sum(count for day, count in made if day < week + timedelta(weeks=1)) for week in weeks}

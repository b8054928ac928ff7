"""The timeline: conversations, memories and projects along an axis of days; each mark is a link."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

import htpy as h
from htpy import Element, Node

from vademecum.domain.memory import STATUSES
from vademecum.plugin_api.upkeep import Facets
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Shown, Visit, address

#: Spans to choose from in days. Without a choice the first from DAYS on with a conversation is shown, else DAYS.
SPANS, DAYS = (14, 45, 120, 365), 45
#: Sizes in pixels: width, left and right margins, height of the bars, of a project's lane, and of the line of dates.
WIDE, LEFT, RIGHT, HIGH, LANE, DATES = 920, 184, 8, 76, 36, 24
#: Most projects with a lane; radius of the largest dot; most letters of a project's name.
LANES, DOT, NAME_CHARS = 8, 9.0, 25

#: Name that no project can have.
OF_NONE = "/"

#: Day -> number of items.
Counts = Mapping[date, int]


async def page(visit: Visit) -> Shown:
    """Show the days up to now, or to the requested day."""
    project = visit.query.get("project", "")
    days = next((span for span in SPANS if visit.query.get("days") == str(span)), 0) or await _usual_days(visit, project)
    where = {"days": days, "status": list(STATUSES), "as_of": visit.then, "project": project}
    memories: Facets = await visit.ask("list --count", source=["memory"], **where)
    talks: Facets = await visit.ask("list --count", source=["session"], **where)
    lanes = {} if project else await _lanes(visit, [name for name in memories.by["project"] if name][:LANES], where)
    body = [h.h1["Timeline"], _spans(visit, days, project)]
    if memories.days or talks.days:
        last = visit.local(visit.then - timedelta(seconds=1) if visit.then else visit.now).date()
        shown = [last - timedelta(days=number) for number in range(days)][::-1]
        body += [
            _drawn(visit, shown, {"memories": _by_day(memories), "conversations": _by_day(talks)}, lanes),
            _table(visit, memories),
        ]
    else:
        body += [html.nothing(f"Nothing came or changed in these {days} days.", h.a(href=f"{PAGES}/find")["See everything"])]
    return Shown("Timeline", body, dated=True)


async def _lanes(visit: Visit, names: Sequence[str], where: Mapping[str, Any]) -> dict[str, Counts]:
    """Return the days of each project, without those of no project, which a question about a project covers as well."""
    counts: dict[str, Counts] = {}
    for name in (OF_NONE, *names):
        counts[name] = _by_day(await visit.ask("list --count", source=["memory", "session"], **{**where, "project": name}))
    shared = counts.pop(OF_NONE)
    return {name: {day: count - shared.get(day, 0) for day, count in days.items()} for name, days in counts.items()}


async def _usual_days(visit: Visit, project: str) -> int:
    """Return the first span that has a conversation: of somebody who has just begun the last ones may be months old."""
    for span in SPANS[SPANS.index(DAYS) :]:
        talks = await visit.ask("list --count", source=["session"], days=span, as_of=visit.then, project=project)
        if talks.days:
            return span
    return DAYS


def _by_day(facets: Facets) -> Counts:
    return {date.fromisoformat(day): sum(kinds.values()) for day, kinds in facets.days.items()}


def _spans(visit: Visit, days: int, project: str) -> Element:
    words = {14: "2 weeks", 45: "6 weeks", 120: "4 months", 365: "a year"}
    links = [
        h.a(
            ".chip.on" if span == days else ".chip",
            href=visit.with_query(days=str(span)),
            aria_current="true" if span == days else None,
        )[words[span]]
        for span in SPANS
    ]
    without = project and h.a(".chip.on", href=visit.with_query(project=""))[h.bdi[project], " ✕"]
    by_week = h.a(".chip", href=f"{PAGES}/weeks")["Week by week: use, tokens, growth"]
    return h.nav(".chips", aria_label="Span")[links, without, by_week]


def _drawn(visit: Visit, days: Sequence[date], bars: Mapping[str, Counts], lanes: Mapping[str, Counts]) -> Element:
    """Return memories as bars above the axis, conversations below it, and a lane of dots for each project.

    In a narrow window the names at the left are scrolled out of view; a legend below and names at the right edge replace them.
    """
    step = (WIDE - LEFT - RIGHT) / len(days)
    below = HIGH + DATES
    top = below + HIGH // 2 + 14
    high = top + LANE * len(lanes) + 6
    lefts = [(day, LEFT + number * step) for number, day in enumerate(days)]
    up, down = bars["memories"], bars["conversations"]
    parts: list[Node] = [
        h.line(x1=f"{LEFT}", x2=f"{WIDE - RIGHT}", y1=f"{HIGH}", y2=f"{HIGH}"),
        h.text(x="0", y=f"{HIGH - 6}")["Memories"],
        h.text(x="0", y=f"{below + 12}")["Conversations"],
        [_date(day, x) for day, x in lefts if _is_named(day, len(days))],
        [_bar(visit, day, "memory", up.get(day, 0), (x, step, HIGH, -HIGH / _most(up))) for day, x in lefts],
        [_bar(visit, day, "session", down.get(day, 0), (x, step, below, HIGH / 2 / _most(down))) for day, x in lefts],
    ]
    for place, (name, counts) in enumerate(lanes.items()):
        y = top + LANE * place + LANE / 2
        short = name if len(name) <= NAME_CHARS else f"{name[: NAME_CHARS - 1]}…"
        parts += [
            h.line(x1=f"{LEFT}", x2=f"{WIDE - RIGHT}", y1=f"{y:.0f}", y2=f"{y:.0f}"),
            h.a(href=visit.with_query(project=name), aria_label=f"Only {name}")[
                h.title[name],
                h.text(x="0", y=f"{y + 4:.0f}")[short],
                h.text(".end", x=f"{WIDE - RIGHT}", y=f"{y - 11:.0f}", text_anchor="end")[short],
            ],
            [_dot(visit, day, name, counts.get(day, 0), (x + step / 2, y)) for day, x in lefts],
        ]
    label = f"{len(days)} days: memories, conversations and projects"
    svg = h.svg(".timeline", viewBox=f"0 0 {WIDE} {high}", role="group", aria_label=label)[parts]
    legend = h.p(".legend.small", aria_hidden="true")[h.span(".up"), "Memories", h.span(".down"), "Conversations"]
    return h.div[h.div(".scroll", tabindex="0")[svg], legend]


def _most(counts: Counts) -> int:
    return max(counts.values(), default=1) or 1


def _is_named(day: date, days: int) -> bool:
    """Return whether the axis shows a day's date: Mondays of a short span, the first of each month of a long one."""
    return day.weekday() == 0 if days <= DAYS else day.day == 1


def _date(day: date, x: float) -> Element:
    return h.text(".date", x=f"{x:.0f}", y=f"{HIGH + 16}")[f"{day.day} {day:%b}"]


def _bar(visit: Visit, day: date, source: str, count: int, place: tuple[float, float, float, float]) -> Node:
    """Return a bar upward or downward from the axis.

    Args:
        place: left edge, width of a day, y of the axis, height per item (negative: upward).
    """
    if not count:
        return None
    x, step, axis, unit = place
    height = max(2.0, abs(unit * count))
    y = axis - height if unit < 0 else axis
    words = f"{day:%A} {day.day} {day:%B}: {count:,} {'memories' if source == 'memory' else 'conversations'}"
    bar = h.rect(
        class_=source, x=f"{x + step * 0.1:.1f}", y=f"{y:.0f}", width=f"{step * 0.8:.1f}", height=f"{height:.0f}", rx="1"
    )
    return h.a(href=_into(visit, f"{day}", source=source), aria_label=words)[h.title[words], bar]


def _dot(visit: Visit, day: date, project: str, count: int, middle: tuple[float, float]) -> Node:
    if not count:
        return None
    words = f"{project}, {day:%A} {day.day} {day:%B}: {count:,}"
    radius = min(DOT, 2.5 + count**0.5)
    dot = h.circle(cx=f"{middle[0]:.1f}", cy=f"{middle[1]:.0f}", r=f"{radius:.1f}")
    return h.a(href=_into(visit, f"{day}", project=project), aria_label=words)[h.title[words], dot]


def _table(visit: Visit, facets: Facets) -> Element:
    """Return a collapsed table of memories by day and kind."""
    kinds = [kind for kind, _ in sum(map(Counter, facets.days.values()), Counter[str]()).most_common()]
    rows = [_row(visit, day, kinds, counts) for day, counts in facets.days.items()]
    head = h.tr[h.th(scope="col")["Day"], h.th(scope="col")["All"], [h.th(scope="col")[kind] for kind in kinds]]
    return h.details[h.summary["In numbers"], h.div(".scroll", tabindex="0")[h.table(".numbers")[h.thead[head], h.tbody[rows]]]]


def _row(visit: Visit, day: str, kinds: Sequence[str], counts: Mapping[str, int]) -> Element:
    cells = [h.td[counts.get(kind, 0) > 0 and h.a(href=_into(visit, day, kind=kind))[f"{counts[kind]:,}"]] for kind in kinds]
    total = h.a(href=_into(visit, day))[f"{sum(counts.values()):,}"]
    return h.tr(data_entry=True)[h.th(scope="row", title=day)[_short(date.fromisoformat(day))], h.td[total], cells]


def _short(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"


def _into(visit: Visit, day: str, **where: str) -> str:
    behind = f"{date.fromisoformat(day) + timedelta(days=1)}"
    return address(f"{PAGES}/find", {"since": day, "until": behind, **where, "at": visit.at})

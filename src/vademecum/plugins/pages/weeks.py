"""The page beside the timeline: activity by week, as drawings made on the server, each with a table of its numbers."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date

import htpy as h
from htpy import Element, Node

from vademecum.plugin_api.memory import Vademecum
from vademecum.plugins.pages import html
from vademecum.plugins.pages.by_week import Week, by_week
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Shown, Visit

#: Weeks shown; hosts with a colour of their own (the others share the last one).
WEEKS, HOSTS = 12, 4
#: Sizes in pixels: width, height, room for numbers above and dates below. Weeks between dates.
WIDE, HIGH, ABOVE, BELOW, DATED_EVERY = 360, 190, 22, 24, 3

#: Part of a bar -> its value, from the bottom up.
Parts = Mapping[str, int]


async def page(visit: Visit) -> Shown:
    """Show the weeks up to this one."""
    weeks = await visit.read(_looked)
    back = h.p[h.a(href=f"{PAGES}/time")["Timeline by day"]]
    if not any(week.delivered or week.tokens or week.conversations or week.memories for week in weeks):
        none = html.nothing("Nothing was delivered, held or saved yet.", h.a(href=f"{PAGES}/settings")["Connect a program"])
        return Shown("Week by week", [h.h1["Week by week"], back, none])
    hosts = _hosts(weeks)
    figures = [
        _figure(
            "Delivered to agents, and used",
            "Memories and notes that agents were given, and those of them that were used since. Known for the last 30 days.",
            {week.begins: {"used": week.used, "delivered, not used": week.delivered - week.used} for week in weeks},
        ),
        _figure(
            "Tokens delivered",
            "Estimated, at session starts and prompts. Known for the last 30 days.",
            {week.begins: {"tokens": week.tokens} for week in weeks},
        ),
        _figure(
            "Conversations by program",
            "In the week in which they were last active.",
            {week.begins: {name: count(week) for name, count in hosts.items()} for week in weeks},
        ),
        _figure(
            "Memories",
            "Known today and there at the end of each week.",
            {week.begins: {"memories": week.memories} for week in weeks},
        ),
    ]
    return Shown("Week by week", [h.h1["Week by week"], back, h.div(".charts")[figures]])


def _looked(memory: Vademecum) -> tuple[Week, ...]:
    return by_week(memory.context, WEEKS)


def _hosts(weeks: Sequence[Week]) -> Mapping[str, Callable[[Week], int]]:
    """Return host -> function that counts its conversations in a week: the busiest hosts, then all others together."""
    totals: dict[str, int] = {}
    for week in weeks:
        for host, count in week.conversations.items():
            totals[host] = totals.get(host, 0) + count
    names = sorted(totals, key=lambda host: (-totals[host], host))
    shown, rest = (names, []) if len(names) <= HOSTS else (names[: HOSTS - 1], names[HOSTS - 1 :])
    counts: dict[str, Callable[[Week], int]] = {name: _count_of((name,)) for name in shown or ["none"]}
    return {**counts, **({"others": _count_of(rest)} if rest else {})}


def _count_of(hosts: Sequence[str]) -> Callable[[Week], int]:
    return lambda week: sum(week.conversations.get(host, 0) for host in hosts)


def _figure(title: str, what: str, weeks: Mapping[date, Parts]) -> Element:
    """Return a drawing with title, description, legend, and a table of its numbers."""
    names = list(next(iter(weeks.values())))
    last, total = list(weeks.values())[-1], sum(sum(parts.values()) for parts in weeks.values())
    this_week = ", ".join(f"{last[name]:,} {name}" for name in names)
    legend = h.p(".legend")[[[h.span(class_=f"part{place}"), name] for place, name in enumerate(names)]]
    drawing = (
        h.svg(viewBox=f"0 0 {WIDE} {HIGH}", role="img", aria_label=f"{title}, by week; this week {this_week}")[_bars(weeks)]
        if total
        else html.nothing("Nothing in these weeks.")
    )
    return h.section(".card.chart")[
        h.h2[title], h.p(".small")[what], drawing, total > 0 and [legend, _table(title, names, weeks)]
    ]  # fmt: skip


def _bars(weeks: Mapping[date, Parts]) -> Node:
    step, most = WIDE / len(weeks), max(sum(parts.values()) for parts in weeks.values())
    bottom = HIGH - BELOW
    elements: list[Node] = [h.line(x1="0", x2=f"{WIDE}", y1=f"{bottom}", y2=f"{bottom}")]
    for place, (week, parts) in enumerate(weeks.items()):
        left, y = place * step, float(bottom)
        for number, (name, count) in enumerate(parts.items()):
            height = (bottom - ABOVE) * count / most
            y -= height
            words = f"{_day(week)}: {count:,} {name}"
            bar = h.rect(
                class_=f"part{number}", x=f"{left + step * 0.12:.1f}", y=f"{y:.1f}", width=f"{step * 0.76:.1f}",
                height=f"{height:.1f}",
            )  # fmt: skip
            elements.append(count > 0 and bar[h.title[words]])
        total = sum(parts.values())
        middle = f"{left + step / 2:.1f}"
        elements.append(total > 0 and h.text(x=middle, y=f"{y - 5:.1f}", text_anchor="middle")[_short(total)])
        if (len(weeks) - 1 - place) % DATED_EVERY == 0:
            elements.append(h.text(".date", x=middle, y=f"{HIGH - 6}", text_anchor=_anchor(place, len(weeks)))[_day(week)])
    return elements


def _anchor(place: int, weeks: int) -> str:
    """Return the text anchor of a week's date, so that none is cut off at the edge."""
    return "end" if place == weeks - 1 else "start" if place == 0 else "middle"


def _table(title: str, names: Sequence[str], weeks: Mapping[date, Parts]) -> Element:
    head = h.tr[h.th(scope="col")["Week of"], [h.th(scope="col")[name] for name in names]]
    rows = [h.tr[h.th(scope="row")[f"{week}"], [h.td[f"{parts[name]:,}"] for name in names]] for week, parts in weeks.items()]
    return h.details[
        h.summary["In numbers"],
        h.div(".scroll", tabindex="0", role="group", aria_label=title)[h.table(".numbers")[h.thead[head], h.tbody[rows[::-1]]]],
    ]


def _day(week: date) -> str:
    return f"{week.day} {week:%b}"


def _short(count: int) -> str:
    """Format a number to fit above a bar: 950, 1.2k, 48k, 3.1M."""
    for unit, size in (("M", 1_000_000), ("k", 1_000)):
        if count >= size:
            return f"{count / size:.1f}{unit}".replace(".0", "") if count < 10 * size else f"{count // size}{unit}"
    return str(count)

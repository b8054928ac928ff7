"""Days by kind: when memories came to be or changed, each number a way into Find."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import htpy as h
from htpy import Element, Node

from vademecum.domain.memory import STATUSES
from vademecum.entrypoints.http.access import PAGES
from vademecum.entrypoints.web import html
from vademecum.entrypoints.web.visit import Shown, Visit, address
from vademecum.maintenance.browse import Facets

#: Days on the page. Width of a day in the drawing, its height, and the room between two.
DAYS, WIDE, HIGH, GAP = 45, 14, 120, 2


async def page(visit: Visit) -> Shown:
    """Show the last weeks, up to now or to the day that was asked for."""
    found: Facets = await visit.ask("facets", days=DAYS, status=list(STATUSES), as_of=visit.then)
    kinds = [kind for kind, _ in sum(map(Counter, found.days.values()), Counter[str]()).most_common()]
    rows = [_row(visit, day, kinds, counts) for day, counts in found.days.items()]
    none = html.nothing(f"Nothing came or changed in these {DAYS} days.", h.a(href=f"{PAGES}/find")["See everything"])
    head = h.tr[h.th(scope="col")["Day"], h.th(scope="col")["All"], [h.th(scope="col")[kind] for kind in kinds]]
    table = h.div(".scroll", tabindex="0")[h.table(".numbers")[h.thead[head], h.tbody[rows]]]
    body = [h.h1["What came or changed, by day"], [_drawn(visit, found.days), table] if rows else none]
    return Shown("Time", body, dated=True)


def _drawn(visit: Visit, days: Mapping[str, Mapping[str, int]]) -> Element:
    """Return a bar for each day, the last on the right; each leads to what it counts. The table below says the same in numbers."""
    last = date.fromisoformat(max(days))
    today = visit.local(visit.then - timedelta(seconds=1) if visit.then else visit.now).date()
    shown = [max(last, today) - timedelta(days=number) for number in range(DAYS)][::-1]
    most = max(sum(kinds.values()) for kinds in days.values())
    bars = [_bar(visit, place, day, sum(days.get(f"{day}", {}).values()), most) for place, day in enumerate(shown)]
    ends = [
        h.text(x="0", y=f"{HIGH + 16}")[f"{shown[0]:%d %b}"],
        h.text(x=f"{DAYS * WIDE}", y=f"{HIGH + 16}", text_anchor="end")[f"{shown[-1]:%d %b}"],
    ]
    size = f"0 0 {DAYS * WIDE} {HIGH + 20}"
    return h.svg(".days", viewBox=size, role="group", aria_label=f"Days, at most {most:,} on one")[bars, ends]


def _bar(visit: Visit, place: int, day: date, count: int, most: int) -> Node:
    if not count:
        return None
    high = max(2.0, HIGH * count / most)
    bar = h.rect(x=f"{place * WIDE}", y=f"{HIGH - high:.0f}", width=f"{WIDE - GAP}", height=f"{high:.0f}")
    return h.a(href=_into(visit, f"{day}"), aria_label=f"{day}: {count}")[
        h.title[f"{day:%A} {day.day} {day:%B}: {count:,}"], bar
    ]


def _row(visit: Visit, day: str, kinds: Sequence[str], counts: Mapping[str, int]) -> Element:
    cells = [h.td[counts.get(kind, 0) > 0 and h.a(href=_into(visit, day, kind))[f"{counts[kind]:,}"]] for kind in kinds]
    total = h.a(href=_into(visit, day))[f"{sum(counts.values()):,}"]
    return h.tr(data_entry=True)[h.th(scope="row", title=day)[_short(date.fromisoformat(day))], h.td[total], cells]


def _short(day: date) -> str:
    return f"{day:%a} {day.day} {day:%b}"


def _into(visit: Visit, day: str, kind: str = "") -> str:
    behind = f"{date.fromisoformat(day) + timedelta(days=1)}"
    return address(f"{PAGES}/find", {"since": day, "until": behind, "kind": kind, "at": visit.at})

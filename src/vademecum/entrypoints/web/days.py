"""Days by kind: when memories came to be or changed, each number a way into Find."""

from collections import Counter
from datetime import date, timedelta

import htpy as h
from htpy import Element

from vademecum.api import Vademecum
from vademecum.domain.memory import STATUSES
from vademecum.entrypoints.http.access import PAGES
from vademecum.entrypoints.web import html
from vademecum.entrypoints.web.visit import Shown, Visit, address

#: Days on the page, and memories that are counted for it.
DAYS, COUNTED = 45, 3_000
#: Width of the longest bar.
BAR = 120


async def page(visit: Visit) -> Shown:
    """Show the last weeks."""
    start = visit.local(visit.now).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=DAYS - 1)

    def looked(memory: Vademecum) -> list[tuple[date, str]]:
        items = memory.notes.list(COUNTED, since=start, status=STATUSES)
        return [(visit.local(item.updated).date(), item.kind) for item in items if item.updated]

    found = await visit.read(looked)
    counts, kinds = Counter(found), [kind for kind, _ in Counter(kind for _, kind in found).most_common()]
    days = [start.date() + timedelta(days=number) for number in range(DAYS)][::-1]
    totals = Counter(day for day, _ in found)
    rows = [_row(day, kinds, counts, totals, max(totals.values())) for day in days if totals[day]]
    none = html.nothing(f"Nothing came or changed in the last {DAYS} days.", h.a(href=f"{PAGES}/find")["See everything"])
    head = h.tr[h.th(scope="col")["Day"], h.th(scope="col")["All"], [h.th(scope="col")[kind] for kind in kinds]]
    table = h.div(".scroll", tabindex="0")[h.table[h.thead[head], h.tbody[rows]]]
    more = len(found) == COUNTED and h.p(".aside")[f"The last {COUNTED} memories are counted."]
    return Shown("Time", [h.h1["What came or changed, by day"], table if rows else none, more])


def _row(day: date, kinds: list[str], counts: Counter[tuple[date, str]], totals: Counter[date], most: int) -> Element:
    width = f"{BAR * totals[day] / most:.0f}"
    bar = h.svg(".bar-of-day", width=str(BAR), height="10", aria_hidden="true")[h.rect(width=width, height="10")]
    cells = [h.td[counts[day, kind] > 0 and _link(day, counts[day, kind], kind)] for kind in kinds]
    return h.tr(data_entry=True)[h.th(scope="row")[f"{day:%a} {day:%Y-%m-%d}"], h.td[_link(day, totals[day]), " ", bar], cells]


def _link(day: date, count: int, kind: str = "") -> Element:
    asked = {"since": f"{day}", "until": f"{day + timedelta(days=1)}", "kind": kind}
    return h.a(href=address(f"{PAGES}/find", asked))[str(count)]

"""Answers: the last questions, and for each the shown memories with reasons, near misses, and all numbers."""

from collections.abc import Sequence
from datetime import UTC, datetime

import htpy as h
from htpy import Element, Node

from vademecum.domain.errors import NotFound
from vademecum.domain.ids import ENTROPY_BYTES, id_time_ms, make_id
from vademecum.domain.query import Hit, Left, Recall
from vademecum.plugin_api.memory import Asked, Vademecum
from vademecum.plugin_api.verbs import chosen, counted, why_text
from vademecum.plugins.pages import html
from vademecum.plugins.pages.icons import icon
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Shown, Visit

#: Most questions on a page; most omitted entries.
PAGE, LEFT_SHOWN = 50, 60
#: Smallest adjustment shown.
LEAST_SHOWN = 0.005


async def listed(visit: Visit) -> Shown:
    """Show the last questions."""
    then = visit.then
    before = visit.query.get("after", "") or (make_id(int(then.timestamp() * 1000), bytes(ENTROPY_BYTES)) if then else "")
    asked: tuple[Asked, ...] = await visit.ask("why --recent", limit=PAGE, before=before)
    once: dict[str, list[Asked]] = {}
    for question in asked:
        once.setdefault(question.question, []).append(question)
    lines = h.ul(".entries")[[_line(visit, same[0], len(same)) for same in once.values()]]
    none = html.nothing("Nothing was asked yet.", ["Try ", h.a(href=f"{PAGES}/find")["a question"]])
    more = html.following(visit, asked[-1].trace if len(asked) == PAGE else "")
    return Shown(
        "Answers",
        [
            h.h1["Answers"],
            h.p(".sum")["What was asked of memory, by you and by agents, and why it was answered so."],
            lines if asked else none,
            more,
        ],
        dated=True,
    )


def _line(visit: Visit, question: Asked, times: int) -> Element:
    """Return a question as a list entry; `times`: how often it was asked among those shown."""
    return h.li(".entry", data_entry=True)[
        icon("answers"),
        h.div(".line")[h.a(href=f"{PAGES}/why/{question.trace}")[h.bdi[question.question or "without words"]]],
        h.div(".under")[
            h.span[counted(question.found, "result") if question.found else "nothing"],
            html.when(visit, question.time),
            times > 1 and h.span[f"asked {times} times"],
        ],
    ]


def _asked_at(result: Recall) -> datetime | None:
    return datetime.fromtimestamp(id_time_ms(result.trace) / 1000, UTC) if result.trace else None


async def page(visit: Visit) -> Shown:
    """Show how an answer came about, and why an expected memory is missing."""
    wanted = visit.query.get("wanted", "").strip()
    story, key, title = await visit.read(_looked, visit.rest, wanted)
    numbers = h.details[
        h.summary["All numbers"],
        h.section[h.h2["Shown"], _hits(visit, story.hits)],
        h.section[h.h2["Considered and left out"], _left(visit, story.left)],
        h.section[h.h2["How it was searched"], _arms(story)],
    ]
    body = [
        h.h1[h.bdi[story.query.text or "without words"]],
        h.div(".under")[h.span["asked ", html.when(visit, _asked_at(story))], h.span[f"answered in {story.ms:.0f} ms"]],
        _story(visit, story),
        _wanted(visit, story, key, title),
        numbers,
    ]
    return Shown("Answer", body)


def _story(visit: Visit, story: Recall) -> Element:
    """Explain in sentences which memories were shown and which were not, and why."""
    lines = [line for line in why_text(story).splitlines() if line.strip() and not line.startswith(("Asked:", "All numbers"))]
    hits = [hit for group in chosen(story).groups.values() for hit in group]
    shown = [html.entry(hit.item, visit) for hit in {hit.item.key: hit for hit in hits}.values()]
    return h.section[h.ul(".entries")[shown] if shown else None, [h.p[line] for line in lines]]


def _looked(memory: Vademecum, trace: str, wanted: str) -> tuple[Recall, str, str]:
    story = memory.recall.why(trace)
    try:
        notes = memory.notes.get(wanted) if wanted else None
    except NotFound as error:
        return story, "", error.message
    return story, notes.uri if notes else "", notes.title if notes else ""


def _wanted(visit: Visit, story: Recall, key: str, title: str) -> Node:
    """Show the stage at which an expected memory was left out."""
    asked = visit.query.get("wanted", "")
    return [
        h.form(".filters", action=visit.path)[
            h.label[
                "This should have been shown", h.input(name="wanted", value=asked, placeholder="its title or id", dir="auto")
            ],
            h.button["Why was it not shown?"],
        ],
        asked and h.p(".notice", role="status")[_stage(story, key, title)],
    ]


def _stage(story: Recall, key: str, title: str) -> str:
    if not key:
        return f"Nothing has that name. {title}"
    place = next((place for place, hit in enumerate(story.hits, 1) if hit.item.key == key), 0)
    if place:
        return f"{title} was among the results, at place {place}."
    left = next((omitted for omitted in story.left if omitted.key == key), None)
    if left:
        return f"{title} was left out: {left.why} (score {left.score:.2f})."
    arms = ", ".join(f"{arm.name}: {arm.found}" for arm in story.arms)
    return f"{title} was not among the matches ({arms}), or it lies outside what was searched."


def _hits(visit: Visit, hits: Sequence[Hit]) -> Node:
    if not hits:
        return h.p(".aside")["Nothing."]
    rows = [
        h.tr[
            h.td[html.memory_link(visit, hit.item.key, hit.item.title)],
            h.td(data_name="place")[str(place)],
            h.td(data_name="score")[f"{hit.score:.2f}"],
            h.td[", ".join(_signal(hit, name) for name in hit.signals)],
            h.td[", ".join(f"{name} {value:+.2f}" for name, value in hit.boosts.items() if abs(value) >= LEAST_SHOWN)],
        ]
        for place, hit in enumerate(hits, 1)
    ]
    return _table(("What", "Place", "Score", "Signals", "Adjusted by"), rows)


def _signal(hit: Hit, name: str) -> str:
    place = f" (place {hit.ranks[name]})" if name in hit.ranks else ""
    return f"{name} {hit.signals[name]:.2f}{place}"


def _left(visit: Visit, left: Sequence[Left]) -> Node:
    if not left:
        return h.p(".aside")["Nothing."]
    rows = [
        h.tr[
            h.td[html.memory_link(visit, omitted.key, omitted.title or omitted.key)],
            h.td[omitted.why],
            h.td(data_name="score")[f"{omitted.score:.2f}"] if omitted.score else h.td,
        ]
        for omitted in left[:LEFT_SHOWN]
    ]
    return [
        _table(("What", "Why", "Score"), rows),
        len(left) > LEFT_SHOWN and h.p(".aside")[f"and {len(left) - LEFT_SHOWN} more"],
    ]


def _arms(story: Recall) -> Node:
    rows = [
        h.tr[h.td[arm.name], h.td[f"{arm.state} {arm.why}"], h.td[str(arm.found)], h.td[f"{arm.ms:.1f} ms"]]
        for arm in story.arms
    ]
    words = [h.p(".aside")[f"{name}: {', '.join(known)}"] for name, known in story.terms.items() if known]
    return [
        _table(("By", "State", "Matches", "Took"), rows),
        words,
        [h.p(".aside")[f"Without {entry}"] for entry in story.missing],
    ]


def _table(names: Sequence[str], rows: Sequence[Element]) -> Element:
    return h.div(".scroll", tabindex="0")[
        h.table(".stages")[h.thead[h.tr[[h.th(scope="col")[name] for name in names]]], h.tbody[rows]]
    ]

"""Find: everything that is known, page by page or by a question; filters stand in the address."""

from collections.abc import Sequence
from typing import Any

import htpy as h
from htpy import Element, Node

from vademecum.api import Vademecum
from vademecum.domain.item import Item
from vademecum.domain.kinds import KINDS
from vademecum.domain.memory import STATUSES
from vademecum.domain.query import TOLD_STATUSES, Hit, Recall
from vademecum.entrypoints.arguments import BadArgument, parse_date
from vademecum.entrypoints.http.access import PAGES
from vademecum.entrypoints.text import nothing_known, snippet
from vademecum.entrypoints.web import html
from vademecum.entrypoints.web.visit import Shown, Visit, address

#: Entries on a page, and answers to a question: at first and at most.
PAGE, ANSWERS, MOST_ANSWERS = 50, 25, 100
SOURCES = ("memory", "session", "document", "handoff")
_SOURCE_WORDS = {"memory": "memories", "session": "conversations", "document": "your notes", "handoff": "handoffs"}


async def page(visit: Visit) -> Shown:
    """Show what is asked for, or everything."""
    question = visit.query.get("q", "").strip()
    where = filters_of(visit)
    if question and visit.query.get("told"):
        results = await _as_told(visit, question, where)
    elif question:
        results = await _searched(visit, question, where)
    else:
        results = await _browsed(visit, where)
    return Shown("Find", [h.h1["Find"], _form(visit), results])


def filters_of(visit: Visit) -> dict[str, Any]:
    """Return the filters that the address names, as verbs take them.

    Raises:
        BadArgument: one of them is no word of its list, or no date.
    """
    where: dict[str, Any] = {
        name: (visit.query[name],) for name in ("kind", "status", "source", "tag") if visit.query.get(name)
    }
    for name, known in (("status", STATUSES), ("source", SOURCES)):
        if name in where and where[name][0] not in known:
            raise BadArgument(f"There is no {name} {where[name][0]!r}.", f"Known: {', '.join(known)}")
    if visit.query.get("project"):
        where["project"] = visit.query["project"]
    for name, asked in (("since", "since"), ("until", "until"), ("as_of", "at")):
        if visit.query.get(asked):
            where[name] = parse_date(visit.query[asked])
    return where


async def _browsed(visit: Visit, where: dict[str, Any]) -> Node:
    after = html.place_of(visit.query.get("after", ""))
    where = {"status": STATUSES, **where}

    def looked(memory: Vademecum) -> tuple[Item, ...]:
        return memory.notes.list(PAGE, after=after, **where)

    items = await visit.read(looked)
    if not items:
        return html.nothing("Nothing here.", h.a(href=visit.path)["Take the filters away"] if visit.query else None)
    asked = {name: value for name, value in visit.query.items() if name not in ("q", "after", "told", "at", "source")}
    away = h.p(".aside")[h.a(href=address(f"{PAGES}/away", asked))["Put all of these away"]] if any(asked.values()) else None
    entries = h.ul(".entries")[[html.entry(one, visit) for one in items]]
    return [entries, html.following(visit, html.cursor_of(items, PAGE)), away]


async def _searched(visit: Visit, question: str, where: dict[str, Any]) -> Node:
    most = MOST_ANSWERS if visit.query.get("more") else ANSWERS
    found: Recall = await visit.do("search", question=question, limit=most, **where)
    more = len(found.hits) >= most and most < MOST_ANSWERS and h.p(".pages")[h.a(href=visit.with_query(more="1"))["More"]]
    return [_missing(found), _hits(visit, found.hits, question), _why(found), more]


async def _as_told(visit: Visit, question: str, where: dict[str, Any]) -> Node:
    found: Recall = await visit.do("recall", question=question, **{"status": TOLD_STATUSES, **where})
    gate = f"Confidence {found.confidence:.2f}; agents are told from {found.threshold:.2f} on."
    if not found.hits:
        return [h.p(".notice")[nothing_known(found)], _missing(found), _why(found)]
    return [h.p(".notice")["A prompt like this would be told what stands below. ", gate], _missing(found),
            _hits(visit, found.hits, question), _why(found)]  # fmt: skip


def _why(found: Recall) -> Node:
    return found.trace and h.p(".small")[h.a(href=f"{PAGES}/why/{found.trace}")["Why these, and what was left out"]]


def _missing(found: Recall) -> Node:
    return [h.p(".aside")[f"Without {one}"] for one in found.missing]


def _hits(visit: Visit, hits: Sequence[Hit], question: str) -> Node:
    if not hits:
        return html.nothing("Nothing comes near.", h.a(href=visit.with_query(q=""))["See everything"])
    return h.ul(".entries")[[_hit(visit, one, question) for one in hits]]


def _hit(visit: Visit, one: Hit, question: str) -> Element:
    said = h.p(".small", dir="auto")[snippet(one.passage.text, question)]
    doubt = one.doubted_by and h.p(".aside")["Perhaps no longer so: ", html.memory_link(one.doubted_by, "see the later one")]
    return html.entry(one.item, visit, [said, doubt])


def _form(visit: Visit) -> Element:
    asked = visit.query
    return h.form(".filters", action=visit.path, role="search", aria_label="Filters")[
        h.label["Question", h.input(name="q", type="search", value=asked.get("q", ""), dir="auto")],
        _choice(asked.get("source", ""), "source", "In", {one: _SOURCE_WORDS[one] for one in SOURCES}),
        _choice(asked.get("kind", ""), "kind", "Kind", {one: one for one in KINDS}),
        _choice(asked.get("status", ""), "status", "Status", {one: html.STATUS_WORDS.get(one, one) for one in STATUSES}),
        h.label["Project", h.input(name="project", value=asked.get("project", ""), size="12")],
        h.label["Since", h.input(name="since", type="date", value=asked.get("since", ""))],
        h.label["Until", h.input(name="until", type="date", value=asked.get("until", ""))],
        h.label["As of", h.input(name="at", type="date", value=asked.get("at", ""))],
        h.label(".tick")[
            h.input(name="told", type="checkbox", value="1", checked=bool(asked.get("told"))), "as a prompt would see it"
        ],
        h.button["Find"],
    ]


def _choice(now: str, name: str, label: str, words: dict[str, str]) -> Element:
    options = [h.option(value=value, selected=value == now)[word] for value, word in words.items()]
    return h.label[label, h.select(name=name)[h.option(value="")["any"], options]]

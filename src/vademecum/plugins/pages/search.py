"""Search: browse everything page by page, or ask a question; the filters are part of the address."""

from collections.abc import Sequence
from typing import Any

import htpy as h
from htpy import Element, Node

from vademecum.domain.item import Item
from vademecum.domain.memory import STATUSES
from vademecum.domain.query import SHOWN_STATUSES, Hit, Recall
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.upkeep import Facets, Listing
from vademecum.plugin_api.verbs import BadArgument, clearly_behind, counted, nothing_known, snippet
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Shown, Visit, address

#: Entries on a page; answers to a question, at first and at most.
PAGE, ANSWERS, MOST_ANSWERS = 50, 25, 100
SOURCES = ("memory", "session", "document", "handoff")
_SOURCE_WORDS = {"memory": "memories", "session": "conversations", "document": "your notes", "handoff": "handoffs"}
_FACET_WORDS = {"source": "In", "kind": "Kind", "status": "Status", "project": "Project", "tag": "Tag"}
#: Source of answers -> section title, in the order of the page.
_SECTIONS = {"memory": "Memories", "document": "Your notes", "handoff": "Handoffs", "session": "Conversations"}
#: Values of a filter shown before "more"; most passages of one conversation or note.
VALUES, SNIPPETS = 8, 3
#: Answers that are shown at once where nothing has a word of the question.
NEAREST = 5
#: Most suggestions of the "go to" dialog; most recent items of each source that it searches.
JUMPS, JUMP_LOOKED_AT = 8, 2_000


async def page(visit: Visit) -> Shown:
    """Show answers to a question, or browse everything."""
    question = visit.query.get("q", "").strip()
    where = filters_of(visit)
    if question and visit.query.get("as_agent"):
        results = await _as_an_agent(visit, question, where)
    elif question:
        results = await _searched(visit, question, where)
    else:
        results = await _browsed(visit, where)
    facets: Facets = await visit.ask("list --count", **{"status": STATUSES, **where})
    filters = h.nav(".chips", aria_label="Filters")[_facets(visit, facets, question), many_links(visit, facets)]
    return Shown("Search", [h.h1["Search"], _form(visit), filters, results], dated=True)


async def jump(visit: Visit) -> Shown:
    """Return links to items with some letters in their titles, for the "go to" dialog (Ctrl-K)."""
    letters = visit.query.get("q", "").casefold().split()
    projects, items = await visit.read(_named_like, letters) if letters else ((), ())
    lines = [
        h.li[h.a(href=address(f"{PAGES}/find", {"project": name}))[h.bdi[name]], h.span["project"]] for name in projects[:JUMPS]
    ]
    lines += [h.li[html.memory_link(visit, item.key, item.title), h.span[item.kind]] for item in items]
    return Shown("Go to", h.ul("#jump")[lines])


def _named_like(memory: Vademecum, letters: Sequence[str]) -> tuple[tuple[str, ...], tuple[Item, ...]]:
    """Return projects and items with all of these letters in the name: memories, then notes, then conversations, newest first."""
    known = memory.notes.facets(source=("memory", "session"), status=("active", "disputed")).by["project"]
    projects = tuple(name for name in known if name and all(part in name.casefold() for part in letters))
    items: list[Item] = []
    for source in ("memory", "document", "session"):
        for item in memory.notes.list(JUMP_LOOKED_AT, source=(source,), status=("active", "disputed")):
            if all(part in item.title.casefold() for part in letters):
                items.append(item)
            if len(items) == JUMPS:
                return projects, tuple(items)
    return projects, tuple(items)


def many_links(visit: Visit, counted: Facets) -> Node:
    """Return actions on all memories that match the filters; nothing without a filter."""
    asked = {name: visit.query.get(name, "") for name in ("q", "kind", "status", "project", "tag", "since", "until")}
    if not any(asked.values()) or visit.at or not counted.total or visit.query.get("source", "memory") != "memory":
        return None
    return html.menu("What can be done with all of these", [
        h.a(".button", href=address(f"{PAGES}/many/archive", asked))["Put all of these away"],
        h.a(".button.danger", href=address(f"{PAGES}/many/forget", asked))["Forget all of these"],
    ])  # fmt: skip


def _facets(visit: Visit, counted: Facets, question: str) -> Node:
    """Return the values of each filter as links, with counts unless there is a question."""
    return [facet(visit, name, counted, question) for name in ("source", "kind", "status", "project", "tag")]


def facet(visit: Visit, name: str, counted: Facets, question: str) -> Node:
    """Return the values of a filter as links in a fold; nothing if none would change the page."""
    chosen = visit.query.get(name, "")
    values = {**counted.by[name], **({chosen: 0} if chosen and chosen not in counted.by[name] else {})}
    if not chosen and list(values.values()) in ([], [counted.total]):
        return None  # it would change nothing
    words = {**_SOURCE_WORDS, **html.STATUS_WORDS}
    lines = [_value(visit, name, value, words.get(value, value), "" if question else f"{values[value]:,}") for value in values]
    more = h.details[h.summary[f"{len(lines) - VALUES:,} more"], h.ul[lines[VALUES:]]] if len(lines) > VALUES else None
    shown = h.summary[_FACET_WORDS[name], chosen and [" ", h.strong[words.get(chosen, chosen)]]]
    return h.details(".chip.on" if chosen else ".chip", data_fold=True)[shown, h.div[h.ul[lines[:VALUES]], more]]


def _value(visit: Visit, name: str, value: str, word: str, count: str) -> Element:
    on = visit.query.get(name) == value
    link = h.a(href=visit.with_query(**{name: "" if on else value, "after": ""}), aria_current="true" if on else None)
    return h.li[link[h.bdi[word]], " ", h.span(".count")["✕" if on else count]]


def filters_of(visit: Visit) -> dict[str, Any]:
    """Return the filters in the address as arguments of verbs.

    Raises:
        BadArgument: an unknown word, or an invalid date.
    """
    where: dict[str, Any] = {
        name: (visit.query[name],) for name in ("kind", "status", "source", "tag") if visit.query.get(name)
    }
    for name, known in (("status", STATUSES), ("source", SOURCES)):
        if name in where and where[name][0] not in known:
            raise BadArgument(f"There is no {name} {where[name][0]!r}.", f"Known: {', '.join(known)}")
    if visit.query.get("project"):
        where["project"] = visit.query["project"]
    where |= {name: visit.day(visit.query[name]) for name in ("since", "until") if visit.query.get(name)}
    return where | ({"as_of": visit.then} if visit.at else {})


async def _browsed(visit: Visit, where: dict[str, Any]) -> Node:
    listing: Listing = await visit.ask(
        "list --page", limit=PAGE, after=visit.query.get("after", ""), **{"status": STATUSES, **where}
    )
    if not listing.items:
        if visit.query:
            return html.nothing("Nothing here.", h.a(href=visit.path)["Remove the filters"])
        return html.nothing("Nothing is known yet.", [h.code["vade setup"], " reads the conversations that you have had."])
    entries = h.ul(".entries")[[html.entry(item, visit) for item in listing.items]]
    return [entries, html.following(visit, listing.next)]


async def _searched(visit: Visit, question: str, where: dict[str, Any]) -> Node:
    most = MOST_ANSWERS if visit.query.get("more") else ANSWERS
    result: Recall = await visit.do("search", question=question, limit=most, **where)
    more = len(result.hits) >= most and most < MOST_ANSWERS and h.p(".pages")[h.a(href=visit.with_query(more="1"))["More"]]
    by_meaning = only_by_meaning(result.hits)
    far = clearly_behind(result.hits)
    near = tuple(hit for hit in result.hits if hit not in far)[: NEAREST if by_meaning else most]
    behind = tuple(hit for hit in result.hits if hit not in near)
    nearest = by_meaning and h.p(".notice")["Nothing has these words. What follows is nearest in meaning."]
    less = bool(behind) and h.details[h.summary[f"{len(behind)} more, less likely"], _hits(visit, behind, question)]
    return [nearest, _missing(result), _hits(visit, near, question), less, _why(result), more]


async def _as_an_agent(visit: Visit, question: str, where: dict[str, Any]) -> Node:
    result: Recall = await visit.do("recall", question=question, **{"status": SHOWN_STATUSES, **where})
    gate = f"Confidence {result.confidence:.2f}; at least {result.threshold:.2f} is needed."
    if not result.hits:
        nearest = h.a(href=visit.with_query(as_agent=""))["See the nearest matches"]
        return [h.p(".notice")[nothing_known(result, see=False), nearest], _missing(result), _why(result)]
    return [h.p(".notice")["An agent with this prompt would be shown what follows. ", gate], _missing(result),
            _hits(visit, result.hits, question), _why(result)]  # fmt: skip


def only_by_meaning(hits: Sequence[Hit]) -> bool:
    """Return whether no hit has a word of the question."""
    return bool(hits) and all("meaning" in hit.signals and "words" not in hit.signals for hit in hits)


def _why(result: Recall) -> Node:
    return result.trace and h.p(".small")[h.a(href=f"{PAGES}/why/{result.trace}")["Why these, and what was left out"]]


def _missing(result: Recall) -> Node:
    return [h.p(".aside")[f"Without {entry}"] for entry in result.missing]


def _hits(visit: Visit, hits: Sequence[Hit], question: str) -> Node:
    """Return the hits by source, one entry for each item."""
    if not hits:
        return html.nothing("Nothing matches.", h.a(href=visit.with_query(q=""))["See everything"])
    groups: dict[str, dict[str, list[Hit]]] = {source: {} for source in _SECTIONS}
    for hit in hits:
        groups.get(hit.item.source, groups["session"]).setdefault(hit.item.key, []).append(hit)
    return [
        h.section[
            h.h2[title, " ", h.span(".count")[str(len(groups[source]))]],
            h.ul(".entries")[[_hit(visit, of_one, question) for of_one in groups[source].values()]],
        ]
        for source, title in _SECTIONS.items()
        if groups[source]
    ]


def _hit(visit: Visit, of_one: Sequence[Hit], question: str) -> Element:
    """Return an item with its matching passages."""
    first = of_one[0]
    texts = [snippet(passage.text, question) for hit in of_one for passage in (hit.passage, *hit.more)]
    elements = [h.p(".small.said", dir="auto")[html.marked(text, question)] for text in dict.fromkeys(texts[:SNIPPETS])]
    more = len(texts) > SNIPPETS and h.p(".small")[f"and {counted(len(texts) - SNIPPETS, 'more place')}"]
    outdated = (
        first.may_be_replaced_by
        and h.p(".aside")["Possibly outdated: ", html.memory_link(visit, first.may_be_replaced_by, "see the later one")]
    )
    return html.entry(first.item, visit, [elements, more, outdated])


def _form(visit: Visit) -> Element:
    asked = visit.query
    return h.form(".filters.question", action=visit.path, role="search", aria_label="Question")[
        html.kept_query(visit, "source", "kind", "status", "project", "tag", "at"),
        h.label(".wide")[h.span["Question"], h.input(name="q", type="search", value=asked.get("q", ""), dir="auto")],
        h.label[h.span["Since"], html.day_field("since", asked.get("since", ""))],
        h.label[h.span["Before"], html.day_field("until", asked.get("until", ""))],
        h.button(".main")["Search"],
        h.label(".tick")[
            h.input(name="as_agent", type="checkbox", value="1", checked=bool(asked.get("as_agent"))),
            "only what an agent would be shown",
        ],
    ]

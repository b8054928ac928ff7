"""Conversations by day, and the reader of one conversation with the memories saved from it and delivered in it."""

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from urllib.parse import quote

import htpy as h
from htpy import Element, Node

from vademecum.domain.item import Item, Passage, Touch
from vademecum.domain.kinds import KINDS
from vademecum.domain.query import SessionSearch
from vademecum.language.readable import readable_line
from vademecum.language.text import brief
from vademecum.plugin_api.conversations import Happened, SessionPage
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.upkeep import Facets, Listing
from vademecum.plugin_api.verbs import counted, snippet
from vademecum.plugin_api.writing import Saved
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.markdown import own_address
from vademecum.plugins.pages.search import facet
from vademecum.plugins.pages.visit import Done, Shown, Visit

#: Most conversations on a page, passages on a page, and matches in a conversation.
PAGE, PASSAGES, FOUND_SHOWN = 60, 150, 40
#: Maximum characters of an entry in the table of contents, and of a title made from a turn.
CONTENT_CHARS, TITLE_CHARS = 90, 70


async def listed(visit: Visit) -> Shown:
    """Show conversations by day, newest first."""
    project, after, until = visit.query.get("project", ""), visit.query.get("after", ""), visit.then
    listing: Listing = await visit.ask("list --page", limit=PAGE, source=["session"], project=project, after=after, until=until)
    facets: Facets = await visit.ask("list --count", source=["session"])
    filters = h.nav(".chips", aria_label="Filters")[
        facet(visit, "project", facets, ""), h.a(".chip", href=f"{PAGES}/find?source=session")["Search in all of them"]
    ]
    return Shown("Conversations", [h.h1["Conversations"], filters, _days(visit, listing)], dated=True)


def _days(visit: Visit, listing: Listing) -> Node:
    if not listing.items:
        then = h.span["Those of connected programs are read by themselves; ", h.code["vade capture"], " reads them at once."]
        return html.nothing("No conversation is known here.", then)

    def day(item: Item) -> date | None:
        return visit.local(item.updated).date() if item.updated else None

    sections = [
        h.section[h.h2[_day_words(visit, of_day)], h.ul(".entries")[[html.entry(item, visit) for item in items]]]
        for of_day, items in groupby(listing.items, day)
    ]
    return [sections, html.following(visit, listing.next)]


def _day_words(visit: Visit, day: date | None) -> str:
    if day is None:
        return "Without a time"
    ago = (visit.local(visit.now).date() - day).days
    return {0: "Today", 1: "Yesterday"}.get(ago, f"{day:%A} {day.day} {day:%B %Y}")


async def page(visit: Visit) -> Shown:
    """Show a page of a conversation."""
    uri = f"session://{visit.rest}"
    start, turn = html.number_of(visit.query.get("start", "")), visit.query.get("turn", "")
    matching_page = await visit.read(_looked, uri, start, turn)
    words = visit.query.get("words", "")
    searched = await visit.do("sessions search", question=words, session=uri, limit=FOUND_SHOWN) if words.strip() else None
    body = [
        h.h1[h.bdi[matching_page.item.title]],
        _under(visit, matching_page),
        h.div(".columns.reader")[
            h.div[
                _keep_form(visit, matching_page, uri),
                h.ol(".turns")[_turns(visit, matching_page)],
                _pager(visit, matching_page),
            ],
            h.div[
                h.section(".card")[_search(visit, uri, searched)],
                _happened(visit, uri, matching_page.kept, "Saved from it"),
                _happened(visit, uri, matching_page.shown, "Delivered in it"),
                _contents(matching_page),
                h.section(".card")[h.h2["Learning from it"], _session_actions(visit, matching_page, uri)],
            ],
        ],
    ]
    return Shown(matching_page.item.title, body)


def _looked(memory: Vademecum, uri: str, start: int, turn: str) -> SessionPage:
    return memory.sessions.page(uri, start, PASSAGES, turn)


def _under(visit: Visit, matching_page: SessionPage) -> Element:
    return h.div(".under")[
        h.span[matching_page.item.host],
        html.project_link(matching_page.item.project),
        html.when(visit, matching_page.item.updated),
        matching_page.excluded and h.span(".mark")["nothing is learnt from it"],
    ]


def _happened(visit: Visit, uri: str, memories: Sequence[Happened], name: str) -> Node:
    """Show saved or delivered memories, each with a link to its turn."""
    lines = [h.li[html.memory_link(visit, event.id, event.title), " ", _turn_link(uri, event)] for event in memories]
    return bool(lines) and h.section(".card")[h.h2[name], h.ul(".small")[lines]]


def _turn_link(uri: str, event: Happened) -> Node:
    return (
        bool(event.ref)
        and h.a(href=f"{own_address(uri)}?turn={quote(event.ref)}#turn", aria_label=f"The turn of {event.title}")["turn"]
    )


def _session_actions(visit: Visit, matching_page: SessionPage, uri: str) -> Element:
    fields = {"session": uri}
    return h.div(".actions")[
        html.action(visit, "mark", "Propose memories from it", fields),
        html.action(visit, "include", "Learn from it again", fields)
        if matching_page.excluded
        else html.action(visit, "exclude", "Learn nothing from it", fields),
    ]


def _search(visit: Visit, uri: str, searched: SessionSearch | None) -> Node:
    places = [
        h.li[h.a(href=f"{own_address(uri)}?turn={quote(hit.passage.ref)}#turn")[hit.passage.speaker or hit.role], ": ",
             h.span(dir="auto")[snippet(hit.passage.text, visit.query.get("words", ""))], not hit.exact and " (near)"]
        for hit in (searched.hits if searched else ())
    ]  # fmt: skip
    return [
        h.form(".filters", action=visit.path, role="search", aria_label="In this conversation")[
            h.label["Words in it", h.input(name="words", type="search", value=visit.query.get("words", ""), dir="auto")],
            h.button["Find"],
        ],
        searched is not None and (h.ul(".small")[places] if places else html.nothing("Nothing in it matches.")),
    ]


def _contents(matching_page: SessionPage) -> Node:
    asked = [first for first in _firsts(matching_page.passages) if first[1].role == "user"]
    links = [
        h.li[h.a(href=f"#p{matching_page.start + place}")[h.bdi[brief(readable_line(passage.text), CONTENT_CHARS)]]]
        for place, passage in asked
    ]
    return len(links) > 1 and h.nav(".card", aria_label="Contents")[h.h2["Contents"], h.ol(".small")[links]]


def _firsts(passages: Sequence[Passage]) -> list[tuple[int, Passage]]:
    """Return the first passage of each turn, with its index."""
    before = (None, *(passage.turn for passage in passages))
    return [(place, passage) for place, passage in enumerate(passages) if passage.turn != before[place]]


def _turns(visit: Visit, matching_page: SessionPage) -> list[Node]:
    touches: dict[int, list[Touch]] = {}
    for touch in matching_page.touches:
        touches.setdefault(touch.turn, []).append(touch)
    turns = [
        list(pieces) for _, pieces in groupby(enumerate(matching_page.passages, matching_page.start), lambda pair: pair[1].turn)
    ]
    return [_turn(visit, matching_page, pieces, touches.get(pieces[0][1].turn, [])) for pieces in turns]


def _turn(visit: Visit, matching_page: SessionPage, pieces: Sequence[tuple[int, Passage]], touches: Sequence[Touch]) -> Element:
    place, first = pieces[0]
    marks = [("saved", event) for event in matching_page.kept] + [("delivered", event) for event in matching_page.shown]
    here = bool(matching_page.turn) and first.ref == matching_page.turn
    look = ["turn", "by-user" if first.role == "user" else "", "at" if here else ""]
    return h.li(id="turn" if here else f"p{place}", class_=look)[
        h.div(".under")[
            h.strong[first.speaker or first.role],
            html.when(visit, first.time),
            h.a(href=visit.with_query(keep=first.ref, turn=first.ref, start="", words="") + "#keep")["remember"],
        ],
        [h.p(".text", dir="auto")[passage.text] for _, passage in pieces],
        [
            h.p(".here")[h.span(".mark")[word], " ", html.memory_link(visit, event.id, event.title)]
            for word, event in marks
            if first.ref and event.ref == first.ref
        ],
        bool(touches) and _tools(touches),
    ]


def _tools(touches: Sequence[Touch]) -> Element:
    lines = [h.li[touch.tool, touch.file and [" ", h.code[touch.file]]] for touch in touches]
    return h.details(".tools")[h.summary[f"{counted(len(lines), 'use')} of tools"], h.ul(".small")[lines]]


def _keep_form(visit: Visit, matching_page: SessionPage, uri: str) -> Node:
    """Show the form that saves a memory from a turn, if it was requested."""
    passage = next((passage for passage in matching_page.passages if passage.ref == visit.query.get("keep")), None)
    if passage is None:
        return None
    back = f"{own_address(uri)}?turn={quote(passage.ref)}#turn"
    return h.form("#keep.card", method="post", action=f"{PAGES}/do/remember", hx_replace_url="true")[
        html.carried(visit, {"source": uri, "back": back}),
        h.h2["Remember this"],
        h.label(for_="title")["What to call it"],
        h.input("#title", name="title", required=True, dir="auto", value=brief(readable_line(passage.text), TITLE_CHARS)),
        h.label(for_="text")["What it says"],
        h.textarea("#text", name="body", rows="5", dir="auto")[f"\n{passage.text}"],
        h.label(for_="kind")["What sort"],
        h.select("#kind", name="kind")[[h.option(selected=kind == "fact")[kind] for kind in KINDS if kind != "handoff"]],
        h.div(".actions")[h.button(".main")["Remember"], h.a(".button", href=back)["Leave it"]],
    ]


def _pager(visit: Visit, matching_page: SessionPage) -> Node:
    before, behind = max(0, matching_page.start - PASSAGES), matching_page.start + PASSAGES
    plain = {"turn": "", "keep": "", "words": ""}
    return h.nav(".pages", aria_label="Pages of the conversation")[
        matching_page.start > 0
        and h.a(href=visit.with_query(**plain, start=str(before)), rel="prev")[f"Earlier ({before + 1} on)"],
        " ",
        matching_page.more
        and h.a(href=visit.with_query(**plain, start=str(behind)), rel="next", data_more=True)[f"Later ({behind + 1} on)"],
    ]


async def remember(visit: Visit) -> Done:
    """Save a memory from a turn."""
    wanted = {name: visit.form.get(name, "") for name in ("kind", "title", "body", "source")}
    done: Saved = await visit.do("save", **wanted)
    title = done.memory.title if done.memory else ""
    return Done(visit.back, f"{done.action}: {title}. {' '.join(done.warnings)}".strip(), done.memory.id if done.memory else "")


async def exclude(visit: Visit) -> Done:
    """Exclude a conversation from learning."""
    await visit.do("sessions exclude", session=visit.form.get("session", ""))
    return Done(visit.back, "Nothing is learnt from it any more.")


async def include(visit: Visit) -> Done:
    """Include a conversation in learning again."""
    await visit.do("sessions exclude --undo", session=visit.form.get("session", ""))
    return Done(visit.back, "It is learnt from again.")


async def mark(visit: Visit) -> Done:
    """Propose memories from a conversation."""
    await visit.do("mark", session=visit.form.get("session", ""))
    return Done(visit.back, "It was looked through; what it gave stands in the inbox or below.")

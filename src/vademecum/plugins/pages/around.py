"""The surroundings of a memory: two steps along its links, as drawing and list, never the whole vault."""

from collections.abc import Mapping, Sequence
from math import cos, pi, sin

import htpy as h
from htpy import Element, Node

from vademecum.domain.memory import Memory
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.recall import Link
from vademecum.plugins.pages import html
from vademecum.plugins.pages.markdown import own_address
from vademecum.plugins.pages.visit import Shown, Visit

#: Most links; steps; width of the drawing in pixels; margin for names beside it, and above and below.
MOST, HOPS, SIZE, MARGIN = 300, 2, 640, (110, 34)
#: Radius of each step around the middle, and its height as a part of its width; longest name beside a point, in characters.
RINGS, FLAT, NAME_CHARS = (0, 150, 270), 0.6, 28
#: Most memories around the one of a small drawing.
SMALL_MOST = 12
#: With more points, names are only in the list.
NAMED_MOST = 40

Places = Mapping[str, tuple[float, float]]


async def page(visit: Visit) -> Shown:
    """Show the surroundings of a memory."""
    memory, links = await visit.read(_looked, visit.rest)
    known = [link for link in links if link.state == "known"]
    drawing = _drawn(memory, known) if known else html.nothing("It is linked with no other memory.")
    body = [
        h.h1["Around ", h.bdi[memory.title]],
        h.p[h.a(href=own_address(memory.uri))["Back to the memory"]],
        h.div(".sides")[drawing, _listed(visit, known)],
        len(links) == MOST and h.p(".aside")[f"The first {MOST} links are shown."],
    ]
    return Shown(f"Around {memory.title}", body)


def _looked(memory: Vademecum, ref: str) -> tuple[Memory, tuple[Link, ...]]:
    notes = memory.notes.get(ref)
    return notes, memory.notes.links(notes.id, hops=HOPS, limit=MOST)


def _listed(visit: Visit, links: Sequence[Link]) -> Node:
    steps = {hop: [link for link in links if link.hop == hop] for hop in range(1, HOPS + 1)}
    names = {1: "One step", 2: "Two steps"}
    return h.div[
        [
            h.section[
                h.h2[names[hop]],
                h.ul(".entries.small")[[h.li(".entry", data_entry=True)[h.div[_link(visit, link)]] for link in step]],
            ]
            for hop, step in steps.items()
            if step
        ]
    ]


def _link(visit: Visit, link: Link) -> Node:
    around = own_address(link.target)
    return [h.span(".mark")[link.type.replace("_", " ")], " ", html.memory_link(visit, link.target, link.title),
            around.startswith("/web/m/") and [" ", h.a(".aside", href=f"{around}/around")["around it"]]]  # fmt: skip


def small_drawing(memory: Memory, links: Sequence[Link]) -> Node:
    """Return a drawing of the memories one step away; nothing for fewer than two, of which a list says as much."""
    known = [link for link in links if link.state == "known"]
    few = 2 <= len({link.target for link in known}) <= SMALL_MOST
    return _drawn(memory, known) if few else None


def _drawn(memory: Memory, links: Sequence[Link]) -> Element:
    """Return the drawing: the memory in the middle, each step on a circle around it; every point is a link."""
    titles = {memory.uri: memory.title, **{link.target: link.title for link in links}}
    places = _places(memory.uri, links)
    lines = [
        _line(places[link.source], places[link.target]) for link in links if link.source in places and link.target in places
    ]
    points = [_point(key, titles[key], place, named=len(places) <= NAMED_MOST) for key, place in places.items()]
    return h.svg(".around", viewBox=_window(places), role="group", aria_label=f"{len(places)} memories and their links")[
        lines, points
    ]


def _places(middle: str, links: Sequence[Link]) -> Places:
    places = {middle: (SIZE / 2, SIZE / 2)}
    for hop in range(1, HOPS + 1):
        ring = list(dict.fromkeys(link.target for link in links if link.hop == hop and link.target not in places))
        for number, key in enumerate(ring):
            angle = 2 * pi * number / len(ring) + hop / 2 if hop > 1 or len(ring) > 2 else pi * number
            places[key] = (SIZE / 2 + RINGS[hop] * cos(angle), SIZE / 2 + FLAT * RINGS[hop] * sin(angle))
    return places


def _window(places: Places) -> str:
    """Return the viewBox: the used part of the drawing, with room for names."""
    left, top = (min(place[side] for place in places.values()) - MARGIN[side] for side in (0, 1))
    right, bottom = (max(place[side] for place in places.values()) + MARGIN[side] for side in (0, 1))
    return f"{left:.0f} {top:.0f} {right - left:.0f} {bottom - top:.0f}"


def _line(start: tuple[float, float], end: tuple[float, float]) -> Element:
    return h.line(x1=f"{start[0]:.0f}", y1=f"{start[1]:.0f}", x2=f"{end[0]:.0f}", y2=f"{end[1]:.0f}")


def _point(key: str, title: str, place: tuple[float, float], *, named: bool) -> Element:
    x, y = f"{place[0]:.0f}", f"{place[1]:.0f}"
    below = place[1] > SIZE / 2 + 1
    name = title if len(title) <= NAME_CHARS else f"{title[:NAME_CHARS]}…"
    return h.a(href=own_address(key) or None, aria_label=title)[
        h.circle(cx=x, cy=y, r="7"),
        named and h.text(x=x, y=f"{place[1] + (23 if below else -12):.0f}", text_anchor="middle", aria_hidden="true")[name],
    ]

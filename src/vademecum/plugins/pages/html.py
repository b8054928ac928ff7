"""Building blocks of pages. All text goes through htpy, which escapes it; no inline script or style is used."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import unified_diff
from typing import NamedTuple

import htpy as h
from htpy import Element, Node, VoidElement

from vademecum.domain.item import Item
from vademecum.language.text import common_words
from vademecum.plugin_api.verbs import age_of
from vademecum.plugins.pages.icons import icon, mark
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.markdown import own_address
from vademecum.plugins.pages.static import static_address
from vademecum.plugins.pages.visit import Shown, Visit, address

#: (path below PAGES, name, key after `g`, icon), in the order of the menu.
PLACES: Sequence[tuple[str, str, str, str]] = (
    ("/", "Home", "h", "home"), ("/inbox", "Inbox", "i", "inbox"), ("/find", "Search", "f", "search"),
    ("/projects", "Projects", "p", "project"), ("/s", "Conversations", "c", "session"), ("/time", "Timeline", "t", "timeline"),
    ("/why", "Answers", "a", "answers"), ("/health", "Health", "d", "health"), ("/settings", "Settings", "s", "settings"),
)  # fmt: skip

#: htmx replaces the whole page; if no response comes, typed text stays.
_BOOST = {"hx-boost:inherited": 'select:"#page" target:"#page" swap:outerHTML'}

#: Most lines of a difference.
DIFF_LINES = 400

#: Shortest word of a question that is highlighted in an answer.
MARKED_CHARS = 3
_WORD = re.compile(r"\w+")
_WORDS_AND_REST = re.compile(r"\w+|\W+")

#: Status of a memory -> its description for a person.
STATUS_WORDS = {"inbox": "waiting for you", "disputed": "disputed", "superseded": "replaced", "archived": "archived"}


def layout(visit: Visit, shown: Shown, notice: Node) -> Element:
    """Return a complete page."""
    content = [notice, visit.at and _as_of(visit, shown), shown.body]
    return _framed(
        shown.title, _Around(visit.path, visit.query, visit.at, visit.waiting, f"{visit.local(visit.now):%Y-%m-%d}"), content
    )


def failed(path: str, title: str, body: Node) -> Element:
    """Return a page for a failed request, with the menu but without data of the memory."""
    return _framed(title, _Around(path, {}, "", 0, ""), body)


def bare(title: str, body: Node) -> Element:
    """Return a page for a browser without access, without data of the memory."""
    return h.html(lang="en")[_head(title), h.body(".bare")[h.main("#main")[_brand(), body]]]


class _Around(NamedTuple):
    """Data for the frame of a page.

    Attributes:
        at: time whose state is shown; "" for now.
        waiting: number of waiting proposals.
        today: date in the person's local time.
    """

    path: str
    query: Mapping[str, str]
    at: str
    waiting: int
    today: str


def _framed(title: str, around: _Around, content: Node) -> Element:
    return h.html(lang="en")[
        _head(title),
        h.body(_BOOST, data_events=f"{PAGES}/events")[
            h.div("#page")[
                h.a(".skip", href="#main")["Skip to the page"],
                _side(around),
                h.main("#main", tabindex="-1")[content],
            ],
            h.div("#live", role="status", aria_live="polite"),
            _help(),
        ],
    ]


def _head(title: str) -> Element:
    return h.head[
        h.meta(charset="utf-8"),
        h.meta(name="viewport", content="width=device-width, initial-scale=1"),
        h.meta(name="color-scheme", content="light dark"),
        h.meta(name="htmx-config", content="includeIndicatorCSS:false"),
        h.title[f"{title} - Vademecum"],
        h.link(rel="icon", href=static_address("icon.svg"), type="image/svg+xml"),
        h.link(rel="stylesheet", href=static_address("app.css")),
        h.script(src=static_address("vendor/htmx.min.js"), defer=True),
        h.script(src=static_address("keys.js"), defer=True),
    ]


def _brand() -> Element:
    return h.a(".brand", href=f"{PAGES}/")[mark(), "Vademecum"]


def _side(around: _Around) -> Element:
    """Return the column beside every page: name, search, menu, and the date shown."""
    links = [
        h.li[
            h.a(
                href=address(f"{PAGES}{place}", {"at": around.at}),
                data_go=key,
                aria_current="page" if around.path == f"{PAGES}{place}" else None,
            )[
                icon(picture),
                h.span[name],
                place == "/inbox" and around.waiting > 0 and h.span(".count")[f" {around.waiting}"],
            ]
        ]
        for place, name, key, picture in PLACES
    ]
    return h.header(".side")[
        _brand(),
        h.form(".search", role="search", action=f"{PAGES}/find")[
            h.label(".hidden", for_="q")["Search"],
            h.input("#q", type="search", name="q", value=around.query.get("q", ""), placeholder="Search", autocomplete="off"),
            h.kbd(aria_hidden="true")["/"],
            around.at and h.input(type="hidden", name="at", value=around.at),
        ],
        h.nav(aria_label="Pages")[h.ul[links]],
        around.today and _moment(around),
    ]


def _moment(around: _Around) -> Element:
    """Return the form to show a page as of the end of another day."""
    kept = {name: value for name, value in around.query.items() if name not in ("at", "after") and value}
    return h.details(".as-of", open=bool(around.at))[
        h.summary[h.span["As of "], h.strong[around.at[:10] or "now"]],
        h.form(action=around.path)[
            [h.input(type="hidden", name=name, value=value) for name, value in kept.items()],
            h.label(for_="at")["Show how things stood at the end of"],
            day_field("at", around.at[:10], id="at", placeholder=around.today),
            h.button["Show"],
        ],
    ]


def day_field(name: str, value: str, **more: str) -> VoidElement:
    """Return a date field in the form 2026-03-02, independent of the browser's locale."""
    return h.input(
        type="text", name=name, value=value, pattern=r"\d{4}-\d{2}-\d{2}", title="A day, such as 2026-03-02", size="10",
        inputmode="numeric", autocomplete="off", **{"placeholder": "2026-03-02", **more},
    )  # fmt: skip


def kept_query(visit: Visit, *names: str) -> Node:
    """Return hidden fields that preserve parts of the address when a form changes others."""
    return [h.input(type="hidden", name=name, value=visit.query[name]) for name in names if visit.query.get(name)]


def _as_of(visit: Visit, shown: Shown) -> Element:
    words = (
        f"As it stood at the end of {visit.at}. "
        if shown.dated
        else f"This page knows only how things are now, not on {visit.at}. "
    )
    return h.p(".notice")[words, h.a(href=visit.with_query(at="", after=""))["As it is now"]]


def _help() -> Element:
    keys = (
        ("/", "search"), ("j  k", "next, previous"), ("Enter", "open"), ("g then a letter", "go to a page"),
        ("Ctrl K", "go to anything by its name"), ("Ctrl Enter", "save what you typed"),
        ("?", "these keys"), ("Escape", "close, or leave a field"),
    )  # fmt: skip
    return h.dialog("#help", aria_labelledby="help-title")[
        h.h2("#help-title")["Keys"],
        h.dl[[(h.dt[h.kbd[key]], h.dd[what]) for key, what in keys]],
        h.dl[[(h.dt[h.kbd[f"g {key}"]], h.dd[name]) for _, name, key, _ in PLACES]],
        h.p["A letter on a button is its key, for the entry that you are at."],
        h.form(method="dialog")[h.button["Close"]],
    ]


def when(visit: Visit, moment: datetime | None) -> Node:
    """Return a time in words; its tooltip is the exact local time."""
    if moment is None:
        return None
    local = visit.local(moment)
    words = age_of(moment, visit.now) if moment <= visit.now else f"{local:%Y-%m-%d}"
    return h.time(datetime=moment.isoformat(), title=f"{local:%A %d %B %Y, %H:%M:%S %Z}")[words]


def action(visit: Visit, name: str, label: str, fields: Mapping[str, str], *, key: str = "", look: str = "") -> Element:
    """Return a button for an action, as a form of its own, so that it works without scripts.

    Args:
        key: shortcut for it in the current entry.
        look: class of the button; "danger" if the action cannot be undone.
    """
    return h.form(".action", method="post", action=f"{PAGES}/do/{name}", hx_replace_url="true")[
        carried(visit, fields), h.button(class_=look or None, data_key=key or None)[label, key and h.kbd[key]]
    ]


def carried(visit: Visit, fields: Mapping[str, str]) -> Node:
    """Return the hidden fields of a form: token, page to return to, and parameters."""
    values = {"token": visit.token, "back": visit.here, **fields}
    return [h.input(type="hidden", name=name, value=value) for name, value in values.items()]


def memory_link(visit: Visit, key: str, title: str) -> Element:
    """Return a link to a memory, by id or URI, at the time that the page shows."""
    path = own_address(key if "://" in key else f"memory://{key}")
    return h.a(href=(path and address(path, {"at": visit.at})) or None)[h.bdi[title or "without a title"]]


def facts(pairs: Iterable[tuple[str, Node]]) -> Element:
    """Return names with values; empty ones are left out."""
    return h.dl(".facts")[[(h.dt[name], h.dd[value]) for name, value in pairs if value not in (None, "", ())]]


def entry(item: Item, visit: Visit, more: Node = None) -> Element:
    """Return an item of a list. Its status is shown unless it is active, or waiting on a page of waiting items."""
    waits = item.status == "inbox" and visit.path in (f"{PAGES}/", f"{PAGES}/inbox")
    words = "" if waits else STATUS_WORDS.get(item.status, item.status if item.status != "active" else "")
    return h.li(".entry", data_entry=True)[
        icon(item.kind),
        h.div(".line")[memory_link(visit, item.key, item.title), words and h.span(".mark")[words]],
        h.div(".under")[
            project_link(item.project), h.span[{"session": item.host, "document": "note"}.get(item.source, item.kind)],
            when(visit, item.updated),
        ],
        more,
    ]  # fmt: skip


def project_link(project: str) -> Node:
    """Return a link to the memories of a project; nothing for none."""
    return project and h.a(".project", href=address(f"{PAGES}/find", {"project": project}))[h.bdi[project]]


def menu(label: str, buttons: Node) -> Element:
    """Return less frequent buttons in a collapsed menu."""
    return h.details(".menu")[h.summary(aria_label=label, title=label)[icon("more")], h.div(".actions")[buttons]]


def marked(text: str, question: str) -> Node:
    """Return a text with words of a question highlighted, but for those that every text has."""
    words = {word.casefold() for word in _WORD.findall(question) if len(word) >= MARKED_CHARS}
    asked = words - common_words(question) or words
    parts = _WORDS_AND_REST.findall(text) if asked else [text]
    return [h.mark[part] if part.casefold() in asked else part for part in parts]


def difference(before: str, after: str) -> Node:
    """Return the difference of two texts, line by line."""
    lines = list(unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=2))[2:]
    if not lines:
        return h.p(".aside")["It stays the same."]
    names = {"+": h.ins, "-": h.del_}
    numbered = ["…" if line.startswith("@@") else line for line in lines[1:]]  # line numbers of hunks are not useful here
    shown = [names.get(line[:1], h.span)[f"{line}\n"] for line in numbered[:DIFF_LINES]]
    return h.pre(".diff", dir="auto")[shown, len(lines) > DIFF_LINES and h.span["and more lines"]]


def late(address: str, part: str, words: str) -> Element:
    """Return a placeholder for slow content, loaded after the page; without scripts it is a link.

    Args:
        part: id of the element to take from the page at the address.
        words: text of the link.
    """
    link = h.p(".aside")[h.a(href=address)[words]]
    return h.div(data_hx_get=address, data_hx_trigger="load", data_hx_select=f"#{part}")[link]


def nothing(what: str, then: Node = None) -> Element:
    """Return the text for an empty list, and what to do about it."""
    return h.p(".nothing")[what, then and (" ", then)]


def following(visit: Visit, cursor: str, what: str = "Older") -> Node:
    """Return the link to the next page of a list; nothing on the last one."""
    return cursor and h.p(".pages")[h.a(href=visit.with_query(after=cursor), rel="next", data_more=True)[what]]


def number_of(text: str) -> int:
    """Return the number in a text; 0 if it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0

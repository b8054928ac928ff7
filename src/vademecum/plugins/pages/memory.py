"""One memory: text, source, deliveries, links; and actions to change, archive or forget it."""

import re
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote

import htpy as h
from htpy import Element, Node

from vademecum.domain.feed import Use
from vademecum.domain.memory import Memory
from vademecum.domain.procedural import SELF
from vademecum.domain.uris import is_external
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.recall import Link
from vademecum.plugin_api.upkeep import ShownLog
from vademecum.plugin_api.verbs import counted, found_by
from vademecum.plugins.pages import html
from vademecum.plugins.pages.around import small_drawing
from vademecum.plugins.pages.icons import icon
from vademecum.plugins.pages.markdown import SHOWN_CHARS, own_address, rendered
from vademecum.plugins.pages.visit import Shown, Visit

_WORD = re.compile(r"\w+")
#: Kind -> tier name used by other tools; all other kinds are long-term.
_TIERS = {"handoff": "Session", SELF: "Soul"}
#: Relation -> its name from the side of the target.
_FROM_OUTSIDE = {
    "links": "linked from", "supersedes": "superseded by", "superseded_by": "supersedes", "refines": "refined by",
    "derived_from": "source of", "part_of": "has part", "contradicts": "contradicts", "related": "related",
    "may_replace": "may be replaced by",
}  # fmt: skip
#: Most links and conversations on a page.
LINKS_SHOWN, SESSIONS_SHOWN = 60, 20


async def page(visit: Visit) -> Shown:
    """Show a memory, now or at an earlier time."""
    memory, links, shown, names_code, title = await visit.read(_looked, visit.rest, visit.then)
    base = own_address(memory.uri)
    body = h.div(".columns")[
        h.div[
            h.article(".memory")[
                h.h1[h.bdi[memory.title]],
                _under(visit, memory),
                h.div(".text", dir="auto")[_text(visit, memory, links)],
            ],
            names_code and not visit.at and html.late(f"{base}/code", "code", "Does the code that it names still stand?"),
            None if visit.at else _actions(visit, memory),
            _sources(memory, title),
            _links(visit, memory, links),
        ],
        h.div[
            h.section(".card")[h.h2["History"], _strip(visit, memory), _all_changes(visit, base)],
            h.section(".card")[h.h2["Delivered to agents"], _delivered(visit, shown)],
            h.details(".card")[h.summary["Facts"], _facts(visit, memory)],
        ],
    ]
    return Shown(memory.title, body, dated=True)


async def export(visit: Visit) -> Shown:
    """Return the memory's file for download."""
    path, text = await visit.read(_file, visit.rest)
    return Shown(path.rpartition("/")[2], None, file=text)


def _file(memory: Vademecum, ref: str) -> tuple[str, str]:
    return memory.context.vault.file(ref)


async def code(visit: Visit) -> Shown:
    """Show changes of the code that a memory names.

    It is a part of the memory's page that loads later, and a separate page without scripts.
    """
    memory, since = await visit.read(_since, visit.rest)
    none = h.p(".aside")["No code that it names is known to be deleted, moved or rewritten since."]
    marks = [h.h2["Since then, in the code"], h.ul[[h.li[h.bdi[entry]] for entry in since.split("; ")]]]
    body = h.div("#code")[h.section(".alarm")[marks] if since else none]
    return Shown(memory.title, [h.h1[h.bdi[memory.title]], body, h.p[h.a(href=own_address(memory.uri))["Back to the memory"]]])


def _since(memory: Vademecum, ref: str) -> tuple[Memory, str]:
    notes = memory.notes.get(ref)
    return notes, memory.projects.code_since(notes)


def _looked(memory: Vademecum, ref: str, then: datetime | None) -> tuple[Memory, tuple[Link, ...], ShownLog, bool, str]:
    notes = memory.notes.get(ref, then)
    links, shown = memory.notes.links(notes.id, limit=LINKS_SHOWN), memory.maintenance.shown(notes.id, SESSIONS_SHOWN)
    source = memory.context.index.items([notes.source]).get(notes.source) if notes.source else None
    return notes, links, shown, memory.projects.names_code(notes), source.title if source else ""


def _under(visit: Visit, memory: Memory) -> Element:
    words = html.STATUS_WORDS.get(memory.status, memory.status)
    return h.div(".under")[
        h.span(".kind")[icon(memory.kind), memory.kind + (f" ({memory.facet})" if memory.facet else "")],
        memory.status != "active" and h.span(".mark")[words],
        html.project_link(memory.project),
        memory.tags and h.span[" ".join(f"#{tag}" for tag in memory.tags)],
        h.span["changed ", html.when(visit, memory.updated)],
    ]


def _strip(visit: Visit, memory: Memory) -> Element:
    """Show creation, validity and confirmations of a memory in order."""
    count = f" ({memory.confirmations} times)" if memory.confirmations > 1 else ""
    moments = (
        ("said", memory.said), ("saved", memory.created), ("holds from", memory.valid_from), (f"confirmed{count}", memory.last_confirmed),
        ("holds until", memory.valid_until),
    )  # fmt: skip
    known = sorted(((moment, name) for name, moment in moments if moment), key=lambda pair: pair[0])
    return h.ol(".strip", aria_label="History")[[h.li[name, " ", html.when(visit, moment)] for moment, name in known]]


def _all_changes(visit: Visit, base: str) -> Node:
    return None if visit.at else h.p(".small")[h.a(href=f"{base}/history")["All changes with differences"]]


def _text(visit: Visit, memory: Memory, links: Sequence[Link]) -> Node:
    targets = {link.title: link.target for link in links if link.state == "known" and link.title}
    known = {name: target for title, target in targets.items() for name in (_as_file(title), title.casefold())}
    if visit.query.get("whole"):
        return h.pre(".whole")[memory.body]
    if len(memory.body) <= SHOWN_CHARS:
        return rendered(memory.body, known)
    more = h.a(href=visit.with_query(whole="1"))[f"All {len(memory.body):,} characters, as plain text"]
    return [rendered(memory.body[:SHOWN_CHARS], known), h.p[more]]


def _as_file(title: str) -> str:
    """Return the file name form of a title, by which a link may name a memory: its words joined by dashes."""
    return "-".join(_WORD.findall(title.casefold()))


def _actions(visit: Visit, memory: Memory) -> Element:
    ref, base = {"ref": memory.id}, own_address(memory.uri)
    waits, stands = memory.status == "inbox", memory.status in ("active", "disputed", "incubating")
    decide = [
        html.action(visit, "review", "Approve", {**ref, "decision": "approve"}, key="a"),
        html.action(visit, "review", "Reject", {**ref, "decision": "reject"}, key="r"),
    ]
    standing = [
        html.action(visit, "confirm", "Still holds", ref, key="c"),
        h.a(".button", href=f"{base}/evolve", data_key="v")["Replace", h.kbd["v"]],
    ]
    seldom = [
        stands
        and [
            html.action(visit, "resolve", "Done", ref, key="d"),
            html.action(visit, "archive", "Put away", ref, key="x"),
            html.action(visit, "wrong", "Wrong", ref, key="w"),
        ],
        html.action(visit, "undo", "Undo the last change", {"operation": memory.id}, key="u"),
        h.a(".button", href=f"{base}/history", data_key="h")["History", h.kbd["h"]],
        h.a(".button", href=f"{base}/around", data_key="l")["Around it", h.kbd["l"]],
        h.a(".button", href=f"{base}/export", download=True, hx_boost="false")["Export"],
        h.a(".button.danger", href=f"{base}/forget")["Forget"],
    ]
    return h.div(".actions.entry", data_entry=True, tabindex="-1")[
        waits and decide,
        h.a(".button" if waits else ".button.main", href=f"{base}/edit", data_key="e")["Edit", h.kbd["e"]],
        stands and standing,
        not (waits or stands) and html.action(visit, "restore", "Bring back", ref, key="b"),
        html.menu("More", seldom),
    ]


def _sources(memory: Memory, title: str) -> Node:
    """Show the words and the conversation that a memory comes from; `title`: of the conversation, if it is known."""
    text = str(memory.extra.get("mining_excerpt") or memory.evidence.get("mining_excerpt") or "")
    why = str(memory.extra.get("mining_rationale") or memory.evidence.get("mining_rationale") or "")
    if not (memory.source or text or why):
        return None
    return h.section[
        h.h2["Where it comes from"],
        text and h.blockquote(dir="auto")[text],
        memory.source and h.p[bool(title) and "Said in ", _source_link(memory, title)],
        why and h.p(".aside", title=why.partition(": ")[0])[f"Why it was saved: {found_by(why)}"],
    ]


def _source_link(memory: Memory, title: str) -> Node:
    ours = own_address(memory.source)
    if ours:
        turn = f"?turn={quote(memory.source_span.partition(' to ')[0])}#turn" if memory.source_span else ""
        return h.a(href=f"{ours}{turn}")[title or "Read it where it was said"]
    if is_external(memory.source) and memory.source.lower().startswith(("https://", "http://")):
        return h.a(href=memory.source, rel="noopener noreferrer nofollow", target="_blank")[memory.source]
    return h.code[memory.source]


def _delivered(visit: Visit, shown: ShownLog) -> Node:
    use = shown.use or Use()
    lines = [
        h.li[html.memory_link(visit, session.session, session.title or session.session), " ", html.when(visit, session.last)]
        for session in shown.sessions
    ]
    if not (lines or use.shown or use.found):
        return h.p(".aside")["Not yet."]
    taken_up = counted(use.used, "conversation")
    delivered = f"Delivered {counted(use.shown, 'time')}, used in {taken_up}" if use.shown or use.used else "Not delivered yet"
    counts = f"{delivered}, matched by {counted(use.found, 'question')}."
    return [h.p[counts], bool(lines) and [h.p(".aside")["In these conversations:"], h.ul(".linked")[lines]]]


def _links(visit: Visit, memory: Memory, links: Sequence[Link]) -> Node:
    if not links:
        return None
    lines = [h.li[h.span(".mark")[_relation(link)], " ", _target(visit, link)] for link in links]
    drawing = small_drawing(memory, links)
    return h.section[h.h2["Linked with"], drawing, h.ul(".small")[lines]]


def _relation(link: Link) -> str:
    """Return the relation of a memory to another, as seen from the former: "replaces", "replaced by", "linked from"."""
    name = link.type.replace("_", " ")
    if link.direction != "in":
        return name
    return _FROM_OUTSIDE.get(link.type, f"{name} (from there)")


def _target(visit: Visit, link: Link) -> Node:
    if link.state == "known" and own_address(link.target):
        return html.memory_link(visit, link.target, link.title or link.target)
    return [h.bdi[link.title or link.target], link.state == "stale" and h.span(".mark")["no longer exists"]]


def _facts(visit: Visit, memory: Memory) -> Element:
    return html.facts((
        ("Tier", _TIERS.get(memory.kind, "Long-term")),
        ("Id", h.code[memory.id]), ("File", h.code[f"{memory.space}: {memory.path}"]),
        ("Topics", ", ".join(memory.topics)), ("Confidence", memory.confidence), ("Importance", f"{memory.importance:g}"),
        ("In every briefing", "yes" if memory.always_load else ""), ("Trust", memory.trust), ("Saved through", memory.source_interface),
        ("Replaces", _refs(visit, memory.supersedes)), ("Replaced by", _refs(visit, memory.superseded_by)),
        ("Against", _refs(visit, memory.contradicts)), ("May replace", _refs(visit, memory.may_replace)),
    ))  # fmt: skip


def _refs(visit: Visit, refs: Sequence[str]) -> Node:
    return [[place > 0 and ", ", html.memory_link(visit, ref, ref)] for place, ref in enumerate(refs)] or None

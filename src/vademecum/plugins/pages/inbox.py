"""What waits for the person, with the words that it came from and what is known about the same; and memories that doubt each other."""

from collections.abc import Sequence

import htpy as h
from htpy import Element, Node

from vademecum.domain.item import Item
from vademecum.domain.memory import Memory
from vademecum.domain.query import Doubt
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.upkeep import Listing
from vademecum.plugin_api.verbs import foreseen_lines
from vademecum.plugin_api.writing import Foreseen, Proposal
from vademecum.plugins.pages import html
from vademecum.plugins.pages.icons import icon
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.markdown import own_address
from vademecum.plugins.pages.visit import Shown, Visit

#: Proposals and doubts on a page, and characters of a text beside others.
SHOWN, DOUBTS_SHOWN, TEXT_CHARS = 20, 20, 1_500


async def page(visit: Visit) -> Shown:
    """Show what waits."""
    after = visit.query.get("after", "")
    if visit.at:
        then: Listing = await visit.ask("browse", status=["inbox"], as_of=visit.then, limit=SHOWN * 2, after=after)
        entries = h.ul(".entries")[[html.entry(one, visit) for one in then.items]]
        none = html.nothing("Nothing waited for you then.")
        return Shown("Inbox", [h.h1["Inbox"], entries if then.items else none, html.following(visit, then.next)], dated=True)
    waiting, following, doubts, doubtful = await visit.read(_looked, after, visit.query.get("project", ""))
    body = [h.h1["Inbox"], _proposals(visit, waiting, following), _doubts(visit, doubts, doubtful)]
    if not waiting and not doubts:
        body = [h.h1["Inbox"], _empty()]
    return Shown("Inbox", body)


def _looked(
    memory: Vademecum, after: str, project: str
) -> tuple[tuple[Proposal, ...], str, tuple[tuple[Doubt, Memory, Memory], ...], int]:
    waiting = memory.inbox.proposals(SHOWN, project, after=after)
    following = memory.checking.browse(SHOWN, after, status=("inbox",), project=project).next
    doubts = memory.notes.doubts() if not after else ()
    told = tuple((one, memory.notes.get(one.later.key), memory.notes.get(one.earlier.key)) for one in doubts[:DOUBTS_SHOWN])
    return waiting, following, told, len(doubts)


def _empty() -> Element:
    more = ["What is only likely to be worth keeping will wait here. ", h.a(href=f"{PAGES}/")["Back to the first page"]]
    return html.nothing("Nothing waits for you.", more)


def _proposals(visit: Visit, waiting: Sequence[Proposal], following: str) -> Node:
    if not waiting:
        return None
    number = "1 proposal waits." if visit.waiting == 1 else f"{visit.waiting} proposals wait."
    groups = dict.fromkeys(one.cluster for one in waiting)
    return h.section[
        h.p(".sum")[number, " Skip leaves one waiting."],
        [_group(visit, [one for one in waiting if one.cluster == group]) for group in groups],
        html.following(visit, following),
    ]


def _group(visit: Visit, members: Sequence[Proposal]) -> Node:
    if len(members) == 1:
        return _proposal(visit, members[0])
    ids = ",".join(one.memory.id for one in members)
    return h.section(".group", aria_label=f"{len(members)} that belong together")[
        h.div(".deeds")[
            h.span[f"{len(members)} belong together"],
            html.deed(visit, "review-group", "Approve all", {"refs": ids, "decision": "approve"}, key="A"),
            html.deed(visit, "review-group", "Reject all", {"refs": ids, "decision": "reject"}, key="R"),
        ],
        [_proposal(visit, one) for one in members],
    ]


def _proposal(visit: Visit, proposal: Proposal) -> Element:
    one = proposal.memory
    similar = f"{PAGES}/inbox/{one.id}"
    return h.article(".entry.card", data_entry=True, tabindex="0", aria_label=one.title)[
        h.h2[h.bdi[one.title]],
        _facts(visit, one),
        h.div(".sides")[
            h.p(".text", dir="auto")[cut(one.body.strip() or one.title)],
            proposal.excerpt and h.figure[h.figcaption["Said"], h.blockquote(dir="auto")[cut(proposal.excerpt)]],
        ],
        proposal.rationale and h.p(".aside")[f"Why: {cut(proposal.rationale)}"],
        h.div(data_hx_get=similar, data_hx_trigger='focusin from:"closest article" once', data_hx_select="#similar")[
            h.a(href=similar)["What is known about the same"]
        ],
        _decisions(visit, one),
    ]  # fmt: skip


def _facts(visit: Visit, one: Memory) -> Element:
    return h.div(".under")[
        h.span(".kind")[icon(one.kind), one.kind], h.span[f"{one.confidence} confidence"], html.when(visit, one.said_at),
        html.project_link(one.project),
        one.source and h.span["from ", h.a(href=own_address(one.source) or None)[one.source_interface or "its source"]],
        one.trust == "external" and h.span(".mark")["speaks to agents: only you may decide"],
    ]  # fmt: skip


def _decisions(visit: Visit, one: Memory) -> Node:
    ref = {"ref": one.id}
    return [
        h.div(".deeds")[
            html.deed(visit, "review", "Approve", {**ref, "decision": "approve"}, key="a", look="main"),
            html.deed(visit, "review", "Reject", {**ref, "decision": "reject"}, key="r"),
            h.button(type="button", data_key="s", data_skip=True)["Skip", h.kbd["s"]],
        ],
        h.details[
            h.summary(data_key="e")["Edit, then approve", h.kbd["e"]],
            h.form(method="post", action=f"{PAGES}/do/review", hx_replace_url="true")[
                html.carried(visit, {**ref, "decision": "edit"}),
                h.label(for_=f"t{one.id}")["What it shall say"],
                h.textarea(id=f"t{one.id}", name="body", rows="5", dir="auto")[f"\n{one.body.strip()}"],
                h.button["Approve this text"],
            ],
        ],
    ]


async def one(visit: Visit) -> Shown:
    """Show one proposal beside what is known about the same."""
    found, rivals, foreseen = await visit.read(_beside, visit.rest)
    lines = foreseen_lines(foreseen)
    similar = h.div("#similar")[
        [h.p(".aside")[line[0].upper() + line[1:]] for line in lines],
        h.ul(".entries")[[_rival(visit, found, item) for item in rivals]]
        if rivals
        else h.p(".aside")["Nothing like it is known."],
    ]
    return Shown(
        found.title, [h.h1[h.bdi[found.title]], _facts(visit, found), h.p(".text", dir="auto")[cut(found.body)], similar]
    )


def _beside(memory: Vademecum, ref: str) -> tuple[Memory, tuple[Item, ...], Foreseen]:
    found = memory.notes.get(ref)
    return found, memory.inbox.rivals(found), memory.inbox.foreseen(found)


def _rival(visit: Visit, found: Memory, item: Item) -> Element:
    fields = {"ref": found.id, "decision": "supersede", "older": item.key.removeprefix("memory://"), "back": f"{PAGES}/inbox"}
    return html.entry(item, visit, h.div(".deeds")[html.deed(visit, "review", "It replaces this one", fields)])


def _doubts(visit: Visit, doubts: Sequence[tuple[Doubt, Memory, Memory]], count: int) -> Node:
    if not doubts:
        return None
    more = count - len(doubts)
    return h.section("#conflicts")[
        h.h2["Which of these holds?"],
        [_doubt(visit, *one) for one in doubts],
        more > 0 and h.p[f"{more} more come up when these are decided."],
    ]


def _doubt(visit: Visit, doubt: Doubt, later: Memory, earlier: Memory) -> Element:
    ids = {"later": later.id, "earlier": earlier.id, "disputed": "1" if doubt.disputed else ""}
    return h.article(".entry.card", data_entry=True, tabindex="0", aria_label=f"{later.title} or {earlier.title}")[
        h.div(".sides")[_side(visit, "Later", later), _side(visit, "Earlier", earlier)],
        h.div(".deeds")[
            html.deed(visit, "settle", "The later one holds", {**ids, "holds": "later"}, key="y"),
            html.deed(visit, "settle", "The earlier one holds", {**ids, "holds": "earlier"}, key="o"),
            html.deed(visit, "settle", "Both hold", {**ids, "holds": "both"}, key="b"),
            h.button(type="button", data_key="s", data_skip=True)["Skip", h.kbd["s"]],
        ],
    ]


def _side(visit: Visit, name: str, one: Memory) -> Element:
    return h.div[
        h.h3[name, ": ", html.memory_link(visit, one.id, one.title)],
        h.p(".text", dir="auto")[cut(one.body.strip() or one.title)],
        h.div(".under")[h.span[one.kind], html.when(visit, one.said_at)],
    ]


def cut(text: str) -> str:
    """Return the beginning of a text."""
    bare = text.strip()
    return bare if len(bare) <= TEXT_CHARS else f"{bare[:TEXT_CHARS]}…"

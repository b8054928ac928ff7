"""The inbox: proposals with their sources and similar memories, and conflicts between memories."""

from collections.abc import Sequence

import htpy as h
from htpy import Element, Node

from vademecum.domain.item import Item
from vademecum.domain.memory import Memory
from vademecum.domain.query import MemoryConflict
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.upkeep import Listing
from vademecum.plugin_api.vault import without_callouts
from vademecum.plugin_api.verbs import foreseen_lines, found_by, snippet
from vademecum.plugin_api.writing import Foreseen, Proposal
from vademecum.plugins.pages import html
from vademecum.plugins.pages.icons import icon
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.markdown import own_address
from vademecum.plugins.pages.visit import Shown, Visit

#: Most proposals and most conflicts on a page; most characters of a text beside others.
SHOWN, CONFLICTS_SHOWN, TEXT_CHARS = 20, 20, 1_500


async def page(visit: Visit) -> Shown:
    """Show waiting proposals and conflicts."""
    after = visit.query.get("after", "")
    if visit.at:
        then: Listing = await visit.ask("list --page", status=["inbox"], as_of=visit.then, limit=SHOWN * 2, after=after)
        entries = h.ul(".entries")[[html.entry(item, visit) for item in then.items]]
        none = html.nothing("Nothing waited for you then.")
        return Shown("Inbox", [h.h1["Inbox"], entries if then.items else none, html.following(visit, then.next)], dated=True)
    waiting, following, conflicts, count = await visit.read(_looked, after, visit.query.get("project", ""))
    body = [h.h1["Inbox"], _proposals(visit, waiting, following), _conflicts(visit, conflicts, count)]
    if not waiting and not conflicts:
        body = [h.h1["Inbox"], _empty()]
    return Shown("Inbox", body)


def _looked(
    memory: Vademecum, after: str, project: str
) -> tuple[tuple[Proposal, ...], str, tuple[tuple[MemoryConflict, Memory, Memory], ...], int]:
    waiting = memory.inbox.proposals(SHOWN, project, after=after)
    following = memory.notes.browse(SHOWN, after, status=("inbox",), project=project).next
    conflicts = memory.notes.conflicts() if not after else ()
    pairs = tuple(
        (conflict, memory.notes.get(conflict.later.key), memory.notes.get(conflict.earlier.key))
        for conflict in conflicts[:CONFLICTS_SHOWN]
    )
    return waiting, following, pairs, len(conflicts)


def _empty() -> Element:
    more = ["What is only likely to be worth keeping will wait here. ", h.a(href=f"{PAGES}/")["Back to the first page"]]
    return html.nothing("Nothing waits for you.", more)


def _proposals(visit: Visit, waiting: Sequence[Proposal], following: str) -> Node:
    if not waiting:
        return None
    number = "1 proposal waits." if visit.waiting == 1 else f"{visit.waiting} proposals wait."
    groups = dict.fromkeys(proposal.cluster for proposal in waiting)
    return h.section[
        h.p(".sum")[number, " Skip leaves one waiting."],
        [_group(visit, [proposal for proposal in waiting if proposal.cluster == group]) for group in groups],
        html.following(visit, following),
    ]


def _group(visit: Visit, members: Sequence[Proposal]) -> Node:
    if len(members) == 1:
        return _proposal(visit, members[0])
    ids = ",".join(proposal.memory.id for proposal in members)
    return h.section(".group", aria_label=f"{len(members)} that belong together")[
        h.div(".actions")[
            h.span[f"{len(members)} belong together"],
            html.action(visit, "review-group", "Approve all", {"refs": ids, "decision": "approve"}, key="A"),
            html.action(visit, "review-group", "Reject all", {"refs": ids, "decision": "reject"}, key="R"),
        ],
        [_proposal(visit, proposal) for proposal in members],
    ]


def _proposal(visit: Visit, proposal: Proposal) -> Element:
    memory = proposal.memory
    similar = f"{PAGES}/inbox/{memory.id}"
    return h.article(".entry.card", data_entry=True, tabindex="0", aria_label=memory.title)[
        h.h2[h.bdi[memory.title]],
        _facts(visit, memory),
        h.div(".sides")[
            h.p(".text", dir="auto")[cut(memory.body.strip() or memory.title)],
            proposal.excerpt and h.figure[h.figcaption["Said"], h.blockquote(dir="auto")[cut(proposal.excerpt)]],
        ],
        proposal.rationale
        and h.p(".aside", title=proposal.rationale.partition(": ")[0])[f"Why: {cut(found_by(proposal.rationale))}"],
        h.div(data_hx_get=similar, data_hx_trigger='intersect once, focusin from:"closest article" once', data_hx_select="#similar")[
            h.a(href=similar)["Similar and contradicting memories"]
        ],
        _decisions(visit, memory),
    ]  # fmt: skip


def _facts(visit: Visit, memory: Memory) -> Element:
    return h.div(".under")[
        h.span(".kind")[icon(memory.kind), memory.kind], h.span[f"{memory.confidence} confidence"], html.when(visit, memory.said_at),
        html.project_link(memory.project),
        memory.source and h.span["from ", h.a(href=own_address(memory.source) or None)[memory.source_interface or "its source"]],
        memory.trust == "external" and h.span(".mark")["gives instructions to agents: only you can decide"],
    ]  # fmt: skip


def _decisions(visit: Visit, memory: Memory) -> Node:
    ref = {"ref": memory.id}
    return [
        h.div(".actions")[
            html.action(visit, "review", "Approve", {**ref, "decision": "approve"}, key="a", look="main"),
            html.action(visit, "review", "Reject", {**ref, "decision": "reject"}, key="r"),
            h.button(type="button", data_key="s", data_skip=True)["Skip", h.kbd["s"]],
        ],
        h.details[
            h.summary(data_key="e")["Edit, then approve", h.kbd["e"]],
            h.form(method="post", action=f"{PAGES}/do/review", hx_replace_url="true")[
                html.carried(visit, {**ref, "decision": "edit"}),
                h.label(for_=f"t{memory.id}")["New text"],
                h.textarea(id=f"t{memory.id}", name="body", rows="5", dir="auto")[f"\n{memory.body.strip()}"],
                h.button["Approve this text"],
            ],
        ],
    ]


async def one(visit: Visit) -> Shown:
    """Show a proposal beside similar memories."""
    memory, rivals, foreseen = await visit.read(_beside, visit.rest)
    lines = foreseen_lines(foreseen)
    similar = h.div("#similar")[
        [h.p(".aside")[line[0].upper() + line[1:]] for line in lines],
        [h.h3["Similar memories"], h.ul(".entries")[[_rival(visit, memory, item, text) for item, text in rivals]]]
        if rivals
        else h.p(".aside")["No memory is similar."],
    ]
    return Shown(
        memory.title, [h.h1[h.bdi[memory.title]], _facts(visit, memory), h.p(".text", dir="auto")[cut(memory.body)], similar]
    )


def _beside(memory: Vademecum, ref: str) -> tuple[Memory, tuple[tuple[Item, str], ...], Foreseen]:
    notes = memory.notes.get(ref)
    rivals = memory.inbox.rivals(notes)
    texts = (snippet(without_callouts(memory.notes.get(item.key).body)) for item in rivals)
    return notes, tuple(zip(rivals, texts, strict=True)), memory.inbox.foreseen(notes)


def _rival(visit: Visit, memory: Memory, item: Item, text: str) -> Element:
    fields = {"ref": memory.id, "decision": "supersede", "older": item.key.removeprefix("memory://"), "back": f"{PAGES}/inbox"}
    replaces = h.div(".actions")[html.action(visit, "review", "The proposal replaces this one", fields)]
    return html.entry(item, visit, [text != item.title and h.p(".small.said", dir="auto")[text], replaces])


def _conflicts(visit: Visit, conflicts: Sequence[tuple[MemoryConflict, Memory, Memory]], count: int) -> Node:
    if not conflicts:
        return None
    more = count - len(conflicts)
    return h.section("#conflicts")[
        h.h2["Which of these holds?"],
        [_conflict(visit, *conflict) for conflict in conflicts],
        more > 0 and h.p[f"{more} more come up when these are decided."],
    ]


def _conflict(visit: Visit, conflict: MemoryConflict, later: Memory, earlier: Memory) -> Element:
    ids = {"later": later.id, "earlier": earlier.id, "disputed": "1" if conflict.disputed else ""}
    return h.article(".entry.card", data_entry=True, tabindex="0", aria_label=f"{later.title} or {earlier.title}")[
        h.div(".sides")[_side(visit, "Later", later), _side(visit, "Earlier", earlier)],
        h.div(".actions")[
            html.action(visit, "settle", "The later one holds", {**ids, "holds": "later"}, key="y"),
            html.action(visit, "settle", "The earlier one holds", {**ids, "holds": "earlier"}, key="o"),
            html.action(visit, "settle", "Both hold", {**ids, "holds": "both"}, key="b"),
            h.button(type="button", data_key="s", data_skip=True)["Skip", h.kbd["s"]],
        ],
    ]


def _side(visit: Visit, name: str, memory: Memory) -> Element:
    return h.div[
        h.h3[name, ": ", html.memory_link(visit, memory.id, memory.title)],
        h.p(".text", dir="auto")[cut(without_callouts(memory.body).strip() or memory.title)],
        h.div(".under")[h.span[memory.kind], html.when(visit, memory.said_at)],
    ]


def cut(text: str) -> str:
    """Return the beginning of a text, at most TEXT_CHARS characters."""
    bare = text.strip()
    return bare if len(bare) <= TEXT_CHARS else f"{bare[:TEXT_CHARS]}…"

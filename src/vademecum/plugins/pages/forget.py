"""Forgetting permanently: preview, confirmation word, and proof."""

from collections.abc import Sequence

import htpy as h
from htpy import Node

from vademecum.domain.forgotten import Forgetting, Searched
from vademecum.domain.memory import Memory
from vademecum.plugin_api.verbs import counted
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.markdown import own_address
from vademecum.plugins.pages.visit import Shown, Visit

#: Most conversations, and most remaining memories, named on the page.
NAMED = 30
#: Word to type before forgetting permanently.
FORGET_WORD = "FORGET"


async def page(visit: Visit) -> Shown:
    """Show what would be forgotten, and ask for the confirmation word."""
    plan: Forgetting = await visit.ask("forget", ref=visit.rest, dry_run=True)
    memory: Memory = await visit.ask("show", ref=visit.rest)
    return _forget_form(visit, memory, plan)


def _forget_form(visit: Visit, memory: Memory, plan: Forgetting, problem: str = "") -> Shown:
    base = own_address(memory.uri)
    body = [
        h.h1["Forget ", h.bdi[memory.title]],
        h.p["It is removed for good, with every copy of ours. This cannot be undone; putting it away can."],
        _plan(visit, plan),
        problem and h.p(".alarm", role="alert")[problem],
        h.form(method="post", action=f"{PAGES}/do/forget", hx_replace_url="true")[
            html.carried(visit, {"ref": memory.id, "back": base}),
            h.label(for_="word")["Type ", h.kbd[FORGET_WORD], " to do it"],
            h.input("#word", name="word", autocomplete="off"),
            h.div(".actions")[h.button(".danger")["Forget it"], h.a(".button", href=base)["Leave it"]],
        ],
    ]
    return Shown(f"Forget {memory.title}", body)


def _plan(visit: Visit, plan: Forgetting) -> Node:
    beyond = h.ul[[h.li[place.what, place.command and [": ", h.code[place.command]]] for place in plan.beyond]]
    more = len(plan.derived) > NAMED and h.p(".aside")[f"and {len(plan.derived) - NAMED:,} more"]
    derived = [h.ul[[h.li[html.memory_link(visit, to_erase.id, to_erase.title)] for to_erase in plan.derived[:NAMED]]], more]
    return [
        bool(plan.memories)
        and h.section[
            h.h2["Goes"],
            h.ul[[h.li[h.bdi[entry.title or entry.id], len(plan.memories) > 1 and f" ({entry.why})"] for entry in plan.memories]],
        ],
        _conversations(visit, "that go whole", plan.conversations),
        _conversations(visit, "that lose the sentences it came from", plan.quoting),
        bool(plan.derived) and h.section[h.h2["Stays; decide on each"], derived],
        bool(plan.beyond) and h.section[h.h2["Out of reach"], beyond],
    ]  # fmt: skip


def _conversations(visit: Visit, what: str, uris: Sequence[str]) -> Node:
    lines = [h.li[html.memory_link(visit, uri, uri.removeprefix("session://"))] for uri in uris[:NAMED]]
    more = len(uris) > NAMED and h.p(".aside")[f"and {len(uris) - NAMED:,} more"]
    return bool(uris) and h.details[h.summary[f"{counted(len(uris), 'conversation')} {what}"], h.ul(".small")[lines], more]


async def forgotten(visit: Visit) -> Shown:
    """Forget a memory and show the proof."""
    ref = visit.form.get("ref", "")
    if visit.form.get("word", "").strip() != FORGET_WORD:
        plan: Forgetting = await visit.ask("forget", ref=ref, dry_run=True)
        memory: Memory = await visit.ask("show", ref=ref)
        return _forget_form(visit, memory, plan, f"Nothing was forgotten: the word is {FORGET_WORD}.")
    done: Forgetting = await visit.do("forget", ref=ref, yes=True)
    body = [
        h.h1["Forgotten"],
        h.p[f"Removed: {', '.join(f'{count} {place}' for place, count in done.removed.items())}."] if done.removed else None,
        _plan(visit, done),
        h.section[h.h2["Searched for its words"], h.ul[[h.li[_searched(search)] for search in done.proof]]]
        if done.proof
        else None,
        h.p[h.a(href=f"{PAGES}/")["To the first page"]],
    ]
    return Shown("Forgotten", body)


def _searched(search: Searched) -> str:
    text = "nothing found" if not search.found else f"STILL in {', '.join(search.found)}"
    return f"{search.place}: {search.files} files, {search.bytes} bytes: {text}"

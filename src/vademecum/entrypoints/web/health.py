"""How memory fares: how large it is, what each check found and what to do, and what came of what agents were told."""

import asyncio
from collections.abc import Sequence

import htpy as h
from htpy import Element, Node

from vademecum.doctor.checks import Finding
from vademecum.domain.benefit import Benefit
from vademecum.entrypoints.checkup import checked_up
from vademecum.entrypoints.http.access import PAGES
from vademecum.entrypoints.verbs.person import benefit_text
from vademecum.entrypoints.web import html
from vademecum.entrypoints.web.visit import Shown, Visit
from vademecum.maintenance.status import Status

_MARKS = {"fail": "does not work", "warn": "needs a look", "ok": "good", "skip": "not looked at"}


async def page(visit: Visit) -> Shown:
    """Show sizes at once; checks, which look at every host, come when they are done."""
    status: Status = await visit.ask("status")
    benefit: Benefit = await visit.ask("benefit")
    address = f"{PAGES}/checks"
    late = h.div(data_hx_get=address, data_hx_trigger="load", data_hx_select="#checks")[
        h.p(".aside")["Checks take a moment. ", h.a(href=address)["Run them"]]
    ]
    return Shown("Health", [h.h1["Health"], late, h.section[h.h2["What there is"], _sizes(status)], _benefit(benefit)])


def _sizes(status: Status) -> Element:
    memories = ", ".join(f"{count:,} {html.STATUS_WORDS.get(name, name)}" for name, count in sorted(status.memories.items()))
    return html.facts((
        ("Folder", h.code[status.home]), ("Notes around it", h.code[status.vault] if status.vault else "none"),
        ("Memories", memories or "none"), ("Notes of yours", f"{status.documents:,}"), ("Conversations", f"{status.sessions:,}"),
        ("Passages", f"{status.passages:,}"), ("Index", f"{status.index_bytes / 1e6:,.1f} MB"),
        ("Meaning", status.embedder), ("Still without it", f"{status.waiting:,} passages" if status.waiting else ""),
        ("Doubts", h.a(href=f"{PAGES}/inbox")[f"{status.doubts} to decide"] if status.doubts else "none"),
    ))  # fmt: skip


def _benefit(found: Benefit) -> Element:
    lines = [h.p[part.replace("\n", " ")] for part in benefit_text(found).split("\n\n")]
    uses = h.p(".aside")["How often a memory was told to agents and taken up after that stands on its own page."]
    return h.section[h.h2["What it is good for"], lines, uses]


async def checks(visit: Visit) -> Shown:
    """Show what each check found, what needs something first."""
    found = await asyncio.to_thread(checked_up, visit.machine.settings, visit.machine.config)
    parts = [_part(status, [one for one in found if one.status == status]) for status in ("fail", "warn", "ok")]
    skipped = sum(one.status == "skip" for one in found)
    body = h.div("#checks")[parts, h.p(".aside")[f"{skipped} checks do not concern this machine."]]
    return Shown("Checks", [h.h1["Checks"], body, h.p[h.a(href=f"{PAGES}/health")["Back"]]])


def _part(status: str, found: Sequence[Finding]) -> Node:
    if not found:
        return None
    lines = [h.li[h.strong[one.id], ": ", one.details, bool(one.hint) and h.div(".aside")["→ ", one.hint]] for one in found]
    title = f"{_MARKS[status].capitalize()} ({len(found)})"
    if status == "ok":
        return h.details[h.summary[title], h.ul(".small")[lines]]
    return h.section(".alarm" if status == "fail" else "")[h.h2[title], h.ul[lines]]

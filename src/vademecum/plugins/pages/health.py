"""The health page: sizes, checks with hints, and the benefit of shown memories."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial

import htpy as h
from htpy import Element, Node

from vademecum.domain.benefit import Benefit
from vademecum.domain.errors import VademecumError
from vademecum.domain.lifecycle import HostSessions
from vademecum.plugin_api.helper import Finding, LaneClosed, ReadingLane, checked_up
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugin_api.upkeep import Sizes
from vademecum.plugin_api.verbs import benefit_text, counted
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES, Machine
from vademecum.plugins.pages.visit import Shown, Visit

#: Age of check results after which the checks are run again in the background.
RENEWED_AFTER = timedelta(minutes=10)

_MARKS = {"fail": "does not work", "warn": "needs a look"}

_STILL_OPEN = (
    "Still open: the program has not said that the conversation ended; it is read at its end, or after an hour of silence."
)


async def page(visit: Visit) -> Shown:
    """Show sizes at once; the checks read every file and are loaded later."""
    sizes, conflicts, programs = await visit.read(_looked)
    benefit: Benefit = await visit.ask("benefit")
    late = html.late(f"{PAGES}/checks", "checks", "Run the checks, which take a moment")
    there = h.section[h.h2["What there is"], _sizes(sizes, conflicts)]
    return Shown("Health", [h.h1["Health"], late, programs_table(programs), there, _benefit(benefit)])


def _looked(memory: Vademecum) -> tuple[Sizes, int, tuple[HostSessions, ...]]:
    return memory.maintenance.sizes(), len(memory.notes.conflicts()), memory.sessions.hosts()


def programs_table(hosts: Sequence[HostSessions]) -> Node:
    """Show the number of conversations of each program by state; a state without any is left out."""
    states: dict[str, Callable[[HostSessions], int]] = {
        "Seen": lambda host: host.seen, "Still open": lambda host: host.open, "Waiting": lambda host: host.waiting,
        "Read": lambda host: host.processed, "Empty": lambda host: host.empty,
        "Failed": lambda host: host.failed + host.given_up, "Overdue": lambda host: host.overdue,
    }  # fmt: skip
    shown = {name: count for name, count in states.items() if any(map(count, hosts))}
    rows = [
        h.tr[h.th(scope="row")[host.host], [h.td[f"{count(host):,}" if count(host) else ""] for count in shown.values()]]
        for host in hosts
    ]
    head = h.tr[h.th(scope="col")["Program"], [h.th(scope="col")[name] for name in shown]]
    table = h.div(".scroll", tabindex="0")[h.table(".numbers")[h.thead[head], h.tbody[rows]]]
    none = html.nothing("No conversation was seen in the last weeks. Connect your programs on the page Settings.")
    explained = "Still open" in shown and h.p(".aside")[_STILL_OPEN]
    return h.section[h.h2["Conversations by program"], table if rows else none, explained]


def _sizes(there: Sizes, conflicts: int) -> Element:
    memories = ", ".join(f"{count:,} {html.STATUS_WORDS.get(name, name)}" for name, count in sorted(there.memories.items()))
    return html.facts((
        ("Folder", h.code[there.home]), ("Notes around it", h.code[there.vault] if there.vault else "none"),
        ("Memories", memories or "none"), ("Notes of yours", f"{there.documents:,}"), ("Conversations", f"{there.sessions:,}"),
        ("Passages", f"{there.passages:,}"), ("Index", f"{there.index_bytes / 1e6:,.1f} MB"),
        ("Embedding model", there.embedder), ("Without vectors", f"{there.waiting:,} passages" if there.waiting else ""),
        ("Conflicts", h.a(href=f"{PAGES}/inbox")[f"{conflicts} to decide"] if conflicts else "none"),
    ))  # fmt: skip


def _benefit(benefit: Benefit) -> Element:
    lines = [h.p[part.replace("\n", " ")] for part in benefit_text(benefit).split("\n\n")]
    uses = h.p(".aside")["The page of a memory shows how often it was delivered and used."]
    return h.section[h.h2["Does it help?"], lines, uses]


class Checks:
    """Latest results of the checks. They read every file, so they run in a separate process and their results are kept."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._looking: asyncio.Task[None] | None = None
        self._found: Sequence[Finding] = ()
        self._at: datetime | None = None

    async def page(self, visit: Visit) -> Shown:
        """Show the findings, problems first. Old results are shown while the checks run again in the background."""
        await self._ready(visit.now, again=bool(visit.query.get("again")))
        parts = [
            _part(status, [finding for finding in self._found if finding.status == status]) for status in ("fail", "warn", "ok")
        ]
        skipped = sum(finding.status == "skip" for finding in self._found)
        looked = h.p(".aside")[
            "Checked ", html.when(visit, self._at), f". {skipped} checks do not concern this machine. ",
            h.a(href=f"{PAGES}/checks?again=1")["Check again"],
        ]  # fmt: skip
        return Shown("Checks", [h.h1["Checks"], h.div("#checks")[parts, looked], h.p[h.a(href=f"{PAGES}/health")["Back"]]])

    async def _ready(self, now: datetime, *, again: bool) -> None:
        if self._looking is None and (again or self._at is None or now - self._at > RENEWED_AFTER):
            self._looking = asyncio.create_task(self._look(now))
        if self._looking is not None and (again or self._at is None):
            await asyncio.shield(self._looking)

    async def _look(self, now: datetime) -> None:
        try:
            self._found = await checked_aside(self._machine)
            self._at = now
        finally:
            self._looking = None


async def checked_aside(machine: Machine) -> Sequence[Finding]:
    """Run the checks in a process with low priority."""
    lane = ReadingLane(machine.settings, machine.config)
    try:
        return await lane(partial(_checked_up, machine))
    except (LaneClosed, VademecumError):  # without such a process, or a memory, the checks themselves report the fault
        return await asyncio.to_thread(checked_up, machine.settings, machine.config)
    finally:
        lane.close()


def _checked_up(machine: Machine, _memory: Vademecum) -> Sequence[Finding]:
    return checked_up(machine.settings, machine.config)


def _part(status: str, findings: Sequence[Finding]) -> Node:
    if not findings:
        return None
    lines = [
        h.li[h.strong[finding.id], ": ", finding.details, bool(finding.hint) and h.div(".aside")["→ ", finding.hint]]
        for finding in findings
    ]
    if status == "ok":
        return h.details[h.summary[f"{counted(len(findings), 'check')} found all well"], h.ul(".small")[lines]]
    title = f"{_MARKS[status].capitalize()} ({len(findings)})"
    return h.section(".alarm" if status == "fail" else "")[h.h2[title], h.ul[lines]]

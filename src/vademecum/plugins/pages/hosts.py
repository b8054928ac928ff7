"""Programs with Vademecum: their state, a preview of an installation or removal, and carrying it out."""

import asyncio
from hashlib import sha256

import htpy as h
from htpy import Element, Node

from vademecum.domain.errors import NotFound, WriteFailed
from vademecum.domain.installing import Plan
from vademecum.plugin_api.helper import write_client
from vademecum.plugin_api.machine import install_targets, installer
from vademecum.plugin_api.memory import Vademecum
from vademecum.plugins.pages import html
from vademecum.plugins.pages.machine import PAGES
from vademecum.plugins.pages.visit import Done, Shown, Visit


def listed(visit: Visit) -> Node:
    """Return an entry for each program, with its actions."""
    worker = installer(visit.machine.settings)
    states = {
        name: {installed.state for installed in worker.installed(name, "user", "")}
        for name, target in install_targets().items()
        if "user" in target.reaches
    }
    lines = [_line(name, {"whole", "older"} & state, "older" in state) for name, state in states.items()]
    return h.section[h.h2["Programs"], h.ul(".entries")[lines]]


def _line(name: str, there: set[str], older: bool) -> Element:
    state = "installed, older: install it again" if older else "installed" if there else "not installed"
    actions = [h.a(".button", href=f"{PAGES}/hosts/{name}")["Install" if older or not there else "Details"]]
    actions += [h.a(".button", href=f"{PAGES}/hosts/{name}?remove=1")["Remove"]] if there else []
    return h.li(".entry", data_entry=True)[
        h.div(".line")[h.strong[install_targets()[name].title]], h.div(".under")[h.span[state]], h.div(".actions")[actions]
    ]


async def page(visit: Visit) -> Shown:
    """Show the changes of files by an installation into, or removal from, a program."""
    removes = bool(visit.query.get("remove"))
    plan = await asyncio.to_thread(_plan, visit, visit.rest, removes)
    title = f"{'Remove from' if removes else 'Install in'} {install_targets()[visit.rest].title}"
    changed = [
        (file_change.path, *map(_text, (file_change.before, file_change.after)))
        for file_change in plan.changes
        if file_change.changes
    ]
    shown = await visit.read(_shown, changed)  # removes secrets, which files of programs may contain
    fields = {"host": visit.rest, "remove": "1" if removes else "", "seen": _digest(plan), "back": f"{PAGES}/settings"}
    back = h.a(".button", href=f"{PAGES}/settings")["Leave it"]
    does = "Hooks and the MCP server go; your memories stay." if removes else (
        "It will start each session with your memory, recall at each prompt and capture what was said."
    )  # fmt: skip
    body = [
        h.h1[title],
        h.p[does],
        [h.section[h.h2[h.code[path]], html.difference(before, after)] for path, before, after in shown]
        or h.p["Nothing would change."],
        h.div(".actions")[bool(changed) and html.action(visit, "install", "Write it", fields), back],
    ]
    return Shown(title, body)


def _plan(visit: Visit, host: str, removes: bool) -> Plan:
    """Return the plan of changes.

    Raises:
        NotFound: no such program.
        InvalidInput, Refused: one of its files is unreadable, or belongs to another program.
    """
    targets = install_targets()
    if host not in targets or "user" not in targets[host].reaches:
        raise NotFound(f"No program is called {host!r}.", "See them under Settings, or: vade install")
    worker = installer(visit.machine.settings)
    return worker.plan_removal(host, "") if removes else worker.plan(host, "user", "")


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _shown(memory: Vademecum, texts: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return texts


def _digest(plan: Plan) -> str:
    return sha256("\0".join(change.diff() for change in plan.changes).encode()).hexdigest()


async def install(visit: Visit) -> Done:
    """Carry out the previewed changes; if they differ from the current plan, show the preview again."""
    host, removes = visit.form.get("host", ""), bool(visit.form.get("remove"))
    plan = await asyncio.to_thread(_plan, visit, host, removes)
    if visit.form.get("seen") != _digest(plan):
        return Done(f"{PAGES}/hosts/{host}{'?remove=1' if removes else ''}", "Something changed meanwhile; look again.")
    try:
        await asyncio.to_thread(write_client, visit.machine.settings, visit.machine.config)
    except OSError as error:
        raise WriteFailed(f"The hook client could not be written: {error}.", "Check the folder's permissions.") from error
    await asyncio.to_thread(installer(visit.machine.settings).apply, plan)
    target = install_targets()[host]
    done = f"Removed from {target.title}." if removes else f"Installed in {target.title}. {target.next_step}"
    return Done(visit.back, done.strip())

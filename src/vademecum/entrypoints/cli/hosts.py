"""`vade install` and `vade uninstall`: register Vademecum with a host, and undo that.

Naming a host is the consent to change its files. Changes are shown as a diff, and every file can be restored.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from vademecum import settings as settings_module
from vademecum import wiring
from vademecum.domain.errors import InvalidInput, Refused, UnknownWord, WriteFailed
from vademecum.domain.host import Reach
from vademecum.domain.installing import Plan
from vademecum.entrypoints.answers import json_line
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli.output import printing
from vademecum.entrypoints.cli.reader import offer
from vademecum.entrypoints.cli.removal import uninstall_all
from vademecum.entrypoints.daemon.call import call, ensure
from vademecum.entrypoints.hooks.place import write_client
from vademecum.entrypoints.hooks.starts import foreseen_starts
from vademecum.settings import Settings, no_memory
from vademecum.wiring import (
    Target,
    faults_of_commands,
    install_targets,
    installer,
    open_memory,
    other_names,
    project_root,
    ready_briefings,
    system_clock,
)

#: Roles of host files that contain a command of ours.
CALLING = frozenset({"hooks", "plugin", "mcp"})
#: How many of the last working folders get a prepared briefing when a host is installed.
FOLDERS_BRIEFED = 6
#: Timeout for a prepared briefing, and poll interval, in seconds.
BRIEFING_S, LOOK_S = 5.0, 0.05


def _project() -> str:
    return str(project_root(settings_module.working_directory()))


def _target(name: str) -> tuple[str, Target]:
    """Return the name of a host, given that name or one of its aliases."""
    targets = install_targets()
    own = name if name in targets else other_names().get(name.strip().lower().replace(" ", "-").replace("_", "-"), name)
    if own not in targets:
        raise UnknownWord("host", name, targets)
    return own, targets[own]


def _hosts(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in install_targets() if name.startswith(begun)]


_HOST_ARGUMENT = click.argument("host", required=False, default="", shell_complete=_hosts)


@click.command("install")
@_HOST_ARGUMENT
@click.option("--scope", type=click.Choice(["user", "project"]), default="user", show_default=True,
              help="user: for you in all folders; project: for everybody who works in this project.")  # fmt: skip
@click.option("--no-mcp", is_flag=True, help="Hooks only; do not register the MCP server.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def install(host: str, scope: Reach, no_mcp: bool, dry_run: bool, as_json: bool) -> None:
    """Make HOST start each session with your memory, recall at each prompt and capture what was said.

    Merges into the host's own files and shows the difference; `vade uninstall HOST` brings them back as they were. Without HOST:
    what can be installed, and what is.
    """
    settings = current_settings()
    if not host:
        states = _states(settings)
        click.echo(json_line(states) if as_json else _table(states))
        return
    host, target = _target(host)
    if not settings.home:
        raise no_memory(settings)
    if dry_run:
        plan = planned(settings, host, scope, mcp=not no_mcp)
    else:
        calls_us = CALLING & {change.role for change in planned(settings, host, scope, mcp=not no_mcp).changes}
        place_client(settings)
        if calls_us:
            refuse_what_cannot_start(settings, mcp="mcp" in calls_us)
        plan = register(settings, host, scope, mcp=not no_mcp)
        if calls_us:
            leave_briefings(settings, [host])
    click.echo(json_line(_plan_json(plan, dry_run)) if as_json else _installed(plan, target, dry_run))
    if not (dry_run or as_json):
        with printing(as_json) as tell:
            offer(settings, tell, as_json=as_json)


@click.command("uninstall")
@_HOST_ARGUMENT
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Uninstall from all hosts, and remove everything of Vademecum on this machine except your notes.",
)
@click.option("--yes", is_flag=True, help="With --all: do it without asking.")
@click.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
def uninstall(host: str, everything: bool, yes: bool, dry_run: bool, as_json: bool) -> None:
    """Take back what `vade install` did for HOST, in all projects. Your memories stay.

    A file that nobody changed since gets back the bytes it had; from one that somebody changed only our entries go.
    """
    if everything == bool(host):
        raise InvalidInput("Name one host, or all: vade uninstall --all")
    if everything:
        with printing(as_json) as tell:
            uninstall_all(current_settings(forgiving=True), _project(), tell, yes=yes, dry_run=dry_run)
        return
    host, target = _target(host)
    worker = installer(current_settings(forgiving=True))
    plan = worker.plan_removal(host, _project())
    if not dry_run:
        worker.apply(plan)
    click.echo(json_line(_plan_json(plan, dry_run)) if as_json else _uninstalled(plan, target, dry_run))


@click.command("merge-file", hidden=True)
@click.argument("base", type=click.Path(path_type=Path))
@click.argument("ours", type=click.Path(path_type=Path))
@click.argument("theirs", type=click.Path(path_type=Path))
@click.argument("path", type=click.Path(path_type=Path))
def merge_file(base: Path, ours: Path, theirs: Path, path: Path) -> None:
    """Merge a note as git asks for it (`vade install git`): the result goes into the file OURS."""
    if not wiring.merge_file(base, ours, theirs, path):
        raise click.exceptions.Exit(1)  # git tells of the conflict


def place_client(settings: Settings) -> None:
    """Put the hook client, and what it must know, where the registered command calls it.

    Raises:
        WriteFailed: the disk did not take it.
    """
    try:
        write_client(settings, current_config())
    except OSError as error:
        raise WriteFailed(f"The hook client could not be written: {error}.", "Check the folder's permissions.") from error


def planned(settings: Settings, host: str, scope: Reach, *, mcp: bool) -> Plan:
    """Return the changes that registering with a host makes.

    Raises:
        InvalidInput: scope "project", but the folder belongs to no project.
    """
    reaches = install_targets()[host].reaches
    plan = installer(settings, mcp=mcp).plan(host, scope if scope in reaches else reaches[0], _project())
    if not plan.changes:
        raise InvalidInput("There is no git repository here.", "Run git init in your memory's folder, then install it again.")
    return plan


def register(settings: Settings, host: str, scope: Reach, *, mcp: bool) -> Plan:
    """Check that our commands start, then register with a host; return what changed.

    Raises:
        InvalidInput, WriteFailed, Conflict: a file cannot be changed. Nothing was written.
    """
    plan = planned(settings, host, scope, mcp=mcp)
    installer(settings, mcp=mcp).apply(plan)
    return plan


def leave_briefings(settings: Settings, hosts: Sequence[str]) -> None:
    """Start the helper, let it compose briefings for the first session starts of these hosts, and wait for them.

    So the first session is briefed at once, even if no helper runs by then and the machine is busy.
    """
    with open_memory(settings) as memory:
        folders = [one.cwd for one in memory.sessions.last_of_projects(FOLDERS_BRIEFED, 1) if one.cwd]
    here = str(settings_module.working_directory())
    foreseen = [
        foreseen_start for host in hosts for foreseen_start in foreseen_starts(host, tuple(dict.fromkeys((here, *folders))))
    ]
    ready, now = ready_briefings(settings), system_clock().now()
    for start in reversed(foreseen):  # the last one is dropped last
        ready.remember(start, now)
    if ensure(settings, current_config()):
        _await(lambda: sum(ready.has(start) for start in foreseen), len(foreseen))


def _await(count: Callable[[], int], wanted: int) -> None:
    """Wait until so many briefings exist, or none was added for a while."""
    clock = system_clock()
    there, last = 0, clock.elapsed_s()
    while there < wanted and clock.elapsed_s() - last < BRIEFING_S:
        time.sleep(LOOK_S)
        if (now := count()) != there:
            there, last = now, clock.elapsed_s()


def refuse_what_cannot_start(settings: Settings, *, mcp: bool) -> None:
    """Run the commands that will be registered, as a check.

    Args:
        mcp: whether the MCP server is one of them.

    Raises:
        Refused: one does not start.
    """
    helper = call(settings, "status") is not None
    for name, fault in faults_of_commands(settings, current_config(), mcp=mcp, helper=helper).items():
        if fault:
            what = "The MCP server" if name == "mcp" else "The hook client"
            raise Refused(f"{what} does not start, so nothing was registered: {fault}", "See what is wrong with: vade doctor")


def _states(settings: Settings) -> list[dict[str, Any]]:
    """Return the state of each file of each target."""
    worker, project = installer(settings), _project()
    return [
        {
            "target": name,
            "title": target.title,
            "scope": reach,
            "path": installed.path,
            "role": installed.role,
            "state": installed.state,
        }
        for name, target in install_targets().items()
        for reach in target.reaches
        for installed in worker.installed(name, reach, project)
    ]


def _table(states: list[dict[str, Any]]) -> str:
    """Return one line for each target, with its installed scopes."""
    lines = []
    for name, target in install_targets().items():
        mine = [state for state in states if state["target"] == name]
        there = dict.fromkeys(fields["scope"] for fields in mine if fields["state"] in ("whole", "older"))
        older = any(fields["state"] == "older" for fields in mine)
        text = f"installed ({', '.join(there)})" if there else "-"
        lines.append(f"{name:<14}{target.title:<20}  {text}{', older: install it again' if older else ''}")
    return "\n".join([*lines, "", "Install one with: vade install HOST [--scope project] [--dry-run]"])


def _plan_json(plan: "Plan", dry_run: bool) -> dict[str, Any]:
    """Return a plan as JSON values."""
    files = [
        {"path": change.path, "role": change.role, "action": _action(change.before, change.after), "diff": change.diff()}
        for change in plan.changes
    ]
    return {"target": plan.target, "dry_run": dry_run, "files": files}


def _action(before: bytes | None, after: bytes | None) -> str:
    if before == after:
        return "none"
    return "create" if before is None else "delete" if after is None else "change"


def _installed(plan: "Plan", target: Target, dry_run: bool) -> str:
    """Return what was done and what remains to be done; of a dry run, the diff of each file."""
    changed = [change for change in plan.changes if change.changes]
    if not changed:
        return f"{target.title} is installed already; nothing to change."
    if dry_run:
        return "\n".join([*(change.diff() for change in changed), "Nothing was written."])
    lines = [
        f"{target.title} {target.does}",
        "Changed: " + ", ".join(f"{change.path} ({change.role})" for change in changed),
        f"Take it back with: vade uninstall {plan.target}",
    ]
    return "\n".join([*lines, target.next_step] if target.next_step else lines)


def _uninstalled(plan: "Plan", target: Target, dry_run: bool) -> str:
    changed = [change for change in plan.changes if change.changes]
    if not changed:
        return f"{target.title} has no entry of Vademecum; nothing was changed."
    lines = [change.diff() for change in changed] if dry_run else []
    for change in changed:
        what = (
            "Removed"
            if change.after is None
            else "As before"
            if change.after == change.original
            else "Removed the entries of Vademecum from"
        )
        lines.append(f"{'Would be: ' if dry_run else ''}{what}  {change.path}")
    return "\n".join(lines)


COMMANDS = (install, uninstall, merge_file)

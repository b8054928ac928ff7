"""Builds what concerns hosts: answering their hooks, and installing."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from vademecum import settings as settings_module
from vademecum.adapters.clock import SystemClock
from vademecum.domain.host import Programs
from vademecum.settings import device_folder
from vademecum.wiring.hooks import HookParts, parts_over

if TYPE_CHECKING:
    from collections.abc import Mapping

    from vademecum.adapters.hosts.installing import Installer
    from vademecum.domain.host import HostFolders, Reach
    from vademecum.settings import Settings


def folders_of_hosts() -> HostFolders:
    """Return the folders of the hosts, from the environment of this process.

    Raises:
        InvalidInput: the home folder is unknown.
    """
    from vademecum.adapters.hosts.places import host_folders

    return host_folders(settings_module.environment())


def hook_events() -> tuple[list[str], list[str]]:
    """Return (event names of any host at which memory may be shown, all other event names)."""
    from vademecum.adapters.hosts.all_hosts import events

    return events()


def prompt_events() -> list[str]:
    """Return the event names of any host for a prompt."""
    from vademecum.adapters.hosts.all_hosts import prompt_events

    return prompt_events()


def hook_parts(settings: Settings) -> HookParts:
    """Return the parts that answer hooks, for the folders of the settings."""
    return parts_over(settings.data_dir, settings.wrong)


def first_start(host: str, folder: str) -> tuple[bytes, ...]:
    """Return the payloads a host would send at its first session start in a folder; none if it has no such hook."""
    from vademecum.adapters.hosts.all_hosts import hosts

    fields = hosts()[host].first_start(folder) if host in hosts() else None
    return (json.dumps(fields, ensure_ascii=False).encode(),) if fields else ()


class Target(NamedTuple):
    """An install target: its names, its scopes, what remains to be done by hand, and what it does then."""

    title: str
    reaches: tuple[Reach, ...]
    next_step: str
    does: str


class HostHere(NamedTuple):
    """The state of a host on this machine: whether it is present (program or conversations), whether our hooks are registered, and the
    paths of its conversations."""

    name: str
    title: str
    next_step: str
    is_here: bool
    is_registered: bool
    conversations: tuple[str, ...]


def hosts_here(settings: Settings) -> tuple[HostHere, ...]:
    """Return the state of each host that can show memory. No program is run."""
    import shutil

    from vademecum.adapters.hosts.all_hosts import hosts
    from vademecum.adapters.hosts.found import conversations

    folders, worker, path = folders_of_hosts(), installer(settings), settings_module.search_path()
    host_heres = []
    for name, host in hosts().items():
        written = tuple(seen.path for seen in conversations(host, folders))
        is_registered = any(
            installed.role in ("hooks", "plugin") and installed.state == "whole"
            for installed in worker.installed(name, "user", "")
        )
        is_here = bool(written) or bool(host.program and shutil.which(host.program, path=path))
        host_heres.append(HostHere(name, host.title, host.next_step, is_here, is_registered, written))
    return tuple(host_heres)


def obsidian_vaults() -> tuple[Path, ...]:
    """Return the Obsidian vaults of the person, the last opened first. The search takes one second at most."""
    from vademecum.adapters import vaults

    return vaults.obsidian_vaults(settings_module.environment(), SystemClock().elapsed_s)


def install_targets() -> dict[str, Target]:
    """Return name -> install target; hosts first."""
    from vademecum.adapters.hosts.all_hosts import hosts, pieces

    does = "now starts each session with your memory, recalls at each prompt and captures what was said."
    programs = {name: Target(host.title, ("user", "project"), host.next_step, does) for name, host in hosts().items()}
    parts = {name: Target(piece.title, ("project",), piece.next_step, "is set up.") for name, piece in pieces().items()}
    return programs | parts


def other_names() -> Mapping[str, str]:
    """Return alias of a host -> its name."""
    from vademecum.adapters.hosts import all_hosts

    return all_hosts.other_names()


def installer(settings: Settings, *, mcp: bool = True) -> Installer:
    """Return the installer for the hosts of this machine."""
    from vademecum.adapters.hosts.all_hosts import wants
    from vademecum.adapters.hosts.installing import Installer

    folders = folders_of_hosts()
    return Installer(device_folder(settings.data_dir), wants(folders, programs_of(settings), mcp=mcp))


def programs_of(settings: Settings) -> Programs:
    """Return the programs that are registered with hosts."""
    client = device_folder(settings.data_dir) / "hook" / "client.py"
    windows = folders_of_hosts().windows
    return Programs(sys.executable, str(client), windows, (settings.home,) if settings.home else ())


def faults_of_commands(settings: Settings, config: Path | None, *, mcp: bool, helper: bool) -> dict[str, str]:
    """Run each command that is registered with hosts, and return command -> its fault, "" for none.

    Args:
        config: the configuration file, unless it is the default one. mcp: check the MCP server too.
        helper: a helper is running. Otherwise the MCP server serves by itself, and no helper is started.
    """
    from vademecum.adapters.hosts import starting

    programs = programs_of(settings)
    environment = {**settings_module.environment(), **({"VADEMECUM_CONFIG": str(config)} if config else {})}
    faults = {"hook": starting.client_fault(programs.python, programs.client, environment)}
    if mcp:
        alone = () if helper else ("--no-helper",)
        faults["mcp"] = starting.server_fault((*programs.server, *alone), environment)
    return faults


def merge_file(base: Path, ours: Path, theirs: Path, path: Path) -> bool:
    """Merge a note as git asks for it; see :func:`vademecum.vault.merge_file.merge_file`."""
    from vademecum.vault import merge_file as vault

    return vault.merge_file(base, ours, theirs, path)

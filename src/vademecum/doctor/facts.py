"""All facts that the checks need, gathered once. A failure is recorded in `errors`, and gathering goes on."""

import json
import os
import platform
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from msgspec import Struct

from vademecum.adapters.device.log import HookLog
from vademecum.adapters.device.private_files import is_open_to_others, is_readable_by_others
from vademecum.adapters.hosts.all_hosts import hosts
from vademecum.adapters.hosts.codex import Trust, trust
from vademecum.adapters.hosts.found import Seen, conversations, seen_in, versions
from vademecum.adapters.hosts.installing import Installer
from vademecum.adapters.hosts.own_settings import PluginFound, hooks_off, plugin_of
from vademecum.adapters.hosts.places import unread_of, without_hooks, written_by
from vademecum.adapters.installation import Installation, installation
from vademecum.adapters.stores.sqlite.schema import features
from vademecum.api import Vademecum
from vademecum.doctor.canary import Song, canary
from vademecum.domain.errors import Problem, VademecumError
from vademecum.domain.host import HostFolders
from vademecum.domain.installing import Installed
from vademecum.domain.uris import host_of
from vademecum.domain.why_nothing import SHOWN
from vademecum.ingest.transcripts import HowFar
from vademecum.maintenance.projects import Alike
from vademecum.maintenance.status import Status
from vademecum.ports.clock import Clock
from vademecum.ports.host import Host
from vademecum.settings import Settings, environment, rows, search_path
from vademecum.sync.index import Drift
from vademecum.vault.history import Devices
from vademecum.wiring import faults_of_commands, folders_of_hosts, installer, open_memory, project_root

T = TypeVar("T")

#: Days of the hook log used for latencies.
LATENCY_DAYS = 7
#: Most sessions, newest first, searched for the last capture of each host.
SESSIONS_LOOKED_AT = 2000


class OnDisk(Struct, frozen=True):
    """The conversations that a host has written.

    Attributes:
        name: as on the command line; for a host without hooks, as in session URIs.
        title: name for a person.
        version: of the host; "" if not detected.
        is_registered: its hooks are installed, or a plugin in their place.
        seen: conversations on disk, newest first.
        read: path -> how far it was captured.
        last_captured: time of the last captured turn.
        unread: paths of conversations that exist only in a database that is not read.
    """

    name: str
    title: str
    version: str
    is_registered: bool
    seen: tuple[Seen, ...]
    read: Mapping[str, HowFar]
    last_captured: datetime | None
    unread: tuple[str, ...] = ()


class HostFacts(Struct, frozen=True):
    """One host on this machine.

    Attributes:
        files: files with our registration, for the person and in projects that have one.
        trusted: (event, state) for each of our hooks, by the configuration of Codex.
        last_call, last_delivery: time of the last hook, and of the last one that delivered something to the agent.
        plugin: ours, if it brings the hooks.
        hooks_off: why the host runs no hooks; "" for no reason.
    """

    host: Host
    on_disk: OnDisk
    files: tuple[Installed, ...]
    trusted: tuple[tuple[str, Trust], ...]
    last_call: datetime | None
    last_delivery: datetime | None
    plugin: PluginFound | None
    hooks_off: str

    @property
    def is_registered(self) -> bool:
        """Whether its hooks, or a plugin in their place, are installed."""
        return self.on_disk.is_registered

    @property
    def version(self) -> str:
        """Its version; "" if not detected."""
        return self.on_disk.version


@dataclass(slots=True)
class Facts:
    """All facts.

    Attributes:
        status, drift, problems, devices, projects: of the memory; None if it could not be opened (`errors["memory"]` has the
            reason).
        client: path of a hook client file -> whether its text is that of this version.
        system: as in `sys.platform`.
        helper: the helper's answer; None if none runs.
        on_disk: conversations of hosts without hooks, for hosts that have written any.
        strange: (host, kind of line, or "" if unreadable) -> number of skipped transcript lines.
        prompts_ms: recent durations of hooks at prompts.
        faults: log lines with an error.
        commands: command that registered hosts start (hook, mcp) -> why it fails, or "".
        installation: how this program was installed.
        wrong_settings: sentences about invalid values, found now or reported by the last hook.
        open_secrets: (setting, file) of secrets in a configuration file that other users of this machine can read.
        open_to_others: whether other users of this machine can enter the data folder.
        unwritable: folders of memory without write permission.
        room: folder -> free bytes of its disk.
        errors: part that could not be examined -> reason.
    """

    settings: Settings
    now: datetime
    python: str
    system: str
    sqlite: Mapping[str, str | bool]
    client: Mapping[str, bool]
    helper: Mapping[str, Any] | None
    hosts: tuple[HostFacts, ...] = ()
    on_disk: tuple[OnDisk, ...] = ()
    status: Status | None = None
    drift: Drift | None = None
    problems: tuple[Problem, ...] | None = None
    devices: Devices | None = None
    projects: tuple[Alike, ...] | None = None
    strange: Mapping[tuple[str, str], int] = field(default_factory=dict)
    prompts_ms: tuple[float, ...] = ()
    calls: int = 0
    faults: tuple[Mapping[str, Any], ...] = ()
    song: Song | None = None
    open_to_others: bool = False
    open_secrets: tuple[tuple[str, str], ...] = ()
    unwritable: tuple[str, ...] = ()
    room: Mapping[str, int] = field(default_factory=dict)
    wrong_settings: tuple[str, ...] = ()
    commands: Mapping[str, str] = field(default_factory=dict)
    installation: Installation = field(default_factory=installation)
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Running:
    """The expected text of each hook client file, and the helper's answer (None: no helper)."""

    client: Mapping[Path, str]
    helper: Mapping[str, Any] | None


def gather(
    settings: Settings,
    clock: Clock,
    folder: Path,
    *,
    config: Path | None,
    running: Running,
    sing: bool = False,
) -> Facts:
    """Gather all facts.

    Args:
        config: the configuration file, if it is not the platform's.
        folder: the working directory; the project around it is examined too.
        running: the programs around the memory.
        sing: repeat the canary test even if there is a result of today.
    """
    facts = Facts(
        settings=settings,
        now=clock.now(),
        python=platform.python_version(),
        system=sys.platform,
        sqlite=features(),
        client={str(path): _holds(path, text) for path, text in running.client.items()},
        helper=running.helper,
        open_to_others=is_open_to_others(Path(settings.data_dir)),
        open_secrets=_open_secrets(settings),
        unwritable=_unwritable(settings.home),
        room=_room(settings.home, settings.data_dir),
    )
    read, captured = _memory_facts(facts)
    lines = list(HookLog(Path(settings.data_dir) / "log").lines())
    _log_facts(facts, lines)
    facts.song = _tried(facts, "canary", lambda: canary(settings, clock, again=sing))
    facts.hosts = _tried(facts, "hosts", lambda: _host_facts(settings, folder, read, captured, lines)) or ()
    facts.commands = _tried(facts, "commands", lambda: _commands(facts, config)) or {}
    facts.on_disk = _tried(facts, "hosts", lambda: _on_disk(read, captured)) or ()
    return facts


def _commands(facts: Facts, config: Path | None) -> Mapping[str, str]:
    """Run the commands that registered hosts start; return command -> why it fails."""
    registered = [host for host in facts.hosts if host.is_registered]
    if not registered:
        return {}
    mcp = any(
        host.plugin or any(file.role == "mcp" and file.state in ("whole", "older") for file in host.files)
        for host in registered
    )
    return faults_of_commands(facts.settings, config, mcp=mcp, helper=facts.helper is not None)


def _open_secrets(settings: Settings) -> tuple[tuple[str, str], ...]:
    origins = dict(settings.origins)
    secrets = [row.name for row in rows() if row.metadata["unit"] == "secret" and settings.value(row.name)]
    return tuple((name, origins[name]) for name in secrets if name in origins and is_readable_by_others(Path(origins[name])))


def _unwritable(home: str) -> tuple[str, ...]:
    """Return the existing folders that every change writes to and that lack write permission."""
    folders = [Path(home), Path(home) / "_journal"] if home else []
    return tuple(str(folder) for folder in folders if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK))


def _tried(facts: Facts, what: str, get: Callable[[], T]) -> T | None:
    """Return the result of `get`; on failure None, with the reason in `errors`."""
    try:
        return get()
    except (VademecumError, OSError) as error:
        hint = error.hint if isinstance(error, VademecumError) else ""
        facts.errors[what] = f"{error} {hint}".strip()
        return None


def _room(*folders: str) -> dict[str, int]:
    """Return folder -> free bytes of its disk, for folders that exist."""
    return {folder: shutil.disk_usage(folder).free for folder in folders if folder and Path(folder).is_dir()}


def _holds(path: Path, text: str) -> bool:
    try:
        return path.read_text(encoding="utf-8", errors="replace") == text
    except (OSError, UnicodeError):
        return False


def _memory_facts(facts: Facts) -> tuple[Mapping[str, HowFar], Mapping[str, datetime]]:
    """Fill the facts about the memory. Return (path of a transcript -> how far it was read, host -> last captured turn)."""
    memory = _tried(facts, "memory", lambda: open_memory(facts.settings))
    if memory is None:
        return {}, {}
    with memory:
        facts.status = _tried(facts, "status", lambda: memory.maintenance.status(deep=True))
        facts.drift = _tried(facts, "drift", memory.maintenance.drift)
        facts.problems = _tried(facts, "problems", memory.context.vault.problems)
        facts.devices = _tried(facts, "devices", memory.maintenance.devices)
        facts.projects = _tried(facts, "projects", memory.maintenance.projects_alike)
        facts.strange = _tried(facts, "strange", memory.context.state.unknown_lines.counts) or {}
        captured = _tried(facts, "sessions", lambda: _last_captured(memory)) or {}
        return _tried(facts, "transcripts", memory.maintenance.transcripts_read) or {}, captured


def _last_captured(memory: Vademecum) -> dict[str, datetime]:
    """Return host -> time of its last captured turn."""
    last: dict[str, datetime] = {}
    for item in memory.notes.list(limit=SESSIONS_LOOKED_AT, source=("session",)):
        host = host_of(item.key)
        if item.updated is not None and item.updated > last.get(host, item.updated.min.replace(tzinfo=item.updated.tzinfo)):
            last[host] = item.updated
    return last


def _log_facts(facts: Facts, lines: Sequence[Mapping[str, Any]]) -> None:
    since = facts.now.timestamp() - LATENCY_DAYS * 86400
    recent = [line for line in lines if (at := _moment(line)) is not None and at.timestamp() >= since]
    facts.calls = len(recent)
    facts.prompts_ms = tuple(
        float(line["ms"]) for line in recent if line.get("moment") == "prompt" and isinstance(line.get("ms"), int | float)
    )
    text = str(recent[-1].get("settings", "")) if recent else ""
    wrong = (*facts.settings.wrong, *facts.settings.retired)
    facts.wrong_settings = wrong if text in ("", " ".join(wrong)) else (*wrong, f"At the last hook: {text}")
    facts.faults = tuple(line for line in recent if line.get("error"))


def _moment(line: Mapping[str, Any]) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(line.get("at")))
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _last(lines: Sequence[Mapping[str, Any]], host: str, *, delivered: bool) -> datetime | None:
    """Return the time of a host's last hook; with `delivered`, of the last one that delivered something."""
    mine = (line for line in reversed(lines) if line.get("host") == host and (not delivered or line.get("verdict") == SHOWN))
    return next((at for line in mine if (at := _moment(line)) is not None), None)


def _host_facts(
    settings: Settings,
    folder: Path,
    read: Mapping[str, HowFar],
    captured: Mapping[str, datetime],
    lines: Sequence[Mapping[str, Any]],
) -> tuple[HostFacts, ...]:
    folders, worker = folders_of_hosts(), installer(settings)
    found_versions = versions(hosts().values(), search_path())
    found = []
    for name, host in hosts().items():
        seen, files, plugin = tuple(conversations(host, folders)), _files(worker, name, folder), plugin_of(name, folders)
        is_registered = plugin is not None or any(
            file.role in ("hooks", "plugin") and file.state in ("whole", "older") for file in files
        )
        last_captured = captured.get(host.conversations or name)
        version, unread = found_versions[name], _unread(host, seen)
        found.append(
            HostFacts(
                host=host,
                on_disk=OnDisk(name, host.title, version, is_registered, seen, read, last_captured, unread),
                files=files,
                trusted=_trusted(folders) if name == "codex" else (),
                last_call=_last(lines, name, delivered=False),
                last_delivery=_last(lines, name, delivered=True),
                plugin=plugin,
                hooks_off=hooks_off(host, folders),
            )
        )
    return tuple(found)


def _on_disk(read: Mapping[str, HowFar], captured: Mapping[str, datetime]) -> tuple[OnDisk, ...]:
    """Return the conversations of hosts without hooks."""
    written = {name: tuple(seen_in(written_by(name, environment()))) for name in without_hooks()}
    return tuple(
        OnDisk(name, title, "", False, written[name], read, captured.get(name))
        for name, title in without_hooks().items()
        if written[name]
    )


def _unread(host: Host, seen: Sequence[Seen]) -> tuple[str, ...]:
    """Return paths of a host's conversations that exist only in databases that are not read."""
    return tuple(path for identity, path in unread_of(host, environment()) if not any(identity in known.path for known in seen))


def _files(worker: Installer, name: str, folder: Path) -> tuple[Installed, ...]:
    """Return the person's files, and those of projects that have entries of ours."""
    projects = dict.fromkeys([*worker.projects(name), str(project_root(folder))])
    inside = [file for project in projects for file in worker.installed(name, "project", project)]
    mine = worker.installed(name, "user", "")
    known = {file.path for file in mine}
    return (*mine, *(file for file in inside if file.state in ("whole", "older") and file.path not in known))


def _trusted(folders: HostFolders) -> tuple[tuple[str, Trust], ...]:
    """Return (event, state) of our hooks for the person, by the files of Codex; empty if they cannot be read."""
    hooks, config = Path(folders.codex) / "hooks.json", Path(folders.codex) / "config.toml"
    try:
        known = tomllib.loads(config.read_text(encoding="utf-8-sig")) if config.exists() else {}
        return tuple(trust(str(hooks), json.loads(hooks.read_text(encoding="utf-8-sig")), known))
    except (OSError, ValueError):
        return ()

"""`vade setup`: from nothing to a first useful session, in one command. Each step is a command of its own as well."""

import sys
from collections import Counter
from collections.abc import Container, Sequence
from pathlib import Path

import click
from msgspec import Struct

from vademecum import settings as settings_module
from vademecum.api import Vademecum
from vademecum.api.runner import READS, WRITES, run
from vademecum.domain.errors import InvalidInput, VademecumError
from vademecum.domain.places import place_named
from vademecum.entrypoints.caller import current_settings
from vademecum.entrypoints.cli import hosts, init, reader
from vademecum.entrypoints.cli.output import JSON, Teller, telling
from vademecum.entrypoints.cli.progress import Progress
from vademecum.settings import Settings
from vademecum.wiring import HostHere, hosts_here, installer, obsidian_vaults, open_memory

#: Conversations that are read in a second, on one core of a laptop: what the time is reckoned from.
READ_A_SECOND = 10
#: So many things from the person's own history are named at the end; so many projects get a handoff.
THINGS, PROJECTS = 3, hosts.FOLDERS_BRIEFED


class _Wanted(Struct, frozen=True):
    """What will be done. `folder`: of a new memory, None when there is one; `to_install`, `conversations`: of hosts that are here."""

    folder: Path | None
    to_install: tuple[HostHere, ...]
    conversations: dict[str, int]

    @property
    def count(self) -> int:
        """Number of conversations that are not read yet, as far as is known before."""
        return sum(self.conversations.values())


@click.command("setup")
@click.argument("folder", required=False, default=None, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do it without asking; no model reads conversations then.")
@click.option("--no-conversations", is_flag=True, help="Leave the conversations that are there already unread.")
@JSON
def setup(folder: Path | None, yes: bool, no_conversations: bool, as_json: bool) -> None:
    """Set everything up: make a memory, connect the AI tools that are here, and read the conversations that you have had.

    Shows what will change and asks first. Without FOLDER the memory lies in your Obsidian vault, or else in ~/Notes. Run again, it
    goes on where it was; nothing is done twice.
    """
    settings = current_settings()
    with telling(as_json) as tell:
        wanted = _wanted(settings, folder, read=not no_conversations)
        _show(wanted, settings, tell)
        _consent(yes)
        if wanted.folder is not None:
            settings = init.make(wanted.folder, None, tell)
        _connect(settings, wanted.to_install, tell)
        if wanted.count:
            _read(settings, tell)
        reader.offer(settings, tell, as_json=as_json or yes)
        hosts.leave_briefings(settings, [host_here.name for host_here in hosts_here(settings) if host_here.is_registered])
        _end(settings, tell)


def _wanted(settings: Settings, folder: Path | None, *, read: bool) -> _Wanted:
    """Return what is to be done on this machine."""
    if folder is None and not settings.home:
        folder = next(iter(obsidian_vaults()), place_named("~/Notes"))
    here = hosts_here(settings)
    known = _read_already(settings) if read else ()
    unread = {one.title: sum(path not in known for path in one.conversations) for one in here if read}
    conversations = {title: count for title, count in unread.items() if count}
    return _Wanted(folder, tuple(one for one in here if one.is_here and not one.is_registered), conversations)


def _read_already(settings: Settings) -> Container[str]:
    """Return the paths of conversations that were read, at least in part."""
    if not (settings.home and Path(settings.home).is_dir()):
        return ()
    with open_memory(settings) as memory:
        return memory.maintenance.transcripts_read()


def _show(wanted: _Wanted, settings: Settings, tell: Teller) -> None:
    """Tell what will change."""
    place = f"make it in {wanted.folder}; your notes there become searchable and are never changed" if wanted.folder else ""
    tell(f"Memory: {place or f'there is one in {settings.home}; it stays'}.", folder=str(wanted.folder or settings.home))
    if wanted.to_install:
        paths = [
            change.path
            for one in wanted.to_install
            for change in installer(settings).plan(one.name, "user", "").changes
            if change.changes
        ]
        names = _and([one.title for one in wanted.to_install])
        tell(f"Connect {names}: adds entries to {', '.join(paths)}. Take it back with: vade uninstall HOST", connect=paths)
    else:
        tell("No AI tool is to be connected: none is here, or all are.", connect=[])
    if wanted.count:
        seconds = max(1, round(wanted.count / READ_A_SECOND))
        text = f"Read {wanted.count} conversations of {_and(list(wanted.conversations))}, about {seconds} s; nothing leaves this machine."
        tell(text, conversations=wanted.conversations)


def _consent(yes: bool) -> None:
    """Ask the person.

    Raises:
        InvalidInput: nobody is there to ask.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput("Nothing was changed.", "To do what is listed, add: --yes")
    click.confirm("Set this up?", default=True, abort=True)


def _connect(settings: Settings, to_install: Sequence[HostHere], tell: Teller) -> None:
    """Register us with each host; one that cannot be changed is told, and the others are still connected."""
    connected = []
    for one in to_install:
        try:
            hosts.register(settings, one.name, "user", mcp=True)
        except VademecumError as error:
            tell(f"{one.title} is not connected: {error.message} {error.hint}".rstrip())
            continue
        connected.append(one.name)
        tell(f"Connected {one.title}.{f' {one.next_step}' if one.next_step else ''}")
    tell(connected=connected)


def _read(settings: Settings, tell: Teller) -> None:
    """Read what was said already, and write down where the last conversation of each project stopped."""
    with open_memory(settings, progress=Progress()) as memory:
        try:
            report = run(memory.context, READS, memory.maintenance.capture)
            for session in memory.sessions.last_of_projects(PROJECTS):
                _hand_over(memory, session.uri)
        except KeyboardInterrupt:
            click.echo("Not all was read yet. It goes on with: vade setup", err=True)
            raise
        found = Counter(one.session for one in report.sessions)
        tell(f"Read {len(found)} conversations; every turn is searchable.", read=len(found))


def _hand_over(memory: Vademecum, session: str) -> None:
    try:
        run(memory.context, WRITES, lambda: memory.sessions.handoff(session))
    except VademecumError:
        return  # it says too little to hand over


def _end(settings: Settings, tell: Teller) -> None:
    """Tell up to three things that are known now, and what to try."""
    with open_memory(settings, folder=settings_module.working_directory()) as memory:
        kept = memory.notes.list(limit=THINGS, source=("memory",))
        stopped = memory.notes.list(limit=THINGS, source=("handoff",), kind=("handoff",))
    found = [*kept[:2], *stopped][:THINGS] if stopped else list(kept)
    for one in found:
        tell(f"  * {one.title}{f' ({one.project})' if one.project else ''}")
    tell(known=[{"title": one.title, "kind": one.kind, "project": one.project} for one in found])
    projects = [one.project for one in stopped if one.project]
    where = f"in {projects[0]}" if projects else "in a project"
    question = "Where did we stop last time, and what is next?"
    tell(
        f'Ready. Start your AI tool {where} and ask: "{question}" Or here: vade recall {(found[0].title if found else "...")!r}',
        ask=question,
    )


def _and(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


COMMANDS = (setup,)

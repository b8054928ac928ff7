"""`vade setup`: from nothing to a first useful session, in one command. Each step is a command of its own as well."""

import os
import shlex
import sys
from collections import Counter
from collections.abc import Container, Sequence
from math import ceil
from pathlib import Path

import click
from msgspec import Struct

from vademecum import settings as settings_module
from vademecum.api import Vademecum
from vademecum.api.runner import READS, WRITES, run
from vademecum.domain.errors import InvalidInput, VademecumError
from vademecum.domain.item import Item
from vademecum.domain.places import place_named
from vademecum.entrypoints.caller import current_settings
from vademecum.entrypoints.cli import hosts, init, reader
from vademecum.entrypoints.cli.output import JSON, Printer, printing
from vademecum.entrypoints.cli.progress import Progress, clear_line
from vademecum.entrypoints.text import counted
from vademecum.settings import Settings
from vademecum.wiring import HostHere, hosts_here, installer, obsidian_vaults, open_memory

#: Bytes of conversations, and number of notes, read in a second on one core of a laptop. Estimates use them.
READ_A_SECOND, NOTES_A_SECOND = 1_500_000, 150
#: Seconds to create a memory in a vault, to check and register hosts, and to start the helper with the first briefings.
VAULT_S, CONNECT_S, HELPER_S = 3.0, 2.5, 2.0
#: Rounding of estimates in seconds, the factor of the longest time, and the largest one for a busy machine: background load mostly
#: gives way to a command in the foreground.
ROUNDED_S, SLOWER, BUSY_MAX = 5, 1.5, 4.0
#: How many memories are named at the end; how many projects get a handoff.
THINGS, PROJECTS = 3, hosts.FOLDERS_BRIEFED
#: How many conversations of a project are tried for its handoff.
OF_A_PROJECT = 4
#: How many other vaults are named.
VAULTS = 4
#: How many words of a title make the sample question.
ASKED_WORDS = 8


class _Wanted(Struct, frozen=True):
    """What will be done.

    Attributes:
        folder: of a new memory; None if there is one. others: other vaults that it could be created in.
        to_install: hosts that are installed and not connected.
        conversations: title of a host -> number of unread conversations. size: of these, in bytes.
        notes: number of the person's notes around a new memory.
    """

    folder: Path | None
    others: tuple[Path, ...]
    to_install: tuple[HostHere, ...]
    conversations: dict[str, int]
    size: int
    notes: int

    @property
    def count(self) -> int:
        """Number of unread conversations."""
        return sum(self.conversations.values())


@click.command("setup")
@click.argument("folder", required=False, default=None, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask. No language model is set to read conversations then.")
@click.option("--no-conversations", is_flag=True, help="Do not read the conversations that you have had.")
@JSON
def setup(folder: Path | None, yes: bool, no_conversations: bool, as_json: bool) -> None:
    """Make a memory, connect your AI tools, and read the conversations that you have had.

    It shows what will change and asks first. Without FOLDER the memory is made in the Obsidian vault that you used last, or in ~/Notes
    when none is found. Run again, it continues where it stopped; nothing is done twice.
    """
    settings = current_settings()
    with printing(as_json) as tell:
        wanted = _wanted(settings, folder, read=not no_conversations)
        _show(wanted, settings, tell)
        _consent(yes)
        if wanted.folder is not None:
            settings = init.make(wanted.folder, None, tell)
        _connect(settings, wanted.to_install, tell)
        if wanted.count:
            _read(settings, tell)
        reader.offer(settings, tell, as_json=as_json or yes)
        settings = current_settings()  # with the reader that was chosen
        hosts.leave_briefings(settings, [host_here.name for host_here in hosts_here(settings) if host_here.is_registered])
        _end(settings, tell)


def _wanted(settings: Settings, folder: Path | None, *, read: bool) -> _Wanted:
    """Return what is to be done on this machine."""
    others: tuple[Path, ...] = ()
    if folder is None and not settings.home:
        folder, *more = obsidian_vaults() or (place_named("~/Notes"),)
        others = tuple(more)
    here = hosts_here(settings)
    known = _read_already(settings) if read else ()
    unread = {one.title: [path for path in one.conversations if path not in known] for one in here if read}
    conversations = {title: len(paths) for title, paths in unread.items() if paths}
    size = sum(path.stat().st_size for path in {Path(one) for paths in unread.values() for one in paths} if path.is_file())
    notes = sum(1 for _ in vault.rglob("*.md")) if folder and (vault := init.places(folder, None, settings.home)[1]) else 0
    return _Wanted(
        folder, others, tuple(one for one in here if one.is_here and not one.is_registered), conversations, size, notes
    )


def _read_already(settings: Settings) -> Container[str]:
    """Return the paths of conversations that were read, at least partly."""
    if not (settings.home and Path(settings.home).is_dir()):
        return ()
    with open_memory(settings) as memory:
        return memory.maintenance.transcripts_read()


def _show(wanted: _Wanted, settings: Settings, tell: Printer) -> None:
    """Show what will change."""
    memory = _new_memory(wanted.folder, settings) if wanted.folder else f"the one in {settings.home} stays."
    tell(f"Memory: {memory}", folder=str(wanted.folder or settings.home))
    if wanted.others:
        named = ", ".join(map(str, wanted.others[:VAULTS]))
        more = f" and {len(wanted.others) - VAULTS} more" if len(wanted.others) > VAULTS else ""
        text = f"Other Obsidian vaults: {named}{more}. To use one of them instead: vade setup FOLDER"
        tell(text, other_vaults=[str(vault) for vault in wanted.others])
    paths = [
        change.path
        for one in wanted.to_install
        for change in installer(settings).plan(one.name, "user", "").changes
        if change.changes
    ]
    if wanted.to_install:
        tell(f"AI tools to connect: {_and([one.title for one in wanted.to_install])}. Entries will be added to:")
        for path in paths:
            tell(f"  {path}")
    else:
        tell("AI tools: none to connect. They are connected already, or none was found.")
    tell(connect=paths)
    if wanted.count:
        text = f"Conversations: {counted(wanted.count, 'conversation')} of {_and(list(wanted.conversations))}"
        tell(f"{text} will be read. Nothing leaves this machine.", conversations=wanted.conversations)
    if wanted.folder or wanted.to_install or wanted.count:
        least, most = _seconds(wanted, _busy())
        tell(f"All of this takes {least} to {most} s.", seconds=[least, most])
    tell("To remove all of this later: vade uninstall --all")


def _seconds(wanted: _Wanted, busy: float) -> tuple[int, int]:
    """Return the shortest and the longest time that everything may take, in seconds.

    Args:
        busy: load average divided by the number of cores.
    """
    alone = HELPER_S + wanted.size / READ_A_SECOND + wanted.notes / NOTES_A_SECOND
    alone += VAULT_S if wanted.notes else 0.0
    alone += CONNECT_S if wanted.to_install else 0.0
    least = ROUNDED_S * max(1, int(alone / ROUNDED_S))
    return least, max(least + ROUNDED_S, ROUNDED_S * ceil(alone * SLOWER * min(max(1.0, busy), BUSY_MAX) / ROUNDED_S))


def _busy() -> float:
    """Return the load average divided by the number of cores; 1 if the system does not report it."""
    return os.getloadavg()[0] / (os.cpu_count() or 1) if hasattr(os, "getloadavg") else 1.0


def _new_memory(folder: Path, settings: Settings) -> str:
    """Return a sentence: where the memory will be, and that the notes around it become searchable."""
    home, vault = init.places(folder, None, settings.home)
    notes = f" The notes of {vault} become searchable and are never changed." if vault else ""
    return f"it will be made in {home}.{notes}"


def _consent(yes: bool) -> None:
    """Ask the person.

    Raises:
        InvalidInput: nobody is there to ask.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInput("Nothing was changed, because there is no terminal to ask.", "To do what is listed, add: --yes")
    click.confirm("Set this up?", default=True, abort=True)


def _connect(settings: Settings, to_install: Sequence[HostHere], tell: Printer) -> None:
    """Register with each host. A failure is printed, and the others are still connected."""
    connected = []
    if to_install:
        hosts.place_client(settings)
        hosts.refuse_what_cannot_start(settings, mcp=True)
    for one in to_install:
        try:
            hosts.register(settings, one.name, "user", mcp=True)
        except VademecumError as error:
            tell(f"{one.title} is not connected: {error.message} {error.hint}".rstrip())
            continue
        connected.append(one.name)
        tell(f"Connected {one.title}.{f' {one.next_step}' if one.next_step else ''}")
    tell(connected=connected)


def _read(settings: Settings, tell: Printer) -> None:
    """Read the existing conversations, and write a handoff of the last one of each project."""
    with open_memory(settings, progress=Progress()) as memory:
        try:
            report = run(memory.context, READS, memory.maintenance.capture)
            written: set[str] = set()
            for session in memory.sessions.last_of_projects(PROJECTS, OF_A_PROJECT):
                if session.cwd not in written and _hand_over(memory, session.uri):
                    written.add(session.cwd)
        except KeyboardInterrupt:
            clear_line()
            click.echo("Not everything was read yet. Continue with: vade setup", err=True)
            raise
        found = Counter(one.session for one in report.sessions)
        tell(f"Read {counted(len(found), 'conversation')}; every turn is searchable.", read=len(found))


def _hand_over(memory: Vademecum, session: str) -> bool:
    """Write the handoff of a conversation; False if it has too little content."""
    try:
        run(memory.context, WRITES, lambda: memory.sessions.handoff(session))
    except VademecumError:
        return False
    return True


def _end(settings: Settings, tell: Printer) -> None:
    """Print up to three things that are known now, and what to try next."""
    with open_memory(settings, folder=settings_module.working_directory()) as memory:
        kept = memory.notes.list(limit=THINGS, source=("memory",), status=("active",))
        waiting = memory.notes.list(limit=THINGS, source=("memory",), status=("inbox",))
        last = memory.notes.list(limit=PROJECTS, source=("handoff",), kind=("handoff",))
    found = worth_naming(kept, waiting, last)
    tell(known=[{"title": one.title, "kind": one.kind, "project": one.project} for one in found])
    if found:
        tell("From your conversations:")
    for one in found:
        place = f" in {one.project}" if one.project else ""
        tell(f"  * {f'where you stopped{place}' if one.kind == 'handoff' else f'{one.kind}{place}'}: {one.title}")
    if settings.llm == "none" and "llm" not in dict(settings.origins):
        tell(
            "No language model reads conversations; search, handoffs and what you state outright work. To set one: vade reader show"
        )
    projects = [one.project for one in found if one.project and one.kind == "handoff"]
    question = "Where did we stop last time, and what is next?"
    if found:
        where = f"in {projects[0]}" if projects else "in a project you worked in"
        tell(f'Ready. Start your AI tool {where} and ask: "{question}"', ask=question)
        tell(f"Or search here: vade recall {shlex.quote(_question(found[0].title))}")
    else:
        tell(
            'Ready. Nothing is known yet. Start your AI tool and tell it: "From now on, run the tests before you commit."',
            ask="",
        )
        tell("Or save something here: vade save preference TITLE --body TEXT")


def worth_naming(kept: Sequence[Item], waiting: Sequence[Item], handoffs: Sequence[Item]) -> list[Item]:
    """Return what to name at the end, at most :data:`THINGS`; each argument is newest first.

    That is a memory, where two projects stopped, and more memories; what waits for a yes may be no memory, so it comes last.
    """
    projects = dict.fromkeys(one.project for one in handoffs)
    stopped = [next(one for one in handoffs if one.project == project) for project in projects]
    return [*kept[:1], *stopped[: THINGS - 1], *kept[1:], *waiting][:THINGS]


def _question(title: str) -> str:
    """Return the first words of a title, without a trailing part in brackets."""
    return " ".join(title.partition(" (")[0].rstrip(".…").split()[:ASKED_WORDS])


def _and(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


COMMANDS = (setup,)

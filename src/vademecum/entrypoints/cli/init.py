"""`vade init`: create a memory, or use one that was moved."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from vademecum import settings as settings_module
from vademecum.api import Vademecum
from vademecum.api.runner import READS, WRITES, run
from vademecum.domain.errors import Problem
from vademecum.domain.places import place_named
from vademecum.domain.wiki import FOLDER, MODES
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli import hosts, reader
from vademecum.entrypoints.cli.output import JSON, Printer, printing
from vademecum.entrypoints.cli.progress import Progress, clear_line
from vademecum.wiring import (
    HOME_NAME,
    is_home,
    is_moved,
    languages_of,
    load_settings,
    open_memory,
    store_settings,
    system_clock,
)

#: Seconds of embedding from which the time for all passages is estimated.
MEASURED_S = 2.0
_MODES = ", ".join(f"{letter} {mode.meaning}" for letter, mode in MODES.items())


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--vault",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The vault around it, if it is not found automatically.",
)
@click.option("--wiki", is_flag=True, help="Also make a wiki in it: folders, templates, an index and more.")
@click.option("--mode", default="B", show_default=True, metavar="LETTER", help=f"What the wiki is about: {_MODES}.")
@JSON
def init(folder: Path, vault: Path | None, wiki: bool, mode: str, as_json: bool) -> None:
    """Make a memory in FOLDER.

    One that was moved there is taken over. Where FOLDER is an Obsidian vault or holds Markdown of yours, memories get a folder
    `Vademecum` in it, and your notes become searchable; they are never changed.
    """
    with printing(as_json) as tell:
        settings = make(folder, vault, tell)
        if wiki:
            _begin_wiki(settings, mode, tell)
        config = str(current_config() or settings_module.config_path())
        tell(f"Settings in {config}", config=config)
        reader.offer(settings, tell, as_json=as_json)
        tell("Next: vade install HOST connects a tool (vade install lists them); vade doctor checks that everything works.")


def make(folder: Path, vault: Path | None, tell: Printer) -> settings_module.Settings:
    """Create a memory in a folder, or use the one that was moved there, index the notes around it, and return its settings.

    Args:
        vault: the surrounding vault, if it cannot be detected.
    """
    before = current_settings(forgiving=True)
    home, vault = places(folder, vault, before.home)
    was_moved = is_moved(before, home)
    for missing in reversed([place for place in (home, *home.parents) if not place.exists()]):
        missing.mkdir(mode=0o700)
    config = current_config() or settings_module.config_path()
    store_settings(config, {"home": str(home), "vault": str(vault or "")})
    if was_moved:
        settings_module.claim_data(replace(before, home=str(home)), again=True)
    settings = load_settings(config=config)
    hosts.place_client(settings)  # so that hooks registered earlier use this memory
    taken_over = f", taken over from {before.home}" if was_moved else ""
    tell(f"Memory in {home}{taken_over}", home=str(home), taken_over=before.home if was_moved else "")
    if before.home not in ("", str(home)) and not was_moved:
        tell(_other_one(before), before=before.home)
    _read_in(settings, tell)
    return settings


def places(folder: Path, vault: Path | None, known_home: str) -> tuple[Path, Path | None]:
    """Return the folder for a new memory in `folder`, and the vault around it or None.

    Args:
        vault: the surrounding vault, if it cannot be detected.
        known_home: folder of the current memory; "" for none.
    """
    folder = place_named(folder).absolute()
    vault = vault.absolute() if vault else _vault_around(folder, known_home)
    home = folder / HOME_NAME if vault == folder else folder
    while _holds_others(home, known_home):
        home /= HOME_NAME
    return home, vault


def _other_one(before: settings_module.Settings) -> str:
    """Return a sentence about the memory that was used until now."""
    if not Path(before.home).is_dir():
        return f"The memory in {before.home} is gone; this is a new one. If it was moved: vade init NEW_FOLDER"
    back = ["vade", "init", before.home, *(["--vault", before.vault] if before.vault else [])]
    return f"The memory in {before.home} stays there, but this new one is used from now on. To go back: {shlex.join(back)}"


def _begin_wiki(settings: settings_module.Settings, mode: str, tell: Printer) -> None:
    """Create a wiki in the new memory, or add its missing files."""
    with open_memory(settings) as memory:
        made = run(memory.context, WRITES, lambda: memory.maintenance.begin_wiki(mode))
        tell(f"Wiki in {Path(settings.home) / FOLDER}, with {len(made.written)} new pages", wiki=list(made.written))


def _read_in(settings: settings_module.Settings, tell: Printer) -> None:
    """Index the notes around a new memory; print how many, and how long embeddings will take."""
    with open_memory(settings, progress=Progress()) as memory:
        try:
            read = run(memory.context, READS, lambda: memory.maintenance.sync(quick=True))
            notes = memory.maintenance.status().documents
            around = f"Vault {settings.vault}: {notes} notes are searchable; they are never changed."
            tell(around if settings.vault else "It is not in an Obsidian vault.", vault=settings.vault, notes=notes)
            _tell_left_out(settings.vault, memory.maintenance.status().excluded, read.problems, tell)
            _tell_clashes(memory, tell)
            _tell_meaning(memory, settings, tell)
        except KeyboardInterrupt:
            clear_line()
            click.echo("The memory was made, but not all notes were read yet. Continue with: vade sync", err=True)
            raise


#: Most excluded paths that are named; the file of a vault that excludes more.
_NAMED, IGNORE_FILE = 5, ".vademecumignore"


def _tell_left_out(vault: str, excluded: Sequence[str], problems: Sequence[Problem], tell: Printer) -> None:
    """Print which notes are not searched (excluded in Obsidian, or links), and how to exclude more."""
    if not vault:
        return
    if excluded:
        text = f"Excluded in Obsidian, so neither searched nor given to an agent: {', '.join(excluded)}."
        tell(f"{text} To include one: a line !NAME in {IGNORE_FILE}.", excluded=list(excluded))
    links = [problem.path for problem in problems if problem.message.startswith("It is a link")]
    if links:
        tell(f"Links are not followed: {', '.join(links[:_NAMED])}{' ...' if len(links) > _NAMED else ''}.", links=links)
    if not excluded:
        tell(f"To leave out folders or notes: name them in {vault}/{IGNORE_FILE}, as in a .gitignore.")


def _tell_clashes(memory: Vademecum, tell: Printer) -> None:
    """Print which properties of memories have another type in this vault: Obsidian marks them, and bases compare them differently."""
    clashes = memory.maintenance.type_clashes()
    if clashes:
        named = ", ".join(f"{name} ({theirs} there, {ours} in memories)" for name, (theirs, ours) in clashes.items())
        text = f"Your vault declares other types for properties of memories: {named}. Nothing changes; Obsidian marks them in memories."
        tell(text, clashes={name: list(types) for name, types in clashes.items()})


def _tell_meaning(memory: Vademecum, settings: settings_module.Settings, tell: Printer) -> None:
    """Print in which languages search by meaning works, and how long embedding will take, estimated from a sample."""
    if languages := languages_of(settings.embedder):
        text = f"Search by meaning works in {languages}; in other languages search goes by words."
        tell(text, languages=languages)
    if not settings.vault or not memory.maintenance.status().waiting:
        return
    clock = system_clock()
    start_s = clock.elapsed_s()
    done = memory.maintenance.refine(seconds=MEASURED_S)
    rest, took_s = memory.maintenance.status().waiting, clock.elapsed_s() - start_s
    if rest and done:
        minutes = max(1, round(rest * took_s / done / 60))
        text = f"{rest:,} passages of your notes are prepared for that in the background, about {minutes} min"
        tell(f"{text}; until then search goes by words.", waiting=rest, minutes=minutes)


def _vault_around(folder: Path, home: str) -> Path | None:
    """Return the Obsidian vault that `folder` is or lies in; `folder` itself if it holds other Markdown; else None.

    Args:
        home: folder of the current memory.
    """
    if vault := next((place for place in (folder, *folder.parents) if (place / ".obsidian").is_dir()), None):
        return vault
    return folder if _holds_others(folder, home) else None


def _holds_others(folder: Path, home: str) -> bool:
    """Return whether a folder holds Markdown and is no memory, neither the current one nor another."""
    if str(folder) == home or is_home(folder):
        return False
    notes = (note.relative_to(folder) for note in folder.rglob("*.md"))
    return any(not any(part[0] == "." for part in note.parts) for note in notes)


COMMANDS = (init,)

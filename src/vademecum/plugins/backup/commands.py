"""`vade backup`: everything in one file, and back from it."""

import sys
from pathlib import Path

import click

from vademecum import settings as settings_module
from vademecum.api.runner import READS, run
from vademecum.domain.backup import Contents
from vademecum.domain.errors import InvalidInput, NotFound, files_explained
from vademecum.domain.places import place_named
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli import hosts
from vademecum.entrypoints.cli.groups import Group
from vademecum.entrypoints.cli.output import JSON, Teller, telling
from vademecum.entrypoints.cli.progress import Progress
from vademecum.settings import Settings
from vademecum.wiring import contents_of, is_sealed, make_backup, open_memory, restore_backup

FILE = click.argument("file", type=click.Path(path_type=Path))
PASSPHRASE = click.option(
    "--passphrase-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Its first line is the passphrase; else the setting backup_passphrase, else it is asked for.",
)
UNENCRYPTED = click.option("--unencrypted", is_flag=True, help="Without a passphrase: whoever has the file can read all of it.")


@click.command("make")
@FILE
@PASSPHRASE
@UNENCRYPTED
@JSON
def make(file: Path, passphrase_file: Path | None, unencrypted: bool, as_json: bool) -> None:
    """Put everything into the new FILE, sealed by a passphrase.

    Memories with their history, what was forgotten, the archive of conversations, sessions and settings go in; what is made of them
    anew (index, vectors) does not, nor do your own notes around it. The file is read back before it counts. It is a tar in the
    age format, which other programs open too: age -d FILE | tar -xz
    """
    settings = current_settings()
    file = place_named(file).absolute()
    phrase = "" if unencrypted else passphrase(settings, passphrase_file, new=True)
    progress = Progress()
    done = make_backup(settings, current_config() or settings_module.config_path(), file, phrase, progress)
    with telling(as_json) as tell:
        tell(
            f"{done.notes} notes, with history, conversations and settings: {done.file} ({done.size()}), read back.",
            file=done.file, made=done.made, bytes=done.bytes, notes=done.notes, sealed=done.sealed,
        )  # fmt: skip
        _tell_left_out(tell, done.left_out)
        if done.sealed:
            tell("Without its passphrase it cannot be opened, not even by you.")
        else:
            tell("It is not encrypted. Keys of the settings are not in it.")


@click.command("check")
@FILE
@PASSPHRASE
@JSON
def check(file: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Read FILE to its end, and tell whether it is whole and what is in it."""
    file = existing(file)
    found = contents_of(file, passphrase_of(file, current_settings(forgiving=True), passphrase_file))
    with telling(as_json) as tell:
        _tell_contents(tell, file, found)
        tell(
            "Restore it: vade team restore FILE"
            if found.space
            else "Restore it into a new folder: vade backup restore FILE --to FOLDER"
        )


@click.command("restore")
@FILE
@click.option("--to", "folder", required=True, type=click.Path(path_type=Path), help="New or empty folder of the memories.")
@PASSPHRASE
@JSON
def restore(file: Path, folder: Path, passphrase_file: Path | None, as_json: bool) -> None:
    """Put a backup into a new folder, on this machine or an empty one.

    Nothing is written over. Until all was read and checked nothing is there. What was forgotten after the backup was made is
    erased again, where this device or the backup knows of it.
    """
    before = current_settings(forgiving=True)
    file, folder = existing(file), place_named(folder).absolute()
    config = current_config() or settings_module.config_path()
    restored, settings = restore_backup(before, config, file, passphrase_of(file, before, passphrase_file), folder)
    with telling(as_json) as tell:
        _tell_contents(tell, file, restored.contents)
        tell(f"Restored to {settings.home}", home=settings.home, data_kept=restored.data_kept)
        if restored.data_kept:
            tell("This device had data of that memory, which stay as they are.")
        _read_in(settings, tell)
        _tell_next(settings, current_settings(forgiving=True), config, tell)


def _read_in(settings: Settings, tell: Teller) -> None:
    with open_memory(settings, progress=Progress()) as memory:
        report, erased = run(memory.context, READS, memory.maintenance.read_in)
    tell(problems=[problem.path for problem in report.problems], erased_again=len(erased))
    if erased:
        tell(f"Carried out here once more: {len(erased)} forgettings, of what came back with the backup.")
    for problem in report.problems:
        tell(f"problem: {problem.path}: {problem.message}")


def _tell_next(settings: Settings, now: Settings, config: Path, tell: Teller) -> None:
    if now.home == settings.home:
        hosts.place_client(settings)
        tell(f"Settings in {config}. Next: vade install HOST lets a tool use it; vade doctor tells whether all works.")
    else:
        tell(
            f"Your memory stays {now.home}. Ask this one: vade --home {settings.home} ...; make it yours: vade init {settings.home}"
        )


def _tell_contents(tell: Teller, file: Path, contents: Contents) -> None:
    made = f"{contents.made:%Y-%m-%d %H:%M} UTC"
    if contents.space:
        tell(
            f"{file} is whole: made {made}, {contents.copies} copies of the team's space {contents.space}.",
            file=str(file), made=contents.made, space=contents.space, copies=contents.copies,
        )  # fmt: skip
        return
    tell(
        f"{file} is whole: made {made} on {contents.device}, {contents.notes()} notes of {contents.home}.",
        file=str(file), made=contents.made, device=contents.device, notes=contents.notes(), was_home=contents.home,
    )  # fmt: skip
    _tell_left_out(tell, contents.left_out)


def _tell_left_out(tell: Teller, left_out: tuple[str, ...]) -> None:
    for sentence in left_out:
        tell(f"Not in it: {sentence}.")
    tell(left_out=left_out)


def existing(file: Path) -> Path:
    """Return where a file lies.

    Raises:
        NotFound: there is none.
    """
    place = place_named(file).absolute()
    if not place.is_file():
        raise NotFound(f"There is no file {place}.", "Name a file that `vade backup` made.")
    return place


def passphrase_of(file: Path, settings: Settings, named: Path | None) -> str:
    """Return what opens a backup; "": everybody may."""
    return passphrase(settings, named) if is_sealed(file) else ""


def passphrase(settings: Settings, file: Path | None, *, new: bool = False) -> str:
    """Return the passphrase: of the file, the settings, or whoever sits at the terminal.

    Raises:
        InvalidInput: there is none.
    """
    if file is not None:
        with files_explained():
            found = file.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
    elif settings.backup_passphrase or not sys.stdin.isatty():
        found = settings.backup_passphrase
    else:
        found = click.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True)
    if not found:
        hint = "Name a file: --passphrase-file FILE. Or set VADEMECUM_BACKUP_PASSPHRASE."
        raise InvalidInput("A passphrase is needed, and there is no terminal to ask for it.", hint)
    return str(found)


_MEANING = "Put everything into one file, and back from it."
backup = Group("backup", help=_MEANING, short_help=_MEANING, usual="make")
for _command in (make, check, restore):
    backup.add_command(_command)
COMMANDS = (backup,)

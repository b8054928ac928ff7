"""`vade backup`: everything in one file, and restoring it."""

from pathlib import Path

import click

from vademecum import settings as settings_module
from vademecum.domain.backup import Contents
from vademecum.domain.places import place_named
from vademecum.plugin_api.command_line import (
    FILE,
    JSON,
    PASSPHRASE,
    UNENCRYPTED,
    LineCommand,
    Printer,
    Progress,
    existing,
    passphrase,
    passphrase_of,
    printing,
)
from vademecum.plugin_api.helper import current_config, current_settings, place_client
from vademecum.plugin_api.machine import open_memory
from vademecum.plugin_api.memory import READS, run
from vademecum.plugins.backup.machine import contents_of, make_backup, restore_backup
from vademecum.plugins.backup.restore import read_in
from vademecum.settings import Settings


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
    phrase = "" if unencrypted else passphrase(passphrase_file, new=True)
    progress = Progress()
    done = make_backup(settings, current_config() or settings_module.config_path(), file, phrase, progress)
    with printing(as_json) as tell:
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
    contents = contents_of(file, passphrase_of(file, passphrase_file))
    with printing(as_json) as tell:
        _tell_contents(tell, file, contents)
        tell(
            "Restore it: vade team restore FILE"
            if contents.space
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
    restored, settings = restore_backup(before, config, file, passphrase_of(file, passphrase_file), folder)
    with printing(as_json) as tell:
        _tell_contents(tell, file, restored.contents)
        tell(f"Restored to {settings.home}", home=settings.home, data_kept=restored.data_kept)
        if restored.data_kept:
            tell("This device had data of that memory, which stay as they are.")
        _read_in(settings, tell)
        _tell_next(settings, current_settings(forgiving=True), config, tell)


def _read_in(settings: Settings, tell: Printer) -> None:
    with open_memory(settings, progress=Progress()) as memory:
        report, erased = run(memory.context, READS, lambda: read_in(memory.context))
    tell(problems=[problem.path for problem in report.problems], erased_again=len(erased))
    if erased:
        tell(f"Carried out here once more: {len(erased)} forgettings, of what came back with the backup.")
    for problem in report.problems:
        tell(f"problem: {problem.path}: {problem.message}")


def _tell_next(settings: Settings, now: Settings, config: Path, tell: Printer) -> None:
    if now.home == settings.home:
        place_client(settings)
        tell(f"Settings in {config}. Next: vade install HOST lets a tool use it; vade doctor tells whether all works.")
    else:
        tell(
            f"Your memory stays {now.home}. Ask this one: vade --home {settings.home} ...; make it yours: vade init {settings.home}"
        )


def _tell_contents(tell: Printer, file: Path, contents: Contents) -> None:
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


def _tell_left_out(tell: Printer, left_out: tuple[str, ...]) -> None:
    for sentence in left_out:
        tell(f"Not in it: {sentence}.")
    tell(left_out=left_out)


COMMANDS = tuple(LineCommand(command, "backup") for command in (make, check, restore))

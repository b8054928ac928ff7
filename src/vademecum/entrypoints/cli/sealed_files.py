"""Arguments of commands that write or read an encrypted backup."""

import sys
from pathlib import Path

import click

from vademecum.domain.errors import InvalidInput, NotFound, files_explained
from vademecum.domain.places import place_named
from vademecum.settings import environment
from vademecum.wiring import is_sealed

FILE = click.argument("file", type=click.Path(path_type=Path))
PASSPHRASE = click.option(
    "--passphrase-file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Its first line is the passphrase; else that of VADEMECUM_BACKUP_PASSPHRASE, else it is asked for.",
)
UNENCRYPTED = click.option("--unencrypted", is_flag=True, help="Without a passphrase: whoever has the file can read all of it.")


def existing(file: Path) -> Path:
    """Return the path of an existing file.

    Raises:
        NotFound: there is none.
    """
    place = place_named(file).absolute()
    if not place.is_file():
        raise NotFound(f"There is no file {place}.", "Name a file that `vade backup` made.")
    return place


def passphrase_of(file: Path, named: Path | None) -> str:
    """Return the passphrase of a backup; "" if it is not encrypted."""
    return passphrase(named) if is_sealed(file) else ""


def passphrase(file: Path | None, *, new: bool = False) -> str:
    """Return the passphrase: from the file, the environment, or the terminal.

    Raises:
        InvalidInput: there is none.
    """
    if file is not None:
        with files_explained():
            passphrase = _text_of(file).partition("\n")[0].rstrip("\r")
    elif (said := environment().get("VADEMECUM_BACKUP_PASSPHRASE", "")) or not sys.stdin.isatty():
        passphrase = said
    else:
        passphrase = click.prompt("Passphrase", hide_input=True, confirmation_prompt=new, err=True)
    if not passphrase:
        hint = "Name a file: --passphrase-file FILE. Or set VADEMECUM_BACKUP_PASSPHRASE."
        raise InvalidInput("A passphrase is needed, and there is no terminal to ask for it.", hint)
    return str(passphrase)


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8 text.", "Put the passphrase into its first line.") from error

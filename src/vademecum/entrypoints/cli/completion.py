"""`vade completion`: shell completion of commands, options, kinds and memories."""

from collections.abc import Mapping
from pathlib import Path

import click
from click.shell_completion import get_completion_class

from vademecum import settings as settings_module
from vademecum.entrypoints.cli.output import JSON, telling
from vademecum.entrypoints.daemon.service import service_folders

SHELLS = ("bash", "zsh", "fish")
#: Environment variable by which click starts completion; its name follows from that of the program.
_VARIABLE = "_VADE_COMPLETE"
#: Marks our line in the start-up file of a shell.
_MARK = "# vade completion"


@click.group("completion")
def completion() -> None:
    """Complete commands, kinds and memories with the tab key, in bash, zsh or fish."""


@completion.command("show")
@click.argument("shell", type=click.Choice(SHELLS))
@JSON
def show(shell: str, as_json: bool) -> None:
    """Print the script that makes SHELL complete."""
    with telling(as_json) as tell:
        tell(script_for(shell), shell=shell, script=script_for(shell))


@completion.command("install")
@click.argument("shell", type=click.Choice(SHELLS))
@JSON
def install(shell: str, as_json: bool) -> None:
    """Write the script that makes SHELL complete, and have SHELL read it when it starts. Doing it again changes nothing."""
    home, configured = service_folders(settings_module.environment())
    script = _place_of(shell, configured)
    with telling(as_json) as tell:
        _write(script, script_for(shell))
        tell(f"Wrote {script}", shell=shell, script=str(script))
        start = _START_FILES.get(shell)
        if start:
            added = _add_line(home / start, f'[ -f "{script}" ] && . "{script}"  {_MARK}')
            tell(f"{'Added a line to' if added else 'It is read by'} {home / start}", start_file=str(home / start), added=added)
        tell(f"New shells have it. In this one: exec {shell}")


#: Shell -> its start-up file. fish has a folder for completions instead.
_START_FILES: Mapping[str, str] = {"bash": ".bashrc", "zsh": ".zshrc"}


def installed() -> tuple[Path, ...]:
    """Return the existing scripts that :func:`install` wrote, and the start-up files that load them."""
    home, configured = service_folders(settings_module.environment())
    scripts = (_place_of(shell, configured) for shell in SHELLS)
    readers = (home / start for start in _START_FILES.values())
    return (*filter(Path.is_file, scripts), *(file for file in readers if file.is_file() and any(map(_is_ours, _lines(file)))))


def remove() -> None:
    """Delete the scripts, and our line in the start-up files."""
    names = set(_START_FILES.values())
    for file in installed():
        if file.name in names:
            kept = [line for line in _lines(file) if not _is_ours(line)]
            file.write_text("".join(kept), encoding="utf-8", errors="surrogateescape")
        else:
            file.unlink()


def script_for(shell: str) -> str:
    """Return the script that makes a shell complete `vade`."""
    made = get_completion_class(shell)
    assert made is not None  # click knows all shells of the table
    return made(click.Command("vade"), {}, "vade", _VARIABLE).source()


def _place_of(shell: str, configured: Path) -> Path:
    if shell == "fish":
        return configured / "fish" / "completions" / "vade.fish"
    return configured / "vademecum" / f"completion.{shell}"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _add_line(path: Path, line: str) -> bool:
    """Append a line to a file unless it is there already; return whether it was added."""
    lines = _lines(path) if path.exists() else []
    if line in (entry.rstrip("\n") for entry in lines):
        return False
    gap = "" if not lines or lines[-1].endswith("\n") else "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{gap}{line}\n")
    return True


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="surrogateescape").splitlines(keepends=True)


def _is_ours(line: str) -> bool:
    return line.rstrip().endswith(_MARK)


COMMANDS = (completion,)

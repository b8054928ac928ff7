"""The compared memories from table.toml, and a separate environment for each."""

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from vademecum.domain.errors import InvalidInput


class PeerFailed(Exception):
    """A compared memory could not be installed, ended, or exceeded its time limit; the message continues a sentence "it ..."."""


TABLE = Path(__file__).with_name("table.toml")
ADAPTERS = Path(__file__).with_name("adapters")


class Row(Struct, frozen=True, forbid_unknown_fields=True):
    """One compared memory; table.toml describes the fields."""

    name: str
    door: str
    adapter: tuple[str, ...] = ()
    version: str = ""
    limit: str = ""
    model: str = ""
    takes_number: bool = True
    python: str = "own"
    packages: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    missing: str = ""
    how: str = ""

    @property
    def install(self) -> str:
        """Command that installs it."""
        return f"pip install {' '.join(self.packages)}" if self.packages else ""

    def folder(self, cache: Path) -> Path:
        """Return the folder of its environment."""
        return cache / self.name.replace(" ", "-").replace(",", "")

    def command(self, cache: Path, store: Path) -> list[str]:
        """Return the command that asks it, with an empty folder as its store."""
        name, *more = self.adapter
        if self.python == "ours":
            return [sys.executable, "-m", f"vademecum_bench.peers.adapters.{name}", str(store), *more]
        return [str(_programs(self.folder(cache)) / "python"), str(ADAPTERS / f"{name}.py"), str(store), *more]

    def path(self, cache: Path) -> str:
        """Return the folder of its executables."""
        return str(_programs(self.folder(cache)))


class Board(Struct, frozen=True, forbid_unknown_fields=True):
    """A public suite: how to run it here, and its figure or why there is none."""

    name: str
    how: str
    figure: str


def read_boards() -> tuple[Board, ...]:
    """Return all public suites, in the order of the file."""
    return msgspec.convert(tomllib.loads(TABLE.read_text(encoding="utf-8"))["board"], tuple[Board, ...])


def read_table() -> tuple[Row, ...]:
    """Return all rows, in the order of the file."""
    return msgspec.convert(tomllib.loads(TABLE.read_text(encoding="utf-8"))["peer"], tuple[Row, ...])


def chosen_rows(names: Sequence[str]) -> tuple[Row, ...]:
    """Return the rows that can be measured, restricted to the given names, if any.

    Raises:
        InvalidInput: there is no such row, or it cannot be measured.
    """
    rows = {row.name: row for row in read_table()}
    for name in names:
        if name not in rows:
            raise InvalidInput(f"There is no {name!r}.", "There are: " + ", ".join(rows))
        if rows[name].missing:
            raise InvalidInput(f"{name} cannot be measured: {rows[name].missing}.", rows[name].how)
    return tuple(row for row in rows.values() if not row.missing and (not names or row.name in names))


def install(row: Row, cache: Path, python: str, tell: Callable[[str], None]) -> None:
    """Create its environment and install its packages, unless these versions are installed.

    Raises:
        PeerFailed: a program is not on the PATH, or the packages cannot be installed.
    """
    for program in row.programs:
        if shutil.which(program) is None:
            raise PeerFailed(f"needs the program {program}, which is not here")
    stamp = row.folder(cache) / "installed.txt"
    if not row.packages or (stamp.exists() and stamp.read_text(encoding="utf-8") == row.install):
        return
    tell(f"{row.name}: {row.install}")
    for command in (
        [python, "-m", "venv", str(row.folder(cache))],
        [str(_programs(row.folder(cache)) / "python"), "-m", "pip", "install", "--quiet", *row.packages],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise PeerFailed(f"could not be installed: {done.stderr.strip().splitlines()[-1]}")
    stamp.write_text(row.install, encoding="utf-8")


def _programs(environment: Path) -> Path:
    return environment / ("Scripts" if sys.platform == "win32" else "bin")

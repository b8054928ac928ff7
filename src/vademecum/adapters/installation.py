"""How this program was installed, and the resulting commands to change the installation.

The package is on no index. A command here names a file, a folder, or other packages, but never an index from which to get this
one.
"""

import contextlib
import importlib.util
import json
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from msgspec import Struct

NAME = "vademecum"


class Installation(Struct, frozen=True):
    """How this program was installed.

    Attributes:
        way: "checkout": an editable installation from a source folder. python: the interpreter that runs it.
        source: path or address of the installed package; "" when it was not recorded. has_pip: the interpreter has pip.
    """

    way: Literal["pipx", "uv tool", "pip", "checkout"]
    python: str
    source: str
    has_pip: bool

    def adding(self, packages: Iterable[str]) -> str:
        """Return the command that installs other packages into the same environment."""
        named = shlex.join(packages)
        if self.way == "pipx":
            return f"pipx inject {NAME} {named}"
        return f"{self._pip()} {named}"

    def upgrading(self) -> str:
        """Return the command that replaces this version by a newer one from a file FILE.whl."""
        if self.way == "checkout":
            return f"git -C {shlex.quote(self.source)} pull && make -C {shlex.quote(self.source)} setup"
        forced = {"pipx": "pipx install --force", "uv tool": "uv tool install --force"}
        return forced.get(self.way, f"{self._pip()} --force-reinstall") + " FILE.whl"  # pip keeps a build of the same version

    def removing(self) -> str:
        """Return the command that removes this program."""
        if self.way in ("pipx", "uv tool"):
            return f"{self.way} uninstall {NAME}"
        return f"{self._pip()} {NAME}".replace(" install ", " uninstall ")

    def _pip(self) -> str:
        python = shlex.quote(self.python)
        by_pip = self.has_pip and self.way != "uv tool"
        return f"{python} -m pip install" if by_pip else f"uv pip install --python {python}"


def installation() -> Installation:
    """Return how the running program was installed."""
    prefix, source, is_editable = Path(sys.prefix), "", False
    with contextlib.suppress(ValueError):
        noted = json.loads(_noted("direct_url.json") or "{}")
        source, is_editable = _path_of(str(noted.get("url", ""))), bool(noted.get("dir_info", {}).get("editable"))
    way: Literal["pipx", "uv tool", "pip", "checkout"] = "checkout" if is_editable else "pip"
    if (prefix / "pipx_metadata.json").is_file():
        way = "pipx"
    elif (prefix / "uv-receipt.toml").is_file():
        way = "uv tool"
    return Installation(way, sys.executable, source, importlib.util.find_spec("pip") is not None)


def adding(*packages: str) -> str:
    """Return the command that installs other packages, in the way this program was installed."""
    return installation().adding(packages)


def adding_extra(extra: str) -> str:
    """Return the command that installs the packages of an extra; with the extra's own name if they are unknown."""
    named = re.findall(
        rf"""^Requires-Dist: ([^\s;]+).*\bextra\s*==\s*['"]{re.escape(extra)}['"]""", _noted("METADATA"), re.MULTILINE
    )
    return adding(*(named or (extra,)))


def _noted(file: str) -> str:
    """Return the content of this package's file of that name in its dist-info folder; "" when there is none.

    Read without `importlib.metadata`, whose import takes longer than the commands that need this.
    """
    notes = (path for folder in sys.path for path in Path(folder).glob(f"{NAME}-*.dist-info/{file}"))
    return next((path.read_text(encoding="utf-8", errors="replace") for path in notes), "")


def _path_of(url: str) -> str:
    """Return the path of a file URL; any other address unchanged."""
    parts = urlsplit(url)
    return unquote(parts.path) if parts.scheme == "file" else url

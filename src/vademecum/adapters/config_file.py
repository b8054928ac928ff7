"""Writing a value into the configuration file without touching the rest."""

import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path

from vademecum.domain.errors import InvalidInput


def store(path: Path, values: Mapping[str, object]) -> None:
    """Write settings to the configuration file, a new one for the person alone: it may hold keys. Every other byte stays as it is, and
    so do the permissions of a file that is there.

    A statement is what parses by itself, so an array over several lines is replaced whole. No library is needed for that: one that
    keeps comments and line ends would be a dependency for the two values that `vade init` writes.

    Raises:
        InvalidInput: the file is not valid TOML.
    """
    fresh = path.with_suffix(".new")
    text = changed(path, values)
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    fresh.unlink(missing_ok=True)
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode())
    fresh.chmod(mode)
    fresh.replace(path)


def changed(path: Path, values: Mapping[str, object]) -> str:
    """Return what the configuration file would say with these settings; errors as :func:`store`."""
    text = path.read_bytes().decode("utf-8") if path.exists() else ""
    mark, text = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff")
    end = "\r\n" if "\r\n" in text else "\n"
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}.", "Correct the line, or move the file away.") from error
    top, tables = _statements(text)
    for name, value in values.items():
        line = f"{name} = {json.dumps(value, ensure_ascii=False)}{end}"
        place = next((row for row, lines in enumerate(top) if name in tomllib.loads(lines)), None)
        if place is None:
            top.insert(0, line)
        else:
            top[place] = line
    return mark + "".join(top) + tables


def _statements(text: str) -> tuple[list[str], str]:
    """Return the statements of valid TOML before its first table, each with its lines, and the rest."""
    found: list[str] = []
    begun = ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if not begun and line.lstrip().startswith("["):
            return found, "".join(lines[number:])
        begun += line
        try:
            tomllib.loads(begun)
        except tomllib.TOMLDecodeError:
            continue
        found.append(begun if begun.endswith("\n") else begun + "\n")
        begun = ""
    return found, begun

"""Writes values into the configuration file without changing the rest of it."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from vademecum.domain.errors import InvalidInput


def store(path: Path, values: Mapping[str, object]) -> None:
    """Write settings to the configuration file. A value of None removes the setting.

    All other bytes stay, including comments and order, and so do the permissions of an existing file. A new file is readable by
    its owner only, since it may contain keys.

    A key in a table is written with a dot. A statement is the shortest group of lines that parses by itself, so an array over
    several lines is replaced completely. This needs no library: one that preserves comments and line ends would be a dependency
    for a few single-line values.

    Raises:
        InvalidInput: the file is not valid TOML, or has the table of a dotted key in brackets.
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
    """Return the text of the configuration file with these settings; errors as :func:`store`."""
    raw = path.read_bytes() if path.exists() else b""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not valid TOML: it is not UTF-8.", "Save it as UTF-8.") from error
    mark, text = text[: text.startswith("\ufeff")], text.removeprefix("\ufeff")
    end = "\r\n" if "\r\n" in text else "\n"
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}.", "Correct the line, or move the file away.") from error
    top, tables = _statements(text)
    for name, value in values.items():
        stated = [row for row, lines in enumerate(top) if tomllib.loads(lines)]
        place = next((row for row in stated if _states(tomllib.loads(top[row]), name)), None)
        if value is None:
            if place is not None:
                del top[place]
            continue
        line = f"{name} = {json.dumps(value, ensure_ascii=False)}"
        if place is None:
            top.insert(stated[-1] + 1 if stated else 0, line + end)
        else:
            top[place] = line + _comment_behind(top[place]) + end
    after = "".join(top) + tables
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:  # a dotted key and a table of the same name
        names = ", ".join(name for name in values if "." in name)
        raise InvalidInput(f"{path} has a table in which {names} belongs.", "Set it there by hand.") from error
    return mark + after


def _states(parsed: Mapping[str, object], key: str) -> bool:
    """Return whether a parsed statement sets this dotted key."""
    first, _, rest = key.partition(".")
    inner = parsed.get(first)
    return _states(inner, rest) if rest and isinstance(inner, dict) else not rest and first in parsed


def _comment_behind(statement: str) -> str:
    """Return the comment at the end of a statement, with the blanks before it; "" when there is none."""
    last = statement.rstrip("\r\n").rpartition("\n")[2]
    before = statement.rstrip("\r\n").removesuffix(last)
    for mark in re.finditer(r"[ \t]*#", last):
        try:
            tomllib.loads(before + last[: mark.start()])
        except tomllib.TOMLDecodeError:
            continue
        return last[mark.start() :]
    return ""


def _statements(text: str) -> tuple[list[str], str]:
    """Return the statements of valid TOML before its first table, each with its lines, and the rest."""
    texts: list[str] = []
    begun = ""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if not begun and line.lstrip().startswith("["):
            return texts, "".join(lines[number:])
        begun += line
        try:
            tomllib.loads(begun)
        except tomllib.TOMLDecodeError:
            continue
        texts.append(begun if begun.endswith("\n") else begun + "\n")
        begun = ""
    return texts, begun

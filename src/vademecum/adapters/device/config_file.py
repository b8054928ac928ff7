"""Writes values into the configuration file without changing the rest of it."""

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vademecum.domain.errors import InvalidInput


@dataclass
class _Section:
    """A table of a configuration file, or what stands before the first one.

    Attributes:
        table: its dotted name; "" before the first table. head: the line of its heading. statements: each with its lines; comments
            and empty lines are statements of their own.
    """

    table: str
    head: str
    statements: list[str]

    def key_of(self, name: str) -> str:
        """Return the key of a setting in this section; "" if the setting cannot stand here."""
        return name.removeprefix(f"{self.table}.") if not self.table or name.startswith(f"{self.table}.") else ""

    def add(self, statement: str, end: str) -> None:
        """Insert a statement behind the last one that sets a value."""
        place = max((row for row, lines in enumerate(self.statements, 1) if tomllib.loads(lines)), default=0)
        if place and not self.statements[place - 1].endswith("\n"):
            self.statements[place - 1] += end
        elif not place and self.head and not self.head.endswith("\n"):
            self.head += end
        self.statements.insert(place, statement)


def store(path: Path, values: Mapping[str, object]) -> None:
    """Write settings to the configuration file. A value of None removes the setting.

    All other bytes stay, including comments and order, and so do the permissions of an existing file. A new file is readable by
    its owner only, since it may contain keys.

    A key in a table is written with a dot, or in that table if the file has it. A statement is the shortest group of lines that
    parses by itself, so an array over several lines is replaced completely. This needs no library: one that
    preserves comments and line ends would be a dependency for a few single-line values.

    Raises:
        InvalidInput: the file is not valid TOML, or has the table of a dotted key in braces.
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
    sections = _sections(text)
    for name, value in values.items():
        _change(sections, name, value, end)
    after = "".join(part for section in sections for part in (section.head, *section.statements))
    try:
        tomllib.loads(after)
    except tomllib.TOMLDecodeError as error:  # a dotted key and a table of the same name
        names = ", ".join(name for name in values if "." in name)
        raise InvalidInput(f"{path} has a table in which {names} belongs.", "Set it there by hand.") from error
    return mark + after


def _change(sections: Sequence[_Section], name: str, value: object, end: str) -> None:
    """Replace, add or remove the statement of a setting, in the table that the file has for it, else before the first table."""
    for section in sections:
        key = section.key_of(name)
        place = next((row for row, lines in enumerate(section.statements) if key and _states(tomllib.loads(lines), key)), None)
        if place is None:
            continue
        if value is None:
            del section.statements[place]
        else:
            comment = _comment_behind(section.statements[place])
            section.statements[place] = f"{key} = {json.dumps(value, ensure_ascii=False)}{comment}{end}"
        return
    if value is not None:
        section = max((section for section in sections if section.key_of(name)), key=lambda section: len(section.table))
        section.add(f"{section.key_of(name)} = {json.dumps(value, ensure_ascii=False)}{end}", end)


def _states(parsed: Mapping[str, object], key: str) -> bool:
    """Return whether a parsed statement sets this dotted key, and nothing else."""
    first, _, rest = key.partition(".")
    inner = parsed.get(first)
    return len(parsed) == 1 and (_states(inner, rest) if rest and isinstance(inner, dict) else not rest and first in parsed)


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


def _sections(text: str) -> list[_Section]:
    """Return what stands before the first table of valid TOML, and each table."""
    sections, begun = [_Section("", "", [])], ""
    for line in text.splitlines(keepends=True):
        if not begun and line.lstrip().startswith("["):
            sections.append(_Section(_table(tomllib.loads(line)), line, []))
            continue
        begun += line
        try:
            tomllib.loads(begun)
        except tomllib.TOMLDecodeError:
            continue
        sections[-1].statements.append(begun)
        begun = ""
    return sections


def _table(parsed: Mapping[str, Any]) -> str:
    """Return the dotted name of a parsed heading; "[]" for an array of tables, which holds no setting."""
    name, inner = next(iter(parsed.items()))
    if not isinstance(inner, dict):
        return "[]"
    return f"{name}.{_table(inner)}" if inner else name

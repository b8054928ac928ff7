"""`vade settings`: list and explain settings, and change them in the configuration file.

Settings are changed only on the command line: there is no verb for it, so that no agent can do it through MCP or HTTP.
"""

import shutil
import sys
from collections.abc import Mapping
from dataclasses import Field
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from vademecum import settings as settings_module
from vademecum.domain.errors import InvalidInput, UnknownWord
from vademecum.entrypoints.answers import json_line
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli.groups import Group
from vademecum.entrypoints.cli.output import JSON, printing
from vademecum.entrypoints.hooks.place import renew_client
from vademecum.settings import Settings, groups
from vademecum.wiring import load_settings, registries, store_settings

#: Widths of the columns of the list, in characters.
_NAME, _VALUE, _ORIGIN = 24, 22, 12
#: Width if the output is no terminal: nothing is cut.
_NO_LIMIT = 0
_FOLLOWS = "A running helper uses it within half a minute."


def settings_shown(settings: Settings) -> dict[str, Any]:
    """Return name -> value of each setting; of a secret only whether it is set."""
    return {row.name: _shown(row, settings.value(row.name)) for row in settings_module.rows()}


def settings_text(settings: Settings, width: int = _NO_LIMIT) -> str:
    """Return a line for each setting by group: name, value, where it was set, and what it does.

    Args:
        width: longest line in characters; 0: nothing is cut.
    """
    shown, lines = settings_shown(settings), list[str]()
    for title, names in groups().items():
        lines += ["", title]
        for row in map(settings_module.row_named, names):
            value = _cut(_as_typed(shown[row.name]) or "(empty)", _VALUE - 1 if width else 0)
            line = f"  {row.name:<{_NAME}}{value:<{_VALUE - 1}} {_short_origin(settings, row.name):<{_ORIGIN}}  {row.metadata['meaning']}"
            lines.append(_cut(line, width))
    return "\n".join(lines[1:])


def _shown(row: Field[Any], value: Any) -> Any:
    return "(set)" if row.metadata["unit"] == "secret" and value else value


def _as_typed(value: object) -> str:
    """Return a value as it would be typed."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cut(text: str, limit: int) -> str:
    return text if not limit or len(text) <= limit else text[: max(limit - 3, 0)].rstrip() + "..."


def _short_origin(settings: Settings, name: str) -> str:
    origin = dict(settings.origins).get(name, "")
    if not origin:
        return "default"
    if origin == "the command line":
        return "command line"
    return "environment" if origin.endswith(" in the environment") else "file"


def _names(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    return [
        CompletionItem(row.name, help=row.metadata["meaning"]) for row in settings_module.rows() if row.name.startswith(begun)
    ]


def _values(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    """Return the values that a setting accepts, if they are words."""
    try:
        row = settings_module.row_named(str(ctx.params.get("name")))
    except UnknownWord:
        return []
    words = ("true", "false") if isinstance(row.default, bool) else settings_module.words_of(row, registries())
    return [CompletionItem(word) for word in words if word.startswith(begun)]


_NAME_ARGUMENT = click.argument("name", shell_complete=_names)


@click.command("list")
@JSON
def list_settings(as_json: bool) -> None:
    """List every setting by group: its value, where it was set, and what it does."""
    settings = current_settings(forgiving=True)
    if as_json:
        click.echo(json_line(settings_shown(settings)))
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _NO_LIMIT
    file = current_config() or settings_module.config_path()
    click.echo(f"Settings in {file}\nChange one: vade settings set NAME VALUE. What one does: vade settings explain NAME\n")
    click.echo("\n".join([*settings.retired, *([""] if settings.retired else []), settings_text(settings, width)]))


@click.command("explain")
@_NAME_ARGUMENT
@JSON
def explain(name: str, as_json: bool) -> None:
    """Say what setting NAME does, what it takes, its value, and where that was set."""
    row, settings = settings_module.row_named(name), current_settings(forgiving=True)
    value, origin = _shown(row, settings.value(name)), dict(settings.origins).get(name, "")
    takes = settings_module.takes(row, settings_module.words_of(row, registries()))
    unit = row.metadata["unit"] if row.metadata["unit"] not in ("path", "paths", "secret") else ""
    group = next(title for title, names in groups().items() if name in names)
    with printing(as_json) as tell:
        tell(f"{name}: {row.metadata['meaning']}", name=name, group=group, meaning=row.metadata["meaning"])
        found = "" if origin or value == row.default else ", detected on this machine"
        tell(f"  value    {_as_typed(value) or '(empty)'}  ({origin or 'not set'}{found})", value=value, origin=origin)
        tell(f"  default  {_as_typed(row.default) or '(empty)'}", default=row.default)
        tell(f"  takes    {takes}{f' ({unit})' if unit else ''}", takes=takes, unit=row.metadata["unit"])
        tell(f"Change it: {_how_to_set(name)}")


def _how_to_set(name: str) -> str:
    return "vade init FOLDER" if name == "home" else f"vade settings set {name} VALUE"


@click.command("set")
@_NAME_ARGUMENT
@click.argument("value", nargs=-1, required=True, shell_complete=_values)
@JSON
def set_value(name: str, value: tuple[str, ...], as_json: bool) -> None:
    """Write setting NAME into the configuration file; its comments and order stay.

    A list takes several values, or one with commas between its entries. A value of - is read from standard input, so that a key
    does not stand in the history of the shell.
    """
    row = settings_module.row_named(name)
    _must_be_changed_here(name)
    checked = settings_module.checked_value(name, _given(row, value), registries())
    file = current_config() or settings_module.config_path()
    before = load_settings(config=current_config(), forgiving=True)
    _store(file, settings_module.in_file(name, checked))
    with printing(as_json) as tell:
        was = "" if _short_origin(before, name) == "default" else f" It was {_as_typed(_shown(row, before.value(name)))}."
        shown = _shown(row, checked)
        tell(f"Set {name} = {_as_typed(shown) or '(empty)'} in {file}.{was}", name=name, value=shown, config=str(file))
        _tell_what_counts(name, tell)
        back = f"vade settings set {name} {_as_typed(before.value(name))}" if was and row.metadata["unit"] != "secret" else ""
        tell(f"Take it back: {back or f'vade settings unset {name}'}")


@click.command("unset")
@_NAME_ARGUMENT
@JSON
def unset_value(name: str, as_json: bool) -> None:
    """Remove setting NAME from the configuration file, so that its default counts again."""
    _must_be_changed_here(name)
    file = current_config() or settings_module.config_path()
    if settings_module.is_unused(file, name):
        _store(file, settings_module.in_file(name, None))
        with printing(as_json) as tell:
            tell(f"Removed {name} from {file}; nothing uses it.", name=name, config=str(file), removed=True)
        return
    row = settings_module.row_named(name)
    stood = dict(load_settings(config=current_config(), forgiving=True).origins).get(name) is not None
    _store(file, settings_module.in_file(name, None))
    now = _shown(row, load_settings(config=current_config(), forgiving=True).value(name))
    with printing(as_json) as tell:
        what = (
            f"Removed {name} from {file}; it is {_as_typed(now) or '(empty)'} now."
            if stood
            else f"{name} is not set in {file}."
        )
        tell(what, name=name, value=now, config=str(file), removed=stood)
        _tell_what_counts(name, tell)


def _store(file: Path, values: Mapping[str, object]) -> None:
    store_settings(file, values)
    renew_client(load_settings(config=current_config(), forgiving=True), current_config())


def _must_be_changed_here(name: str) -> None:
    if name == "home":
        raise InvalidInput(
            "home is changed by vade init, which also prepares the folder.", "Make or take over a memory: vade init FOLDER"
        )


def _given(row: Field[Any], words: tuple[str, ...]) -> object:
    """Return the typed value of a setting: a list for a list setting, else one text."""
    words = (sys.stdin.read().strip(),) if words == ("-",) else words
    if not isinstance(row.default, tuple):
        return " ".join(words)
    by_commas = (
        row.metadata["unit"] != "paths" and not row.metadata["shape"]
    )  # a path or a value of the guard may contain a comma
    entries = [entry for word in words for entry in (word.split(",") if by_commas else [word])]
    return [entry.strip() for entry in entries if entry.strip()]


def _tell_what_counts(name: str, tell: Any) -> None:
    """Print whether the value in the file takes effect: the environment and the command line override it."""
    origin = dict(load_settings(config=current_config(), forgiving=True).origins).get(name, "")
    if origin.endswith(" in the environment"):
        tell(f"{origin[: -len(' in the environment')]} in the environment overrides it here.")
    else:
        tell(_FOLLOWS)


settings_command = Group(
    "settings",
    help="List, explain, set and unset settings.",
    short_help="List, explain, set and unset settings.",
    usual="list",
    commands=[list_settings, explain, set_value, unset_value],
)
COMMANDS = (settings_command,)

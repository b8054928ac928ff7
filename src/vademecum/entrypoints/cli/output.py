"""Print the result of a command that is no verb: lines for a person, or one JSON object with `--json`."""

import contextlib
from collections.abc import Iterator
from typing import Any

import click

from vademecum.entrypoints.answers import json_line
from vademecum.entrypoints.cli.progress import clear_line
from vademecum.entrypoints.cli.terminal import say

#: The option that every command takes.
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


class Printer:
    """Prints each line at once, or collects the values behind the lines for one JSON object at the end."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._facts: dict[str, Any] = {}

    def __call__(self, line: str = "", **facts: Any) -> None:
        """Print a line for a person; `facts` are the same as JSON values."""
        self._facts |= facts
        clear_line()
        if line and not self._as_json:
            say(line)

    def end(self) -> None:
        """Print the object with `--json`."""
        if self._as_json:
            click.echo(json_line(self._facts))


@contextlib.contextmanager
def printing(as_json: bool) -> Iterator[Printer]:
    """Give a `Printer`; with `--json` its object is printed when the command succeeds."""
    printer = Printer(as_json)
    yield printer
    printer.end()

"""Tell the outcome of a command that is no verb: lines for a person, or one JSON object with `--json`."""

import contextlib
from collections.abc import Iterator
from typing import Any

import click

from vademecum.entrypoints.answers import json_line
from vademecum.entrypoints.cli.progress import clear_line

#: The option that every command takes.
JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")


class Teller:
    """Prints each line at once, or keeps the facts behind the lines for one object at the end."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._facts: dict[str, Any] = {}

    def __call__(self, line: str = "", **facts: Any) -> None:
        """Print a line for a person; `facts` say the same to a program."""
        self._facts |= facts
        clear_line()
        if line and not self._as_json:
            click.echo(line)

    def end(self) -> None:
        """Print the object, when one is wanted."""
        if self._as_json:
            click.echo(json_line(self._facts))


@contextlib.contextmanager
def telling(as_json: bool) -> Iterator[Teller]:
    """Give what tells a command's outcome; the object is printed when the command ends well."""
    teller = Teller(as_json)
    yield teller
    teller.end()

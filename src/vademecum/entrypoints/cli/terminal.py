"""Text for a terminal: wrapped to the window, in colour if wanted."""

import sys
import textwrap

import click

from vademecum import settings as settings_module
from vademecum.domain.late_pattern import late_pattern
from vademecum.entrypoints.cli.progress import clear_line, terminal_width

#: Narrowest width to which lines are wrapped, in characters.
_NARROWEST = 40
_ID = late_pattern(r"(?<=[ (])(?=\d*[A-Z])[0-9A-HJKMNP-TV-Z]{8}(?=$|[\s)#:,])")
#: The columns of a row before its last, and the largest share of the width at which the last one is kept as a column.
_COLUMNS = late_pattern(r"(?:\S+ {2,})+")
_COLUMNS_SHARE = 0.6
_HIT = late_pattern(r"^\d+\. [^(\n]+")
_WARNING = late_pattern(r"^(?:degraded|alarm|problem|paused|stopped)\b")


def show(text: str) -> None:
    """Print the text of a verb, wrapped and coloured only on a terminal."""
    clear_line()
    if sys.stdout.isatty():
        text = fitted(text, terminal_width())
        text = text if settings_module.environment().get("NO_COLOR") else painted(text)
    click.echo(text)


def say(text: str, *, err: bool = False) -> None:
    """Print a sentence or report, wrapped only on a terminal, to standard output or standard error."""
    stream = sys.stderr if err else sys.stdout
    click.echo(fitted(text, terminal_width()) if stream.isatty() else text, err=err)


def fitted(text: str, width: int) -> str:
    """Wrap long lines between words with indented continuation lines. Tables and JSON stay unchanged."""
    if width < _NARROWEST:
        return text
    return "\n".join(_broken(line, width) if len(line) > width and _is_prose(line) else line for line in text.split("\n"))


def _is_prose(line: str) -> bool:
    return "\t" not in line and not line.lstrip().startswith(("{", "["))


def _broken(line: str, width: int) -> str:
    columns = _COLUMNS.match(line)
    in_column = columns is not None and len(columns[0]) <= width * _COLUMNS_SHARE
    indent = " " * (len(columns[0]) if columns and in_column else len(line) - len(line.lstrip()) + 2)
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def painted(text: str) -> str:
    """Return the text in colour: warnings yellow, titles of hits bold, ids dim."""
    return "\n".join(map(_painted_line, text.split("\n")))


def _painted_line(line: str) -> str:
    if _WARNING.match(line):
        return click.style(line, fg="yellow")
    line = _ID.sub(lambda match: click.style(match.group(), dim=True), line)
    return _HIT.sub(lambda match: click.style(match.group(), bold=True), line)

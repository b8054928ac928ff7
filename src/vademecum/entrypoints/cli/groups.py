"""Groups and help of the commands: everyday ones first, the others by group, those for agents under `vade agent`."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from vademecum.domain.errors import VademecumError
from vademecum.entrypoints.verbs.verb import DATES

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from vademecum.entrypoints.cli.menu import Section


#: Heading of the examples in the help of a command.
EXAMPLES_HEAD = "Examples:"
#: Column at which the names of a group begin.
NAMED_FROM = 20
_CLAUSE_END = re.compile(r"[.;:](?: |$)")


class LineCommand(Struct, frozen=True):
    """A command that a plugin adds to the command line alone; each runs in a process of its own.

    Attributes:
        below: the group that it belongs to, such as `team`, which the plugin's `first_words` describe; "": none.
    """

    command: click.Command
    below: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The words typed after `vade`."""
        return tuple(word for word in (self.below, self.command.name or "") if word)


class Root(click.Group):
    """All commands, with those of other installed distributions (entry points `vademecum.commands`).

    A command line imports only its own command if that is of one word; help and errors need all. Installed distributions are searched
    only for unknown commands and for the list of all.

    Args:
        alone: given a word, returns the command of that name if it can be made without the others, else None.
        fill: adds all commands to this group.
        menu: returns title of a group -> its commands; see :mod:`vademecum.entrypoints.cli.menu`.
    """

    def __init__(
        self,
        name: str,
        *,
        alone: Callable[[str], click.Command | None],
        fill: Callable[["Root"], object],
        menu: "Callable[[], Mapping[str, Section]]",
        **more: Any,
    ) -> None:
        super().__init__(name, **more)
        self._alone, self._fill, self._menu = alone, fill, menu
        self._is_whole = False

    def whole(self) -> "Root":
        """Add all commands, unless they are there, and return this group."""
        if not self._is_whole:
            self._is_whole = True
            self._fill(self)
        return self

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command.

        Raises:
            VademecumError: a pipe to another program broke. click would take it for a closed standard output and end without a word.
        """
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            if _is_output_closed():
                raise
            raise VademecumError("A program that this command talked to ended early.", "Run the command again.") from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        self.whole()
        return sorted({*super().list_commands(ctx), *(point.name for point in _added())})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name; None if there is none."""
        if not self._is_whole and (alone := self._alone(cmd_name)):
            return alone
        self.whole()
        command = super().get_command(ctx, cmd_name)
        added = (point for point in _added() if point.name == cmd_name) if command is None else iter(())
        return next((point.load() for point in added), command)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the words name. An error suggests no hidden commands."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if alike := getattr(error, "possibilities", None):  # click 8.4 and later
                alike[:] = [name for name in alike if not self.commands[name].hidden]
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the everyday commands of each group with their meaning, then the names of all others."""
        self.whole()
        menu = self._menu()
        explained = [name for section in menu.values() for name in section.explained]
        column = max(map(len, explained)) + 4
        for title, section in menu.items():
            if section.explained:
                formatter.write(f"\n{title}\n")
                for name in section.explained:
                    first, *rest = _lines([_first_clause(self.commands[name])], formatter.width - column)
                    formatter.write(f"  {name:<{column - 2}}{first}\n")
                    formatter.write("".join(f"{'':<{column}}{line}\n" for line in rest))
        with formatter.section("More, explained by vade COMMAND --help"):
            for title, names in self._named(menu).items():
                for number, line in enumerate(_lines(names, formatter.width - NAMED_FROM)):
                    formatter.write(f"  {'' if number else title:<{NAMED_FROM - 2}}{line}\n")

    def _named(self, menu: "Mapping[str, Section]") -> dict[str, Sequence[str]]:
        """Return title of a group -> names of its commands without an explanation; commands of no group are under "Others"."""
        known = {name for section in menu.values() for name in (*section.explained, *section.named)}
        beside = tuple(point.name for point in _added())  # once called, such a command is in `self.commands` as well
        others = [name for name, command in self.commands.items() if name not in (*known, *beside) and not command.hidden]
        groups = {title: section.named for title, section in menu.items()}
        groups |= {"Others": tuple(others), "Installed beside": beside}
        return {title: names for title, names in groups.items() if names}


def _lines(names: Sequence[str], width: int) -> list[str]:
    """Wrap names into lines without breaking any at its hyphen."""
    return textwrap.wrap(", ".join(names), max(width, 20), break_on_hyphens=False)


def _first_clause(command: click.Command) -> str:
    return _CLAUSE_END.split(" ".join((command.short_help or command.help or "").split()), maxsplit=1)[0] + "."


def _added() -> "Iterable[EntryPoint]":
    from importlib.metadata import entry_points

    return entry_points(group="vademecum.commands")


def _is_output_closed() -> bool:
    """Return whether nobody reads standard output any more. Only writing tells, so an empty line is written."""
    try:
        click.echo()
    except BrokenPipeError:
        return True
    return False


class Group(click.Group):
    """Commands under one first word. Unknown words go to its usual command, if it has one: `vade idea TITLE`.

    The first word alone runs the usual command too if that needs no arguments: `vade jobs`.
    """

    def __init__(self, name: str, *, usual: str = "", **more: Any) -> None:
        super().__init__(name, **more)
        self.usual = usual
        self.ignore_unknown_options = bool(usual)  # they belong to the usual command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after the first one."""
        usual = self.commands.get(self.usual)
        needs_more = usual is None or any(parameter.required for parameter in usual.params)
        return super().parse_args(ctx, args or ([] if needs_more else [self.usual]))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the words name."""
        return super().resolve_command(ctx, [self.usual, *args] if self.usual and args[0] not in self.commands else args)


class Command(click.Command):
    """A command whose help also explains its positional arguments.

    Args:
        meanings: name of an argument as the help shows it -> its meaning.
    """

    def __init__(self, name: str, *, meanings: Mapping[str, str], **more: Any) -> None:
        super().__init__(name, **more)
        self._meanings = meanings
        self.allow_extra_args = True  # :meth:`parse_args` reports them with a better message

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after the command.

        Raises:
            UsageError: there are too many positional arguments.
        """
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            text = " The text goes in --body." if any(param.name == "body" for param in self.params) else ""
            ctx.fail(f"Got unexpected extra argument{'s'[: len(rest) > 1]} ({' '.join(rest)}).{text}")
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the positional arguments, then the options."""
        if self._meanings:
            with formatter.section("Arguments"):
                formatter.write_dl(list(self._meanings.items()))
        super().format_options(ctx, formatter)
        if any(param.metavar == "DATE" for param in self.params):
            with formatter.section("DATE"):
                formatter.write_text(f"{DATES[0].upper()}{DATES[1:]}.")

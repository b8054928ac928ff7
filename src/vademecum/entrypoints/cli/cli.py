"""The command line: parses arguments, calls one verb, prints its result. `verbs/` defines the verbs.

A usage error exits with 64, never with 2: hosts read 2 as "block the prompt" (X-34).
"""

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from vademecum import __version__
from vademecum import settings as settings_module
from vademecum.domain.errors import InvalidInput, VademecumError, files_explained
from vademecum.domain.late_pattern import late_pattern
from vademecum.domain.memory import BY_PERSON
from vademecum.entrypoints.answers import error_answer, json_line
from vademecum.entrypoints.arguments import checked, from_text
from vademecum.entrypoints.caller import current_settings
from vademecum.entrypoints.cli import terminal
from vademecum.entrypoints.cli.completers import completer
from vademecum.entrypoints.cli.groups import EXAMPLES_HEAD, Command, Group, LineCommand, Root
from vademecum.entrypoints.cli.progress import Progress, clear_line
from vademecum.entrypoints.text import error_text
from vademecum.entrypoints.verbs.by_word import verbs_of
from vademecum.entrypoints.verbs.verb import REQUIRED, Param, Verb

if TYPE_CHECKING:
    from vademecum.api import Vademecum
    from vademecum.entrypoints.cli.menu import Section

EXIT_USAGE = 64
EXIT_INTERRUPTED = 130
#: Surrogates, which stand for bytes that are not UTF-8.
_HALF_CHARACTER = late_pattern("[\ud800-\udfff]")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `vade`. Ends the process with a documented exit code."""
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str], *, served: bool = False) -> int:
    """Carry out one command line, print to the standard streams, and return its exit code.

    Args:
        served: on behalf of another process, whose person cannot be asked from here.

    Raises:
        NotHere: served, and the command needs to ask.
    """
    try:
        with files_explained():
            return _carried_out(arguments, served)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except VademecumError as error:  # printing the answer failed, so the error goes to standard error only
        with contextlib.suppress(OSError):
            terminal.say(error_text(error), err=True)
        return error.exit_code


def _carried_out(arguments: list[str], served: bool) -> int:
    """Carry out a command line and print its result or error."""
    try:
        _must_be_text(arguments)
        with files_explained():
            code = _root().main(args=arguments, prog_name="vade", standalone_mode=False, obj=served)
        return code if isinstance(code, int) else 0  # a command that exits with a code of its own
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        if "--json" in arguments:
            click.echo(json_line(_usage_answer(error)))
        else:
            error.show()
            if example := _example_for(error):
                terminal.say(f"For example: {example}", err=True)
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        clear_line()
        if "--json" in arguments:
            click.echo(json_line({"error": "stopped", "message": "Stopped.", "hint": ""}))
        else:
            click.echo("Stopped.", err=True)
        return EXIT_INTERRUPTED
    except VademecumError as error:
        clear_line()
        if "--json" in arguments:
            click.echo(json_line(error_answer(error)))
        else:
            terminal.say(error_text(error), err=True)
        return error.exit_code


def _must_be_text(arguments: Sequence[str]) -> None:
    """Reject a command line with a word that cannot be stored in a file.

    Raises:
        InvalidInput: a word is not UTF-8, or holds a NUL.
    """
    for number, word in enumerate(arguments, 1):
        if "\0" in word or (not word.isascii() and _HALF_CHARACTER.search(word)):
            raise InvalidInput(f"Word {number} of the command is not UTF-8 text.", "Type it again as UTF-8.")


def _usage_answer(error: click.ClickException) -> dict[str, str]:
    """Return a usage error in the JSON format of all other errors."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "vade"
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        group = context.command if context else None
        names = ", ".join(group.list_commands(context)) if isinstance(group, click.Group) and context else ""
        return {"error": "usage", "message": f"{path} needs a command.", "hint": f"One of: {names}"}
    example = _example_for(error)
    return {
        "error": "usage",
        "message": error.format_message(),
        "hint": f"{f'For example: {example}. ' if example else ''}See: {path} --help",
    }


def _example_for(error: click.ClickException) -> str:
    """Return an example of the command if an argument is missing; "" otherwise, or if it has no example."""
    if not (isinstance(error, click.MissingParameter) and error.ctx):
        return ""
    from vademecum.entrypoints.verbs.examples import EXAMPLES

    return next(iter(EXAMPLES.get(error.ctx.command_path.removeprefix("vade "), ())), "")


class NotHere(Exception):
    """The command needs to ask the person at the terminal, so the process of that terminal must run it. Nothing was done yet."""


def is_served(arguments: Sequence[str]) -> bool:
    """Return whether the command server may run this command line: commands that concern the machine run in their own process."""
    from vademecum.entrypoints.cli import extras

    rest = list(arguments)
    while rest and rest[0].startswith("-"):  # options before the command
        del rest[: 2 if rest[0] in ("--home", "--config") else 1]
    alone = {command.name for command in extras.COMMANDS}
    of_plugins = {line_command.words for line_command in added_commands()}
    return not rest or not (rest[0] in alone or {tuple(rest[:1]), tuple(rest[:2])} & of_plugins)


@functools.cache
def added_commands() -> tuple[LineCommand, ...]:
    """Return the commands that plugins add to the command line alone, without those whose name is taken."""
    from vademecum.entrypoints.cli import extras
    from vademecum.entrypoints.verbs import VERBS
    from vademecum.plugin import named

    own = [LineCommand(command) for command in (*extras.COMMANDS, *extras.SERVED)]
    own += [LineCommand(command, first) for first, below in extras.BELOW.items() for command in below]
    own += [LineCommand(click.Command(verb.name.rpartition(" ")[2]), verb.name.rpartition(" ")[0]) for verb in VERBS]
    return named("commands", own, lambda line_command: " ".join(line_command.words))


@functools.cache
def commands() -> Root:
    """Return all commands: one for each verb, and those of the command line alone. Built once in a process."""
    return _root().whole()


@functools.cache
def _root() -> Root:
    return Root(
        "vade",
        help="One permanent memory for every AI tool you use: plain Markdown that you own.",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
        params=[
            click.Option(["--home"], help="Folder of the personal memories, instead of the one in the settings."),
            click.Option(["--config"], type=click.Path(path_type=Path), help="Use this configuration file."),
            click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_print_version),
        ],
        alone=_alone,
        fill=_fill,
        menu=_menu,
    )


def _alone(name: str) -> click.Command | None:
    """Return the command of a verb of one word; None for everything else."""
    verb = next((verb for verb in verbs_of(name) if verb.name == name), None)
    if verb is None:
        return None
    command = _command(verb, hidden=verb.standing == "agent")
    _explain_by_examples(command, (name,))
    return command


def _menu() -> "Mapping[str, Section]":
    from vademecum.entrypoints.cli.menu import MENU

    return MENU


def _fill(group: Root) -> None:
    """Add all commands."""
    from vademecum.entrypoints.cli import extras
    from vademecum.entrypoints.verbs import VERBS

    agent = click.Group("agent", help="What agents do with memory; over MCP they can do all of it, too.")
    group.add_command(agent)
    for verb in VERBS:
        _group_of(group, verb).add_command(_command(verb, hidden=verb.standing == "agent"))
        if verb.standing == "agent":
            agent.add_command(_command(verb))
    for command in (*extras.COMMANDS, *extras.SERVED):
        group.add_command(command)
    for first, below in extras.BELOW.items():
        for command in below:
            _group_named(group, first).add_command(command)
    for added in added_commands():
        (_group_named(group, added.below) if added.below else group).add_command(added.command)
    _explain_by_examples(group)


def _explain_by_examples(command: click.Command, words: tuple[str, ...] = ()) -> None:
    """Insert the examples of a command and of its subcommands between description and options."""
    if isinstance(command, click.Group):
        for name, subcommand in command.commands.items():
            _explain_by_examples(subcommand, (*words, name))
    from vademecum.entrypoints.verbs.examples import EXAMPLES

    examples = EXAMPLES.get(" ".join(words)) or EXAMPLES.get(" ".join(("agent", *words)), ())
    if words and isinstance(command, click.Group):  # the first example of two of its commands
        below = sorted(command.commands, key=lambda name: name != getattr(command, "usual", ""))
        named = (EXAMPLES.get(" ".join((*words, name))) for name in below)
        examples = examples or tuple(of_one[0] for of_one in named if of_one)[:2]
    if examples and EXAMPLES_HEAD not in (command.help or ""):
        command.short_help = command.short_help or command.get_short_help_str(limit=200)
        command.help = "\n".join(
            [inspect.cleandoc(command.help or ""), "", "\b", EXAMPLES_HEAD, *(f"  {example}" for example in examples)]
        )


def _group_of(root: click.Group, verb: Verb) -> click.Group:
    """Return the group of a verb: "sessions list" belongs to the group "sessions"."""
    first, _, second = verb.name.partition(" ")
    return _group_named(root, first) if second else root


def _group_named(root: click.Group, first: str) -> click.Group:
    command = root.commands.get(first)
    if not isinstance(command, click.Group):
        from vademecum.entrypoints.verbs import FIRST_WORDS, USUAL

        command = Group(first, help=FIRST_WORDS[first], short_help=FIRST_WORDS[first], usual=USUAL.get(first, ""))
        root.add_command(command)
    return command


def _ask(target: str, preview: str, rationale: str) -> bool:
    """Ask the person before a file outside the memory is written; no answer counts as no."""
    click.echo(f"{rationale} This would be written to {target}:\n\n{preview}\n", err=True)
    return click.confirm(f"Write to {target}?", default=False, err=True)


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"vade {__version__}")
        context.exit()


def _command(verb: Verb, *, hidden: bool = False) -> click.Command:
    parameters = [parameter for param in verb.params for parameter in _parameters(param)]
    parameters.append(click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object instead of text."))
    return Command(
        verb.name.rpartition(" ")[2],
        help=verb.meaning,
        short_help=verb.meaning,
        params=parameters,
        callback=_runner(verb),
        hidden=hidden,
        meanings={param.name.upper(): _with_choices(param) for param in verb.params if param.place},
    )


def _with_choices(param: Param) -> str:
    return f"{param.meaning} One of: {', '.join(filter(None, param.choices))}." if param.choices else param.meaning


def _runner(row: Verb) -> Callable[..., None]:
    def call(as_json: bool, **arguments: Any) -> None:
        verb, arguments = row.meant(arguments)
        if (verb.screen or verb.consent) and sys.stdin.isatty() and click.get_current_context().obj:
            raise NotHere
        values = checked(verb, {param.name: _value(param, _given(param, arguments)) for param in verb.params})
        settings = current_settings(forgiving=verb.name == "status")
        ask, folder = _ask if sys.stdin.isatty() and not as_json else None, settings_module.working_directory()
        done: tuple[Any, str] | None = None
        if verb.is_for_helper(values):
            from vademecum.entrypoints import resident

            done = resident.ask(settings, verb, values, folder, asks_person=ask is not None)
        if done is None:
            from vademecum.wiring import open_memory

            with open_memory(settings, progress=Progress(), ask=ask, folder=folder) as memory:
                if verb.screen and not as_json and not any(arguments.values()) and sys.stdin.isatty():
                    verb.screen(memory)
                    return
                done = _done(verb, memory, values, as_json=as_json)
        result, later = done
        if as_json:
            click.echo(json_line(result))
        else:
            shown = verb.show(result)
            terminal.show(f"{shown}\n  {later}" if later not in shown else shown)
        if verb.failed(result):
            click.get_current_context().exit(1)
        if verb.lasting and _is_asked(verb, values) and (as_json or not sys.stdin.isatty()):
            _tell_unasked(verb, as_json=as_json)

    return call


def _done(verb: Verb, memory: "Vademecum", values: dict[str, Any], *, as_json: bool) -> tuple[Any, str]:
    """Run the verb on this memory, after the person's consent if it needs one. Return its result, and a note about a write."""
    result = verb.do(memory, values, BY_PERSON)
    if _is_asked(verb, values) and not as_json and sys.stdin.isatty():
        terminal.show(verb.show(result))
        click.confirm("Do it? This cannot be undone." if verb.lasting else "Do it?", abort=True)
        values = values | {verb.consent: True}
        result = verb.do(memory, values, BY_PERSON)
    from vademecum.api.runner import what_follows

    return result, what_follows(memory.context) if verb.is_writing(values) else ""


def _tell_unasked(verb: Verb, *, as_json: bool) -> None:
    """End a command that only showed what it would do, since nobody could be asked, with the code of an error.

    Raises:
        InvalidInput: the message says how to do it.
        click.exceptions.Exit: the object that was printed says that nothing was done.
    """
    if as_json:
        click.get_current_context().exit(1)
    raise InvalidInput(
        "Nothing was changed, because there is no terminal to ask.", f"To do what is listed, add: --{verb.consent}"
    )


def _given(param: Param, arguments: Mapping[str, Any]) -> Any:
    """Return the value of a parameter, given by name or by its former position."""
    return arguments[param.name] or arguments[_by_place(param)] if param.or_place else arguments[param.name]


def _by_place(param: Param) -> str:
    return f"{param.name}_by_place"


def _is_asked(verb: Verb, values: Mapping[str, Any]) -> bool:
    """Return whether the person must be asked: consent was not given, and this is not only a preview."""
    return bool(verb.consent) and not values[verb.consent] and not values.get("dry_run")


def _parameters(param: Param) -> list[click.Parameter]:
    """Return the click parameters for a parameter: two if it may also be given by its former position."""
    return [_parameter(param), *([click.Argument([_by_place(param)], required=False, metavar="")] if param.or_place else [])]


def _parameter(param: Param) -> click.Parameter:
    required = param.default is REQUIRED
    many = param.type in ("list", "words")
    kind: Any = {"number": click.INT, "share": click.FLOAT}.get(param.type, click.STRING)
    if param.choices:
        kind = click.Choice([choice for choice in param.choices if choice])
    # click takes an explicit default of None for a value and would not report a missing argument.
    default = {} if required or many or param.default in ((), "") else {"default": param.default}
    if param.place:
        return click.Argument(
            [param.name],
            type=kind,
            required=required,
            nargs=-1 if many else 1,
            metavar=param.name.upper() if param.choices else None,
            shell_complete=completer(param.named),
            **default,
        )
    name = "--" + param.name.replace("_", "-")
    if param.type == "flag":
        return click.Option(
            [f"{name}/--no-{name[2:]}" if param.default else name, param.name],
            is_flag=True,
            default=param.default,
            help=param.meaning,
        )
    return click.Option(
        [name, param.name],
        type=kind,
        required=required,
        multiple=param.type == "list",
        metavar=None if param.choices else param.placeholder,
        help=param.meaning,
        shell_complete=completer(param.named),
        **default,
    )


def _value(param: Param, given: Any) -> Any:
    """Return the typed text as a value, checked as in all other interfaces."""
    if given is None or given == param.default or param.type in ("number", "share", "flag"):
        return given
    if param.type in ("file", "object", "objects"):
        given = _text(given)
    return from_text(param, given if isinstance(given, tuple) else (given,))


def _text(given: str) -> str:
    if given == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    if given.startswith("@"):
        try:
            return Path(given[1:]).read_bytes().decode("utf-8")
        except OSError as error:
            raise InvalidInput(f"Cannot read {given[1:]}: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{given[1:]} is not UTF-8.", "Convert it to UTF-8 first.") from error
    return given

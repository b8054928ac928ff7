"""The command line: reads arguments, calls one verb, shows its result. Everything a verb is comes from `verbs.py`.

A usage error ends with 64, never with 2: hosts read 2 as "block the prompt" (X-34).
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from vademecum import settings as settings_module
from vademecum.doors import extras, show
from vademecum.doors.arguments import checked, from_text
from vademecum.doors.verbs import GROUPS, REQUIRED, USUAL, VERBS, Param, Verb
from vademecum.memory import BY_PERSON
from vademecum.model.errors import InvalidInput, VademecumError
from vademecum.settings import Settings
from vademecum.wiring import open_memory

EXIT_USAGE = 64
EXIT_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of `vade`. Ends the process with a documented exit code."""
    sys.exit(run(list(sys.argv[1:] if arguments is None else arguments)))


def run(arguments: list[str]) -> int:
    """The exit code of one command line; everything printed goes to the standard streams."""
    try:
        code = commands().main(args=arguments, prog_name="vade", standalone_mode=False)
        return code if isinstance(code, int) else 0  # of a command that left with one
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.UsageError as error:
        error.show()
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("Stopped.", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except VademecumError as error:
        if "--json" in arguments:
            click.echo(show.as_json(show.told(error)))
        else:
            click.echo(show.error(error), err=True)
        return error.exit_code


def commands() -> click.Group:
    """All commands: one for each verb, and those that only make sense on a command line."""
    group = click.Group(
        "vade",
        help="One permanent memory for every AI tool you use: plain Markdown that you own.",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
        params=[
            click.Option(["--home"], help="Folder of the personal memories; beats the settings."),
            click.Option(["--config"], type=click.Path(path_type=Path), help="Another configuration file."),
            click.Option(["--version"], is_flag=True, is_eager=True, expose_value=False, callback=_print_version),
        ],
    )
    for verb in VERBS:
        _group_of(group, verb).add_command(_command(verb))
    for command in extras.COMMANDS:
        group.add_command(command)
    return group


def _group_of(root: click.Group, verb: Verb) -> click.Group:
    """Where a command hangs: verbs of two words ("sessions list") stand together under their first."""
    first, _, second = verb.name.partition(" ")
    if not second:
        return root
    found = root.commands.get(first)
    if not isinstance(found, click.Group):
        found = _Group(first, help=GROUPS[first], short_help=GROUPS[first], usual=USUAL.get(first, ""))
        root.add_command(found)
    return found


class _Group(click.Group):
    """Commands under one first word. What names none of them goes to the usual one, if there is such: `vade idea TITLE`."""

    def __init__(self, name: str, *, usual: str, **more: Any) -> None:
        super().__init__(name, **more)
        self._usual = usual
        self.ignore_unknown_options = bool(usual)  # they are the usual command's

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the words name."""
        return super().resolve_command(ctx, [self._usual, *args] if self._usual and args[0] not in self.commands else args)


def _ask(target: str, preview: str, rationale: str) -> bool:
    """The person's word on a file outside of memory; what they do not say counts as no."""
    click.echo(f"{rationale} In {target} it would say:\n\n{preview}\n", err=True)
    return click.confirm(f"Write to {target}?", default=False, err=True)


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"vade {extras.version()}")
        context.exit()


def _command(verb: Verb) -> click.Command:
    parameters: list[click.Parameter] = [_parameter(param) for param in verb.params]
    parameters.append(click.Option(["--json", "as_json"], is_flag=True, help="Print one JSON object instead of text."))
    return click.Command(
        verb.name.rpartition(" ")[2], help=verb.meaning, short_help=verb.meaning, params=parameters, callback=_runner(verb)
    )


def _runner(verb: Verb) -> Callable[..., None]:
    def call(as_json: bool, **arguments: Any) -> None:
        values = checked(verb, {param.name: _value(param, arguments[param.name]) for param in verb.params})
        settings = current_settings()
        progress = show.Progress(wanted=settings.progress)
        ask = _ask if sys.stdin.isatty() and not as_json else None
        with open_memory(settings, progress=progress, ask=ask, folder=settings_module.working_directory()) as memory:
            if verb.screen and not as_json and not any(arguments.values()) and sys.stdin.isatty():
                verb.screen(memory)
                return
            result = verb.do(memory, values, BY_PERSON)
            if _is_asked(verb, values) and not as_json and sys.stdin.isatty():
                click.echo(verb.show(result))
                click.confirm("Do it? This cannot be undone.", abort=True)
                result = verb.do(memory, {**values, verb.consent: True}, BY_PERSON)
        click.echo(show.as_json(result) if as_json else verb.show(result))

    return call


def _is_asked(verb: Verb, values: Mapping[str, Any]) -> bool:
    """Whether the verb waits for the person's consent: it was not given, and more than a preview was asked for."""
    return bool(verb.consent) and not values[verb.consent] and not values.get("dry_run")


def current_settings() -> Settings:
    """Settings of this command line."""
    root = click.get_current_context().find_root()
    return settings_module.load(config=root.params.get("config"), overrides={"home": root.params.get("home")})


def _parameter(param: Param) -> click.Parameter:
    required = param.default is REQUIRED
    many = param.type in ("list", "words")
    kind: Any = {"number": click.INT, "share": click.FLOAT}.get(param.type, click.STRING)
    if param.choices:
        kind = click.Choice([choice for choice in param.choices if choice])
    # A default of None, given, would count as a value, and nothing would be missed.
    default = {} if required or many or param.default in ((), "") else {"default": param.default}
    if param.place:
        return click.Argument(
            [param.name],
            type=kind,
            required=required,
            nargs=-1 if many else 1,
            metavar=param.name.upper() if param.choices else None,
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
        [name, param.name], type=kind, required=required, multiple=param.type == "list", help=param.meaning, **default
    )


def _value(param: Param, given: Any) -> Any:
    """What was typed, as a value that is checked like that of any other door."""
    if given is None or param.type in ("number", "share", "flag"):
        return given
    if param.type in ("file", "object", "objects"):
        given = _text(given)
    return from_text(param, given if isinstance(given, tuple) else (given,))


def _text(given: str) -> str:
    if given == "-":
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    if given.startswith("@"):
        try:
            return Path(given[1:]).read_text(encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"Cannot read {given[1:]}: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise InvalidInput(f"{given[1:]} is not UTF-8.", "Convert it first.") from error
    return given

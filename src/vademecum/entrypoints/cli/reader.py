"""`vade reader use|off|exclude|include`: which model reads ended conversations."""

import sys
from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from vademecum import settings as settings_module
from vademecum.api.runner import READS, run
from vademecum.domain.errors import InvalidInput, VademecumError
from vademecum.domain.llm import TOKENS_OF_A_READING, ReaderChoice
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli.output import JSON, Printer, printing
from vademecum.entrypoints.daemon.call import stop as stop_helper
from vademecum.entrypoints.hooks.place import renew_client
from vademecum.entrypoints.verbs.llm import preview_text, stronger_text, trial_text
from vademecum.settings import Settings
from vademecum.wiring import load_settings, open_memory, readers_here, store_settings, stronger_model, usual_model

#: Short name of a reader -> value of the setting `llm`.
_SHORT = {"claude": "claude-cli", "codex": "codex-cli"}
LEAVES = "What you and it said, without files, tool output and secrets, goes {leaves}."


def _names(ctx: click.Context, param: click.Parameter, begun: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in _SHORT if name.startswith(begun)]


@click.command("use")
@click.argument("name", shell_complete=_names)
@JSON
def use(name: str, as_json: bool) -> None:
    """Let NAME read each conversation once when it has ended: claude, codex, ollama:MODEL, or as the setting llm says.

    It is tried on samples first, and what would leave this machine is shown before anything does.
    """
    with printing(as_json) as tell:
        chosen(current_settings(), _SHORT.get(name, name), tell)


@click.command("off")
@JSON
def off(as_json: bool) -> None:
    """Let no program read conversations. What you ask to be remembered in plain words is saved without one."""
    _store({"llm": "none"})
    with printing(as_json) as tell:
        tell("No reader is set.", llm="none")


@click.command("exclude")
@click.argument("project")
@JSON
def exclude(project: str, as_json: bool) -> None:
    """Keep conversations of PROJECT, as `vade reader show` names it, from the reader."""
    _change_excluded(project, {*current_settings().llm_exclude, project}, as_json)


@click.command("include")
@click.argument("project")
@JSON
def include(project: str, as_json: bool) -> None:
    """Let the reader read conversations of PROJECT again."""
    left = set(current_settings().llm_exclude)
    if project not in left:
        raise InvalidInput(f"Project {project} is not excluded.", "See: vade reader show")
    _change_excluded(project, left - {project}, as_json)


def offer(settings: Settings, tell: Printer, *, as_json: bool) -> None:
    """Ask once whether a program of the person may read ended conversations; without a terminal, leave it off."""
    if "llm" in dict(settings.origins) or as_json or not sys.stdin.isatty():
        return
    reader_choices = readers_here()
    if not reader_choices:
        return
    if click.confirm(question(reader_choices[0], settings), default=False):
        chosen(settings, reader_choices[0].llm, tell)
    else:
        _store({"llm": "none"})
        without = "Nothing reads them then; search, handoffs and what you state outright work."
        tell(f"{without} To set one later: vade reader use {reader_choices[0].llm}", llm="none")


def question(reader: ReaderChoice, settings: Settings) -> str:
    """Return the question about a reader, with its cost and what leaves the machine."""
    price = f"about {TOKENS_OF_A_READING:,} tokens each, at most {settings.llm_daily_input_tokens:,} a day"
    return f"Let your own {reader.title} read each ended conversation once ({price})? {LEAVES.format(leaves=reader.leaves)}"


def chosen(settings: Settings, llm: str, tell: Printer) -> None:
    """Set the model that reads conversations: show first what would leave the machine, then try the model on samples.

    Raises:
        InvalidInput: there is no such model.
    """
    load_settings(config=current_config(), overrides={"llm": llm})
    _store({"llm": llm})
    stop_helper(settings)  # it still has the old settings
    settings = current_settings()
    usual = usual_model(llm)
    asks = f" It asks the model {usual}." if usual else ""
    tell(
        f"{llm} reads each conversation once when it has ended.{asks}{_stronger(llm)} To stop: vade reader off",
        llm=llm,
        model=usual,
    )
    if not settings.home:
        return
    with open_memory(settings) as memory:
        try:
            preview = run(memory.context, READS, memory.llm.preview)
            tell(preview_text(preview), preview=preview.session)
            tell("It is tried on four samples first; that can take a minute.")
            tried = run(memory.context, READS, memory.llm.try_reader)
            tell(f"Samples: {trial_text(tried)}.{_stronger(llm) if tried.fault else ''}", fault=tried.fault)
        except VademecumError as error:
            tell(f"It could not be tried yet: {error.message.rstrip('.')}. {error.hint}".rstrip(), fault=error.message)


def _stronger(llm: str) -> str:
    """Return a sentence that offers a stronger model with its price; "" if there is none."""
    offered = stronger_model(llm)
    return f" {stronger_text(offered)}" if offered else ""


def _change_excluded(project: str, projects: Iterable[str], as_json: bool) -> None:
    left = sorted(projects)
    _store({"llm_exclude": left})
    stop_helper(current_settings())
    with printing(as_json) as tell:
        text = f"Not read: {', '.join(left)}." if left else "Conversations of all projects are read."
        tell(text, project=project, excluded=left)


def _store(values: dict[str, object]) -> None:
    store_settings(current_config() or settings_module.config_path(), values)
    renew_client(current_settings(), current_config())


COMMANDS = (use, off, exclude, include)

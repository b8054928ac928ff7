"""Commands of the command line alone, such as watch, mcp, demo and parse."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from threading import Event
from typing import Protocol

import click

from vademecum import settings as settings_module
from vademecum.api import Vademecum
from vademecum.api.runner import READS, run
from vademecum.domain.errors import InvalidInput
from vademecum.entrypoints.answers import json_line
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli import completion, doctor, hosts, init, reader, setting, setup
from vademecum.entrypoints.cli.output import JSON
from vademecum.entrypoints.cli.progress import Progress, clear_line
from vademecum.entrypoints.daemon import commands as serving
from vademecum.entrypoints.verbs.jobs import processed_text
from vademecum.entrypoints.verbs.maintenance import synced_text
from vademecum.entrypoints.verbs.sessions import session_text
from vademecum.plugin import Demo, named
from vademecum.sessions.lifecycle import SILENCE_MINUTES
from vademecum.wiring import changes_of, open_memory, parse_transcript


class Say(Protocol):
    """Prints an event."""

    def __call__(self, text: str, facts: object = None) -> None:
        """Print it."""


#: Seconds without a change before files are read: a shorter pause is only a pause in typing.
IDLE_LEAST_S = 10


@click.command("watch")
@click.option(
    "--every", default=60, show_default=True, help="Check at least every this many seconds, even when nothing changed."
)
@click.option("--debounce", default=30, show_default=True, help="Seconds to wait after the last change before it is read.")
@click.option("--idle", default=180, show_default=True, help="Seconds without a change before slow work is done; at least 10.")
@click.option(
    "--wait-for-transcripts", is_flag=True, help="Look for a host's transcripts every 15 seconds until there are some."
)
@click.option("-q", "--quiet", is_flag=True, help="Print only problems.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each event.")
def watch(every: int, debounce: int, idle: int, wait_for_transcripts: bool, quiet: bool, as_json: bool) -> None:
    """Follow notes and transcripts as they change, until stopped: sync, capture, and vectors in between."""
    if every < 1 or debounce < 0 or idle < IDLE_LEAST_S:
        raise InvalidInput(f"--every takes at least 1, --debounce at least 0, --idle at least {IDLE_LEAST_S} seconds.")
    stop, settings = Event(), current_settings()
    say = _sayer(quiet, as_json)
    while wait_for_transcripts and not settings.transcripts:
        say("No transcripts of any host yet; looking again in 15 seconds.")
        stop.wait(15)
        settings = current_settings()
    with open_memory(settings, progress=Progress(wanted=not quiet)) as memory:
        say(f"Watching {len(settings.transcripts)} places of transcripts. Stop it with Ctrl-C.")
        _follow(memory, settings, say)
        for moment in changes_of(settings, stop, debounce_s=debounce, idle_s=idle, look_every_s=every):
            if moment == "idle":
                memory.maintenance.refine(seconds=every)
            else:
                _follow(memory, settings, say)


def _sayer(quiet: bool, as_json: bool) -> Say:
    """Return a function that prints an event: as text, or as one JSON object on a line."""

    def say(text: str, facts: object = None) -> None:
        clear_line()
        if as_json and facts is not None:
            click.echo(json_line(facts))
        elif not (quiet or as_json):
            click.echo(text)

    return say


def _follow(memory: Vademecum, settings: settings_module.Settings, say: Say) -> None:
    """Read what changed, and print what was done."""
    synced = run(memory.context, READS, lambda: memory.maintenance.sync(quick=True))
    if synced.added or synced.changed or synced.dropped or synced.by_hand:
        say(synced_text(synced), synced)
    if settings.transcripts:
        processed = run(memory.context, READS, lambda: memory.maintenance.process(threshold=SILENCE_MINUTES))
        if processed.capture.sessions or processed.tended.sessions:
            say(processed_text(processed), processed)
        of_jobs = (problem for job in processed.tended.jobs for problem in job.problems)
        for problem in (*processed.capture.problems, *processed.tended.problems, *of_jobs):
            click.echo(f"problem: {problem.path}: {problem.message}", err=True)


@click.command("mcp")
@click.option("--no-helper", is_flag=True, help="Serve from this process, without a helper.")
def mcp_command(no_helper: bool) -> None:
    """Serve MCP on standard input and output, for hosts that start their servers themselves.

    Carries the bytes to the helper, which is started when there is none. Register it with: vade install HOST
    """
    from vademecum.entrypoints.mcp.command import run

    home = click.get_current_context().find_root().params.get("home")
    run(current_config(), home=home, helper=not no_helper)


#: Demos of plugins.
_DEMOS: tuple[Demo, ...] = named("demos", (), lambda demo: demo.name)


@click.command("demo")
@JSON
def demo(as_json: bool, **chosen: bool) -> None:
    """Show on sample conversations what memory does: what it keeps, how it briefs, when it speaks and when it does not."""
    from vademecum.demo.show import run_demo

    lines: list[str] = []
    say = lines.append if as_json else click.echo
    if others := [added for added in _DEMOS if chosen[added.name]]:
        others[0].run(say)
    else:
        run_demo(say)
    if not current_settings(forgiving=True).home:
        say(f"Now yours: {_program()} init ~/Notes    (your Obsidian vault, or any folder; it is made when it is not there)")
    if as_json:
        click.echo(json_line({"text": "\n".join(lines)}))


for _demo in _DEMOS:
    click.option(f"--{_demo.name}", is_flag=True, help=_demo.meaning)(demo)


def _program() -> str:
    """Return how to call this program: `vade` if the shell finds it, else its path."""
    if shutil.which("vade", path=settings_module.search_path()):
        return "vade"
    return shlex.quote(os.path.relpath(Path(sys.executable).with_name("vade")))


@click.command("parse")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@JSON
def parse(file: Path, as_json: bool) -> None:
    """Read the transcript FILE without a memory: each turn's ref, role and text, without secrets. Nothing is kept."""
    session = parse_transcript(current_settings(forgiving=True), file.absolute())
    turns = [{"ref": turn.ref, "role": turn.role, "text": turn.text, "sidechain": turn.sidechain} for turn in session.turns]
    by_key = {"id": session.id, "title": session.title, "kind": session.host, "path": session.path, "turns": turns}
    click.echo(json_line(by_key) if as_json else session_text(session))


#: Commands that are no verbs but that the command server may run.
SERVED = (serving.reads,)
#: First word -> subcommands that are no verbs.
BELOW = {"sessions": (parse,), "reader": reader.COMMANDS}

_OWN = (watch, demo, mcp_command, *setting.COMMANDS)
COMMANDS = (
    *setup.COMMANDS, *init.COMMANDS, *_OWN, *hosts.COMMANDS, completion.completion, *doctor.COMMANDS, *serving.COMMANDS,
)  # fmt: skip

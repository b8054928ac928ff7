"""Commands of the helper: `serve`, `stop`, and `work`, which the helper runs for itself."""

import contextlib
import os
from datetime import datetime
from pathlib import Path

import click

from vademecum import settings as settings_module
from vademecum.api.runner import READS, run
from vademecum.domain.errors import InvalidInput
from vademecum.entrypoints.answers import json_line
from vademecum.entrypoints.caller import current_config, current_settings
from vademecum.entrypoints.cli.output import JSON, printing
from vademecum.entrypoints.daemon.call import stop as stop_helper
from vademecum.entrypoints.verbs.jobs import done_text
from vademecum.settings import stop_files

#: Seconds that one run of `work` spends on embeddings before other work gets a turn.
JOB_S = 120.0
#: `nice` value of background work.
NICE = 10


@click.command("serve")
def serve() -> None:
    """Run the helper in the foreground: keeps memory warm for hooks, MCP and HTTP, captures in the background.

    You need not call this: the first hook starts it.
    """
    from vademecum.entrypoints.daemon.start import serve as serve_here

    serve_here(current_settings(forgiving=True), current_config())


@click.command("stop")
@JSON
def stop(as_json: bool) -> None:
    """End the helper. The next hook starts it again; to switch memory off, use `vade pause` or `enabled = false`."""
    answer = stop_helper(current_settings(forgiving=True))
    with printing(as_json) as tell:
        process = f"process {answer['stopping']}" if answer and answer["stopping"] else "while it was starting"
        text = f"Stopped ({process})." if answer else "No helper is running."
        tell(text, stopped=answer["stopping"] if answer else None)


_SESSION = click.option("--session", default="", help="Only this conversation: its id, URI or title.")


@click.command("pause")
@_SESSION
@JSON
def pause(session: str, as_json: bool) -> None:
    """Switch memory off until `vade resume`; nothing said meanwhile is kept.

    No hook tells anything, and nothing is captured or written. Hosts go on writing their transcripts: what was said meanwhile is
    left out when they are read later, so nothing of it is made searchable, mined or archived, also when the index is built anew.
    Without --session this holds for every conversation.
    """
    with printing(as_json) as tell:
        if session:
            uri = _paused(session)
            tell(f"{uri} is paused. Resume it with: vade resume --session {session}", session=uri)
        else:
            mark = _switched_off()
            tell(f"Memory is off. Switch it on with: vade resume (it removes {mark})", session="", mark=str(mark))


def _paused(session: str) -> str:
    """Pause capture of one conversation, and return its URI."""
    from vademecum.wiring import open_memory

    with open_memory(current_settings(forgiving=True)) as memory:
        return run(memory.context, READS, lambda: memory.sessions.pause(session))


def _switched_off() -> Path:
    """Switch memory off, and return the marker file."""
    from vademecum.wiring import pauses_of, system_clock

    settings = current_settings(forgiving=True)
    mark = stop_files(settings)[0]
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()
    with contextlib.suppress(OSError):  # on a full disk; the pause is recorded later, from the time of the file
        pauses_of(settings).begin(system_clock().now())
    return mark


@click.command("resume")
@_SESSION
@JSON
def resume(session: str, as_json: bool) -> None:
    """Switch memory on again after `vade pause` or a STOP file; what was said meanwhile stays left out."""
    since = _resumed(session)
    with printing(as_json) as tell:
        if session:
            text = f"It was paused since {since:%Y-%m-%d %H:%M} UTC." if since else "It was not paused."
            tell(text, session=session, since=since)
        else:
            there = _switched_on()
            tell("Memory is on." if there else "Memory was on already.", session="", since=since)


def _resumed(session: str) -> datetime | None:
    """End the pause of one conversation ("": of all), and return when it began."""
    settings = current_settings(forgiving=True)
    if not (session or settings.home):
        return None
    from vademecum.wiring import open_memory

    with open_memory(settings) as memory:
        return run(memory.context, READS, lambda: memory.sessions.resume(session))


def _switched_on() -> bool:
    """Remove the files that switch memory off, and return whether there were any.

    Raises:
        InvalidInput: the settings switch it off.
    """
    there = [mark for mark in stop_files(current_settings(forgiving=True)) if mark.exists()]
    for mark in there:
        mark.unlink()
    if not current_settings(forgiving=True).enabled:
        raise InvalidInput("Memory stays off.", "The setting `enabled` or VADEMECUM_DISABLED says so.")
    return bool(there)


_FOLDER = click.argument("folder", default="", required=False)


@click.command("off")
@_FOLDER
@JSON
def off(folder: str, as_json: bool) -> None:
    """Switch memory off for one project until `vade on`: that of FOLDER, or of the folder you are in.

    Hooks tell nothing there, and nothing that is said there is captured. It makes a file STOP in the project's folder `.harness`.
    """
    from vademecum.wiring import open_memory, project_root

    root = project_root(_absolute(folder))
    with printing(as_json) as tell, open_memory(current_settings(forgiving=True)) as memory:
        mark = run(memory.context, READS, lambda: memory.sessions.stop(str(root)))
        tell(f"Memory is off in {root}. Switch it on there with: vade on (it removes {mark})", folder=str(root), mark=mark)


@click.command("on")
@_FOLDER
@JSON
def on(folder: str, as_json: bool) -> None:
    """Switch memory on again for a project after `vade off` or a STOP file there; what was said meanwhile stays left out."""
    from vademecum.wiring import open_memory

    here = str(_absolute(folder))
    with printing(as_json) as tell, open_memory(current_settings(forgiving=True)) as memory:
        ended = run(memory.context, READS, lambda: memory.sessions.unstop(here))
        text = f"Memory is on in {ended.folder}." if ended else f"Memory was on already in {here}."
        tell(text, folder=ended.folder if ended else here, since=ended.start if ended else None)


def _absolute(folder: str) -> Path:
    return (settings_module.working_directory() / folder).resolve()


@click.command("work", hidden=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def work(as_json: bool) -> None:
    """Do the jobs that are due, once."""
    from vademecum.doctor.canary import canary
    from vademecum.wiring import open_memory, system_clock

    if hasattr(os, "nice"):
        os.nice(NICE)
    # The helper has put the memory's folder into the environment, so these settings must not be written into hooks.
    settings = current_settings(forgiving=True)
    with open_memory(settings) as memory:
        done = run(memory.context, READS, lambda: memory.jobs.run(seconds=JOB_S))
    canary(settings, system_clock())  # once a day; `vade doctor` reports whether saving and recalling worked
    click.echo(json_line(done) if as_json else done_text(done))


@click.command("reads", hidden=True)
def reads() -> None:
    """Do the long reads of a helper; it is asked and answers in a form of its own."""
    from vademecum.entrypoints.daemon.reading_lane import serve_reads

    serve_reads(current_settings(forgiving=True))


COMMANDS = (serve, stop, pause, resume, off, on, work)

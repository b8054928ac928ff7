"""Commands of the helper: `serve`, `stop`, and `work`, which the helper runs for itself."""

import asyncio
import contextlib
import logging
import logging.handlers
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from vademecum import settings as settings_module
from vademecum.doors import show
from vademecum.doors.serve.call import only_one
from vademecum.doors.serve.call import stop as stop_helper
from vademecum.doors.serve.service import Service, service_for
from vademecum.model.errors import InvalidInput, Locked, Refused
from vademecum.settings import Settings, stop_files

#: The helper's own log, apart from that of hooks.
LOG_BYTES, LOGS_KEPT = 1_000_000, 3
LOG_LEVELS = ("debug", "info", "warning", "error")
#: Seconds that one run of `work` spends on finer vectors before it lets other work in.
REFINE_S = 120.0
#: Politeness of background work (nice).
NICE = 10


def _config() -> Path | None:
    config: Path | None = click.get_current_context().find_root().params.get("config")
    return config.absolute() if config else None


def _settings() -> Settings:
    root = click.get_current_context().find_root()
    return settings_module.load(config=root.params.get("config"), overrides={"home": root.params.get("home")})


@click.command("serve")
@click.option("--unless-running", is_flag=True, help="End with 0 when another helper is running, as a service wants it.")
def serve(unless_running: bool) -> None:
    """Run the helper in the foreground: keeps memory warm for hooks, MCP and HTTP, captures in the background.

    You need not call this: the first hook starts it. `vade service install` starts it with your session.
    """
    _must_be_possible()
    settings = _settings()
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(only_one(settings))
        except Locked:
            if unless_running:
                return
            raise
        from vademecum.doors.serve.helper import AGAIN, Helper  # only the one that stays needs all that

        _log_to(Path(settings.data_dir) / "log" / "helper.log", settings.log_level)
        why = asyncio.run(Helper(settings, _config()).run())
    if why == AGAIN:
        os.execv(sys.executable, [sys.executable, "-P", "-m", "vademecum", *sys.argv[1:]])


def _must_be_possible() -> None:
    if not settings_module.has_helper():
        hint = "Use the command line and `vade mcp`, which need none. Background work: vade process, as often as you like."
        raise Refused("There is no helper on Windows yet: it needs Unix sockets.", hint)


def _log_to(path: Path, level: str) -> None:
    if level not in LOG_LEVELS:
        raise InvalidInput(f"Setting log_level is one of {', '.join(LOG_LEVELS)}, not {level!r}.")
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    if level == "info":
        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it tells of each file that changed


@click.command("stop")
def stop() -> None:
    """End the helper. The next hook starts it again; to switch memory off, use `vade pause` or `enabled = false`."""
    answer = stop_helper(_settings())
    click.echo(f"Stopped (process {answer['stopping']})." if answer else "No helper is running.")


_SESSION = click.option("--session", default="", help="Only this conversation: its id, URI or title.")


@click.command("pause")
@_SESSION
def pause(session: str) -> None:
    """Switch memory off until `vade resume`; nothing said meanwhile is kept.

    No hook tells anything, and nothing is captured or written. Hosts go on writing their transcripts: what was said meanwhile is
    left out when they are read later, so nothing of it is made searchable, mined or archived, also when the index is built anew.
    Without --session this holds for every conversation.
    """
    from vademecum.wiring import open_memory, pauses_of, system_clock

    settings = _settings()
    if session:
        with open_memory(settings) as memory:
            click.echo(f"{memory.pause(session)} is paused. Take it up again with: vade resume --session {session}")
        return
    mark = stop_files(settings)[0]
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.touch()  # first: from here on memory is off, whatever comes
    pauses_of(settings).begin(system_clock().now())
    click.echo(f"Memory is off. Switch it on with: vade resume (it removes {mark})")


@click.command("resume")
@_SESSION
def resume(session: str) -> None:
    """Switch memory on again after `vade pause` or a STOP file; what was said meanwhile stays left out."""
    settings = _settings()
    there = [mark for mark in stop_files(settings) if mark.exists()]
    if session or settings.home:
        from vademecum.wiring import open_memory

        with open_memory(settings) as memory:
            since = memory.resume(session)
        if session:
            click.echo(f"It was paused since {since:%Y-%m-%d %H:%M} UTC." if since else "It was not paused.")
            return
    for mark in there:
        mark.unlink()
    after = _settings()
    if not after.enabled:
        raise InvalidInput("Memory stays off.", "The setting `enabled` or VADEMECUM_DISABLED says so.")
    click.echo("Memory is on." if there else "Memory was on already.")


@click.group("service")
def service() -> None:
    """Start the helper with your session, rather than with the first hook."""


@service.command("install")
@click.option("--dry-run", is_flag=True, help="Show what would be written; write nothing.")
def install_service(dry_run: bool) -> None:
    """Write the description of the service for this platform, and start it."""
    wanted = _service()
    if dry_run:
        click.echo(f"Would write {wanted.path}:\n")
        click.echo(wanted.text.decode("utf-16" if wanted.path.suffix == ".xml" else "utf-8"))
        click.echo("\n".join(["Would run:", *(f"  {' '.join(words)}" for words in wanted.start)]))
        return
    _must_be_possible()
    wanted.path.parent.mkdir(parents=True, exist_ok=True)
    wanted.path.write_bytes(wanted.text)
    click.echo(f"Wrote {wanted.path}")
    if stop_helper(_settings()):  # the service's own would leave at once
        click.echo("Stopped the helper that was running.")
    if not _run_all(wanted.start):
        hint = "Run what is listed above in a session of your own; until then hooks start the helper, as before."
        raise Refused("The service is written, but not started.", hint)


@service.command("uninstall")
def uninstall_service() -> None:
    """Stop the service and remove its description."""
    wanted = _service()
    if not wanted.path.exists():
        click.echo("No service is installed.")
        return
    _run_all(wanted.stop)
    wanted.path.unlink()
    click.echo(f"Removed {wanted.path}")


def _service() -> Service:
    settings, config = _settings(), _config()
    if not settings.home:
        raise InvalidInput("There is no memory yet.", "Create one first: vade init FOLDER")
    more = ["--config", str(config)] if config else []
    command = [sys.executable, "-P", "-m", "vademecum", *more, "serve", "--unless-running"]
    home, units = settings_module.service_folders()
    log = Path(settings.data_dir) / "log" / "service.log"
    places, user = settings_module.environment_of_service(), settings_module.account()
    return service_for(platform.system(), home, units, command, log, places=places, user=user)


def _run_all(commands: Sequence[Sequence[str]]) -> bool:
    """Run each; one that fails or is not there is shown, for the person to run. Whether all succeeded."""
    succeeded = True
    for words in commands:
        line = " ".join(words)
        program = shutil.which(words[0])
        done = subprocess.run([program, *words[1:]], capture_output=True, text=True, check=False) if program else None
        if done and done.returncode == 0:
            click.echo(f"Ran {line}")
        else:
            why = (done.stderr or done.stdout).strip() if done else f"{words[0]} is not on this machine"
            click.echo(f"Not done: {line} ({why}). Run it yourself.", err=True)
            succeeded = False
    return succeeded


@click.command("work", hidden=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def work(as_json: bool) -> None:
    """One run of what is due: what hooks told of, files that changed, vectors that are missing."""
    from filelock import FileLock, Timeout

    from vademecum.doctor.canary import canary
    from vademecum.wiring import open_memory, system_clock

    if hasattr(os, "nice"):
        os.nice(NICE)
    settings = _settings()
    try:
        with FileLock(Path(settings.data_dir) / "work.lock", timeout=0), open_memory(settings) as memory:
            report = memory.catch_up(refine_s=REFINE_S)
        canary(settings, system_clock())  # once a day: whether saving and recalling works at all is seen by `vade doctor`
    except Timeout:
        return  # a helper that was killed left one behind, which is still at it
    click.echo(show.as_json(report) if as_json else show.tended(report))


COMMANDS = (serve, stop, pause, resume, service, work)

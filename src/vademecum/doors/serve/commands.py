"""Commands of the helper: `serve`, `stop`, and `work`, which the helper runs for itself."""

import asyncio
import logging
import logging.handlers
import os
import sys
from pathlib import Path

import click

from vademecum import settings as settings_module
from vademecum.doors import show
from vademecum.doors.serve.call import stop as stop_helper
from vademecum.model.errors import Locked
from vademecum.settings import Settings

#: The helper's own log, apart from that of hooks.
LOG_BYTES, LOGS_KEPT = 1_000_000, 3
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
def serve() -> None:
    """Run the helper in the foreground: keeps memory warm for hooks, MCP and HTTP, captures in the background.

    You need not call this: the first hook starts it. `vade service install` starts it with your session.
    """
    from vademecum.doors.serve.helper import AGAIN, ANOTHER, Helper

    settings = _settings()
    _log_to(Path(settings.data_dir) / "log" / "helper.log")
    why = asyncio.run(Helper(settings, _config()).run())
    if why == ANOTHER:
        raise Locked("A helper is running already.", "See: vade status. End it with: vade stop")
    if why == AGAIN:
        os.execv(sys.executable, [sys.executable, "-m", "vademecum", *sys.argv[1:]])


def _log_to(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])


@click.command("stop")
def stop() -> None:
    """End the helper. The next hook starts it again; to switch memory off, use `vade pause` or `enabled = false`."""
    answer = stop_helper(_settings())
    click.echo(f"Stopped (process {answer['stopping']})." if answer else "No helper is running.")


@click.command("work", hidden=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def work(as_json: bool) -> None:
    """One run of what is due: what hooks told of, files that changed, vectors that are missing."""
    from filelock import FileLock, Timeout

    from vademecum.wiring import open_memory

    os.nice(NICE)
    settings = _settings()
    try:
        with FileLock(Path(settings.data_dir) / "work.lock", timeout=0), open_memory(settings) as memory:
            report = memory.catch_up(refine_s=REFINE_S)
    except Timeout:
        return  # a helper that was killed left one behind, which is still at it
    click.echo(show.as_json(report) if as_json else show.synced(report))


COMMANDS = (serve, stop, work)

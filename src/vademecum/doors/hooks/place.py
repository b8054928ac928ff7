"""Where the hook client lies once it is installed, what it must know, and how it starts a helper.

The client is copied out of the package to `<data_dir>/hook/client.py`, so that the command registered with hosts stays the same
when the package moves or is upgraded: some hosts ask the person again whenever that command changes.
"""

import os
import sys
from datetime import datetime
from pathlib import Path

from vademecum.settings import Settings, environment_of_helper, socket_path

CONFIG_LINE = "config"
#: A helper that was started so many seconds ago may still be opening the index.
STARTING_S = 15


def client_path(settings: Settings) -> Path:
    """Where the copy of the client lies."""
    return Path(settings.data_dir) / "hook" / "client.py"


def client_files(settings: Settings, config: Path | None) -> dict[Path, str]:
    """The client's two parts and what it must know, by path; what others need, first.

    Args:
        config: the configuration file when it is not the platform's.
    """
    parts = {name: Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("carrier.py", "client.py")}
    lines = [
        ("data", settings.data_dir),
        ("home", settings.home),
        ("socket", str(socket_path(settings))),
        ("python", sys.executable),
        ("deadline_ms", str(settings.hook_deadline_ms)),
        *(("path", place) for place in _import_places()),
    ]
    if config:
        lines.append((CONFIG_LINE, str(config)))
    texts = {"hook.conf": "".join(f"{name}={value}\n" for name, value in lines), **parts}
    return {client_path(settings).with_name(name): text for name, text in texts.items()}


def write_client(settings: Settings, config: Path | None) -> Path:
    """Write those files that differ; gives the client's path.

    Raises:
        OSError: they cannot be written.
    """
    for path, text in client_files(settings, config).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="utf-8")
        fresh.replace(path)
    return client_path(settings)


def command(settings: Settings) -> list[str]:
    """What a host runs, before the host's name."""
    return [sys.executable, "-I", "-S", str(client_path(settings))]


def start_helper(conf: dict[str, str], now: datetime, *, orphan: bool = False) -> bool:
    """Start a helper that outlives this process; whether one was started. One that is starting already is left in peace.

    Args:
        orphan: for a process that stays, such as an MCP server: hosts end those with all that descends from them (the Copilot command
            line does), so a shell starts the helper and is gone.
    """
    if not _first_to_start(starting_mark(Path(conf["socket"])), now.timestamp()):
        return False
    config = ["--config", conf[CONFIG_LINE]] if conf.get(CONFIG_LINE) else []
    arguments = [conf["python"], "-P", "-m", "vademecum", *config, "serve"]
    if orphan:
        arguments = ["/bin/sh", "-c", '"$@" &', "sh", *arguments]
    null = os.open(os.devnull, os.O_RDWR)
    started = os.posix_spawn(
        arguments[0],
        arguments,
        environment_of_helper(conf["data"]),
        file_actions=[(os.POSIX_SPAWN_DUP2, null, descriptor) for descriptor in (0, 1, 2)],
        setsid=True,
    )
    os.close(null)
    if orphan:
        os.waitpid(started, 0)
    return True


def is_starting(socket: Path, now: datetime) -> bool:
    """Whether a helper for this socket was started a moment ago and does not listen yet."""
    return _is_fresh(starting_mark(socket), now.timestamp())


def starting_mark(socket: Path) -> Path:
    """The file that says that a helper was started; the helper removes it once it listens."""
    return socket.with_suffix(".starting")


def _is_fresh(mark: Path, now_s: float) -> bool:
    try:
        return 0 <= now_s - mark.stat().st_mtime < STARTING_S
    except FileNotFoundError:
        return False


def _first_to_start(mark: Path, now_s: float) -> bool:
    """Whether nobody else left this mark within the last seconds: many hooks at once start one helper."""
    mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if _is_fresh(mark, now_s):
        return False
    mark.unlink(missing_ok=True)
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return False
    return True


def _import_places() -> list[str]:
    """Folders that this package and what it needs are imported from, in order."""
    return [place for place in dict.fromkeys(sys.path) if place and Path(place).is_dir() and "site-packages" in place] + [
        str(Path(__file__).parents[3])
    ]

"""Start the helper. A prompt may be waiting, so nothing is imported that a first answer does not need."""

import asyncio
import contextlib
import logging
import logging.handlers
import os
import subprocess
import sys
from pathlib import Path

from vademecum.entrypoints.daemon.helper import AGAIN, Helper
from vademecum.entrypoints.daemon.lock import only_one
from vademecum.settings import Settings

_log = logging.getLogger(__name__)

#: Log of the helper, apart from that of hooks.
LOG_BYTES, LOGS_KEPT = 1_000_000, 3


def serve(settings: Settings, config: Path | None) -> None:
    """Run the helper until it ends. To restart, this process executes it again; on Windows it starts a new process.

    Args:
        config: the configuration file, unless it is the default one.

    Raises:
        Locked: another helper is running.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(only_one(settings))
        _log_to(Path(settings.data_dir) / "log" / "helper.log", settings.log_level)
        for sentence in settings.wrong:
            _log.warning("%s", sentence)
        why = asyncio.run(Helper(settings, config).run())
    if why == AGAIN:
        _start_anew([sys.executable, "-P", "-m", "vademecum", *sys.argv[1:]])


def _start_anew(command: list[str]) -> None:
    if sys.platform == "win32":  # Windows has no exec; the new process shares the hidden console
        subprocess.Popen(command)
    else:
        os.execv(sys.executable, command)


def _log_to(path: Path, level: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    if level == "info":
        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # otherwise it logs each changed file

"""Become the helper. A prompt may wait for that, so nothing is loaded that a first answer does not need."""

import asyncio
import contextlib
import logging
import logging.handlers
import os
import subprocess
import sys
from pathlib import Path

from vademecum.domain.errors import Locked
from vademecum.entrypoints.daemon.helper import AGAIN, Helper
from vademecum.entrypoints.daemon.lock import only_one
from vademecum.settings import Settings

_log = logging.getLogger(__name__)

#: The helper's own log, apart from that of hooks.
LOG_BYTES, LOGS_KEPT = 1_000_000, 3


def serve(settings: Settings, config: Path | None, *, unless_running: bool = False) -> None:
    """Run the helper until it ends; when it is to start anew, this process becomes it, or on Windows starts it.

    Args:
        config: the configuration file when it is not the platform's. unless_running: do nothing when another helper is running.

    Raises:
        Locked: another helper is running.
    """
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(only_one(settings))
        except Locked:
            if unless_running:
                return
            raise
        _log_to(Path(settings.data_dir) / "log" / "helper.log", settings.log_level)
        for sentence in settings.wrong:
            _log.warning("%s", sentence)
        why = asyncio.run(Helper(settings, config).run())
    if why == AGAIN:
        _start_anew([sys.executable, "-P", "-m", "vademecum", *sys.argv[1:]])


def _start_anew(command: list[str]) -> None:
    if sys.platform == "win32":  # no process becomes another there; the next one has the hidden console of this one
        subprocess.Popen(command)
    else:
        os.execv(sys.executable, command)


def _log_to(path: Path, level: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    if level == "info":
        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it tells of each file that changed

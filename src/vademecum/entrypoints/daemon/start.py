"""Start the helper. A prompt may be waiting, so nothing is imported that a first answer does not need."""

import asyncio
import contextlib
import faulthandler
import logging
import logging.handlers
import os
import subprocess
import sys
from pathlib import Path
from typing import IO

from vademecum.entrypoints.daemon.helper import AGAIN, Helper
from vademecum.entrypoints.daemon.lock import only_one
from vademecum.entrypoints.hooks.carrier import starting_mark
from vademecum.settings import Settings, environment_of_started, socket_path, was_started

_log = logging.getLogger(__name__)

#: Log of the helper, apart from that of hooks.
LOG_BYTES, LOGS_KEPT = 1_000_000, 3
#: How long it may take to end, in seconds. Then it writes to its log where each of its threads is, and is killed: what it does to files
#: is made to be cut off at any moment.
END_WITHIN_S = 30.0


def serve(settings: Settings, config: Path | None) -> None:
    """Run the helper until it ends, and with it this process. To restart, this process executes it again; on Windows it starts a new one.

    Args:
        config: the configuration file, unless it is the default one.

    Raises:
        Locked: another helper is running.
    """
    started = was_started()
    if started and not Path(starting_mark(str(socket_path(settings)))).exists():
        return
    with contextlib.ExitStack() as stack:
        stack.enter_context(only_one(settings))
        log = Path(settings.data_dir) / "log" / "helper.log"
        _log_to(log, settings.log_level)
        for sentence in settings.wrong:
            _log.warning("%s", sentence)
        dump = stack.enter_context(log.open("ab"))
        why = asyncio.run(Helper(settings, config, lambda: _end_soon(dump)).run(started=started))
        logging.shutdown()
        if why != AGAIN:
            os._exit(0)  # all is closed; threads that still load modules would be torn down in the middle
        faulthandler.cancel_dump_traceback_later()
    _start_anew([sys.executable, "-P", "-m", "vademecum", *sys.argv[1:]])


def _end_soon(log: IO[bytes]) -> None:
    """Have this process killed if it is still there after `END_WITHIN_S`, whatever its threads wait for."""
    faulthandler.dump_traceback_later(END_WITHIN_S, file=log, exit=True)


def _start_anew(command: list[str]) -> None:
    if sys.platform == "win32":  # Windows has no exec; the new process shares the hidden console
        subprocess.Popen(command, env=environment_of_started())
    else:
        os.execve(sys.executable, command, environment_of_started())


def _log_to(path: Path, level: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
    if level == "info":
        logging.getLogger("watchfiles").setLevel(logging.WARNING)  # otherwise it logs each changed file

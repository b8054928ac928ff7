"""A hook's answer without a helper: in the client's own process, by words alone, within the deadline; then a helper is started."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from vademecum import settings as settings_module
from vademecum.doors.hooks.answer import Hooks
from vademecum.doors.hooks.place import CONFIG_LINE, start_helper
from vademecum.wiring import hook_parts, open_memory


def answer(conf: dict[str, str], host: str, cwd: str, payload: bytes, write: Callable[[bytes], None]) -> None:
    """Write the answer, keep what capture must hear of, start a helper. Called by client.py, which swallows what this raises.

    The deadline ends the process, with nothing written: an event that is kept is kept before anything slow begins.
    """
    settings = settings_module.load(
        config=Path(conf[CONFIG_LINE]) if conf.get(CONFIG_LINE) else None,
        overrides={"data_dir": conf["data"], "embedder": "none", "quick_embedder": "none"},
    )
    hooks = Hooks(*hook_parts(settings))
    asked = hooks.read(host, cwd, payload)
    _end_after(float(conf.get("deadline_ms", "500")) / 1000)

    def text() -> str:
        if not settings.enabled:
            return ""
        folder = Path(asked.cwd) if asked.cwd else None
        with open_memory(settings, folder=folder) as memory:
            return hooks.answer(asked, memory.deliver)

    write(text().encode("utf-8"))
    os.close(1)  # the host need not wait for what follows
    if settings.enabled:
        start_helper(conf, hooks.clock.now())


def _end_after(seconds: float) -> None:
    """Whatever it is busy with then: the prompt goes on."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
    signal.setitimer(signal.ITIMER_REAL, seconds)

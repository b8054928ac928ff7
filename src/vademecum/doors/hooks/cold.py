"""A hook's answer without a helper: in the client's own process, by words alone, within the deadline; then a helper is started."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from vademecum import settings as settings_module
from vademecum.doors.hooks.answer import Hooks
from vademecum.doors.hooks.place import CONFIG_LINE, start_helper
from vademecum.model.host import Delivery
from vademecum.wiring import hook_parts, open_memory


def answer(conf: dict[str, str], host: str, cwd: str, payload: bytes, write: Callable[[bytes], None]) -> None:
    """Write the answer, keep what capture must hear of, start a helper. Called by carrier.py, and client.py swallows what this raises.

    The deadline ends the process, with nothing written: an event that is kept is kept before anything slow begins.
    """
    settings = settings_module.load(
        config=Path(conf[CONFIG_LINE]) if conf.get(CONFIG_LINE) else None,
        overrides={"data_dir": conf["data"], "embedder": "none", "quick_embedder": "none"},
    )
    hooks = Hooks(*hook_parts(settings))
    asked = hooks.read(host, cwd, payload)

    def start() -> None:
        if settings.enabled:
            start_helper(conf, hooks.clock.now())

    def too_late() -> None:
        hooks.late(asked)
        start()

    _end_after(float(conf.get("deadline_ms", "500")) / 1000, too_late)

    def text() -> str:
        if not settings.enabled:
            return ""
        if not hooks.is_told(asked):
            return hooks.finish(asked, Delivery())
        folder = Path(asked.cwd) if asked.cwd else None
        memory = open_memory(settings, folder=folder, light=True)  # never closed: tidying up takes longer than answering
        return hooks.ask(asked, lambda event: _in_time(memory.deliver(event)))

    write(text().encode("utf-8"))
    os.close(1)  # the host need not wait for what follows
    start()


def _in_time(delivery: Delivery) -> Delivery:
    """The delivery is there before the deadline, so what is left, writing it, shall not be interrupted."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    return delivery


def _end_after(seconds: float, last: Callable[[], object]) -> None:
    """End this process then, whatever it is busy with, after a `last` word: the prompt goes on."""

    def end(*_: object) -> None:
        try:
            last()
        finally:
            os._exit(0)

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)

"""What hook clients of earlier installs call when no helper runs: their own files are renewed, so that they call it once."""

from collections.abc import Callable
from pathlib import Path

from vademecum.domain.host import Delivery
from vademecum.entrypoints.hooks.answer import Hooks
from vademecum.entrypoints.hooks.place import CONFIG_LINE, write_client
from vademecum.wiring import hook_parts, load_settings


def answer(conf: dict[str, str], host: str, cwd: str, payload: bytes, write: Callable[[bytes], None]) -> None:
    """Keep the event where the helper looks when it starts, and put today's client in the place of the one that calls this.

    Args:
        conf: what that client knows. write: would tell the agent something; nobody could be asked, so nothing is told.
    """
    config = Path(conf[CONFIG_LINE]) if conf.get(CONFIG_LINE) else None
    settings = load_settings(config=config, overrides={"data_dir": conf["data"], "home": conf.get("pinned")}, forgiving=True)
    hooks = Hooks(*hook_parts(settings))
    hooks.finish(hooks.read(host, cwd, payload), Delivery(verdict="could not search"))
    write_client(settings, config)

"""Called by hook clients of earlier versions when no helper runs. It replaces their files, so each calls it once."""

from collections.abc import Callable
from pathlib import Path

from vademecum.domain.host import Delivery
from vademecum.domain.why_nothing import COULD_NOT_SEARCH
from vademecum.entrypoints.hooks.answer import Hooks
from vademecum.entrypoints.hooks.place import CONFIG_LINE, write_client
from vademecum.wiring import hook_parts, load_settings


def answer(conf: dict[str, str], host: str, cwd: str, payload: bytes, write: Callable[[bytes], None]) -> None:
    """Queue the event for the helper, and replace the calling client by the current one.

    Args:
        conf: configuration of that client. write: unused, because nothing is shown without a helper.
    """
    config = Path(conf[CONFIG_LINE]) if conf.get(CONFIG_LINE) else None
    settings = load_settings(config=config, overrides={"data_dir": conf["data"], "home": conf.get("pinned")}, forgiving=True)
    hooks = Hooks(*hook_parts(settings))
    hooks.finish(hooks.read(host, cwd, payload), Delivery(verdict=COULD_NOT_SEARCH))
    write_client(settings, config)

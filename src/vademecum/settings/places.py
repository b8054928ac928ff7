"""Where files of the device lie: configuration, data, the socket of the helper, the switch that stops all."""

import os
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from vademecum.settings.definitions import Settings
from vademecum.settings.process import ENVIRONMENT_PREFIX

CONFIG_NAME = "config.toml"
STOP_NAME = "STOP"

#: Of 104 on the strictest platform, with room for the names of files beside it.
_SOCKET_PATH_MAX = 90


def config_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return where the configuration file lies (VADEMECUM_CONFIG overrides the platform's place)."""
    environment = os.environ if environment is None else environment
    if explicit := environment.get(ENVIRONMENT_PREFIX + "CONFIG"):
        return Path(explicit)
    return Path(platform_dir("config", environment)) / CONFIG_NAME


def socket_path(settings: Settings) -> Path:
    """Return where the helper listens: among the data, else (a Unix socket's path must be short) in a folder of the temporary one
    that only this user can enter. Hosts start us with different environments, so the data alone decide: one place, one helper (X-31)."""
    beside = Path(settings.data_dir) / "run" / "helper.sock"
    if sys.platform == "win32" or len(os.fsencode(beside)) <= _SOCKET_PATH_MAX:
        return beside
    import tempfile  # 10 ms that hardly anybody needs

    user = os.getuid() if hasattr(os, "getuid") else 0
    mark = f"{zlib.crc32(os.fsencode(settings.data_dir)):08x}"
    return Path(tempfile.gettempdir()) / f"vademecum-{user}-{mark}" / "helper.sock"


#: In a data folder: the real path of the home whose data they are.
OWNER_NAME = "home"
OTHERS = "-homes"


def device_folder(data_dir: str | Path) -> Path:
    """Return the folder of what belongs to the device, whichever home is meant: the hook client, the record of what was installed."""
    path = Path(data_dir)
    return path.parent.with_name(path.parent.name.removesuffix(OTHERS)) if path.parent.name.endswith(OTHERS) else path


def owner_of(data: Path) -> str:
    """Return the real path of the home whose data lie there; "" when no memory was opened with them yet."""
    try:
        return (data / OWNER_NAME).read_text(encoding="utf-8", errors="replace").strip()
    except (OSError, UnicodeError):
        return ""


def claim_data(settings: Settings, *, again: bool = False) -> None:
    """Mark the data folder as that of the settings' home, unless it is marked; `again`: anew, because the home was moved."""
    data = Path(settings.data_dir)
    if again or not owner_of(data):
        (data / OWNER_NAME).write_text(os.path.realpath(settings.home) + "\n", encoding="utf-8")


def stop_files(settings: Settings) -> tuple[Path, ...]:
    """Return where a file STOP switches memory off, among the data or the memories: the switch that needs no editor (MV-43)."""
    return tuple(Path(place) / STOP_NAME for place in (settings.data_dir, settings.home) if place)


def platform_dir(which: Literal["config", "data", "cache"], environment: Mapping[str, str]) -> str:
    """Return the platform's folder of that sort; XDG variables of `environment` are honoured."""
    xdg = environment.get(f"XDG_{which.upper()}_HOME")
    if xdg:
        return str(Path(xdg) / "vademecum")
    import platformdirs  # 8 ms that a configured process does not need to pay

    return {
        "config": platformdirs.user_config_dir,
        "data": platformdirs.user_data_dir,
        "cache": platformdirs.user_cache_dir,
    }[which]("vademecum", appauthor=False)

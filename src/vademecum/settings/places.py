"""Places of files on this device: configuration, data, the helper's socket, the STOP switch."""

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

#: Longest path of the socket in bytes. The strictest platform allows 104; the rest is for file names beside it.
_SOCKET_PATH_MAX = 90


def config_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return the path of the configuration file (VADEMECUM_CONFIG overrides the platform's place)."""
    environment = os.environ if environment is None else environment
    if explicit := environment.get(ENVIRONMENT_PREFIX + "CONFIG"):
        return Path(explicit)
    return Path(platform_dir("config", environment)) / CONFIG_NAME


def socket_path(settings: Settings) -> Path:
    """Return the path of the helper's socket.

    It is in the data folder. If that path is too long for a Unix socket, it is in a folder below the temporary one that only
    this user can enter. Hosts start us with different environments, so only the data folder decides: one place, one helper
    (X-31).
    """
    beside = Path(settings.data_dir) / "run" / "helper.sock"
    if sys.platform == "win32" or len(os.fsencode(beside)) <= _SOCKET_PATH_MAX:
        return beside
    import tempfile  # 10 ms that hardly anybody needs

    user = os.getuid() if hasattr(os, "getuid") else 0
    mark = f"{zlib.crc32(os.fsencode(settings.data_dir)):08x}"
    return Path(tempfile.gettempdir()) / f"vademecum-{user}-{mark}" / "helper.sock"


#: File in a data folder: the real path of the home to which the data belong.
OWNER_NAME = "home"
OTHERS = "-homes"


def device_folder(data_dir: str | Path) -> Path:
    """Return the folder for data of the device that do not depend on the home: hook client, record of installations."""
    path = Path(data_dir)
    return path.parent.with_name(path.parent.name.removesuffix(OTHERS)) if path.parent.name.endswith(OTHERS) else path


def owner_of(data: Path) -> str:
    """Return the real path of the home to which a data folder belongs; "" before the first memory was opened with it."""
    try:
        return (data / OWNER_NAME).read_text(encoding="utf-8", errors="replace").strip()
    except (OSError, UnicodeError):
        return ""


def claim_data(settings: Settings, *, again: bool = False) -> None:
    """Mark the data folder as that of the settings' home, unless it is marked. `again`: overwrite, because the home was moved."""
    data = Path(settings.data_dir)
    if again or not owner_of(data):
        (data / OWNER_NAME).write_text(os.path.realpath(settings.home) + "\n", encoding="utf-8")


def stop_files(settings: Settings) -> tuple[Path, ...]:
    """Return the paths in the data and memory folders where a file STOP switches memory off (MV-43)."""
    return tuple(Path(place) / STOP_NAME for place in (settings.data_dir, settings.home) if place)


#: Folders of the XDG base directory specification, where no variable names them.
_XDG_USUAL = {"config": "~/.config", "data": "~/.local/share", "cache": "~/.cache"}


def platform_dir(which: Literal["config", "data", "cache"], environment: Mapping[str, str]) -> str:
    """Return the platform's folder of that kind; XDG variables of `environment` take precedence."""
    folder = environment.get(f"XDG_{which.upper()}_HOME")
    if not folder and sys.platform == "linux":
        folder = os.path.expanduser(_XDG_USUAL[which])  # noqa: PTH111 -- without a home it returns the path
    if folder:
        return str(Path(folder) / "vademecum")
    import platformdirs  # 10 ms, and on Linux it gives the same

    return {
        "config": platformdirs.user_config_dir,
        "data": platformdirs.user_data_dir,
        "cache": platformdirs.user_cache_dir,
    }[which]("vademecum", appauthor=False)

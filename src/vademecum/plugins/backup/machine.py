"""Collect the contents of a backup from the settings, and decide where one is restored to."""

from __future__ import annotations

import dataclasses
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vademecum.domain.errors import files_explained
from vademecum.plugin_api.machine import (
    backup_files,
    device_id,
    load_settings,
    open_memory,
    private_folder,
    settings_changed,
    store_settings,
)
from vademecum.plugins.backup.backup import Source, back_up
from vademecum.plugins.backup.restore import Place, Restored, restore
from vademecum.settings import claim_data, flat, in_file, rows

if TYPE_CHECKING:
    from vademecum.domain.backup import Backup, Contents
    from vademecum.ports.progress import Progress
    from vademecum.settings import Settings


def make_backup(settings: Settings, config: Path, file: Path, passphrase: str, progress: Progress) -> Backup:
    """Back up the memory that the settings name, its data, and the text of the settings file.

    Without a passphrase, secrets in the settings are left out. See :func:`vademecum.plugins.backup.backup.back_up`.
    """
    set_in = _set_in(config)
    secrets: dict[str, object] = {}
    for row in rows():
        if row.metadata["unit"] == "secret" and row.name in set_in:
            secrets |= in_file(row.name, "")
    text = settings_changed(config, {} if passphrase else secrets)[1]
    with open_memory(settings, progress=progress) as memory:
        return back_up(memory.context, backup_files(), file, passphrase, Source(text, device_id(settings)))


def contents_of(file: Path, passphrase: str) -> Contents:
    """Return the contents of a backup after reading and verifying all of it."""
    with files_explained():
        return backup_files().contents_of(file, passphrase)


def restore_backup(before: Settings, config: Path, file: Path, passphrase: str, home: Path) -> tuple[Restored, Settings]:
    """Restore a backup into the new folder `home`; see :func:`vademecum.plugins.backup.restore.restore`.

    The settings then name that folder, unless they name an existing memory.

    Returns:
        the restored parts, and the settings that open this memory.
    """
    ours = Path(load_settings(config=config, overrides={"home": str(home)}, forgiving=True).data_dir)
    data = Path(before.data_dir)
    with files_explained():
        private_folder(ours)
        restored = restore(backup_files(), file, passphrase, Place(home, ours, (data,)))
    is_gone = bool(before.home) and not Path(before.home).is_dir()
    if is_gone and data in restored.writers:  # its memory was lost and is now restored elsewhere
        claim_data(dataclasses.replace(before, home=str(home)), again=True)
    if not before.home or (is_gone and data in restored.writers):
        _store(config, restored.settings, home)
    return restored, load_settings(config=config, overrides={"home": str(home)}, forgiving=True)


def _store(config: Path, text: str, home: Path) -> None:
    """Set the folder in the configuration. If there is none, write the backed-up one, without folders that do not exist here."""
    values: dict[str, object] = {"home": str(home), "vault": _vault_around(home)}
    if not config.exists():
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(text, encoding="utf-8", errors="surrogateescape")
        set_in = _set_in(config)
        values |= {name: "" for name in ("data_dir", "cache_dir") if name in set_in}
        lists = {row.name: set_in[row.name] for row in rows() if row.metadata["unit"] == "paths" and row.name in set_in}
        for name, places in lists.items():
            values |= in_file(name, [place for place in places if Path(place).exists()])
    store_settings(config, values)


def _vault_around(home: Path) -> str:
    return next((str(place) for place in home.parents if (place / ".obsidian").is_dir()), "")


def _set_in(config: Path) -> dict[str, Any]:
    return flat(tomllib.loads(config.read_text(encoding="utf-8-sig"))) if config.exists() else {}

"""Encrypted backups of a memory, and of a space of a team."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vademecum.domain.errors import files_explained

if TYPE_CHECKING:
    from pathlib import Path

    from vademecum.ports.backups import BackupFiles


def is_sealed(file: Path) -> bool:
    """Return whether a backup is encrypted."""
    from vademecum.adapters.backups.backup_file import is_sealed

    with files_explained():
        return is_sealed(file)


def backup_files() -> BackupFiles:
    """Return the reader and writer of backups."""
    from vademecum.adapters.backups import backup_file
    from vademecum.adapters.stores.snapshots import snapshot
    from vademecum.ports.backups import BackupFiles

    return BackupFiles(backup_file.writing, backup_file.unpack, backup_file.read, backup_file.contents_of, snapshot)

"""Remember the last backup made on this device, for `vade status` and `vade forget`."""

from pathlib import Path

import msgspec

from vademecum.context.context import Context
from vademecum.domain.backup import Backup

#: File name in the data folder.
LAST_NAME = "backup.json"


def note_backup(context: Context, made: Backup) -> None:
    """Record that a backup was made.

    Raises:
        OSError: the record cannot be written.
    """
    data = Path(context.storage.data_dir)
    note = data / f".{LAST_NAME}.part"
    note.write_bytes(msgspec.json.encode(made))
    note.replace(data / LAST_NAME)


def last_backup(context: Context) -> Backup | None:
    """Return the last backup made on this device; None when none is recorded or the record is unreadable."""
    try:
        return msgspec.json.decode((Path(context.storage.data_dir) / LAST_NAME).read_bytes(), type=Backup)
    except (OSError, msgspec.DecodeError):
        return None

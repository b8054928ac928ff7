"""When the last backup was made here: `vade status` and `vade forget` name it."""

from pathlib import Path

import msgspec

from vademecum.context.context import Context
from vademecum.domain.backup import Backup

#: The note, in the data folder.
LAST_NAME = "backup.json"


def note_backup(context: Context, made: Backup) -> None:
    """Note that a backup was made.

    Raises:
        OSError: the note cannot be written.
    """
    data = Path(context.storage.data_dir)
    note = data / f".{LAST_NAME}.part"
    note.write_bytes(msgspec.json.encode(made))
    note.replace(data / LAST_NAME)


def last_backup(context: Context) -> Backup | None:
    """Return the last backup that was made here; None: none was, or the note of it cannot be read."""
    try:
        return msgspec.json.decode((Path(context.storage.data_dir) / LAST_NAME).read_bytes(), type=Backup)
    except (OSError, msgspec.DecodeError):
        return None

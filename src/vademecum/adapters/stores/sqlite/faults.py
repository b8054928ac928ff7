"""Converts SQLite's errors to ours."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from vademecum.adapters.stores.device_file import holds_tables
from vademecum.adapters.stores.sqlite.schema import TABLES
from vademecum.domain.errors import MAKE_ROOM, IndexDamaged, Locked, WriteFailed

#: Errors of SQLite and the system for a file that cannot be read as it was written.
_UNREADABLE = (
    apsw.CorruptError, apsw.NotADBError, apsw.FormatError, apsw.IOError, apsw.CantOpenError, OSError, UnicodeDecodeError,
)  # fmt: skip
_REBUILD = "Rebuild it with: vade rebuild"


@contextlib.contextmanager
def explained(path: Path, *, writing: bool = False) -> Iterator[None]:
    """Convert errors of SQLite and the file system to ours.

    Raises:
        Locked: another process holds the file.
        WriteFailed: the disk is full or refuses.
        IndexDamaged: the file is damaged, has unexpected tables, or cannot be read.
        apsw.Error: a statement of ours is wrong, which is no reason to rebuild the index.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Locked(f"Another process is writing to {path}.", "Try again when it is done.") from error
    except (apsw.FullError, apsw.ReadOnlyError) as error:
        raise _not_written(path, error) from error
    except (apsw.Error, OSError, UnicodeDecodeError) as error:
        if writing and isinstance(error, apsw.IOError | apsw.CantOpenError | OSError):
            raise _not_written(path, error) from error
        if not isinstance(error, _UNREADABLE) and holds_tables(path, TABLES):
            raise
        raise IndexDamaged(f"{path} cannot be trusted: {error}.", _REBUILD) from error


def _not_written(path: Path, error: apsw.Error | OSError) -> WriteFailed:
    message = f"{path} could not be written: {error}."
    hint = MAKE_ROOM if isinstance(error, apsw.FullError) else "Free some space, or make the folder writable, and try again."
    return WriteFailed(message, hint)


def deleted(path: Path) -> IndexDamaged:
    """Return the error of a file that was deleted while it was open."""
    return IndexDamaged(f"{path} is gone.", _REBUILD)

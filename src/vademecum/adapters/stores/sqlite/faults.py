"""What SQLite's errors mean to us."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from vademecum.domain.errors import IndexDamaged, Locked, WriteFailed

_REBUILD = "Rebuild it with: vade rebuild"


@contextlib.contextmanager
def explained(path: Path, *, writing: bool = False) -> Iterator[None]:
    """Raise errors of SQLite and the file system as ours.

    Raises:
        Locked: another process holds the file.
        WriteFailed: the disk is full or refuses.
        IndexDamaged: anything else that SQLite finds wrong.
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
        raise IndexDamaged(f"{path} cannot be trusted: {error}.", _REBUILD) from error


def _not_written(path: Path, error: apsw.Error | OSError) -> WriteFailed:
    return WriteFailed(f"{path} could not be written: {error}.", "Make room, or make the folder writable, and try again.")


def deleted(path: Path) -> IndexDamaged:
    """Make the error of a file that was taken away while it was open."""
    return IndexDamaged(f"{path} is gone.", _REBUILD)

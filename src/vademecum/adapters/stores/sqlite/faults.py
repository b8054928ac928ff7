"""What SQLite's errors mean to us."""

import contextlib
import zlib
from collections.abc import Iterator
from pathlib import Path

import apsw

from vademecum.model.errors import IndexDamaged, Locked, WriteFailed

_REBUILD = "Rebuild it with: vade sync --rebuild"


@contextlib.contextmanager
def explained(path: Path) -> Iterator[None]:
    """Errors of SQLite as ours.

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
        raise WriteFailed(f"{path} could not be written: {error}.", "Make room or make the folder writable.") from error
    except (apsw.Error, zlib.error, UnicodeDecodeError) as error:
        raise IndexDamaged(f"{path} cannot be trusted: {error}.", _REBUILD) from error


def deleted(path: Path) -> IndexDamaged:
    """The file was taken away while it was open."""
    return IndexDamaged(f"{path} is gone.", _REBUILD)

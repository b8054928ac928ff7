"""Consistent copies of our databases while other processes write to them."""

from pathlib import Path

import apsw

from vademecum.domain.errors import BackupUnusable


def snapshot(base: Path, copy: Path) -> None:
    """Write a copy of a database: all committed data, and no remains of deleted data.

    Raises:
        BackupUnusable: the database cannot be read.
    """
    try:
        connection = apsw.Connection(str(base), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(10_000)
            connection.execute("VACUUM INTO ?", (str(copy),))
        finally:
            connection.close()
    except apsw.Error as error:
        raise BackupUnusable(f"{base} cannot be copied: {error}.", "See: vade doctor") from error

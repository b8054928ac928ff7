"""Reads hosts' conversation databases without touching them.

A host may be writing at the same time. Its file is opened directly only if there is no journal beside it. Otherwise a copy of
file and journal is read, so that we create nothing in the host's folder, not even a lock.

The plugin of the host knows its tables. A missing table or column gives no rows: the host's schema has changed, and the caller
reports it.
"""

import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

#: Suffixes of the files beside a database that is being written.
JOURNALS = ("-wal", "-journal")
MAGIC = b"SQLite format 3\x00"
#: An open database.
Connection = apsw.Connection


class Changed(OSError):
    """The file changed during every attempt to copy it."""


@contextmanager
def opened(path: Path) -> Iterator[apsw.Connection]:
    """Open the database at `path` for reading.

    Raises:
        OSError: it cannot be read, or is no database.
    """
    with _still(path) as (place, flags):
        try:
            base = apsw.Connection(
                f"{place.absolute().as_uri()}?{flags}", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
            )
            try:
                base.set_busy_timeout(1000)
                yield base
            finally:
                base.close()
        except apsw.Error as error:
            raise OSError(f"not a database that can be read: {error}") from error


def tables(base: apsw.Connection) -> frozenset[str]:
    """Return names of the tables."""
    return frozenset(name for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"))


#: Names that hosts give to conversation tables of a later schema generation.
_GENERATION = re.compile(r"(?:sessions?|messages?|parts?|turns?|conversations?)(?:_\w+)?_v\d+")


def newer_tables(path: Path, known: Collection[str]) -> list[str]:
    """Return tables of a host's database whose names look like conversations of an unknown later generation.

    Args:
        known: such tables that are read.

    Raises:
        OSError: it cannot be read, or is no database.
    """
    with opened(path) as base:
        return sorted(name for name in tables(base) if _GENERATION.fullmatch(name) and name not in known)


def columns(base: apsw.Connection, table: str) -> frozenset[str]:
    """Return names of the columns of a table; none when there is no such table."""
    return frozenset(str(name) for (name,) in base.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def text_of_value(value: object) -> str:
    """Return a value of a column as text."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


@contextmanager
def _still(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield a file that does not change while it is read, and the URI parameters with which to open it."""
    if not any(_size(journal) for journal in _journals(path)):
        yield path, "immutable=1"
        return
    with tempfile.TemporaryDirectory(prefix="vademecum-") as folder:
        copy = Path(folder) / "copy.db"
        for _ in range(3):
            before = _stamps(path)
            _copy(path, copy)
            if _stamps(path) == before:
                break
        else:
            raise Changed("it is being written to all the time")
        yield copy, "mode=ro"


def _journals(path: Path) -> Sequence[Path]:
    return [path.with_name(path.name + suffix) for suffix in JOURNALS]


def _copy(path: Path, copy: Path) -> None:
    shutil.copyfile(path, copy)
    for journal, beside in zip(_journals(path), _journals(copy), strict=True):
        beside.unlink(missing_ok=True)
        if journal.exists():
            shutil.copyfile(journal, beside)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _stamps(path: Path) -> list[tuple[int, int]]:
    stat_results = [file.stat() for file in (path, *_journals(path)) if file.exists()]
    return [(stat.st_size, stat.st_mtime_ns) for stat in stat_results]
